"""Playing: a game is on. The engine decides; this mode carries, commits and undoes.

Room: firmware/modes. It knows the engine contract and no game.

An input is committed to the journal before anything of it is shown or said. The way back is the
chain of states before each live input, which is what folding the journal again would give, since
a step is a pure function of state and input.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any, TypeGuard

from engines.common.contract import (
    Ask,
    Button,
    Choice,
    Game,
    Input,
    Message,
    Number,
    Offer,
    PlaceAsk,
    PlaceChoice,
    Press,
    PressAsk,
    Seat,
    SeatChoice,
    Sensor,
    Setup,
    Step,
    Tap,
    TapAsk,
    Topic,
    View,
    seat_of_spot,
)
from engines.common.errors import NotInThisGame, RulesError
from engines.common.grid import Cell, Grid
from engines.common.pieces import Piece
from firmware import aloud
from firmware.desk import TABLE, Desk
from firmware.errors import JournalError
from firmware.journal import GameRecord, GameStart
from firmware.modes.adjusting import Adjusting
from firmware.modes.asked import in_words, picker_of
from firmware.modes.choosing_box import ChoosingBox
from firmware.modes.mode import Mode, Outcome, Tapped, refused
from firmware.picker import Picker
from firmware.settings import Level
from firmware.speech import Line, asked, lines
from firmware.view import Flash, GridView, ListView, Notice, TableView

MENU = ("say-again", "say-everything", "scores", "settings", "stickers", "end-game")
STACK_LIMIT = 4  # pieces in a stack whose every order is tried before people are asked: 4! = 24


class CutShort(Exception):
    """The rules refuse an input of the journal; *playing* is the game with the *kept* ones."""

    def __init__(self, playing: "Playing", kept: int) -> None:
        super().__init__(f"after {kept} inputs")
        self.playing, self.kept = playing, kept


@dataclass(frozen=True)
class Past:
    """One live input, the state it was given in, and what came before it."""

    state: Any
    given: Input
    before: "Past | None"


@dataclass(frozen=True)
class Playing(Mode):
    """One game in progress. *picker* is where the controls stand in what the game asks."""

    desk: Desk
    game: Game[Any]
    start: GameStart
    state: Any
    past: Past | None = None
    picker: Picker[Input] | None = None
    order: Picker[Tap] | None = None  # a stack whose order people are asked for
    menu: Picker[str] | None = None

    @classmethod
    def begun(cls, desk: Desk, start: GameStart) -> "Playing":
        """The game of *start*, dealt; nothing is committed.

        Raises:
            CannotStart: the rules cannot deal so.
        """
        game = desk.games[start.game]
        setup = Setup(len(start.names), Seat(start.dealer), start.deck, start.options)
        return cls(desk, game, start, game.start(setup)).asking()

    @classmethod
    def resumed(cls, desk: Desk, record: GameRecord) -> "Playing":
        """The game of *record*: its start, and its live inputs folded onto it.

        Raises:
            CutShort: this version's rules refuse an input of the journal.
            RulesError: they refuse the start.
            ValueError: they do not know its seats, options or deck.
        """
        playing = cls.begun(desk, record.start)
        for number, given in enumerate(record.inputs):
            try:
                playing, _ = playing._stepped(given)
            except (RulesError, ValueError) as wrong:
                raise CutShort(playing.asking(), number) from wrong
        return playing.asking()

    # --- what people do ---

    def tap(self, tapped: Tapped) -> Outcome:
        """A tap is a play; several pieces at once are played in order, once it is known."""
        taps = tuple(
            Tap(piece, spot, seat_of_spot(spot))
            for piece, spot in tapped.pieces
            if not self._was_lying(piece, tapped)
        )
        if not taps:
            return Outcome(self)
        if tapped.game != self.game.name:
            return self._refused(NotInThisGame(piece=taps[0].piece))
        if self.order is not None and not self._are_of_stack(taps):
            return self._order_first()
        if len(taps) == 1:
            return self._give(taps[0])
        if self._order_matters(taps):
            return Outcome(replace(self, order=Picker(taps), menu=None))
        return self._give_all(taps)

    def turn(self, steps: int) -> Outcome:
        """Move through whatever is open."""
        return self._moved(lambda picker: picker.turned(steps))

    def press(self, button: str) -> Outcome:
        """OK takes what is open, or opens the menu; action is the game's; back undoes."""
        if button == "back":
            return self._back()
        if button == "action":
            if self._action_moves_on:
                return self._moved(lambda picker: picker.further(1))
            return self._give(Press(Button.ACTION))
        if self.menu is not None:
            return self._chosen(self.menu.chosen)
        if self.order is not None:
            return self._ordered(self.order)
        if self.picker is not None:
            return self._give(self.picker.chosen)
        if self._game_view.is_over:
            return self._end("over")
        if self._press_ask(Button.OK) is not None:
            return self._give(Press(Button.OK))
        return Outcome(replace(self, menu=Picker(MENU)))

    def number(self, value: int) -> Outcome:
        """A number card: that number, or the thing with that number in an open list.

        Places of a map have no numbers that people could see, so the cursor moves on by so many,
        and nothing is chosen before OK.
        """
        if self.menu is not None and value <= len(self.menu.items):
            return self._chosen(self.menu.items[value - 1])
        if self.order is not None:
            return self._order_first()
        if self._offer is not None:
            return self._moved(lambda picker: picker.further(value))
        items = self.picker.items if self.picker is not None else ()
        if value <= len(items) and isinstance(items[value - 1], Choice):
            return self._give(items[value - 1])
        return self._give(Number(value))

    def seat(self, seat: int) -> Outcome:
        """A seat card; of pieces laid at once, the one of that seat was first."""
        if self.order is not None:
            places = [place for place, tap in enumerate(self.order.items) if tap.seat == seat]
            if len(places) != 1:
                return self._order_first()
            return self._ordered(self.order.at(places[0]))
        return self._give(SeatChoice(Seat(seat)))

    def sense(self, sensor: Sensor) -> Outcome | None:
        """A sensor presses the button that the game has given it for now, if any."""
        presses = (a for a in self._asks if isinstance(a, PressAsk) and a.sensor is sensor)
        ask = next(presses, None)
        if ask is None or self.order is not None:
            return None
        return self._give(Press(ask.button))

    def _moved(self, move: Callable[[Picker[Any]], Picker[Any]]) -> Outcome:
        """Move the cursor of whatever is open, the uppermost first."""
        if self.menu is not None:
            return Outcome(replace(self, menu=move(self.menu)))
        if self.order is not None:
            return Outcome(replace(self, order=move(self.order)))
        if self.picker is not None:
            return Outcome(replace(self, picker=move(self.picker)))
        return Outcome(self)

    # --- what is shown and told ---

    def opening(self) -> tuple[Line, ...]:
        """What to say when the game begins."""
        return self._told(self.game.opening(self.state))

    def welcome_back(self) -> tuple[Line, ...]:
        """What to say when the game goes on after the power was away."""
        view = self._game_view
        title = self.desk.tell(self.game.name, "title")
        resumed = lines(self._say("resumed", title=title))
        return (*resumed, *self._standing(view))

    def view(self) -> TableView:
        """The game's view in the table's words, and what the controls stand on."""
        view = self._shown
        return TableView(
            phase=view.phase,
            title=self._say("title"),
            headline=self._headline(view),
            caption=self._text(view.caption),
            hint=self._text(view.hint),
            names=self.start.names,
            scores=view.scores,
            turn=view.turn,
            awaited=self._awaited,
            direction=view.direction,
            winners=view.winners,
            choices=self._choices(),
            grid=self._grid(),
            action=self._action(),
            asks=self._asks_in_words(),
            counts=view.counts,
            spoken=self._spoken(view),
            help=self.desk.tell(TABLE, "help.game"),
        )

    # --- inputs ---

    @property
    def race(self) -> tuple[str, ...]:
        """The spots on which whoever is first counts now."""
        ask = self._race_ask
        return () if ask is None or self.order is not None else ask.spots

    @property
    def _race_ask(self) -> TapAsk | None:
        """What is raced for, and by whom; none when nobody races."""
        return next((a for a in self._asks if isinstance(a, TapAsk) and a.is_race), None)

    @property
    def _awaited(self) -> tuple[Seat, ...]:
        """Whoever may tap a piece now, as they sit."""
        seats = {seat for ask in self._asks if isinstance(ask, TapAsk) for seat in ask.seats}
        return tuple(sorted(seats))

    # Kept, since what a game with a map asks for and shows may take it a while, and all of it is
    # looked at several times an act.

    @cached_property
    def _asks(self) -> tuple[Ask, ...]:
        return self.game.asks(self.state)

    @cached_property
    def _game_view(self) -> View:
        return self.game.view(self.state)

    def _stepped(self, given: Input) -> tuple["Playing", Step[Any]]:
        """The game after *given*, and what happened; nothing is committed."""
        step = self.game.step(self.state, given)
        past = Past(self.state, given, self.past)
        after = replace(self, state=step.state, past=past, picker=None, order=None, menu=None)
        return after, step

    def asking(self) -> "Playing":
        """This game with the controls at the beginning of what it asks for."""
        return replace(self, picker=picker_of(self._asks))

    def _give(self, given: Input) -> Outcome:
        """Step, commit, and only then let it be known."""
        try:
            after, step = self._stepped(given)
        except RulesError as error:
            return self._refused(error)
        try:
            self.desk.journal.append(given)
        except JournalError:
            return refused(self, self._notice("not-saved"))
        said = self._told(step.events)
        if step.is_foul:
            happened, *then = said
            notice = Notice(happened.text, " ".join(line.text for line in then))
            wrong = replace(happened, topic=Topic.REFUSAL)
            return Outcome(after.asking(), (wrong, *then), Flash.REFUSED, notice)
        return Outcome(after.asking(), after._in_full(given, said), Flash.ACCEPTED)

    def _in_full(self, given: Input, said: tuple[Line, ...]) -> tuple[Line, ...]:
        """What was *said* of *given*, where all is to be said with the card and the direction."""
        if self.desk.tongue.settings.level is not Level.FULL:
            return said
        if isinstance(given, Tap):
            said = (self._line(f"piece.{given.piece.kind}", Topic.CARD), *said)
        direction = self._game_view.direction
        if direction is None or any(line.topic is Topic.DIRECTION for line in said):
            return said
        return (*said, self._line(f"direction.{direction.value}", Topic.DIRECTION))

    def _give_all(self, taps: Sequence[Tap]) -> Outcome:
        """Give the *taps* of a stack one after the other; the first refusal ends it."""
        said: list[Line] = []
        outcome = Outcome(self)
        for place, tap in enumerate(taps):
            playing = outcome.mode
            assert isinstance(playing, Playing), "a tap never leaves the game"
            outcome = playing._give(tap)
            if outcome.refusal is not None:
                outcome = playing._without(taps[place:], outcome.refusal)
                said += outcome.say
                break
            said += outcome.say
        return replace(outcome, say=tuple(said))

    def _without(self, taps: Sequence[Tap], notice: Notice) -> Outcome:
        """The refusal *notice* of a stack, with the pieces of *taps*, which do not count."""
        left = self._say("stack-left", pieces=tuple(tap.piece for tap in taps))
        return refused(self, replace(notice, do=f"{left} {notice.do}", said=""))

    def _are_of_stack(self, taps: Sequence[Tap]) -> bool:
        """Whether pieces of the open question were laid again, one after the other."""
        stack = [tap.piece for tap in self.order.items] if self.order is not None else []
        return all(tap.piece in stack for tap in taps)

    def _order_first(self) -> Outcome:
        """Nothing else is taken before it is known in which order the stack was laid."""
        return refused(self, self.desk.notice(TABLE, "not-expected-now"))

    def _order_matters(self, taps: Sequence[Tap]) -> bool:
        """Whether some order of *taps* leads elsewhere, or is refused otherwise, than another."""
        if len(taps) > STACK_LIMIT:
            return True
        first, *others = (self._after(order) for order in permutations(taps))
        return any(other != first for other in others)

    def _after(self, taps: Sequence[Tap]) -> tuple[Any, str, int]:
        """Where *taps* in this order lead: state, code of the refusal if any, how many count."""
        playing = self
        for taken, tap in enumerate(taps):
            try:
                playing, _ = playing._stepped(tap)
            except RulesError as error:
                return playing.state, error.code, taken
        return playing.state, "", len(taps)

    def _ordered(self, order: Picker[Tap]) -> Outcome:
        """One piece of the stack was named the oldest: play it, then ask about the others."""
        closed = replace(self, order=None)
        rest = tuple(tap for tap in order.items if tap != order.chosen)
        outcome = closed._give(order.chosen)
        if outcome.refusal is not None:
            return closed._without((order.chosen, *rest), outcome.refusal)
        playing = outcome.mode
        assert isinstance(playing, Playing), "a tap never leaves the game"
        if len(rest) > 1 and playing._order_matters(rest):
            return replace(outcome, mode=replace(playing, order=Picker(rest)))
        follow = playing._give_all(rest)
        return replace(follow, say=(*outcome.say, *follow.say))

    # --- undo ---

    def _back(self) -> Outcome:
        """Close what is open over the game; otherwise take the last live input back."""
        if self.menu is not None:
            return Outcome(replace(self, menu=None))
        if self.order is not None:
            pieces = tuple(tap.piece for tap in self.order.items)
            taken = self._say("stack-dropped.pieces", pieces=pieces)
            notice = Notice(self._say("stack-dropped"), taken)
            said = lines(notice.happened, notice.do)
            return Outcome(replace(self, order=None), said, notice=notice)
        if self.past is None:
            return refused(self, self._notice("nothing-to-undo"))
        try:
            self.desk.journal.undo()
        except JournalError:
            return refused(self, self._notice("not-saved"))
        undone = self.past
        before = replace(self, state=undone.state, past=undone.before).asking()
        to_put_back = self.game.put_back(undone.state, undone.given)
        headline = self._spoken(self.game.view(undone.state))
        notice = Notice(self._say("undone"), " ".join(map(self._text, to_put_back)))
        corrected = self._say("correction", headline=headline)
        put_back = " ".join(map(self._aloud, to_put_back))
        said = lines(corrected, put_back, topic=Topic.CORRECTION)
        return Outcome(before, said, Flash.ACCEPTED, notice)

    # --- the menu ---

    def _chosen(self, item: str) -> Outcome:
        closed = replace(self, menu=None)
        match item:
            case "say-again":
                return Outcome(closed, asked(self.summary()))
            case "say-everything":
                return Outcome(closed, aloud.everything(closed.view(), self.desk))
            case "settings":
                return Adjusting.over(closed, self.desk)
            case "scores":
                scores = self._scores()
                notice = Notice(self.desk.say(TABLE, "scores"), "  ".join(scores))
                return Outcome(closed, asked(lines(*scores, topic=Topic.RESULT)), notice=notice)
            case "stickers":
                return ChoosingBox.opened(closed, self.desk, then=closed)
            case _:
                return self._end("abandoned")

    def summary(self) -> tuple[Line, ...]:
        """How things stand, in a breath."""
        return self._standing(self._shown)

    def _standing(self, view: View) -> tuple[Line, ...]:
        """What *view* shows, said."""
        headline, hint = self._spoken(view), self._aloud(view.hint)
        return (*lines(headline, topic=Topic.TOTAL), *lines(hint, topic=Topic.QUESTION))

    def _scores(self) -> tuple[str, ...]:
        scores = enumerate(self._game_view.scores)
        return tuple(self._say("score", seat=seat, score=score) for seat, score in scores)

    def _end(self, how: str) -> Outcome:
        try:
            self.desk.journal.end(how)
        except JournalError:
            return refused(self, self._notice("not-saved"))
        return Outcome(None, lines(self._say("ended"), topic=Topic.RESULT), Flash.ACCEPTED)

    # --- words ---

    def _say(self, code: str, **facts: Any) -> str:
        return self.desk.say(self.game.name, code, self.start.names, **facts)

    def _line(self, code: str, topic: Topic) -> Line:
        return self.desk.line(self.game.name, code, topic, self.start.names)

    def _text(self, message: Message) -> str:
        return self.desk.words[self.game.name].say(message, self.start.names)

    def _aloud(self, message: Message) -> str:
        return self.desk.words[self.game.name].tell(message, self.start.names)

    def _headline(self, view: View) -> str:
        """The headline as it is shown."""
        return view.headline if isinstance(view.headline, str) else self._text(view.headline)

    def _spoken(self, view: View) -> str:
        """The headline as it is said."""
        spoken = view.headline if view.spoken is None else view.spoken
        if isinstance(spoken, str):
            return spoken
        return self._aloud(spoken)

    def _told(self, messages: Sequence[Message]) -> tuple[Line, ...]:
        return tuple(Line(self._aloud(message), message.topic) for message in messages)

    def _notice(self, code: str) -> Notice:
        return self.desk.notice(self.game.name, code, self.start.names)

    def _refused(self, error: RulesError) -> Outcome:
        return refused(self, self.desk.refusal(self.game.name, error, self.start.names))

    def _piece(self, piece: Piece) -> str:
        return self._say(f"piece.{piece.kind}")

    def _action(self) -> str:
        if self._action_moves_on:
            return self._say("label.next")
        ask = self._press_ask(Button.ACTION)
        return "" if ask is None else self._say(f"label.{ask.label}", **ask.facts)

    @property
    def _action_moves_on(self) -> bool:
        """Whether action goes through what is open; in a map, unless the game has a use for it."""
        if self.menu is not None or self.order is not None:
            return True
        return self._offer is not None and self._press_ask(Button.ACTION) is None

    def _press_ask(self, button: Button) -> PressAsk | None:
        """What this game asks *button* for now; none when it does nothing."""
        asks = (a for a in self._asks if isinstance(a, PressAsk) and a.button is button)
        return next(asks, None)

    @property
    def _offer(self) -> Offer | None:
        """The place that the controls stand on in the game's map, with what is shown of it."""
        if self.picker is None or self.order is not None or self.menu is not None:
            return None
        offers = (o for ask in self._asks if isinstance(ask, PlaceAsk) for o in ask.offers)
        return next((o for o in offers if PlaceChoice(o.place) == self.picker.chosen), None)

    @property
    def _shown(self) -> View:
        """The game's view; headline and caption are those of the place the controls stand on."""
        view, offer = self._game_view, self._offer
        if offer is None:
            return view
        headline, caption, spoken = offer.headline, offer.caption, offer.spoken
        return replace(view, headline=headline, caption=caption, spoken=spoken)

    def _grid(self) -> GridView | None:
        """The game's map, and in it the places to choose from while the controls stand there."""
        board, offer = self._game_view.grid, self._offer
        if offer is None or self.picker is None:
            return None if board is None else GridView(board)
        places = (item.place for item in self.picker.items if isinstance(item, PlaceChoice))
        return GridView(board or Grid(()), tuple(places), offer.cell or Cell(offer.place))

    def _choices(self) -> ListView | None:
        if self.menu is not None:
            items = tuple(self._say(f"menu.{item}") for item in self.menu.items)
            return ListView(self._say("menu"), items, self.menu.cursor, self.menu.items)
        if self.order is not None:
            items = self._taps_in_words(self.order.items)
            pieces = tuple(str(tap.piece) for tap in self.order.items)
            return ListView(self._say("stack"), items, self.order.cursor, pieces)
        if self.picker is not None:
            hint = self._game_view.hint
            prompt, question = self._text(hint), self._aloud(hint)
            items, values = zip(*map(self._item, self.picker.items), strict=True)
            cursor, place = self.picker.cursor, self._place_said()
            return ListView(prompt, items, cursor, values, asked=question, said=place)
        return None

    def _place_said(self) -> str | None:
        """The place the controls stand on, as it is said: where it is, and what it brings."""
        offer = self._offer
        if offer is None:
            return None
        column, row = offer.place.column, offer.place.row
        across = "right" if column > 0 else "left" if column else ""
        along = "down" if row > 0 else "up" if row else ""
        facts = {"columns": abs(column), "rows": abs(row)}
        where = ", ".join(self._say(f"way.{way}", **facts) for way in (across, along) if way)
        return ": ".join(filter(None, (where, self._spoken(self._shown))))

    def _taps_in_words(self, taps: Sequence[Tap]) -> tuple[str, ...]:
        """Whose taps they are, where that tells them apart; otherwise what was tapped."""
        players = {tap.seat: self.start.names[tap.seat] for tap in taps if self._is_taken(tap.seat)}
        if len(players) == len(taps):
            return tuple(players.values())
        return tuple(self._piece(tap.piece) for tap in taps)

    def _is_taken(self, seat: Seat | None) -> TypeGuard[Seat]:
        return seat is not None and seat < len(self.start.names)

    def _item(self, given: Input) -> tuple[str, str]:
        """The words and the fixed name of something to pick."""
        match given:
            case Number(value):
                return str(value), str(value)
            case Choice(name):
                return self._say(f"choice.{name}"), name
            case SeatChoice(seat):
                return (self.start.names[seat],) * 2
            case PlaceChoice(place):
                return (str(place),) * 2
        raise AssertionError(f"{given} is never picked from a list")

    def _asks_in_words(self) -> tuple[str, ...]:
        if self.order is not None:
            return ("order " + ", ".join(tap.piece.kind for tap in self.order.items),)
        return tuple(in_words(ask, self.start.names) for ask in self._asks)

    def _was_lying(self, piece: Piece, tapped: Tapped) -> bool:
        """Whether *piece* was tapped in this game before, and still lay there at switch-on."""
        record = self.desk.journal.open_game()
        if not tapped.was_found or record is None:
            return False
        taps = (given.piece for given in record.inputs if isinstance(given, Tap))
        return piece in (*taps, record.last_tap)
