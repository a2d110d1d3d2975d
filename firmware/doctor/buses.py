"""The checks of the buses: whether they are on, how fast, and whether this user may use them.

Room: firmware/doctor. A bus that is off is told by the part that wants it, with how to turn it on.
Sources: Linux, Documentation/spi/spidev.rst and Documentation/i2c/dev-interface.rst; Devicetree
specification 2.2.4: numbers are big-endian.
"""

from collections.abc import Iterator
from gettext import gettext as _
from pathlib import Path

from firmware.config import TableConfig, pins_in_use
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from firmware.wiring import SPI_HZ


def look_at_buses(computer: Computer, config: TableConfig) -> Iterator[Finding]:
    """Each bus that *config* names and that is on, and the pins."""
    for spi in dict.fromkeys(reader.spi for reader in config.readers):
        part, node = f"SPI {spi}", f"dev/spidev{spi}"
        driver = Path(computer.link(f"sys/bus/spi/devices/spi{spi}/driver")).name
        if computer.path(node).exists():
            yield _device(computer, part, node, "spi", f"{SPI_HZ / 1e6:g} MHz")
        elif driver not in ("", "spidev"):
            found = _("the driver {driver} has it").format(driver=driver)
            remedy = _(
                "Take the dtoverlay line that loads it out of /boot/firmware/config.txt, then "
                "reboot"
            )
            yield Finding(part, Verdict.FAIL, found, remedy)
    if config.display is not None:
        bus = config.display.i2c
        node = f"dev/i2c-{bus}"
        speed = computer.bytes(f"sys/class/i2c-adapter/i2c-{bus}/of_node/clock-frequency")
        told = _("speed not told")
        if speed:
            told = _("set to {speed} kHz").format(speed=int.from_bytes(speed) // 1000)
        if computer.path(node).exists():
            yield _device(computer, f"I2C {bus}", node, "i2c", told)
    if any(pins_in_use(config)) and computer.path("dev/gpiochip0").exists():
        yield _device(computer, "pins", "dev/gpiochip0", "gpio")


def _device(computer: Computer, part: str, node: str, group: str, told: str = "") -> Finding:
    if not computer.may_use(computer.path(node)):
        user = computer.environment.get("USER", "$USER")
        found = _("you may not use {file}").format(file=f"/{node}")
        remedy = _("Join its group: sudo adduser {user} {group}, then log in again")
        return Finding(part, Verdict.FAIL, found, remedy.format(user=user, group=group))
    return Finding(part, Verdict.OK, ", ".join(filter(None, (f"/{node}", told))))


def users_of(computer: Computer, config: TableConfig) -> Iterator[Finding]:
    """Other programs that have a reader's SPI device open, as far as this user may see them."""
    devices = {f"/dev/spidev{reader.spi}" for reader in config.readers}
    seen: dict[tuple[str, str], str] = {}
    for handle in computer.path("proc").glob("[0-9]*/fd/*"):
        process = handle.parts[-3]
        try:
            held = str(handle.readlink())
        except OSError:  # it has ended, or is somebody else's
            continue
        if held in devices and int(process) != computer.process:
            seen[process, held] = computer.text(f"proc/{process}/comm").strip()
    for (process, device), name in seen.items():
        found = _("{name} (process {process}) has {device} open, and gets in between")
        found = found.format(name=name, process=process, device=device)
        remedy = _("End it: sudo kill {process}").format(process=process)
        yield Finding("conflicts", Verdict.WARN, found, remedy)
