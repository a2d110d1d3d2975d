"""The check of the receivers' gain: it finds the best gain for each reader.

Boards differ. With a small antenna, a reader does not detect stickers at a low gain; other boards
receive only noise at a high gain. The check needs a card, so a reader without a card is skipped.
"""

from collections.abc import Iterator, Mapping

from firmware.config.table_config import ReaderConfig
from firmware.doctor.findings import Finding, Verdict
from hardware.errors import HardwareFault, ReaderFault
from hardware.ports import GainTesting, TagReader

POLLS = 20  # at each gain
WORSE = 0.9  # a gain is worse if it has less than this share of the best one's sightings


def look_at_gains(
    configs: tuple[ReaderConfig, ...], readers: Mapping[str, TagReader]
) -> Iterator[Finding]:
    """Try the gains of each reader in *readers* that has an adjustable gain and a card on it.

    *configs* are the readers in ``table.toml``.
    """
    for config in configs:
        reader = readers.get(config.spot)
        if isinstance(reader, GainTesting):
            try:
                yield from _findings(config.spot, reader)
            except HardwareFault as fault:
                yield Finding.of(f"reader {config.spot}", Verdict.FAIL, fault)


def _findings(spot: str, reader: GainTesting) -> Iterator[Finding]:
    """Yield a finding with the number of sightings at each gain; nothing if no tag was seen.

    A sighting is a tag that was read in a poll.
    """
    own_db, counts = reader.gain_db, dict[int, int]()
    for gain_db in sorted({*reader.gains_to_try, own_db}):
        try:
            counts[gain_db] = reader.polls_that_see(gain_db, POLLS).total()
        except ReaderFault as fault:
            if fault.kind != "gain" or gain_db == own_db:
                raise  # otherwise the chip does not have this gain
    most = max(counts.values())
    if not most:
        return
    seen = ", ".join(f"{count} at {gain_db} dB" for gain_db, count in counts.items())
    found = f"set to {own_db} dB; tags seen in {POLLS} polls: {seen}"
    if counts[own_db] >= WORSE * most:
        yield Finding(f"gain {spot}", Verdict.OK, found)
        return
    good = [gain_db for gain_db, count in counts.items() if count >= WORSE * most]
    best = min(good, key=lambda gain_db: abs(gain_db - own_db))
    remedy = f"Write gain_db = {best} under [readers.{spot}] in table.toml"
    yield Finding(f"gain {spot}", Verdict.WARN, found, remedy)
