"""The check of the reset wires: each pin resets its own reader, and no other.

The doctor writes a mark into every chip, pulses one wire, and checks which chips have lost the
mark.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from firmware.config.table_config import ReaderConfig
from firmware.doctor.findings import Finding, Verdict
from hardware.errors import HardwareFault
from hardware.ports import ResetTesting, TagReader

CONNECT = (
    "Connect its RST to GPIO{pin}, or remove reset_pin from [readers.{spot}] in table.toml: the "
    "reader is then reset by a command"
)
SWAP = "Swap the reset wires of both, or their reset_pin in table.toml"
APART = "Give each its own wire, or the same reset_pin in table.toml"


def look_at_reset_wires(
    configs: tuple[ReaderConfig, ...], readers: Mapping[str, TagReader]
) -> Iterator[Finding]:
    """Pulse the reset wire of each reader that can detect a reset.

    *configs* has the pins. Afterwards all readers are set up again.
    """
    tested = {spot: reader for spot, reader in readers.items() if isinstance(reader, ResetTesting)}
    pins = {config.spot: config.reset_pin for config in configs if config.spot in tested}
    for spot, pin in pins.items():
        if pin is None:
            continue
        try:
            was_reset = _pulse(spot, tested)
        except HardwareFault as fault:
            yield Finding.of(f"reader {spot}", Verdict.FAIL, fault)
            continue
        yield _finding(spot, pin, was_reset, {other for other in pins if pins[other] == pin})
    for reader in tested.values():
        with suppress(HardwareFault):  # a reader that does not answer was reported
            reader.restart()


def _pulse(spot: str, readers: Mapping[str, ResetTesting]) -> set[str]:
    """Pulse the wire of *spot*, and return the spots whose readers were reset.

    Raises:
        HardwareFault: a reader does not answer.
    """
    for reader in readers.values():
        reader.mark()
    readers[spot].pulse_reset()
    return {name for name, reader in readers.items() if not reader.is_marked()}


def _finding(spot: str, pin: int, was_reset: set[str], wanted: set[str]) -> Finding:
    """Return a finding about the reset wire of *spot*, which is on GPIO *pin*.

    *was_reset* are the spots whose readers the pin has reset, and *wanted* those that it should
    reset.
    """
    part = f"reset {spot}"
    others = " and ".join(sorted(was_reset - wanted))
    if spot not in was_reset and others:
        return Finding(part, Verdict.WARN, f"GPIO{pin} resets the reader {others} instead", SWAP)
    if spot not in was_reset:
        remedy = CONNECT.format(pin=pin, spot=spot)
        return Finding(part, Verdict.WARN, f"GPIO{pin} does not reset it", remedy)
    if others:
        return Finding(part, Verdict.WARN, f"GPIO{pin} also resets the reader {others}", APART)
    return Finding(part, Verdict.OK, f"GPIO{pin} resets it")
