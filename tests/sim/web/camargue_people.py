"""Players of Camargue with the virtual tiles, for tests of the tiles and of the page."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from engines.camargue import GAME
from engines.common.contract import (
    Button,
    Game,
    Input,
    OptionValue,
    PlaceAsk,
    PlaceChoice,
    Press,
    Seat,
    Setup,
    Tap,
    TapAsk,
    View,
)
from engines.common.grid import Place
from engines.common.pieces import Deck, Piece
from firmware.journal.journal import GameRecord, GameStart
from sim.deal.layouts.board import BoardTiles, board_of
from tests.engines.camargue_table import DECK

CAMARGUE: Game[Any] = GAME
NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")
ACTION = Press(Button.ACTION)
HELPER = "helper-"
CLOSED = (  # after these tiles no path is open
    ("forest-es", 0, -1),
    ("grain-sw", 1, -1),
    ("village-nw", 1, 0),
    ("water-nw", 0, 1),
    ("lavender-ne", -1, 1),
    ("grain-es", -1, 0),
)


class People:
    """Players of Camargue with the virtual tiles, each with a hand; Ann begins."""

    def __init__(
        self,
        seed: int,
        players: int = 3,
        deck: Deck = DECK,
        options: Mapping[str, OptionValue] | None = None,
    ) -> None:
        house = options or {}
        start = GameStart("camargue", NAMES[:players], players - 1, house, deck)
        self.seed = seed
        self.record = GameRecord(1, start, ())
        self.state = CAMARGUE.start(Setup(players, Seat(players - 1), deck, house))

    @property
    def view(self) -> View:
        return CAMARGUE.view(self.state)

    @property
    def turn(self) -> Seat:
        seat = self.view.turn
        assert seat is not None, "the game is over"
        return seat

    @property
    def tiles(self) -> BoardTiles:
        return board_of(CAMARGUE, self.record, self.seed)

    def ask(self, kind: type) -> Any:
        """Return the current ask of type *kind*, or None."""
        return next((ask for ask in CAMARGUE.asks(self.state) if isinstance(ask, kind)), None)

    def give(self, *inputs: Input) -> BoardTiles:
        """Give *inputs* to the game one after the other, and return the positions of the tiles."""
        for given_ in inputs:
            self.state = CAMARGUE.step(self.state, given_).state
            self.record = self.record.with_input(given_)
        return self.tiles

    def play(self, piece: Piece) -> BoardTiles:
        """Place *piece* where the cursor starts."""
        self.give(Tap(piece))
        ask = self.ask(PlaceAsk)
        return self.give(PlaceChoice(ask.offers[ask.start].place))

    def fitting(self) -> list[Piece]:
        """Return the current player's landscape tiles that fit somewhere."""
        ask: TapAsk = self.ask(TapAsk)
        hand = self.tiles.hands[self.turn]
        return [p for p in hand if p.kind in ask.kinds and not p.kind.startswith(HELPER)]

    def check(self) -> None:
        """Assert that each tile is in one place, and that each place has the counted number."""
        tiles, counts = self.tiles, self.view.counts
        fronts = [front for front in tiles.fronts if front is not None]
        everywhere = (*tiles.hands, tiles.pile, tiles.board, tiles.apart, tiles.out, tiles.aside)
        assert Counter(p for place in (*everywhere, fronts) for p in place) == Counter(
            self.record.start.deck.pieces()
        )
        assert {
            "pile": len(tiles.pile),
            "board": len(tiles.board),
            "removed": len(tiles.aside),
            "out": len(tiles.out),
            "emergency": len(tiles.apart),
        } == {name: counts[name] for name in ("pile", "board", "removed", "out", "emergency")}
        for seat, (hand, front) in enumerate(zip(tiles.hands, tiles.fronts, strict=True), start=1):
            assert len(hand) == counts[f"hand-{seat}"]
            assert (front is not None) == counts[f"front-{seat}"]
        assert self.view.grid is not None
        assert {cell.piece for cell in self.view.grid.cells} == set(tiles.board)


def dealt(wanted: Callable[[list[list[Piece]]], object], players: int = 3) -> People:
    """Return people whose hands *wanted* accepts; deals are tried one after the other."""
    for seed in range(5000):
        people = People(seed, players)
        if wanted(people.tiles.hands):
            return people
    raise AssertionError("no deal is like this")


def helpers(hand: list[Piece]) -> list[Piece]:
    return [piece for piece in hand if piece.kind.startswith(HELPER)]


def others(hand: list[Piece]) -> list[Piece]:
    return [piece for piece in hand if not piece.kind.startswith(HELPER)]


def helps(helper: Piece, tile: Piece) -> bool:
    return tile.kind.split("-")[0] in helper.kind.split("-")[1:]


def placed(people: People) -> tuple[Piece, Place]:
    """Place the current player's tile with the best score; return the tile and its place."""
    best: tuple[int, Piece, Place] | None = None
    before = people.state, people.record
    for piece in people.fitting():
        people.give(Tap(piece))
        ask: PlaceAsk = people.ask(PlaceAsk)
        offer = ask.offers[ask.start]
        people.state, people.record = before
        if best is None or int(str(offer.headline)) > best[0]:
            best = int(str(offer.headline)), piece, offer.place
    assert best is not None, "nothing fits"
    _, piece, place = best
    people.give(Tap(piece), PlaceChoice(place))
    return piece, place


def closed(people: People) -> None:
    """Place tiles, whichever hands they are in, until nothing fits."""
    for kind, column, row in CLOSED:
        people.give(Tap(Piece(kind)), PlaceChoice(Place(column, row)))


def claiming() -> People:
    """Return players of whom the first holds three tiles that do not fit, and no helper."""
    for seed in range(5000):
        people = People(seed)
        held = {piece for hand in people.tiles.hands for piece in hand}
        if held.isdisjoint(Piece(kind) for kind, _, _ in CLOSED):
            closed(people)
            hands = people.tiles.hands
            if [len(hand) for hand in hands] == [3, 3, 3] and not helpers(hands[0]):
                return people
    raise AssertionError("no deal is like this")


def helping() -> tuple[People, Piece, Piece]:
    """Return players, the third player's helper (the only one) and a matching tile of the first."""

    def can(hands: list[list[Piece]]) -> bool:
        mine, cems = others(hands[0]), helpers(hands[2])
        return (
            len(mine) == 3
            and not helpers(hands[1])
            and len(cems) == 1
            and any(helps(cems[0], tile) for tile in mine)
        )

    people = dealt(can)
    helper = helpers(people.tiles.hands[2])[0]
    tile = next(tile for tile in people.tiles.hands[0] if helps(helper, tile))
    return people, helper, tile
