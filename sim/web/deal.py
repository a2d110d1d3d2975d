"""The shuffled deck that is in use: what is kept of it, what pages see of it, what they may do.

Room: sim/web. A page never learns what a tile is that lies face down: it sees and names its place,
``cramel/@17`` (places count from 1, row by row), and only here is it known which tile that is.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from engines.common.contract import Seat, Tap
from engines.common.pieces import Piece
from firmware.errors import listed
from firmware.games import games
from firmware.journal import GameRecord
from firmware.view import TableView
from sim.mat import CannotDo
from sim.robots.games import styles_of
from sim.robots.seam import Scene
from sim.web.board import PILE as BOARD_PILE
from sim.web.board import BoardTiles, board_of, board_shown, has_board
from sim.web.dealer import PILE, Cards, Gift, Tiles, begun, cards_of, tiles_of
from sim.web.ship import Ship, Spilled, has_cargo, ship_of, ship_shown

PLACE = "@"  # begins the name of a place
DOWN, FREE = "down", "free"  # a place where nothing can be seen, or nothing lies

Spill = tuple[int, tuple[str, ...], tuple[str, ...]]  # after so many inputs: fallen, and caught


@dataclass(frozen=True, slots=True)
class Dealt:
    """What is kept: for which game of the journal, how shuffled and shown, and what people decided.

    Each of *moves* says after how many inputs a tile was put at which place, each of *gifts* after
    how many which card was the one that was given away, each of *loads* which piece was loaded,
    each of *spills* what fell with it and what of that was caught, and each of *robots* in which
    seat a robot of which style sits.
    """

    game: int
    seed: int
    is_hot_seat: bool
    moves: tuple[tuple[int, int], ...] = ()
    gifts: tuple[tuple[int, str], ...] = ()
    loads: tuple[tuple[int, str], ...] = ()
    robots: tuple[tuple[int, str], ...] = ()
    spills: tuple[Spill, ...] = ()

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """The deck that *file* remembers; none when it remembers none that can be read."""
        try:
            shape = json.loads(file.read_text(encoding="utf-8"))
            game, seed, is_hot_seat = shape["game"], shape["seed"], shape["is_hot_seat"]
            moves = tuple((int(after), int(to)) for after, to in shape.get("moves", ()))
            gifts, loads = (
                tuple((int(after), str(Piece.parse(piece))) for after, piece in shape.get(key, ()))
                for key in ("gifts", "loads")
            )
            robots = tuple((int(seat), str(style)) for seat, style in shape.get("robots", ()))
            spills = tuple(
                (int(after), _names(fallen), _names(caught))
                for after, fallen, caught in shape.get("spills", ())
            )
            return cls(int(game), int(seed), bool(is_hot_seat), moves, gifts, loads, robots, spills)
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            return None

    def write(self, file: Path) -> None:
        """Have *file* remember it; where that fails, the cards are dealt anew after a restart."""
        half = file.with_suffix(".part")
        with suppress(OSError):
            half.write_text(json.dumps(asdict(self)), encoding="utf-8")
            half.replace(file)

    def until(self, inputs: int) -> "Dealt":
        """This, without what was decided after more than so many inputs."""
        return replace(
            self,
            moves=tuple(move for move in self.moves if move[0] <= inputs),
            gifts=tuple(gift for gift in self.gifts if gift[0] <= inputs),
            loads=tuple(load for load in self.loads if load[0] <= inputs),
            spills=tuple(spill for spill in self.spills if spill[0] <= inputs),
        )

    def moved(self, inputs: int, to: int) -> "Dealt":
        """This, when the tile that may be moved after so many inputs is put at *to*."""
        return replace(self, moves=(*self.until(inputs - 1).moves, (inputs, to)))

    def given(self, inputs: int, card: Piece) -> "Dealt":
        """This, when the card that was given away with the last of so many inputs is *card*."""
        return replace(self, gifts=(*self.until(inputs - 1).gifts, (inputs, str(card))))

    def seated(self, seat: int, style: str | None) -> "Dealt":
        """This, with a robot of that *style* in *seat*, or a person."""
        others = {at: name for at, name in self.robots if at != seat}
        taken = others if style is None else {**others, seat: style}
        return replace(self, robots=tuple(sorted(taken.items())))

    def loaded(self, inputs: int, piece: Piece) -> "Dealt":
        """This, when the piece that is loaded after so many inputs is *piece*."""
        before = self.until(inputs - 1)
        return replace(self, loads=(*before.loads, (inputs, str(piece))), spills=before.spills)

    def spilled(self, inputs: int, spilled: Spilled) -> "Dealt":
        """This, when with what is loaded after so many inputs these fall."""
        fallen, caught = (tuple(map(str, some)) for some in (spilled.fallen, spilled.caught))
        spill = inputs, fallen, caught
        return replace(self, spills=(*self.until(inputs - 1).spills, spill))


class VirtualDeck:
    """The deck in use, if there is one; *file* remembers it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._dealt = Dealt.read(file)
        self._record: GameRecord | None = None  # the game, as far as it was followed
        self._followed: Dealt | None = None
        self._laid: Cards | Tiles | BoardTiles | Ship | None = None
        self._uncovered: Seat | None = None  # who looks at a hand until something happens

    def deal(self, record: GameRecord, seed: int, is_hot_seat: bool) -> None:
        """Shuffle with *seed*, for the game in *record*; robots keep their seats in it."""
        before = self._dealt
        is_again = before is not None and before.game == record.number
        robots = before.robots if before is not None and is_again else ()
        self._keep(Dealt(record.number, seed, is_hot_seat, robots=robots))

    def gather(self) -> None:
        """Put the deck away."""
        self._dealt = None
        self._file.unlink(missing_ok=True)

    def follow(self, record: GameRecord | None) -> None:
        """See where everything lies now that the game has come as far as *record*."""
        if record is None or self._dealt is None or record.number != self._dealt.game:
            self._record = self._followed = self._laid = None
            return
        if (kept := self._dealt.until(len(record.inputs))) != self._dealt:
            self._keep(kept)  # what was decided then is undone
        if record != self._record:
            self._uncovered = None
        if (record, self._dealt) != (self._record, self._followed):
            self._record, self._followed = record, self._dealt
            self._laid = _laid_out(record, self._dealt)

    def shown(self, view: TableView) -> dict[str, Any] | None:
        """What pages see of it, as JSON values, while the table shows *view*."""
        record = self._record
        if record is None or self._followed is None:
            return None
        return {**self._laid_shown(record, view), "robots": self._robots_shown(record)}

    def _laid_shown(self, record: GameRecord, view: TableView) -> dict[str, Any]:
        game = record.start.game
        match self._laid:
            case Cards() as cards:
                gift = cards.gift
                if gift is not None and gift.giver in self.robots:
                    gift = None  # it says which card it is without a page
                return {
                    "game": game,
                    **self._hands_shown(f"{game}/", view, cards.hands, gift),
                    **_cards_shown(f"{game}/", cards, gift),
                }
            case Ship() as ship:
                return {
                    "game": game,
                    **self._hands_shown(f"{game}/", view, ship.hands),
                    **ship_shown(f"{game}/", ship),
                }
            case BoardTiles() as tiles:
                face_up = self._face_up(view, len(record.start.names))
                shown = board_shown(f"{game}/", tiles, face_up, view.turn)
                return {"game": game, **shown, "mayShow": list(self._may_show(view))}
            case Tiles() as tiles:
                _, columns = record.start.deck.spread or (1, len(tiles.places))
                return {"game": game, **_tiles_shown(f"{game}/", tiles, columns)}
        raise AssertionError("what is followed is laid out")

    def _robots_shown(self, record: GameRecord) -> list[str | None]:
        return [self.robots.get(seat) for seat in range(len(record.start.names))]

    # --- robots ---

    @property
    def robots(self) -> Mapping[int, str]:
        """In which seats robots sit, and how they play."""
        return {} if self._followed is None else dict(self._followed.robots)

    @property
    def decided(self) -> Dealt | None:
        """What was shuffled and decided, as far as the game was followed."""
        return self._followed

    def seat(self, seat: int, style: str | None) -> None:
        """Have a robot of that *style* play at *seat*, or a person.

        Raises:
            CannotDo: nothing is dealt, or there is no such seat or robot.
        """
        if self._dealt is None or self._record is None:
            raise CannotDo("nothing is dealt", "Deal first, then say where robots sit")
        start = self._record.start
        if seat not in range(len(start.names)):
            raise CannotDo(f"nobody sits at seat {seat + 1}", f"{len(start.names)} play")
        styles = styles_of(start.game)
        if not styles:
            raise CannotDo(f"robots cannot sit with people at {start.game} yet", "Play it yourself")
        if style is not None and style not in styles:
            raise CannotDo(f'no robot plays "{style}"', f"It can be: {listed(styles)}")
        self._keep(self._dealt.seated(seat, style))

    def scene(self, seat: int, view: TableView) -> Scene | None:
        """What is known at *seat*, while the table shows *view*; none where robots cannot sit."""
        record = self._record
        if record is None:
            return None
        start = record.start
        scene = Scene(
            seat=seat,
            players=len(start.names),
            phase=view.phase,
            headline=view.headline,
            turn=view.turn,
            active=view.active,
            people=self._people,
            names=start.names,
            choices=() if view.choices is None else view.choices.values,
            options=start.options,
            counts=view.counts,
            done=record.inputs,
            scores=view.scores,
        )
        match self._laid:
            case Cards() as cards:
                gift = self.untold
                return replace(
                    scene,
                    hand=_texts(cards.hands[seat]),
                    drawn=_texts(cards.drawn[seat]),
                    untold=_texts(gift.choices) if gift and gift.giver == seat else (),
                    laid=_texts(cards.laid),
                    layer=cards.layer,
                )
            case Ship() as ship:
                spilled = ship.spilled
                return replace(
                    scene,
                    hand=_texts(ship.hands[seat]),
                    stock=_texts(ship.stock(Seat(seat))),
                    areas={area: _texts(pieces) for area, pieces in ship.areas.items()},
                    held=None if ship.in_hand is None else str(ship.in_hand),
                    fallen=None if spilled is None else _texts(spilled.fallen),
                    caught=() if spilled is None else _texts(spilled.caught),
                    told=_texts(ship.told),
                )
            case Tiles() as tiles:
                seen = {given.piece for given in record.inputs if isinstance(given, Tap)}
                # What is still in sight of the turn before cannot be turned over first.
                spread = tuple(
                    None
                    if piece is None or piece in tiles.past
                    else str(piece)
                    if piece in seen
                    else f"{PLACE}{place}"
                    for place, piece in enumerate(tiles.places, start=1)
                )
                return replace(scene, spread=spread, open=_texts(tiles.open))
            case BoardTiles() as tiles:
                return replace(
                    scene,
                    hand=_texts(tiles.hands[seat]),
                    laid=_texts(tiles.aside),
                    board=() if view.grid is None else view.grid.board.cells,
                    fronts=tuple(None if front is None else str(front) for front in tiles.fronts),
                    apart=_texts(tiles.apart),
                    waiting=None if tiles.waiting is None else str(tiles.waiting),
                    shown=_texts(tiles.shown),
                    placed=tiles.placed,
                )
        return None

    def tag_of(self, piece: Piece) -> str:
        """What pages call the piece that a robot calls so."""
        assert self._record is not None, "robots play at a table that is dealt"
        game = self._record.start.game
        if isinstance(self._laid, Tiles):
            places = self._laid.places
            is_place = piece.kind.startswith(PLACE)
            return f"{game}/{piece.kind if is_place else f'{PLACE}{places.index(piece) + 1}'}"
        return f"{game}/{piece}"

    @property
    def untold(self) -> Gift | None:
        """The gift of which nobody has said yet which card it is."""
        if self._record is None or self._followed is None or not isinstance(self._laid, Cards):
            return None
        is_told = len(self._record.inputs) in dict(self._followed.gifts)
        return None if is_told else self._laid.gift

    @property
    def seed(self) -> int:
        """What was shuffled with; robots draw by it too."""
        return 0 if self._followed is None else self._followed.seed

    # --- whose hand is seen ---

    def show(self, seat: Seat, view: TableView) -> None:
        """Turn the hand of *seat* face up, and no other, until something happens.

        Raises:
            CannotDo: it lies face up, or it is not that player's to look at it now.
        """
        if seat not in self._may_show(view):
            raise CannotDo(
                "that hand is not to be shown now", "Where several may act, each shows the own"
            )
        self._uncovered = seat

    def cover(self) -> None:
        """Turn the hand face down again that was to be seen."""
        self._uncovered = None

    @property
    def _is_hot_seat(self) -> bool:
        return self._followed is not None and self._followed.is_hot_seat

    def _may_show(self, view: TableView) -> tuple[Seat, ...]:
        """Who may look at the own hand when asking for it: in hot-seat, where several act.

        A single person among robots sees it at all times.
        """
        if not self._is_hot_seat or len(self._people) == 1:
            return ()
        if isinstance(self._laid, BoardTiles):
            able = self._laid.others(view.turn)
        else:
            able = view.active if len(view.active) > 1 else ()
        return tuple(seat for seat in able if seat not in self.robots)

    @property
    def _people(self) -> tuple[int, ...]:
        """The seats at which no robot sits."""
        seats = 0 if self._record is None else len(self._record.start.names)
        return tuple(seat for seat in range(seats) if seat not in self.robots)

    def _face_up(self, view: TableView, hands: int, gift: Gift | None = None) -> Collection[int]:
        """Whose hands lie face up: all; in hot-seat only that of the one who acts or decides.

        A single person among robots always sees the own one, and nobody that of a robot.
        """
        if not self._is_hot_seat or view.winners:
            return range(hands)
        people = self._people
        if len(people) == 1 < hands:
            return people
        if gift is not None:
            return (gift.giver,)
        if self._uncovered is not None:
            return (self._uncovered,)
        active = view.active if len(view.active) == 1 else ()
        return tuple(seat for seat in active if seat in people)

    def _hands_shown(
        self, prefix: str, view: TableView, hands: Sequence[list[Piece]], gift: Gift | None = None
    ) -> Mapping[str, Any]:
        """The hands, cards that are seen by their tags, and who may have the own hand shown."""
        face_up = self._face_up(view, len(hands), gift)
        return {
            "hands": [
                [f"{prefix}{piece}" if holder in face_up else None for piece in hand]
                for holder, hand in enumerate(hands)
            ],
            "mayShow": list(self._may_show(view)),
        }

    # --- what pages name ---

    def named(self, card: str) -> tuple[str | None, Piece | str]:
        """The deck and the piece meant by *card*: ``straw/weight-7#2``, ``cramel/@17``.

        What is in no deck, as ``stranger``, is its own name.

        Raises:
            CannotDo: there is none at that place, or it must be named by its place.
        """
        game, slash, name = card.rpartition("/")
        if slash and name.startswith(PLACE):
            return game, self._hidden(game, name.removeprefix(PLACE))
        if isinstance(self._laid, Tiles) and self._is_of_deck(name):
            raise CannotDo("the tiles are laid out", f"Name one by its place, as in {game}/@17")
        try:
            return (game, Piece.parse(name)) if slash else (None, name)
        except ValueError as error:
            raise CannotDo(str(error), "Name a card as in straw/weight-7#2") from None

    def _is_of_deck(self, name: str) -> bool:
        kind = name.partition("#")[0]
        return self._record is not None and kind in self._record.start.deck.by_name

    def _hidden(self, game: str, number: str) -> Piece:
        """The tile that lies face down at the place with this *number*."""
        is_ours = self._record is not None and self._record.start.game == game
        if is_ours and isinstance(self._laid, Tiles) and number.isascii() and number.isdecimal():
            piece = self._laid.hidden(int(number) - 1)
            if piece is not None:
                return piece
        raise CannotDo(f"no tile lies face down at {game}/@{number}", "Choose another place")

    def move(self, start: int, to: int) -> None:
        """Put the tile at place *start* (from 1) at the free place *to*.

        Raises:
            CannotDo: it may not be moved now, or not there.
        """
        if (
            self._dealt is None
            or self._record is None
            or not isinstance(self._laid, Tiles)
            or not self._laid.can_move(start - 1, to - 1)
        ):
            raise CannotDo("no tile can be moved so now", "The display says when one may be")
        self._keep(self._dealt.moved(len(self._record.inputs), to - 1))

    def give(self, card: str) -> None:
        """Let *card* be the one that was given away with the last input.

        Raises:
            CannotDo: with that none was given away, or *card* was not in the giver's hand.
        """
        game, piece = self.named(card)
        gift = self._laid.gift if isinstance(self._laid, Cards) else None
        if (
            self._dealt is None
            or self._record is None
            or game != self._record.start.game
            or gift is None
            or not isinstance(piece, Piece)
            or piece not in gift.choices
        ):
            raise CannotDo("that card cannot be given away now", "Choose one of the giver's hand")
        self._keep(self._dealt.given(len(self._record.inputs), piece))

    def load(self, piece: str) -> None:
        """Let *piece* be the one that is loaded now.

        Raises:
            CannotDo: nothing is loaded now, or it is tapped, or *piece* does not lie there.
        """
        game, named = self.named(piece)
        ship = self._laid if isinstance(self._laid, Ship) else None
        if (
            self._dealt is None
            or self._record is None
            or game != self._record.start.game
            or ship is None
            or ship.is_tagged
            or named not in ship.movable
            or not isinstance(named, Piece)
        ):
            raise CannotDo("that piece cannot be loaded now", "Choose one of whoever loads")
        self._keep(self._dealt.loaded(len(self._record.inputs), named))

    def spill(self, fallen: Sequence[str], caught: Sequence[str]) -> None:
        """Let these have *fallen* with the piece that is loaded now, and these of them be *caught*.

        Raises:
            CannotDo: nothing is in hand to be loaded, or one of these can not have fallen.
        """
        ship = self._laid if isinstance(self._laid, Ship) else None
        spilled = Spilled(*(tuple(map(self._piece, tags)) for tags in (fallen, caught)))
        if (
            self._dealt is None
            or self._record is None
            or ship is None
            or not ship.can_spill(spilled)
        ):
            raise CannotDo("that cannot have fallen now", "Name what lies on the ship, or in hand")
        self._keep(self._dealt.spilled(len(self._record.inputs), spilled))

    def _piece(self, tag: str) -> Piece:
        """The piece of the game that is on which pages call *tag*.

        Raises:
            CannotDo: it is of no deck, or of another one.
        """
        game, piece = self.named(tag)
        is_ours = self._record is not None and self._record.start.game == game
        if not is_ours or not isinstance(piece, Piece):
            raise CannotDo(f"{tag} is no piece of this game", "Name one that is played with")
        return piece

    def _keep(self, dealt: Dealt) -> None:
        self._dealt = dealt
        dealt.write(self._file)


def can_be_dealt(record: GameRecord, view: TableView) -> bool:
    """Whether the game has a draw pile, a spread, a board or cargo; else it lies in the tray."""
    deck = record.start.deck
    has_pile = not view.counts.keys().isdisjoint((PILE, BOARD_PILE))
    return has_pile or deck.spread is not None or has_cargo(deck)


def _laid_out(record: GameRecord, dealt: Dealt) -> Cards | Tiles | BoardTiles | Ship:
    game = games()[record.start.game]
    if record.start.deck.spread is not None:
        return tiles_of(game, record, dealt.seed, dict(dealt.moves))
    if has_cargo(record.start.deck):
        return ship_of(game, record, _pieces(dealt.loads), _spills(dealt.spills))
    if has_board(game.view(begun(game, record.start))):
        return board_of(game, record, dealt.seed)
    return cards_of(game, record, dealt.seed, _pieces(dealt.gifts))


def _pieces(chosen: Collection[tuple[int, str]]) -> dict[int, Piece]:
    return {after: Piece.parse(piece) for after, piece in chosen}


def _spills(seen: Collection[Spill]) -> dict[int, Spilled]:
    return {
        after: Spilled(tuple(map(Piece.parse, fallen)), tuple(map(Piece.parse, caught)))
        for after, fallen, caught in seen
    }


def _texts(pieces: Collection[Piece]) -> tuple[str, ...]:
    return tuple(map(str, pieces))


def _names(pieces: Collection[str]) -> tuple[str, ...]:
    """The names of *pieces*, each as it is written; one that is none is an error."""
    return tuple(str(Piece.parse(piece)) for piece in pieces)


def _cards_shown(prefix: str, cards: Cards, gift: Gift | None) -> Mapping[str, Any]:
    """Pile, and what was laid; and a gift, for the giver to choose."""
    return {
        "pile": len(cards.pile),
        "laid": [f"{prefix}{piece}" for piece in cards.laid],
        "gift": None if gift is None else _gift_shown(prefix, gift),
    }


def _gift_shown(prefix: str, gift: Gift) -> Mapping[str, Any]:
    return {
        "giver": gift.giver,
        "receiver": gift.receiver,
        "card": f"{prefix}{gift.piece}",
        "choices": [f"{prefix}{piece}" for piece in gift.choices],
    }


def _tiles_shown(prefix: str, tiles: Tiles, columns: int) -> Mapping[str, Any]:
    """Each place, and what is won."""
    places = []
    for place, piece in enumerate(tiles.places):
        seen = tiles.at(place)
        hidden = FREE if piece is None else DOWN
        places.append(hidden if seen is None else f"{prefix}{seen}")
    past = [n for n, piece in enumerate(tiles.places, start=1) if piece in tiles.past]
    return {
        "columns": columns,
        "places": places,
        "past": past,
        "movable": None if tiles.movable is None else tiles.movable + 1,
        "won": [[f"{prefix}{piece}" for piece in won] for won in tiles.won],
    }
