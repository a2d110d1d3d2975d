"""Measurements of readers: empty polls, UIDs, inventories and sweeps."""

from collections.abc import Iterator
from functools import partial
from random import Random
from statistics import median, quantiles

from fakepi.host import PROFILES, HostProfile, LinuxHost
from fakepi.iso14443 import CASCADE_TAG
from fakepi.ntag import Ntag
from firmware.config.table_config import SPI_MHZ
from sim.bench.meters import transfers
from sim.bench.rows import Figures, Measurement
from sim.bench.tables import OurTable, StockTable, insist
from sim.mat.parts import Conditions

UID = bytes.fromhex("04A23B158C6180")
NXP = 0x04  # the manufacturer's code, the first byte of an NTAG's UID
STACKS = 20  # random stacks; the slowest counts, since similar UIDs take longer to tell apart
INVENTORY_MS = {1: 8.0, 2: 16.0, 4: 33.0, 8: 72.0}  # the limit by the number of tags
SWEEP_MS = {False: 4.5 / 5, True: 12.0 / 5}  # the limit per reader: all fields on, or in turn
FAST_MHZ = 4  # an SPI clock rate that short wires allow
JITTERY_POLLS = 2000
SWEPT = (1, 2, 5, 8)  # numbers of readers


def measurements(seed: int) -> Iterator[Measurement]:
    """Yield the measurements of readers. *seed* draws the UIDs."""
    yield Measurement("empty poll", empty_poll, {"ms": 0.9, "transfers": 10}, stock_sweep)
    for profile in PROFILES:
        name = f"empty poll, jitter of a {profile.name}"
        yield Measurement(name, partial(jittery_poll, profile, seed))
    yield Measurement("empty poll, a tag just left", poll_after_a_tag, stock=stock_sweep)
    yield Measurement("7-byte UID, WUPA to the last SAK", one_uid, {"ms": 6.0}, cannot=True)
    yield Measurement(
        f"7-byte UID, SPI at {FAST_MHZ} MHz", partial(one_uid, FAST_MHZ), {"ms": 5.0}, cannot=True
    )
    for tags, ms in INVENTORY_MS.items():
        name = f"inventory of {tags} NTAG213 and HLTA"
        yield Measurement(name, partial(inventory, tags, seed), {"ms": ms}, cannot=True)
    for in_turn in (False, True):
        fields = "in turn" if in_turn else "all on"
        for readers in SWEPT:
            yield Measurement(
                f"sweep, {readers} reader{'s' * (readers > 1)}, fields {fields}",
                partial(sweep, readers, in_turn=in_turn),
                {"ms": SWEEP_MS[in_turn] * readers},
                partial(stock_sweep, readers),
            )


def empty_poll() -> Figures:
    """Return the time in ms and the number of SPI transfers of a poll that finds no tag."""
    table = OurTable()
    return table.cost(table.poll)


def jittery_poll(profile: HostProfile, seed: int) -> Figures:
    """Return the figures of ``empty_poll`` on a computer with the timing jitter of *profile*."""
    table = OurTable(conditions=Conditions(host=LinuxHost(profile, seed)))
    polls = [table.cost(table.poll) for _ in range(JITTERY_POLLS)]
    times = [poll["ms"] for poll in polls]
    return {
        "ms median": median(times),
        "ms, 99 of 100": quantiles(times, n=100)[-1],
        "transfers": median(poll["transfers"] for poll in polls),
    }


def poll_after_a_tag() -> Figures:
    """Return the figures of ``empty_poll`` for the first poll after a tag was removed."""
    table, tag = OurTable(), Ntag(UID)
    table.lay([tag])
    table.lift(tag)
    return table.cost(table.poll)


def one_uid(spi_mhz: int = SPI_MHZ[0]) -> Figures:
    """Return the ms from the first byte of WUPA to the tag's last answer (SAK), for one UID."""
    table = OurTable(spi_mhz=spi_mhz)
    table.lay([Ntag(UID)])
    with transfers(table.board.clock) as made:
        insist(table.poll().uids == (UID,))
    began = next(transfer for transfer in made if transfer.is_write)
    # The SAK is the tag's last answer in this poll.
    ended = [transfer for transfer in made if transfer.reads_fifo][-1]
    return {"ms": (ended.ended_ns - began.began_ns) / 1e6}


def inventory(tags: int, seed: int) -> Figures:
    """Return the time in ms to poll a stack of *tags* tags.

    It is the time of the slowest of ``STACKS`` stacks, whose UIDs are drawn from *seed*.
    """
    chance = Random(seed)
    costs = [_inventory([Ntag(_any_uid(chance)) for _ in range(tags)]) for _ in range(STACKS)]
    return {"ms": max(costs)}


def _inventory(tags: list[Ntag]) -> float:
    table = OurTable()
    table.lay(tags)
    return table.cost(lambda: insist(len(table.poll().uids) == len(tags)))["ms"]


def sweep(readers: int, *, in_turn: bool) -> Figures:
    """Return the time in ms to poll every reader once, without tags.

    If *in_turn*, only one reader's field is on at a time.
    """
    table = OurTable(readers, in_turn=in_turn)
    return {"ms": table.cost(table.sweep)["ms"]}


def stock_sweep(readers: int = 1) -> Figures:
    """Return the figures of ``sweep`` for the stock library."""
    table = StockTable(readers)
    return table.cost(lambda: insist(not any(table.sweep())))


def _any_uid(chance: Random) -> bytes:
    uid = bytearray((NXP, *chance.randbytes(6)))
    if uid[3] == CASCADE_TAG:
        uid[3] ^= 0x01
    return bytes(uid)
