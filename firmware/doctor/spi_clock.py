"""The check of the SPI wires: it finds the fastest clock rate that works for each reader.

The doctor writes patterns of 8 random bytes into the chip and reads them back. Eight patterns are
two transfers of 65 bytes, so 10,000 patterns take 1.5 s at 1 MHz (nine clocks per byte, and 20 us
of the kernel's and Python's time per transfer), and all four rates about 3 s per reader. That is
640,000 bits each way.
"""

from collections.abc import Iterator, Mapping

from firmware.config.table_config import ReaderConfig
from firmware.doctor.findings import Finding, Verdict
from hardware.errors import HardwareFault
from hardware.ports import SpiTesting, TagReader

RATES_MHZ = (1, 2, 4, 8)
PATTERNS = 10_000  # at each rate
EMULATED_PATTERNS = 80  # emulated wires show a fault sooner, and each pattern costs CPU time

SHORTER = (
    "Shorten the reader's wires, and lay a ground wire beside SCK; if that does not help, "
    "use another reader board"
)


def look_at_spi_clocks(
    configs: tuple[ReaderConfig, ...], readers: Mapping[str, TagReader], patterns: int
) -> Iterator[Finding]:
    """Test the wires of each reader that supports it, with *patterns* patterns at each rate.

    *configs* has the present clock rates.
    """
    for config in configs:
        reader = readers.get(config.spot)
        if isinstance(reader, SpiTesting):
            try:
                yield _finding(config, reader, patterns)
            except HardwareFault as fault:
                yield Finding.of(f"reader {config.spot}", Verdict.FAIL, fault)


def _finding(config: ReaderConfig, reader: SpiTesting, patterns: int) -> Finding:
    """Return the finding about the SPI wires of *reader*.

    The usual clock rates and the present one are tested with *patterns* patterns each, slowest
    first, until a pattern is damaged.
    """
    part, now_mhz, clean_mhz = f"wires {config.spot}", config.spi_mhz, 0
    results = [f"SPI is set to {now_mhz} MHz"]
    for rate_mhz in sorted({*RATES_MHZ, now_mhz}):
        intact = reader.intact_patterns(rate_mhz * 1_000_000, patterns)
        if intact < patterns:
            results.append(f"at {rate_mhz} MHz pattern {intact + 1:,} was damaged")
            break
        clean_mhz = rate_mhz
    if not clean_mhz:
        return Finding(part, Verdict.WARN, ", and ".join(results), SHORTER)
    results.insert(1, f"at {clean_mhz} MHz all {patterns:,} patterns were undamaged")
    found = "; ".join(results)
    line = f"write spi_mhz = {clean_mhz} under [readers.{config.spot}] in table.toml"
    if clean_mhz < now_mhz:
        return Finding(part, Verdict.WARN, found, f"Shorten them, or {line}")
    if clean_mhz > now_mhz:
        return Finding(part, Verdict.OK, found, f"For faster taps, {line}")
    return Finding(part, Verdict.OK, found)
