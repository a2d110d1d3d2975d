"""Checks of the SPI and I2C buses: if they are on, if this user may use them, and their speed.

A bus that is off, or used by another driver, is reported by ``firmware.doctor.parts``.
Sources: Linux, Documentation/spi/spidev.rst and Documentation/i2c/dev-interface.rst; Devicetree
specification 2.2.4: numbers are big-endian.
"""

from collections.abc import Iterator

from firmware.config.table_config import TableConfig, pins_in_use
from firmware.doctor.computer import Computer
from firmware.doctor.findings import Finding, Verdict
from hardware.errors import JOIN_GROUP, MissingPart
from hardware.gpio_chips import find_header_chip

OTHERS = "other programs"  # the part in findings about other users of the devices


def look_at_buses(computer: Computer, config: TableConfig) -> Iterator[Finding]:
    """Check access to the GPIO pins and to each bus in *config* that is on."""
    rates: dict[str, set[int]] = {}
    for part in config.on_spi:
        rates.setdefault(part.spi, set()).add(part.spi_mhz)
    for spi, rates_mhz in rates.items():
        node = f"dev/spidev{spi}"
        if computer.path(node).exists():
            rates_text = " and ".join(map(str, sorted(rates_mhz)))
            yield _device(computer, f"SPI {spi}", node, "spi", f"{rates_text} MHz")
    if config.display is not None:
        bus = config.display.i2c
        node = f"dev/i2c-{bus}"
        speed = computer.bytes(f"sys/bus/i2c/devices/i2c-{bus}/of_node/clock-frequency")
        speed_text = "the kernel does not report its speed"
        if speed:
            speed_text = f"set to {int.from_bytes(speed) // 1000} kHz"
        if computer.path(node).exists():
            yield _device(computer, f"I2C {bus}", node, "i2c", speed_text)
    if any(pins_in_use(config)) and computer.is_pi:
        yield _pins(computer)


def _pins(computer: Computer) -> Finding:
    """Check that this user may open the GPIO chip of the pin header.

    The chip is found by its label, because its number differs between kernels.
    """
    try:
        chip = find_header_chip(computer.root)
    except MissingPart as missing:
        return Finding("pins", Verdict.FAIL, missing.found, missing.remedy)
    return _device(computer, "pins", chip.node, "gpio", chip.name)


def _device(computer: Computer, part: str, node: str, group: str, details: str = "") -> Finding:
    """Check that this user may open the device file *node*, which belongs to *group*.

    The finding is about *part*, and names *details* if the file can be opened.
    """
    if not computer.may_use(computer.path(node)):
        found = f"you may not use /{node}"
        return Finding(part, Verdict.FAIL, found, JOIN_GROUP.format(group=group))
    return Finding(part, Verdict.OK, ", ".join(filter(None, (f"/{node}", details))))


def look_for_other_users(computer: Computer, config: TableConfig) -> Iterator[Finding]:
    """Report other programs that have a reader's SPI device open.

    Without root rights the open files of other users' programs are hidden; that is reported too.
    """
    named = {f"dev/spidev{reader.spi}" for reader in config.readers}
    devices = {f"/{node}" for node in named if computer.path(node).exists()}
    if not devices:
        return
    seen: dict[tuple[str, str], str] = {}
    hidden = 0  # processes whose open files this user may not list
    for process in (path.name for path in computer.path("proc").glob("[0-9]*")):
        handles = computer.entries(f"proc/{process}/fd")
        if handles is None:
            # Kernel threads do not count: they have no command line and open no device.
            hidden += bool(computer.bytes(f"proc/{process}/cmdline"))
            continue
        for handle in handles:
            held = computer.link(f"proc/{process}/fd/{handle.name}")
            if held in devices and int(process) != computer.process:
                seen[process, held] = computer.text(f"proc/{process}/comm").strip()
    for (process, device), name in seen.items():
        found = "{name} (process {process}) has {device} open and disturbs the readers"
        found = found.format(name=name, process=process, device=device)
        remedy = f"Stop it: sudo kill {process}"
        yield Finding(OTHERS, Verdict.WARN, found, remedy)
    nodes = " ".join(sorted(devices))
    has_all = computer.path("proc/1").exists()  # else /proc lists no processes of other users
    if hidden or not has_all:
        whose = f"programs of other users ({hidden})" if has_all else "programs of other users"
        found = f"not checked: {whose} may have {nodes} open, but only root can see that"
        yield Finding(OTHERS, Verdict.SKIP, found, f"Check with: sudo fuser -v {nodes}")
    elif not seen:
        yield Finding(OTHERS, Verdict.OK, f"no other program has {nodes} open")
