"""The names of the reader chips that ``table.toml`` may have.

tapmat has a driver for one chip. Another package adds a chip with an entry point in the group
``tapmat.readers``, from the chip's name to a ``hardware.ports.OpenReader``.
``firmware.runtime.wiring`` loads the driver. See docs/adding-a-reader.md.
"""

from importlib.metadata import entry_points

GROUP = "tapmat.readers"
BUILT_IN = "mfrc522"  # the default chip


def reader_chips() -> tuple[str, ...]:
    """Return the names of all chips that have a driver, the built-in one first."""
    added = entry_points(group=GROUP).names - {BUILT_IN}
    return (BUILT_IN, *sorted(added))
