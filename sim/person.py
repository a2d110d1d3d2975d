"""A person at the mat: follows what it asks, with cards and controls alone.

Room: sim. It reads the lists the mat shows, turns to what is wanted and presses OK. Which sticker
is on which card is all it knows of the tag register.
"""

from collections.abc import Mapping
from itertools import count
from random import Random

from engines.common.pieces import Deck, Piece
from firmware.decks import COMMAND_CARDS
from firmware.games import game_named
from firmware.modes.preparing import NAME_LENGTH
from firmware.view import ListView
from sim.chips.ntag import Ntag
from sim.chips.picc import Picc, RandomUid4
from sim.mat import CannotDo, Mat
from sim.tags import stranger_uid, uid_of


class Person:
    """Somebody with all the decks in hand.

    Of a kind with several copies, the one not used for the longest time comes first, as from a
    shuffled deck.
    """

    def __init__(self, mat: Mat, decks: Mapping[str, Deck]) -> None:
        self._mat = mat
        self._decks = decks
        self._tags: dict[tuple[str, Piece], Picc] = {}
        self._used: dict[tuple[str, Piece], int] = {}
        self._moment = count(1)
        self._strangers: dict[str, Picc] = {
            "stranger": Ntag(stranger_uid()),
            "random-uid": RandomUid4(Random(1)),
        }

    # --- cards ---

    def picc(self, tag: Piece | str, how: str, spot: str, game: str | None) -> Picc:
        """The sticker meant by *tag*, for something to be done to it: ``tap``, ``lay``, ``lift``.

        Raises:
            CannotDo: no deck holds such a piece.
        """
        if isinstance(tag, str) and tag in self._strangers:
            return self._strangers[tag]
        game = self._game_of(tag, game)
        copies = self._copies(tag, game)
        lying = [c for c in copies if self._tag(game, c) in self._mat.lying(spot)]
        if how == "lift":
            chosen = (lying or copies)[0]
        else:
            free = [copy for copy in copies if copy not in lying] or copies
            chosen = min(free, key=lambda copy: self._used.get((game, copy), 0))
            self._used[game, chosen] = next(self._moment)
        return self._tag(game, chosen)

    def _tag(self, game: str, piece: Piece) -> Picc:
        return self._tags.setdefault((game, piece), Ntag(uid_of(game, piece)))

    def _game_of(self, tag: Piece | str, game: str | None) -> str:
        """The deck a piece is of: the game's own, the command cards, then any other."""
        kind = tag.kind if isinstance(tag, Piece) else tag
        for name in (game, COMMAND_CARDS.game, *self._decks):
            deck = COMMAND_CARDS if name == COMMAND_CARDS.game else self._decks.get(name or "")
            if deck is not None and kind in deck.by_name:
                return deck.game
        raise CannotDo(f"no deck holds a {kind}", "tapmat pieces GAME lists them")

    def _copies(self, tag: Piece | str, game: str) -> list[Piece]:
        deck = COMMAND_CARDS if game == COMMAND_CARDS.game else self._decks[game]
        if isinstance(tag, str):
            return [Piece(tag, n) for n in range(1, deck.by_name[tag].count + 1)]
        if not deck.holds(tag):
            count = deck.by_name[tag.kind].count
            raise CannotDo(f"there is no {tag}", f"The deck holds {count} of this kind")
        return [tag]

    def kinds(self, game: str | None) -> str:
        """Every kind of a game's deck, in one line."""
        decks = self._decks.values() if game is None else (self._decks[game],)
        return ", ".join(kind.name for deck in decks for kind in deck.kinds if kind.count)

    # --- controls ---

    def choose(self, value: str) -> None:
        """Turn to *value* in the list the mat shows, and press OK.

        Raises:
            CannotDo: the mat shows no list, or none with this value.
        """
        self._turn_to(value)
        self._mat.press("ok")

    def start(
        self,
        game: str | None,
        players: tuple[str, ...],
        dealer: str | None,
        options: Mapping[str, str],
    ) -> None:
        """Set a game up, as somebody does who has its deck at hand, and start it.

        Raises:
            CannotDo: no game is named, or the table does not offer what was wanted.
            UnknownGame: no such game is installed.
        """
        if game is None:
            raise CannotDo("no game is named", "Write before the start, for example: game straw")
        self._offer(game)
        if players:
            self._set("players", str(len(players)))
        for seat, name in enumerate(players, 1):
            self._name(seat, name)
        if dealer is not None or players:
            self._set("dealer", dealer or players[-1])
        for option, value in options.items():
            self._set(option, value)
        self.choose("start")

    def begin(self, game: str, players: int) -> None:
        """Start a game of so many *players*, under the names the table offers.

        Raises:
            CannotDo, UnknownGame: see ``start``.
        """
        self._offer(game)
        self._set("players", str(players))
        self.choose("start")

    def _offer(self, game: str) -> None:
        """Lay a card of *game*, so that the table offers it."""
        if self._mat.view.winners:
            self._mat.press("ok")
        if self._mat.view.phase not in ("idle", "preparing"):
            raise CannotDo("a game is on", "End it first: press ok, then choose end-game")
        if self._mat.view.phase == "idle":
            first = self._decks[game_named(game).name].pieces()[0]
            self._mat.lay([self._tag(game, first)], "play")
            self._mat.wait(0.25)
            self._mat.lift([self._tag(game, first)], "play")
            self._mat.wait(0.25)

    def _set(self, line: str, value: str) -> None:
        self.choose(line)
        self.choose(value)

    def _name(self, seat: int, name: str) -> None:
        """Choose a name the table knows, or spell it."""
        if len(name) > NAME_LENGTH:
            raise CannotDo(f'"{name}" is too long a name', f"Use up to {NAME_LENGTH} letters")
        self.choose(f"name-{seat}")
        if name in self._list().values:
            self.choose(name)
            return
        self.choose("spell")
        for letter in name:
            self.choose(letter.upper() if letter != "ß" else letter)
        self.choose("done")

    def _turn_to(self, value: str) -> None:
        choices = self._list()
        kinds = tuple(known.partition("#")[0] for known in choices.values)
        for known in (choices.values, kinds):
            if value in known:
                self._mat.turn(known.index(value) - choices.cursor)
                return
        raise CannotDo(f"{value} is not in the list", f"It has: {', '.join(choices.values)}")

    def _list(self) -> ListView:
        choices = self._mat.view.choices
        if choices is None:
            raise CannotDo("the mat asks for no choice now", f"It shows: {self._mat.view.hint}")
        return choices
