"""The names of the chips that ``table.toml`` may have.

tapmat has a driver for one reader chip. Another package adds a chip with an entry point, which maps
the chip's name to a ``hardware.modules.ReaderDriver`` or, for an LED strip, a ``LampDriver``.
``firmware.runtime.wiring`` loads the driver. See docs/adding-a-reader.md and
docs/adding-an-led-strip.md.

May import: the standard library. ``firmware.pi.needs`` needs these names before Pillow is
installed.
"""

from importlib.metadata import entry_points

READERS, LAMPS = "tapmat.readers", "tapmat.lamps"  # the groups of entry points
BUILT_IN = "mfrc522"  # the default reader chip


def reader_chips() -> tuple[str, ...]:
    """Return the names of all reader chips that have a driver, the built-in one first."""
    added = entry_points(group=READERS).names - {BUILT_IN}
    return (BUILT_IN, *sorted(added))


def strip_chips() -> tuple[str, ...]:
    """Return the sorted names of all LED strips that have a driver."""
    return tuple(sorted(entry_points(group=LAMPS).names))
