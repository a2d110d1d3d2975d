"""The image starts on an emulated Pi 3: partitions, settings, buses, and the table's service.

QEMU has no chips on these buses. What is true without them is tested here.
"""

import pytest

from tests.image.machine import CARD_BYTES, ImagePi, open_ports

# The names of their firmware in the kernel's driver brcmfmac (sdio.c). docs/image.md says for which
# boards Debian has none.
WIFI_CHIPS = {
    "43430": True,  # Pi 3, most Zero 2 W
    "43455": True,  # Pi 3+ and 4
    "43456": True,  # Pi 400
    "43430b0": False,  # other Zero 2 W
}


def test_the_system_has_started(pi: ImagePi) -> None:
    assert pi.do("systemctl --failed --plain --no-legend").said == ""


def test_the_root_is_read_only_and_the_rest_is_not(pi: ImagePi) -> None:
    assert pi.do("touch /usr/here").code != 0
    assert pi.do("touch /boot/firmware/here").code != 0
    written = "/etc/here /var/lib/here /opt/tapmat/here /usr/local/here /tmp/here"
    done = pi.do(f"touch {written} && rm {written}")
    assert done.code == 0, done.said


def test_the_state_partition_has_grown_to_the_end_of_the_card(pi: ImagePi) -> None:
    size = int(pi.do("blockdev --getsize64 /dev/mmcblk0p3").said)
    start = int(pi.do("cat /sys/class/block/mmcblk0p3/start").said) * 512
    assert CARD_BYTES - (start + size) < 1 << 20
    blocks = int(pi.do("stat --file-system --format %b /var").said) * 4096
    assert blocks > 0.9 * size


def test_the_state_partition_was_checked(pi: ImagePi) -> None:
    assert "fsck.ext4" in pi.do("cat /run/initramfs/fsck.log").said


def test_the_settings_on_the_card_are_used(pi: ImagePi) -> None:
    assert pi.do("hostname").said.strip() == "games"
    assert 'language = "de"' in pi.do("cat /etc/tapmat/table.toml").said
    report = pi.do("cat /boot/firmware/tapmat-report.txt").said
    assert "colour is not a known key" in report
    assert "kit: smallest" in report


def test_the_buses_are_on_and_the_table_may_use_them(pi: ImagePi) -> None:
    for node, group in {
        "spidev0.0": "spi",
        "spidev0.1": "spi",
        "i2c-1": "i2c",
        "gpiochip0": "gpio",
    }.items():
        done = pi.do(f"stat --format %G:%a /dev/{node}")
        assert done.said.strip() == f"{group}:660", done.said
    hertz = pi.do("od -An -tx1 /sys/bus/i2c/devices/i2c-1/of_node/clock-frequency").said
    assert int(hertz.replace(" ", ""), 16) == 400_000


@pytest.mark.parametrize(("chip", "is_there"), WIFI_CHIPS.items())
def test_the_wifi_chips_have_firmware_except_those_that_the_page_names(
    pi: ImagePi, chip: str, is_there: bool
) -> None:
    found = pi.do(f"test -s /usr/lib/firmware/brcm/brcmfmac{chip}-sdio.bin").code == 0
    assert found == is_there


def test_nobody_can_log_in_unless_the_card_names_a_key(pi: ImagePi) -> None:
    assert pi.do("systemctl is-active ssh.service").said.strip() == "inactive"
    assert open_ports(pi) == []
    assert pi.do("passwd --status pi").said.split()[1] == "L"


def test_without_chips_the_table_says_so(pi: ImagePi) -> None:
    journal = "journalctl --unit tapmat.service --output cat --no-pager"
    pi.wait_for(f"{journal} | grep --only-matching 'reader play:'", ("reader play:",))
    log = pi.do(journal).said
    assert "the display does not answer at I2C address 0x3C" in log
    assert "reader play: the reader chip does not answer" in log
    assert "Traceback" not in log
    assert pi.do("systemctl is-active tapmat.service").said.strip() == "active"


@pytest.mark.parametrize("part", ["SPI", "I2C"])
def test_the_doctor_finds_the_bus_but_no_chip(pi: ImagePi, part: str) -> None:
    done = pi.do("systemctl stop tapmat tapmat-safe; tapmat doctor --quick")
    assert "Traceback" not in done.said
    assert part in done.said


def test_a_cut_of_the_power_does_no_harm(pi: ImagePi) -> None:
    pi.do("echo kept > /var/lib/kept; sync; echo lost > /var/lib/lost")
    pi.close()
    assert "colour" in pi.read("tapmat-report.txt")
    pi.edit("tapmat.toml", 'kit = "smallest"\nlanguage = "en"\nname = "games"\n')
    pi.power_on()
    assert pi.do("cat /var/lib/kept").said == "kept\n"
    assert "recovering journal" in pi.do("cat /run/initramfs/fsck.log").said
    assert "colour" not in pi.do("cat /boot/firmware/tapmat-report.txt").said
