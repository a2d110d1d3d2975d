"""An emulated person, who uses an emulated mat through its cards and controls only.

The person reads the list on the display, turns the encoder to an item and presses OK, or uses
command cards at a table without controls. The person knows which sticker is on each card.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random

from engines.common.contract import Amount, Message, Option, Switch, Tap
from engines.common.errors import PutAway, RulesError
from engines.common.pieces import Deck, Piece
from engines.common.solo import numbers_of_people
from fakepi.ntag import Ntag
from fakepi.picc import Picc, RandomUid4
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.games import game_named
from firmware.common.errors import did_you_mean, word_list
from firmware.show.names import LETTERS, NAME_LENGTH, as_spelt, capital_of
from firmware.show.view import ListView
from firmware.table.mat_seats import MatSeats
from firmware.table.modes.ending import NO, YES
from firmware.table.modes.playing import Playing
from firmware.voice.words import languages, words_of
from sim.mat.mat import CannotDo, Mat
from sim.mat.tags import stranger_uid, uid_of

END_GAME = "end-game"  # the item of a game's menu that ends it
MOST_PRESSES = 8  # of back, from any list of settings to the idle table
MOST_STEPS = 10  # the highest number on a command card
TAP_S = 0.25  # how long a tapped card stays, and the pause before the next


class EmulatedPerson:
    """A person at *mat* who has all *decks*.

    Of several copies of a card, the person uses the one not used for the longest time.
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
        """Move *tags* together: ``lay`` them on *spot*, ``lift`` them, or ``tap`` (lay and lift).

        *game* is the game whose deck is searched first; None if no game is set.

        Raises:
            CannotDo: one of the tags cannot be moved like that. In that case, no tag is moved.
        """
        piccs = self._piccs(tags, how, spot, game)
        if how != "lift":
            self._mat.lay(piccs, spot)
            self._mat.wait(TAP_S)
        if how != "lay":
            self._mat.lift(piccs, spot)
            self._mat.wait(TAP_S)

    def picc(self, tag: Piece | str, how: str, spot: str, game: str | None) -> Picc:
        """Return the sticker named *tag* for the move *how*: ``tap``, ``lay`` or ``lift``.

        The parameters are those of ``move``.

        Raises:
            CannotDo: no deck has such a piece, or the move is not possible.
        """
        return self._piccs([tag], how, spot, game)[0]

    def _piccs(
        self, tags: Sequence[Piece | str], how: str, spot: str, game: str | None
    ) -> list[Picc]:
        """Return a different sticker for each of *tags*.

        Raises:
            CannotDo: there are too few copies, or one of the moves is not possible.
        """
        lying = self._mat.tags_on(spot)
        is_there = how == "lift"
        held = [self._stickers(tag, game, is_there=is_there) for tag in tags]
        chosen: dict[int, Picc] = {}
        # Names of a single copy choose first; the name of a kind gets any of the remaining copies.
        for at in sorted(range(len(tags)), key=lambda at: len(held[at])):
            left = [picc for picc in held[at] if picc not in chosen.values()]
            fitting = [picc for picc in left if (picc in lying) == is_there]
            if not left:
                raise _too_many(tags, tags[at], len(held[at]))
            if not fitting and is_there:
                raise CannotDo(f"{tags[at]} is not on {spot}", "Lay it first")
            if not fitting:
                raise CannotDo(f"{tags[at]} is already on {spot}", "Lift it first")
            oldest: Callable[[Picc], int] = lambda picc: self._used.get(picc, 0)  # noqa: E731
            chosen[at] = fitting[0] if is_there else min(fitting, key=oldest)
        if not is_there:
            self._used |= {chosen[at]: next(self._moment) for at in range(len(tags))}
        return [chosen[at] for at in range(len(tags))]

    def renew(self, tags: Sequence[Piece | str], game: str | None) -> None:
        """Put new stickers, not enrolled yet, on the cards *tags*. A kind means all its copies.

        Raises:
            CannotDo: no deck has one of the cards. In that case, no card gets a new sticker.
        """
        of_games = [(self._game_of(tag, game), tag) for tag in tags]
        cards = [(name, copy) for name, tag in of_games for copy in self._copies(tag, name)]
        for name, copy in cards:
            self._tags[name, copy] = Ntag(uid_of(f"{name}, renewed {next(self._moment)}", copy))

    def _stickers(self, tag: Piece | str, game: str | None, *, is_there: bool) -> list[Picc]:
        """Return every sticker that *tag* can mean: a kind of card means any of its copies.

        Copies that the rules have put away are left out, unless *is_there*: in that case a card is
        meant that is on the mat already.
        """
        if isinstance(tag, str) and tag in self._strangers:
            return [self._strangers[tag]]
        game = self._game_of(tag, game)
        copies = self._copies(tag, game)
        if not is_there and len(copies) > 1:
            copies = self._in_reach(game, copies)
        return [self._tag(game, copy) for copy in copies]

    def _in_reach(self, game: str, copies: list[Piece]) -> list[Piece]:
        """Return the *copies* that the person can still tap.

        Copies that the rules have put away, such as won cards, are left out. But return all copies
        if a copy was never tapped yet, if all are put away, or if the mat is off. Cards in a row of
        the mat, which plays, are in reach only when it plays one.
        """
        record = self._mat.running.journal.open_game() if self._mat.is_on else None
        if record is None or record.start.game != game:
            return copies
        playing = Playing.resume(self._mat.running.table.context, record)
        if record.start.mats:
            copies = self._for_mat(playing.mat.seats, copies)
        if any(self._tag(game, copy) not in self._used for copy in copies):
            return copies

        def is_put_away(piece: Piece) -> bool:
            try:
                playing.game.step(playing.state, Tap(piece))
            except RulesError as wrong:
                return isinstance(wrong, PutAway)
            return False

        return [copy for copy in copies if not is_put_away(copy)] or copies

    @staticmethod
    def _for_mat(seats: MatSeats, copies: list[Piece]) -> list[Piece]:
        """Return the *copies* in rows of *seats* if the mat plays one now, otherwise the others."""
        held = [copy for copy in copies if seats.holder(copy) is not None]
        plays = seats.thinker is not None or (seats.is_counting and seats.mover is not None)
        wanted = held if plays else [copy for copy in copies if copy not in held]
        return wanted or copies

    def _tag(self, game: str, piece: Piece) -> Picc:
        return self._tags.setdefault((game, piece), Ntag(uid_of(game, piece)))

    def _game_of(self, tag: Piece | str, game: str | None) -> str:
        """Return the game whose deck has *tag*: *game* itself, the command cards, or any other.

        Raises:
            CannotDo: no deck has such a piece.
        """
        kind = tag.kind if isinstance(tag, Piece) else tag
        for name in (game, COMMAND_CARDS.game, *self._decks):
            deck = COMMAND_CARDS if name == COMMAND_CARDS.game else self._decks.get(name or "")
            if deck is not None and kind in deck.by_name:
                return deck.game
        raise CannotDo(f"no deck has a {kind}", "To list the pieces, run: tapmat pieces GAME")

    def card_of(self, game: str, enrolled: Piece) -> Piece:
        """Return the card whose sticker is enrolled as the card *enrolled*.

        The two cards differ if people tapped a wrong card while enrolling.
        """
        uid = self._mat.running.register.uid_of(game, enrolled)
        cards = self._decks[game].pieces()
        return next((card for card in cards if self._tag(game, card).uid == uid), enrolled)

    def _copies(self, tag: Piece | str, game: str) -> list[Piece]:
        deck = COMMAND_CARDS if game == COMMAND_CARDS.game else self._decks[game]
        if isinstance(tag, str):
            return [Piece(tag, n) for n in range(1, deck.by_name[tag].count + 1)]
        if not deck.holds(tag):
            count = deck.by_name[tag.kind].count
            raise CannotDo(f"the deck has no {tag}", f"It has {count} of this kind")
        return [tag]

    def kinds(self, game: str | None) -> str:
        """Return the names of all kinds of *game*'s deck in one line; None means all decks."""
        named = COMMAND_CARDS if game == COMMAND_CARDS.game else self._decks.get(game or "")
        decks = self._decks.values() if named is None else (named,)
        return ", ".join(kind.name for deck in decks for kind in deck.kinds if kind.count)

    # --- controls ---

    def press(self, button: str) -> None:
        """Press *button*, or tap its command card if the table has no such button."""
        if self._mat.has_button(button):
            self._mat.press(button)
        else:
            self._command(button)

    def choose(self, value: str) -> None:
        """Turn the encoder to *value* in the list on the display, and press OK.

        If the table then asks whether to end the game, the answer is yes.

        At a table without an encoder, press the action button until *value* is selected, if it
        steps through this list. Otherwise use command cards: number cards move the cursor of a map,
        and number or seat cards answer other questions.

        Raises:
            CannotDo: the display shows no list with *value*, or no command card has it.
        """
        self._pick(_place_of(value, self._list()))
        choices = self._mat.view.choices
        if value == END_GAME and choices is not None and choices.values == (NO, YES):
            self._pick(choices.values.index(YES))

    def _pick(self, at: int) -> None:
        """Choose item *at* (from 0) of the list on the display, as described in ``choose``."""
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

    def choose_language(self, code: str) -> None:
        """Change the table's language with the command card ``settings``, at any time.

        Raises:
            CannotDo: there is no such language, or the table takes no command cards now.
        """
        if code not in languages():
            raise CannotDo(f'there is no language "{code}"', f"It can be: {word_list(languages())}")
        self._command("settings")
        self._set("language", code)
        self.press("back")

    def start(
        self,
        game: str | None,
        players: tuple[str, ...],
        dealer: str | None,
        options: Mapping[str, str],
        *,
        is_lesson: bool = False,
        mats: tuple[str, ...] = (),
    ) -> None:
        """Set a game up in the table's own menus and start it, if *is_lesson* by *learn*.

        The mat plays for those of *players* that are in *mats*. The table gives them their names.
        All settings are checked before the person touches the mat.

        Raises:
            CannotDo: *game* is None, or the table does not offer one of the settings.
            UnknownGame: no such game is installed.
        """
        if game is None:
            remedy = "Name the game before the start, for example: game straw"
            raise CannotDo("the name of the game is missing", remedy)
        self.check(game, players, dealer, options)
        self._offer(game)
        with self._going_back_on_error():
            if players:
                self._set("players", str(len(players)))
            for seat, name in enumerate(players, 1):
                self._name(seat, name, is_mat=name in mats)
            if dealer is not None or players:
                self._set("dealer", dealer or players[-1])
            for option, value in options.items():
                self._set(option, value)
            self.choose("learn" if is_lesson else "start")

    def end_game(self) -> None:
        """End the game in progress, in any state; do nothing if there is none.

        The command card ``settings`` opens a list in which a line ends the game, even during a
        question. No play is made or undone.

        Raises:
            CannotDo: that list does not open, or a button does not work. In that case, nothing has
                changed.
        """
        journal = self._mat.running.journal
        if journal.open_game() is None:
            self._leave_settings()
            return
        self._command("settings")
        choices = self._mat.view.choices
        if choices is not None and END_GAME in choices.values:
            self.choose(END_GAME)
        if journal.open_game() is not None:
            self._leave_settings()
            remedy = "End it at the mat: press OK, then choose End this game"
            raise CannotDo("the game cannot be ended now", remedy)

    def _leave_settings(self) -> None:
        """Go back from the table's settings, or from those of a game before its start."""
        for _press in range(MOST_PRESSES):
            if self._mat.view.phase in ("settings", "preparing"):
                self.press("back")

    def begin(self, game: str, players: int) -> None:
        """Start a game of *players* players with the names that the table suggests.

        Raises:
            CannotDo, UnknownGame: see ``start``.
        """
        self._offer(game)
        with self._going_back_on_error():
            self._set("players", str(players))
            self.choose("start")

    def check(
        self, name: str, players: tuple[str, ...], dealer: str | None, options: Mapping[str, str]
    ) -> None:
        """Check that the table can offer all settings of the game *name*.

        Raises:
            CannotDo: the table does not offer one of the settings.
            UnknownGame: no such game is installed.
        """
        game = game_named(name)
        if players and len(players) not in numbers_of_people(game):
            found = "{count} player is named" if len(players) == 1 else "{count} players are named"
            remedy = f"{game.name} is for {game.seats[0]} to {game.seats[-1]} players"
            raise CannotDo(found.format(count=len(players)), remedy)
        for name in players:
            if name not in self._mat.config.names:
                _refuse_unless_spelt(name)
        if dealer is not None and players and dealer not in players:
            found = f'the dealer "{dealer}" is not one of the players'
            raise CannotDo(found, f"It can be: {word_list(players)}")
        known = {option.name: values_of(option) for option in game.options}
        for name, value in options.items():
            if name not in known:
                can_be = f"It can be: {word_list(known)}"
                found = f'{game.name} has no option "{name}"'
                raise CannotDo(found, f"{did_you_mean(name, known)} {can_be}".strip())
            if value not in known[name]:
                found = f'option {name} cannot be "{value}"'
                remedy = f"It can be: {word_list(known[name])}"
                raise CannotDo(found, remedy)

    def _offer(self, game: str) -> None:
        """Tap a card of *game*, so that the table opens its settings."""
        if self._mat.view.winners:
            self.press("ok")
        if self._mat.view.phase == "enrolling":
            remedy = "Leave that first: press ok, choose leave"
            raise CannotDo("the table is enrolling stickers", remedy)
        if self._mat.view.phase not in ("idle", "preparing"):
            remedy = "End it first: press ok, then choose end-game"
            raise CannotDo("a game is in progress", remedy)
        if self._mat.view.phase == "idle":
            first = self._decks[game_named(game).name].pieces()[0]
            self.move("tap", [first], "play", game)
        if self._mat.view.phase == "idle":
            found = f"the cards of {game} are not enrolled"
            raise CannotDo(found, "Enrol them first: press OK, then choose Stickers")

    @contextmanager
    def _going_back_on_error(self) -> Iterator[None]:
        """If a choice raises CannotDo, go back to the list of settings and raise it again."""
        try:
            yield
        except CannotDo:
            for _list in range(2):  # leave the speller, then the list of values
                choices = self._mat.view.choices
                if choices is not None and choices.values[:1] != ("start",):
                    self.press("back")
            raise

    def _set(self, line: str, value: str) -> None:
        self.choose(line)
        self.choose(value)

    def _name(self, seat: int, name: str, *, is_mat: bool) -> None:
        """Choose *name* for *seat* in the table's list of names, or the mat, or spell the name."""
        self.choose(f"name-{seat}")
        *known, _mat, _speller = self._list().values
        if is_mat:
            self._pick(len(known))
            return
        if name in known:
            self._pick(known.index(name))
            return
        self._pick(len(known) + 1)
        for letter in name:
            self.choose(capital_of(letter))
        self.choose("done")

    def _answer(self, value: str, at: int) -> None:
        """Tap the command card for *value*, which is item *at* of the list (from 0)."""
        names = self._mat.view.names
        if value in names:
            card = f"seat-{names.index(value) + 1}"
        elif value.lstrip("-").isdecimal():
            card = f"number-{value}"
        else:
            card = f"number-{at + 1}"
        if card not in COMMAND_CARDS.by_name:
            found = f"there is no command card for {value}"
            raise CannotDo(found, "Use a table with an encoder, or with buttons left and right")
        self._command(card)

    def _command(self, card: str) -> None:
        self.move("tap", [card], "play", COMMAND_CARDS.game)

    @property
    def _action_moves_on(self) -> bool:
        """True if the display offers the action button as "next" in the list."""
        return self._mat.view.action == words_of(self._mat.running.table.settings.language).say(
            Message("label.next")
        )

    @property
    def _is_on_map(self) -> bool:
        """True if the controls choose a place on a map."""
        grid = self._mat.view.grid
        return grid is not None and grid.cursor is not None

    def _list(self) -> ListView:
        choices = self._mat.view.choices
        if choices is None:
            remedy = f"It shows: {self._mat.view.hint}"
            raise CannotDo("the display shows no list now", remedy)
        return choices


def can_be_spelt(name: str) -> bool:
    """Return True if *name* can be spelt at the table exactly."""
    try:
        _refuse_unless_spelt(name)
    except CannotDo:
        return False
    return True


def _refuse_unless_spelt(name: str) -> None:
    if not name.strip():
        raise CannotDo("a player's name is blank", "Give every player a name")
    if len(name) > NAME_LENGTH:
        raise CannotDo(f'the name "{name}" is too long', f"Use up to {NAME_LENGTH} letters")
    for letter in name:
        if capital_of(letter) not in LETTERS:
            found = f'"{name}" cannot be spelt: there is no "{letter}"'
            raise CannotDo(found, f"The letters are: {''.join(LETTERS)}")
    if as_spelt(name) != name:
        raise CannotDo(
            f'"{name}" cannot be spelt exactly: the table writes "{as_spelt(name)}"',
            "Write it like that, or add the name to table.toml",
        )


def _in_number_cards(steps: int) -> Iterator[int]:
    """Yield the numbers of command cards that add up to *steps*, with as few cards as possible."""
    while steps:
        yield min(steps, MOST_STEPS)
        steps -= min(steps, MOST_STEPS)


def _too_many(tags: Sequence[Piece | str], tag: Piece | str, held: int) -> CannotDo:
    """Return the error for *tags* that name *tag* more often than there are copies (*held*)."""
    if not held:
        return CannotDo(f"the deck has no {tag}", "To list its pieces, run: tapmat pieces GAME")
    kind = tag.kind if isinstance(tag, Piece) else tag
    kinds = [other.kind if isinstance(other, Piece) else other for other in tags]
    named = tags.count(tag) if held == 1 else kinds.count(kind)
    what = tag if held == 1 else kind
    number = f"the deck has {held}" if held > 1 else "there is one"
    return CannotDo(f"{what} is named {named} times, but {number}", "Name each card only once")


def _place_of(value: str, choices: ListView) -> int:
    """Return the index of *value* in *choices*, or of the first copy if *value* is a kind."""
    kinds = tuple(known.partition("#")[0] for known in choices.values)
    for known in (choices.values, kinds):
        if value in known:
            return known.index(value)
    raise CannotDo(f"{value} is not in the list", f"It has: {', '.join(choices.values)}")


def values_of(option: Option) -> tuple[str, ...]:
    """Return the values that a house rule can have, as rehearsals write them."""
    if isinstance(option, Switch):
        return ("on", "off")
    if isinstance(option, Amount):
        return tuple(map(str, range(option.low, option.high + 1)))
    return option.names
