"""What readers cost: empty polls, UIDs, inventories and sweeps, on the virtual clock.

Room: sim.
"""

from collections.abc import Iterator
from functools import partial
from random import Random

from sim.bench.meters import transfers
from sim.bench.rows import Act, Figures
from sim.bench.tables import OurTable, StockTable, insist
from sim.chips.iso14443 import CASCADE_TAG
from sim.chips.ntag import Ntag

UID = bytes.fromhex("04A23B158C6180")
NXP = 0x04  # what the UID of an NTAG begins with
STACKS = 20  # draws of UIDs; the worst of them counts, as a tree is as deep as its UIDs are alike
INVENTORY_MS = {1: 8.0, 2: 16.0, 4: 33.0, 8: 72.0}  # at most, by the number of tags
SWEEP_MS = {False: 4.5 / 5, True: 12.0 / 5}  # at most a reader: all fields on, or in turn
SWEPT = (1, 2, 5, 8)


def acts(seed: int) -> Iterator[Act]:
    """Every act of a reader; *seed* draws the UIDs."""
    yield Act("empty poll", empty_poll, {"ms": 0.9, "transfers": 10}, stock_sweep)
    yield Act("empty poll, a tag just left", poll_after_a_tag, stock=stock_sweep)
    yield Act("7-byte UID, WUPA to the last SAK", one_uid, {"ms": 6.0}, cannot=True)
    for tags, ms in INVENTORY_MS.items():
        name = f"inventory of {tags} NTAG213 and HLTA"
        yield Act(name, partial(inventory, tags, seed), {"ms": ms}, cannot=True)
    for in_turn in (False, True):
        fields = "in turn" if in_turn else "all on"
        for readers in SWEPT:
            yield Act(
                f"sweep, {readers} reader{'s' * (readers > 1)}, fields {fields}",
                partial(sweep, readers, in_turn=in_turn),
                {"ms": SWEEP_MS[in_turn] * readers},
                partial(stock_sweep, readers),
            )


def empty_poll() -> Figures:
    """One poll of a reader that nothing has lain on for a while."""
    table = OurTable()
    return table.cost(table.poll)


def poll_after_a_tag() -> Figures:
    """The first poll after a tag was taken away, when one whose answer was lost may be left."""
    table, tag = OurTable(), Ntag(UID)
    table.lay([tag])
    table.lift(tag)
    return table.cost(table.poll)


def one_uid() -> Figures:
    """From the first byte written for WUPA until the SAK of cascade level 2 has been read."""
    table = OurTable()
    table.lay([Ntag(UID)])
    with transfers(table.board.clock) as made:
        insist(table.poll().uids == (UID,))
    began = next(transfer for transfer in made if transfer.is_write)
    # The SAK is the last thing that the tag says in this poll.
    ended = [transfer for transfer in made if transfer.reads_fifo][-1]
    return {"ms": (ended.ended_ns - began.began_ns) / 1e6}


def inventory(tags: int, seed: int) -> Figures:
    """A whole poll of a stack that rests on the reader: the worst of ``STACKS`` stacks."""
    chance = Random(seed)
    costs = [_inventory([Ntag(_any_uid(chance)) for _ in range(tags)]) for _ in range(STACKS)]
    return {"ms": max(costs)}


def _inventory(tags: list[Ntag]) -> float:
    table = OurTable()
    table.lay(tags)
    return table.cost(lambda: insist(len(table.poll().uids) == len(tags)))["ms"]


def sweep(readers: int, *, in_turn: bool) -> Figures:
    """Every reader polled once, with nothing on any."""
    table = OurTable(readers, in_turn=in_turn)
    return {"ms": table.cost(table.sweep)["ms"]}


def stock_sweep(readers: int = 1) -> Figures:
    """The same, the stock library's way."""
    table = StockTable(readers)
    return table.cost(lambda: insist(not any(table.sweep())))


def _any_uid(chance: Random) -> bytes:
    uid = bytearray((NXP, *chance.randbytes(6)))
    if uid[3] == CASCADE_TAG:
        uid[3] ^= 0x01
    return bytes(uid)
