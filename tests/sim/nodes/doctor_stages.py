"""Stages faults on an emulated Pi: each function breaks one thing, and mends it at the end.

Their names are those of the faults in ``tests.doctor_faults``. Most stages are common to all
patients; here are those of a Pi alone.
"""

import errno
from collections.abc import Iterator

from tests.doctor_stages import COMMON, Stage, changed, stage_in
from tests.sim.nodes.patient import PiPatient

HOLDS_PIN = """
lines = request_lines(open_node("/dev/gpiochip0"), [18], OUTPUT, consumer=b"other")
print("ready", flush=True)
sys.stdin.readline()
"""
SLOW_HZ = 100_000
SPEED = "/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency"

STAGES: dict[str, Stage[PiPatient]] = {**COMMON}
stage = stage_in(STAGES)


# --- buses and pins ------------------------------------------------------------------------------


@stage
def pins_forbidden(patient: PiPatient) -> Iterator[None]:
    with patient.forbidden("/dev/gpiochip0", "gpio"):
        yield


@stage
def pin_chip_missing(patient: PiPatient) -> Iterator[None]:
    with patient.without("/dev/gpiochip0"):
        yield


@stage
def pin_chip_renumbered(patient: PiPatient) -> Iterator[None]:
    node = patient.files.remove_node("/dev/gpiochip0")
    devices = patient.file("/sys/bus/gpio/devices")
    patient.files.add_node("/dev/gpiochip11", node)
    (devices / "gpiochip0").rename(devices / "gpiochip11")
    yield
    (devices / "gpiochip11").rename(devices / "gpiochip0")
    patient.files.add_node("/dev/gpiochip0", patient.files.remove_node("/dev/gpiochip11"))


@stage
def pin_chip_unknown(patient: PiPatient) -> Iterator[None]:
    devices = patient.file("/sys/bus/gpio/devices")
    (devices / "gpiochip0").rename(devices / "kept")
    label, patient.parts.pins.label = patient.parts.pins.label, b"pinctrl-bcm2799"
    yield
    patient.parts.pins.label = label
    (devices / "kept").rename(devices / "gpiochip0")


@stage
def pin_held(patient: PiPatient) -> Iterator[None]:
    with patient.other_program(HOLDS_PIN):
        yield


@stage
def library_missing(patient: PiPatient) -> Iterator[None]:
    library = next(patient.libraries.glob("spidev*.so"))
    target = library.readlink()
    library.unlink()
    yield
    library.symlink_to(target)


@stage
def i2c_slow(patient: PiPatient) -> Iterator[None]:
    with patient.broken("i2c-slow"), changed(patient.file(SPEED), SLOW_HZ.to_bytes(4)):
        yield


@stage
def i2c_speed_untold(patient: PiPatient) -> Iterator[None]:
    speed = patient.file(SPEED)
    rate = speed.read_bytes()
    speed.unlink()
    yield
    speed.write_bytes(rate)


# --- the computer --------------------------------------------------------------------------------


def throttled(patient: PiPatient, bits: str) -> Iterator[None]:
    patient.say("vcgencmd", f"throttled={bits}")
    yield
    patient.say("vcgencmd", "throttled=0x0")


@stage
def low_voltage_now(patient: PiPatient) -> Iterator[None]:
    yield from throttled(patient, "0x50005")


@stage
def low_voltage_earlier(patient: PiPatient) -> Iterator[None]:
    yield from throttled(patient, "0x50000")


@stage
def too_hot_now(patient: PiPatient) -> Iterator[None]:
    yield from throttled(patient, "0xe0008")


@stage
def slowed_down_earlier(patient: PiPatient) -> Iterator[None]:
    yield from throttled(patient, "0x40000")


@stage
def power_untold(patient: PiPatient) -> Iterator[None]:
    patient.say("vcgencmd", "Can't open device file: /dev/vcio", code=255)
    patient.files.write("/dev/vcio", b"")
    patient.files.refused["/dev/vcio"] = errno.EACCES
    yield
    del patient.files.refused["/dev/vcio"]
    patient.files.remove("/dev/vcio")
    patient.say("vcgencmd", "throttled=0x0")


@stage
def low_voltage_told_by_kernel(patient: PiPatient) -> Iterator[None]:
    patient.say("vcgencmd", "", code=255)
    alarm = patient.file("/sys/class/hwmon/hwmon0/in0_lcrit_alarm")
    with changed(alarm, "1\n"):
        yield
    patient.say("vcgencmd", "throttled=0x0")


@stage
def old_system(patient: PiPatient) -> Iterator[None]:
    text = 'PRETTY_NAME="Raspbian GNU/Linux 11 (bullseye)"\nVERSION_CODENAME=bullseye\n'
    with changed(patient.file("/etc/os-release"), text):
        yield


@stage
def clock_not_set(patient: PiPatient) -> Iterator[None]:
    patient.say("timedatectl", "no")
    yield
    patient.say("timedatectl", "yes")


@stage
def sound_card_missing(patient: PiPatient) -> Iterator[None]:
    with changed(patient.file("/proc/asound/cards"), "--- no soundcards ---\n"):
        yield


@stage
def sound_only_by_hdmi(patient: PiPatient) -> Iterator[None]:
    cards = " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0\n"
    with changed(patient.file("/proc/asound/cards"), cards):
        yield


@stage
def sound_by_a_monitor(patient: PiPatient) -> Iterator[None]:
    cards = " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0\n"
    status = patient.file("/sys/class/drm/card1-HDMI-A-1/status")
    with changed(patient.file("/proc/asound/cards"), cards), changed(status, "connected\n"):
        yield
