"""Changes to the boot file of a Raspberry Pi: a marked block in ``config.txt`` turns the buses on.

The functions return the new text of the file. Decode the file as Latin-1, so that all other bytes
stay the same. Tapmat's block comes last, because the last line for a parameter is the one that
counts. The block begins with ``[all]``, which ends a filter such as ``[pi4]``, and an empty
``dtoverlay=``. Without these, the parameters in the block would apply to the last overlay before
it. Source: Raspberry Pi documentation, "config.txt" and "Device Trees, overlays, and parameters";
``overlays/README`` of the firmware: ``spi``, ``i2c_arm``, ``i2c_arm_baudrate``, ``spi1-3cs``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

BEGIN = "# >>> tapmat (written by install-pi; make pi-remove takes it out)"
END = "# <<< tapmat"
I2C_HZ = 400_000  # fast mode, which both display controllers, SSD1306 and SH1106, support
NO_OVERLAY = "dtoverlay="  # parameters after this line are for the board itself
SPI = "dtparam=spi=on"
I2C = f"dtparam=i2c_arm=on,i2c_arm_baudrate={I2C_HZ}"
SPI1 = "dtoverlay=spi1-3cs"


@dataclass(frozen=True)
class Needs:
    """The requirements of a table on its computer.

    Attributes:
        boot_lines: the lines for ``config.txt`` that turn on the table's buses.
        devices: the device files that exist while these buses are on, relative to the root, such as
            ``dev/spidev0.0``.
        files: the files and folders named in ``table.toml``, as written there.
        has_companion: True if the table's companion is on.
        has_mqtt: True if the table's connection to a broker is on.
    """

    boot_lines: tuple[str, ...]
    devices: tuple[str, ...]
    files: tuple[str, ...] = ()
    has_companion: bool = False
    has_mqtt: bool = False


def with_block(text: str, lines: Iterable[str]) -> str:
    """Return *text* with tapmat's block at its end, which contains *lines*.

    It replaces an older block, and has the same line endings as *text*.
    """
    kept = without_block(text)
    ending = "\r\n" if "\r\n" in text else "\n"
    if kept and not kept.endswith("\n"):
        kept += ending
    return kept + "".join(line + ending for line in (BEGIN, "[all]", NO_OVERLAY, *lines, END))


def without_block(text: str) -> str:
    """Return *text* without tapmat's block, otherwise unchanged."""
    kept, is_ours = [], False
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        is_ours = is_ours or line.strip() == BEGIN
        if not is_ours:
            kept.append(line)
        is_ours = is_ours and line.strip() != END
    return "".join(kept)
