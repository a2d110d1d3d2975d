"""The boot file of a Raspberry Pi: a marked block in ``config.txt`` that turns the buses on.

Room: firmware/pi. Pure functions from text to text. Our block comes last and under ``[all]``, since
of two lines about one parameter the later one counts, and a filter such as ``[pi4]`` holds until
the next.
Source: Raspberry Pi documentation, "config.txt"; ``overlays/README`` of the firmware: ``spi``,
``i2c_arm``, ``i2c_arm_baudrate``, ``spi1-3cs``.
"""

from collections.abc import Iterable

BEGIN = "# >>> tapmat (written by install-pi; make pi-remove takes it out)"
END = "# <<< tapmat"
I2C_HZ = 400_000  # fast mode, which SSD1306 and SH1106 both bear
SPI = "dtparam=spi=on"
I2C = f"dtparam=i2c_arm=on,i2c_arm_baudrate={I2C_HZ}"
SPI1 = "dtoverlay=spi1-3cs"


def with_block(text: str, lines: Iterable[str]) -> str:
    """Return *text* with our block of *lines* at its end, in place of an older one."""
    kept = without_block(text)
    if kept and not kept.endswith("\n"):
        kept += "\n"
    return kept + "\n".join((BEGIN, "[all]", *lines, END)) + "\n"


def without_block(text: str) -> str:
    """Return *text* without our block; all else stays as it is."""
    kept, is_ours = [], False
    for line in text.splitlines(keepends=True):
        is_ours = is_ours or line.strip() == BEGIN
        if not is_ours:
            kept.append(line)
        is_ours = is_ours and line.strip() != END
    return "".join(kept)
