"""A person at the mat: follows what it asks, with cards and controls alone.

Room: sim. It reads the lists the mat shows, turns to what is wanted and presses OK. At a table
without controls it does the same with command cards. Which sticker is on which card is all it
knows of the tag register.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from gettext import gettext as _
from gettext import ngettext
from itertools import count
from random import Random
from typing import Any

from engines.common.contract import Amount, Game, Message, Option, Switch
from engines.common.pieces import Deck, Piece
from firmware.decks import COMMAND_CARDS
from firmware.errors import did_you_mean, listed
from firmware.games import game_named
from firmware.modes.preparing import Spelling
from firmware.names import LETTERS, NAME_LENGTH
from firmware.view import ListView
from firmware.words import words_of
from sim.chips.ntag import Ntag
from sim.chips.picc import Picc, RandomUid4
from sim.mat import CannotDo, Mat
from sim.tags import stranger_uid, uid_of

MOST_STEPS = 10  # that a number card can say
TAP_S = 0.25  # how long a tapped card lies, and how long the hand is away before the next


class Person:
    """Somebody with all the decks in hand.

    Of a kind with several copies, the one not used for the longest time comes first, as from a
    shuffled deck.
    """

    def __init__(self, mat: Mat, decks: Mapping[str, Deck]) -> None:
        self._mat = mat
        self._decks = decks
        self._tags: dict[tuple[str, Piece], Picc] = {}
        self._used: dict[Picc, int] = {}
        self._moment = count(1)
        self._strangers: dict[str, Picc] = {
            "stranger": Ntag(stranger_uid()),
            "random-uid": RandomUid4(Random(1)),
        }

    # --- cards ---

    def move(self, how: str, tags: Sequence[Piece | str], spot: str, game: str | None) -> None:
        """Move *tags* together: ``lay`` them on *spot*, ``lift`` them, or ``tap``: one, then both.

        Raises:
            CannotDo: one of them cannot be moved so; then none is.
        """
        piccs = self._piccs(tags, how, spot, game)
        if how != "lift":
            self._mat.lay(piccs, spot)
            self._mat.wait(TAP_S)
        if how != "lay":
            self._mat.lift(piccs, spot)
            self._mat.wait(TAP_S)

    def picc(self, tag: Piece | str, how: str, spot: str, game: str | None) -> Picc:
        """The sticker meant by *tag*, for something to be done to it: ``tap``, ``lay``, ``lift``.

        Raises:
            CannotDo: no deck holds such a piece, or it does not lie where it should.
        """
        return self._piccs([tag], how, spot, game)[0]

    def _piccs(
        self, tags: Sequence[Piece | str], how: str, spot: str, game: str | None
    ) -> list[Picc]:
        """The stickers meant by *tags*, each another one.

        Raises:
            CannotDo: there are not so many, or one does not lie where it should.
        """
        held = [self._stickers(tag, game) for tag in tags]
        lying = self._mat.lying(spot)
        is_there = how == "lift"
        chosen: dict[int, Picc] = {}
        # Whoever names one certain copy gets it; a kind is any of the copies that are left.
        for at in sorted(range(len(tags)), key=lambda at: len(held[at])):
            left = [picc for picc in held[at] if picc not in chosen.values()]
            fitting = [picc for picc in left if (picc in lying) == is_there]
            if not left:
                raise _too_many(tags, tags[at], len(held[at]))
            if not fitting and is_there:
                found = _("no such card lies on {spot}: {tag}").format(spot=spot, tag=tags[at])
                raise CannotDo(found, _("Lay it first"))
            if not fitting:
                found = _("{tag} lies on {spot} already").format(spot=spot, tag=tags[at])
                raise CannotDo(found, _("Lift it first"))
            oldest: Callable[[Picc], int] = lambda picc: self._used.get(picc, 0)  # noqa: E731
            chosen[at] = fitting[0] if is_there else min(fitting, key=oldest)
        if not is_there:
            self._used |= {chosen[at]: next(self._moment) for at in range(len(tags))}
        return [chosen[at] for at in range(len(tags))]

    def renew(self, tags: Sequence[Piece | str], game: str | None) -> None:
        """Put fresh stickers on cards, which nobody has enrolled; a kind is all of its copies.

        Raises:
            CannotDo: no deck holds such a piece; then no card gets one.
        """
        of_games = [(self._game_of(tag, game), tag) for tag in tags]
        cards = [(name, copy) for name, tag in of_games for copy in self._copies(tag, name)]
        for name, copy in cards:
            self._tags[name, copy] = Ntag(uid_of(f"{name}, renewed {next(self._moment)}", copy))

    def _stickers(self, tag: Piece | str, game: str | None) -> list[Picc]:
        """Every sticker that *tag* can mean."""
        if isinstance(tag, str) and tag in self._strangers:
            return [self._strangers[tag]]
        game = self._game_of(tag, game)
        return [self._tag(game, copy) for copy in self._copies(tag, game)]

    def _tag(self, game: str, piece: Piece) -> Picc:
        return self._tags.setdefault((game, piece), Ntag(uid_of(game, piece)))

    def _game_of(self, tag: Piece | str, game: str | None) -> str:
        """The deck a piece is of: the game's own, the command cards, then any other."""
        kind = tag.kind if isinstance(tag, Piece) else tag
        for name in (game, COMMAND_CARDS.game, *self._decks):
            deck = COMMAND_CARDS if name == COMMAND_CARDS.game else self._decks.get(name or "")
            if deck is not None and kind in deck.by_name:
                return deck.game
        found = _("no deck holds a {kind}").format(kind=kind)
        raise CannotDo(found, _("tapmat pieces GAME lists them"))

    def card_of(self, game: str, enrolled: Piece) -> Piece:
        """The card whose sticker is enrolled as this piece of *game*, whatever is printed on it."""
        uid = self._mat.running.register.uid_of(game, enrolled)
        cards = self._decks[game].pieces()
        return next((card for card in cards if self._tag(game, card).uid == uid), enrolled)

    def _copies(self, tag: Piece | str, game: str) -> list[Piece]:
        deck = COMMAND_CARDS if game == COMMAND_CARDS.game else self._decks[game]
        if isinstance(tag, str):
            return [Piece(tag, n) for n in range(1, deck.by_name[tag].count + 1)]
        if not deck.holds(tag):
            count = deck.by_name[tag.kind].count
            found = _("there is no {tag}").format(tag=tag)
            raise CannotDo(found, _("The deck holds {count} of this kind").format(count=count))
        return [tag]

    def kinds(self, game: str | None) -> str:
        """Every kind of a game's deck, in one line."""
        named = COMMAND_CARDS if game == COMMAND_CARDS.game else self._decks.get(game or "")
        decks = self._decks.values() if named is None else (named,)
        return ", ".join(kind.name for deck in decks for kind in deck.kinds if kind.count)

    # --- controls ---

    def press(self, button: str) -> None:
        """Press a button; where the table has none, tap the command card that stands in for it."""
        if self._mat.has_button(button):
            self._mat.press(button)
        else:
            self._command(button)

    def choose(self, value: str) -> None:
        """Turn to *value* in the list the mat shows, and press OK.

        Without anything to turn, action moves on where the display says that it does. Elsewhere
        number cards move on by so many places of a map, and what else a game asks for is answered
        with a number card or a seat card.

        Raises:
            CannotDo: the mat shows no list, or none with this value, or no card says it.
        """
        self._pick(_place_of(value, self._list()))

    def _pick(self, at: int) -> None:
        """Turn to place *at* of the list, and press OK."""
        choices = self._list()
        if self._mat.can_turn:
            self._mat.turn(at - choices.cursor)
        elif self._action_moves_on:
            for _step in range((at - choices.cursor) % len(choices.values)):
                self.press("action")
        elif self._is_on_map:
            for steps in _in_number_cards((at - choices.cursor) % len(choices.values)):
                self._command(f"number-{steps}")
        else:
            self._answer(choices.values[at], at)
            return
        self.press("ok")

    def start(
        self,
        game: str | None,
        players: tuple[str, ...],
        dealer: str | None,
        options: Mapping[str, str],
    ) -> None:
        """Set a game up, as somebody does who has its deck at hand, and start it.

        What can be known beforehand is looked at before anything is touched.

        Raises:
            CannotDo: no game is named, or the table does not offer what was wanted.
            UnknownGame: no such game is installed.
        """
        if game is None:
            remedy = _("Write before the start, for example: game straw")
            raise CannotDo(_("no game is named"), remedy)
        self._check(game_named(game), players, dealer, options)
        self._offer(game)
        with self._closing_what_fails():
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
        with self._closing_what_fails():
            self._set("players", str(players))
            self.choose("start")

    def _check(
        self,
        game: Game[Any],
        players: tuple[str, ...],
        dealer: str | None,
        options: Mapping[str, str],
    ) -> None:
        """Refuse what could never be set up, whatever the table shows."""
        if players and len(players) not in game.seats:
            found = ngettext("{count} player is named", "{count} players are named", len(players))
            remedy = _("{game} is for {least} to {most}").format(
                game=game.name, least=game.seats[0], most=game.seats[-1]
            )
            raise CannotDo(found.format(count=len(players)), remedy)
        for name in players:
            if name not in self._mat.config.names:
                _refuse_unless_spelt(name)
        if dealer is not None and players and dealer not in players:
            found = _('the dealer "{dealer}" does not play').format(dealer=dealer)
            raise CannotDo(found, _("It can be: {names}").format(names=listed(players)))
        known = {option.name: _values_of(option) for option in game.options}
        for name, value in options.items():
            if name not in known:
                can_be = _("It can be: {names}").format(names=listed(known))
                found = _('{game} has no option "{name}"').format(game=game.name, name=name)
                raise CannotDo(found, f"{did_you_mean(name, known)} {can_be}".strip())
            if value not in known[name]:
                found = _('option {name} cannot be "{value}"').format(name=name, value=value)
                remedy = _("It can be: {names}").format(names=listed(known[name]))
                raise CannotDo(found, remedy)

    def _offer(self, game: str) -> None:
        """Lay a card of *game*, so that the table offers it."""
        if self._mat.view.winners:
            self.press("ok")
        if self._mat.view.phase == "enrolling":
            remedy = _("Leave that first: press ok, choose leave")
            raise CannotDo(_("stickers are enrolled"), remedy)
        if self._mat.view.phase not in ("idle", "preparing"):
            remedy = _("End it first: press ok, then choose end-game")
            raise CannotDo(_("a game is on"), remedy)
        if self._mat.view.phase == "idle":
            first = self._decks[game_named(game).name].pieces()[0]
            self.move("tap", [first], "play", game)
        if self._mat.view.phase == "idle":
            found = _("nobody has enrolled the cards of {game}").format(game=game)
            raise CannotDo(found, _("OK, then Stickers, does"))

    @contextmanager
    def _closing_what_fails(self) -> Iterator[None]:
        """When the table does not offer something, go back to the list of what is to be set."""
        try:
            yield
        except CannotDo:
            for _list in range(2):  # out of the speller, out of a list of values
                choices = self._mat.view.choices
                if choices is not None and choices.values[:1] != ("start",):
                    self.press("back")
            raise

    def _set(self, line: str, value: str) -> None:
        self.choose(line)
        self.choose(value)

    def _name(self, seat: int, name: str) -> None:
        """Choose a name the table knows, or spell it."""
        self.choose(f"name-{seat}")
        *known, _speller = self._list().values  # the last one is the speller
        if name in known:
            self._pick(known.index(name))
            return
        self._pick(len(known))
        for letter in name:
            self.choose(_capital(letter))
        self.choose("done")

    def _answer(self, value: str, at: int) -> None:
        """Tap the command card that says *value*, the thing at place *at* of what a game asks."""
        names = self._mat.view.names
        if value in names:
            card = f"seat-{names.index(value) + 1}"
        elif value.lstrip("-").isdecimal():
            card = f"number-{value}"
        else:
            card = f"number-{at + 1}"
        if card not in COMMAND_CARDS.by_name:
            found = _("no command card says {value}").format(value=value)
            raise CannotDo(found, _("It takes an encoder, or buttons left and right"))
        self._command(card)

    def _command(self, card: str) -> None:
        self.move("tap", [card], "play", COMMAND_CARDS.game)

    @property
    def _action_moves_on(self) -> bool:
        """Whether the display says that the action button moves on in the list."""
        return self._mat.view.action == words_of(self._mat.running.table.settings.language).say(
            Message("label.next")
        )

    @property
    def _is_on_map(self) -> bool:
        """Whether the controls stand on a place of a map."""
        grid = self._mat.view.grid
        return grid is not None and grid.cursor is not None

    def _list(self) -> ListView:
        choices = self._mat.view.choices
        if choices is None:
            remedy = _("It shows: {hint}").format(hint=self._mat.view.hint)
            raise CannotDo(_("the mat asks for no choice now"), remedy)
        return choices


def spelt(name: str) -> str:
    """What becomes of *name* when it is spelt at the table, whose speller has all its letters."""
    spelling = Spelling(0)
    for letter in name:
        at_letter = replace(spelling, letters=spelling.letters.on(_capital(letter)))
        spelling = replace(spelling, text=spelling.text + at_letter.letter)
    return spelling.text.strip()


def _capital(letter: str) -> str:
    """The line of the speller that *letter* is under."""
    return letter if letter == "ß" else letter.upper()


def can_be_spelt(name: str) -> bool:
    """Whether *name* can be spelt at the table, letter for letter."""
    try:
        _refuse_unless_spelt(name)
    except CannotDo:
        return False
    return True


def _refuse_unless_spelt(name: str) -> None:
    if not name.strip():
        raise CannotDo(_("a player's name is blank"), _("Give every player a name"))
    if len(name) > NAME_LENGTH:
        found = _('"{name}" is too long a name').format(name=name)
        raise CannotDo(found, _("Use up to {count} letters").format(count=NAME_LENGTH))
    for letter in name:
        if _capital(letter) not in LETTERS:
            found = _('"{name}" cannot be spelt: there is no "{letter}"')
            remedy = _("The letters are: {letters}").format(letters="".join(LETTERS))
            raise CannotDo(found.format(name=name, letter=letter), remedy)
    if spelt(name) != name:
        found = _('"{name}" cannot be spelt so: it would be "{spelt}"')
        raise CannotDo(
            found.format(name=name, spelt=spelt(name)),
            _("Write it as it would be, or name it in table.toml"),
        )


def _in_number_cards(steps: int) -> Iterator[int]:
    """The numbers of as few command cards as say *steps* together."""
    while steps:
        yield min(steps, MOST_STEPS)
        steps -= min(steps, MOST_STEPS)


def _too_many(tags: Sequence[Piece | str], tag: Piece | str, held: int) -> CannotDo:
    """What is wrong with naming *tag* more often than there are such cards."""
    if not held:
        found = _("the deck holds no {tag}").format(tag=tag)
        return CannotDo(found, _("tapmat pieces GAME lists what it holds"))
    kind = tag.kind if isinstance(tag, Piece) else tag
    kinds = [other.kind if isinstance(other, Piece) else other for other in tags]
    named = tags.count(tag) if held == 1 else kinds.count(kind)
    what = tag if held == 1 else kind
    found = _("{card} is named {named} times, there is one")
    if held > 1:
        found = _("{card} is named {named} times, the deck holds {count}")
    told = found.format(card=what, named=named, count=held)
    return CannotDo(told, _("Name each card once"))


def _place_of(value: str, choices: ListView) -> int:
    """Where *value* stands in a list; of a kind of piece, the first of its copies."""
    kinds = tuple(known.partition("#")[0] for known in choices.values)
    for known in (choices.values, kinds):
        if value in known:
            return known.index(value)
    found = _("{value} is not in the list").format(value=value)
    raise CannotDo(found, _("It has: {names}").format(names=", ".join(choices.values)))


def _values_of(option: Option) -> tuple[str, ...]:
    """What can be written as the value of a house rule."""
    if isinstance(option, Switch):
        return ("on", "off")
    if isinstance(option, Amount):
        return tuple(map(str, range(option.low, option.high + 1)))
    return option.names
