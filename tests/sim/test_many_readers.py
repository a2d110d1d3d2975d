"""Tests of tables with several readers: each sees its own cards, and fails on its own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from fakepi.ntag import Ntag
from fakepi.picc import RandomUid4
from firmware.boxes.register import is_random_uid
from firmware.config.table_config import CHIP_SELECTS, SPOTS, TableConfig, load_config
from firmware.runtime.health import FAULTS
from firmware.table.events import (
    Event,
    PartFailed,
    PartRecovered,
    TagOnSpot,
    TagRemoved,
    TagsArrived,
)
from sim.mat.mat import Mat
from sim.mat.parts import EXACT, Conditions, EmulatedReader
from sim.rehearsal.grammar import parse
from sim.rehearsal.runner import Runner
from tests.effort import long_unless

SELECT_PINS = range(16, 25)  # for a table without SPI1, which needs most of these pins
RESET_PIN = 25
CONTROLS = "[controls]\nencoder = [5, 6]\nok = 13\nback = 26\naction = 4\n"
A_WHILE_S = 0.5  # long enough for the report of a card, even with nine readers
PULSES_S = 6.0  # long enough for a reset pulse to an offline reader
NINE = pytest.mark.parametrize("in_turn", [False, True], ids=["all-on", "in-turn"])


def table_of(folder: Path, count: int, *, in_turn: bool) -> TableConfig:
    """Return a table of *count* readers that share a reset wire.

    Up to five readers each have their own chip select. With more, the first keeps its own, and
    the others share an unused one and have select pins.
    """
    places = [f'spi = "{spi}"' for spi in CHIP_SELECTS]
    if count > len(CHIP_SELECTS):
        behind = [f'spi = "0.1"\nselect_pin = {pin}' for pin in SELECT_PINS]
        places = [places[0], *behind]
    readers = "".join(
        f"[readers.{spot}]\n{place}\nreset_pin = {RESET_PIN}\n"
        for spot, place in zip(SPOTS[:count], places, strict=False)
    )
    fields = f"[fields]\nin_turn = {str(in_turn).lower()}\n"
    file = folder / "table.toml"
    file.write_text(f"{fields}{readers}{CONTROLS}[display]\n")
    return load_config(file)


class Table:
    """A mat with several readers, and the events that its program receives."""

    def __init__(self, mat: Mat) -> None:
        self.mat = mat
        self.cards = {spot: Ntag(bytes((4, 0, 0, 0, 0, 0, n))) for n, spot in enumerate(self.spots)}
        self._told: list[Event] = []

    @property
    def spots(self) -> tuple[str, ...]:
        return tuple(self.mat.board.readers)

    def reader(self, spot: str) -> EmulatedReader:
        return self.mat.board.readers[spot]

    def listen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Start recording the events that the program's table receives."""
        table = self.mat.running.loop.table
        receive = table.receive

        def keep(event: Event, at_s: float) -> object:
            self._told.append(event)
            return receive(event, at_s)

        monkeypatch.setattr(table, "receive", keep)

    def lay(self, *spots: str) -> None:
        """Place each spot's own card on it, all at the same moment."""
        for spot in spots:
            self.mat.lay([self.cards[spot]], spot)

    def lift(self, *spots: str) -> None:
        for spot in spots:
            self.mat.lift([self.cards[spot]], spot)

    def told(self, seconds: float = A_WHILE_S) -> list[Event]:
        """Wait *seconds*, and return the events since the last call."""
        self.mat.wait(seconds)
        told = self._told.copy()
        self._told.clear()
        return told

    def faults(self) -> dict[str, dict[str, int]]:
        """Return the fault counts of every part that had a fault."""
        faults = {
            health.part: {kind: health.counts[kind] for kind in FAULTS if health.counts[kind]}
            for health in self.mat.running.loop.health
        }
        return {part: counts for part, counts in faults.items() if counts}

    def laid(self, *spots: str) -> tuple[TagOnSpot, ...]:
        return tuple(TagOnSpot(spot, self.cards[spot].uid) for spot in spots)


Make = Callable[..., Table]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """A function that makes a table with the given number of readers, switched on."""
    made: list[Mat] = []

    def table(count: int = 9, *, in_turn: bool = True, conditions: Conditions = EXACT) -> Table:
        config = table_of(tmp_path, count, in_turn=in_turn)
        mat = Mat(config, tmp_path, conditions=conditions)
        made.append(mat)
        mat.power_on()
        table = Table(mat)
        table.listen(monkeypatch)
        assert table.told() == []
        return table

    yield table
    for mat in made:
        mat.close()


@NINE
@pytest.mark.parametrize("count", long_unless((9).__eq__, [1, 2, 5, 8, 9]))
def test_each_reader_sees_its_own_card_and_no_other(make: Make, count: int, in_turn: bool) -> None:
    """Cards are placed one after the other, stay, and are lifted one after the other."""
    table = make(count, in_turn=in_turn)
    assert len(table.spots) == count
    for spot in table.spots:
        table.lay(spot)
        assert table.told() == [TagsArrived(table.laid(spot))]
    for spot in table.spots:
        table.lift(spot)
        assert table.told() == [TagRemoved(spot, table.cards[spot].uid)]


@NINE
@pytest.mark.parametrize("count", long_unless(lambda count: count == 2, [2, 5, 9]))
def test_honest_cards_are_told_once_where_they_lie(make: Make, count: int, in_turn: bool) -> None:
    """A card that needs longer than the guard time is found by the next look."""
    table = make(count, in_turn=in_turn, conditions=Conditions.honest(3))
    for spot in table.spots:
        table.lay(spot)
        assert table.told(3.0) == [TagsArrived(table.laid(spot))]
    assert table.told(10.0) == []
    for spot in table.spots:
        table.lift(spot)
        assert table.told(3.0) == [TagRemoved(spot, table.cards[spot].uid)]


@pytest.mark.long
@NINE
@pytest.mark.parametrize("count", [1, 2, 5, 8, 9])
def test_cards_laid_on_all_readers_at_once_are_told_together(
    make: Make, count: int, in_turn: bool
) -> None:
    """Their order cannot be known, so they are one arrival."""
    table = make(count, in_turn=in_turn)
    table.lay(*table.spots)
    (arrived,) = table.told()
    assert isinstance(arrived, TagsArrived)
    assert set(arrived.tags) == set(table.laid(*table.spots))
    assert not arrived.was_found
    table.lift(*table.spots)
    gone = {TagRemoved(spot, table.cards[spot].uid) for spot in table.spots}
    assert set(table.told()) == gone


@NINE
def test_stacks_on_several_readers_at_once_are_read_whole(make: Make, in_turn: bool) -> None:
    table = make(in_turn=in_turn)
    stacks = {
        spot: [Ntag(bytes((4, n, 0, 0, 0, 0, card))) for card in range(1, 5)]
        for n, spot in enumerate(("play", "box", "seat-6"))
    }
    for spot, stack in stacks.items():
        table.mat.lay(stack, spot)
    arrivals = table.told()
    assert all(isinstance(event, TagsArrived) for event in arrivals)
    laid = [tag for event in arrivals if isinstance(event, TagsArrived) for tag in event.tags]
    assert sorted(laid, key=lambda tag: tag.uid) == sorted(
        (TagOnSpot(spot, card.uid) for spot, stack in stacks.items() for card in stack),
        key=lambda tag: tag.uid,
    )


@pytest.mark.long
@NINE
def test_what_lies_on_every_reader_when_the_plug_was_pulled_is_found_there(
    make: Make, monkeypatch: pytest.MonkeyPatch, in_turn: bool
) -> None:
    table = make(in_turn=in_turn)
    table.lay(*table.spots)
    assert table.told()
    table.mat.power_cut()
    table.mat.power_on()
    assert [table.reader(spot).field.piccs for spot in table.spots] == [
        (table.cards[spot],) for spot in table.spots
    ]
    table.listen(monkeypatch)
    found = table.told()  # cards found at the start, reported after listening began
    assert all(isinstance(event, TagsArrived) and event.was_found for event in found)
    table.lift(*table.spots)
    gone = {TagRemoved(spot, table.cards[spot].uid) for spot in table.spots}
    assert set(table.told()) == gone


# --- faults --------------------------------------------------------------------------------------


def unplug(reader: EmulatedReader) -> None:
    """Cut a reader's power; its chip then leaves MISO undriven."""
    reader.chip.power(False)


def plug_in(reader: EmulatedReader) -> None:
    reader.chip.power(True)


BREAKS: dict[str, tuple[Callable[[EmulatedReader], None], Callable[[EmulatedReader], None]]] = {
    "unplugged": (unplug, plug_in),
    "MISO low": (lambda reader: reader.cut(0x00), lambda reader: reader.cut(None)),
    "MISO high": (lambda reader: reader.cut(0xFF), lambda reader: reader.cut(None)),
}


@pytest.mark.parametrize("how", long_unless(min(BREAKS).__eq__, BREAKS))
def test_a_dead_reader_on_a_select_pin_leaves_the_others_alone(make: Make, how: str) -> None:
    """Resetting it by the shared wire does not visibly affect the other readers."""
    table = make()
    table.lay("hand", "seat-4")
    assert table.told()
    levels: list[float] = []
    table.mat.board.pins.pin(RESET_PIN).wires.append(levels.append)
    break_it, mend_it = BREAKS[how]
    break_it(table.reader("seat-4"))
    assert table.told(PULSES_S) == [PartFailed("reader seat-4", "reader")]
    assert 0 in levels
    for spot in ("play", "seat-6"):
        table.lay(spot)
        assert table.told() == [TagsArrived(table.laid(spot))]
    assert table.faults() == {"reader seat-4": {"silent": 1}}
    mend_it(table.reader("seat-4"))
    assert table.told(1.0) == [PartRecovered("reader seat-4")]
    table.lift("seat-4")
    assert table.told() == [TagRemoved("seat-4", table.cards["seat-4"].uid)]


@pytest.mark.long
@NINE
def test_a_brown_out_of_one_of_nine_is_mended_before_anybody_notices(
    make: Make, in_turn: bool
) -> None:
    table = make(in_turn=in_turn)
    table.lay("seat-2", "seat-5")
    assert table.told()
    for _ in range(3):
        table.mat.fault("reader-brownout", "seat-5")
        assert table.told(1.0) == []
    assert table.faults() == {"reader seat-5": {"settings-lost": 3}}
    table.lay("seat-3")
    table.lift("seat-5")
    assert set(table.told()) == {
        TagsArrived(table.laid("seat-3")),
        TagRemoved("seat-5", table.cards["seat-5"].uid),
    }


@pytest.mark.long
@NINE
def test_a_pulled_reset_wire_takes_all_its_readers_until_it_is_back(
    make: Make, in_turn: bool
) -> None:
    table = make(in_turn=in_turn)
    table.lay(*table.spots)
    assert table.told()
    wires = table.mat.board.pins.pin(RESET_PIN).wires
    pulled = wires.copy()
    wires.clear()
    for wire in pulled:
        wire(0)  # a cut wire reads low, because the boards pull it down
    assert set(table.told(PULSES_S)) == {
        PartFailed(f"reader {spot}", "reader") for spot in table.spots
    }
    for wire in pulled:
        wire(1)
    wires.extend(pulled)
    assert set(table.told(1.0)) == {PartRecovered(f"reader {spot}") for spot in table.spots}
    table.lift(*table.spots)
    gone = {TagRemoved(spot, table.cards[spot].uid) for spot in table.spots}
    assert set(table.told()) == gone


# --- a game --------------------------------------------------------------------------------------


@pytest.mark.long
def test_six_players_play_on_their_own_readers(tmp_path: Path) -> None:
    """A card on another player's reader counts as that player's."""
    mat = Mat(table_of(tmp_path, 9, in_turn=True), tmp_path)
    lines = """
        game straw
        players Ann Ben Cem Dora Emil Fay
        start
        tap weight-2 @ seat-1
        tap weight-3 @ seat-2
        tap weight-4 @ seat-4
        expect refused not-your-turn
        tap weight-4 @ seat-3
        tap weight-5 @ seat-4
        tap weight-6 @ seat-5
        tap weight-7 @ seat-6
        expect headline 27
        expect turn Ann
    """
    assert Runner(mat).play(parse(lines, "six.mat")) is None
    mat.close()


@NINE
def test_a_tag_that_makes_up_its_uid_is_told_once_while_it_lies(make: Make, in_turn: bool) -> None:
    """With fields in turn the tag loses power after each poll and makes up a new UID."""
    table = make(3, in_turn=in_turn)
    phone = RandomUid4(Random(1))
    table.mat.lay([phone], "hand")
    (event,) = table.told(2.0)
    assert isinstance(event, TagsArrived)
    (laid,) = event.tags
    assert (laid.spot, is_random_uid(laid.uid)) == ("hand", True)
    table.mat.lift([phone], "hand")
    assert table.told(1.0) == [TagRemoved("hand", laid.uid)]
