"""The mode without a game. After a tap of a card the table offers its game; OK lists all games."""

from dataclasses import dataclass, replace
from enum import Enum

from engines.common.contract import Topic
from firmware.common.errors import RegisterError
from firmware.show.view import Flash, ListView, TableView
from firmware.table.context import TABLE, TableContext
from firmware.table.events import GameChosen
from firmware.table.modes.adjusting import Adjusting
from firmware.table.modes.calling import CALLS, call_item, call_or_not
from firmware.table.modes.choosing_box import ChoosingBox
from firmware.table.modes.enrolling import Enrolling
from firmware.table.modes.joining import Joining
from firmware.table.modes.mode import Mode, Outcome, TappedPieces, refuse
from firmware.table.modes.preparing import Preparing
from firmware.table.picker import Picker
from firmware.voice.speech import SpeechLine


class ExtraItem(Enum):
    """An item in the list of games that is not a game, such as the stickers or the settings.

    These are an enum and not strings, so that a game may have any name.
    """

    STICKERS = "stickers"
    SETTINGS = "settings"
    JOIN = "join"  # only while a companion is connected
    CALL = "call"  # only in a hall
    NO_CALL = "no-call"  # only after a call


@dataclass(frozen=True)
class Idle(Mode):
    """The mode without a game: the table waits for people to choose one.

    *choosing* is the list of games and extra items; None if it is closed.
    """

    context: TableContext
    choosing: Picker[str | ExtraItem] | None = None

    def tap(self, tapped: TappedPieces) -> Outcome:
        """Offer the game of the pieces, unless they were found at switch-on."""
        if tapped.was_found:
            return Outcome(self)
        return self._offer(tapped.game, tapped.box)

    def turn(self, steps: int) -> Outcome:
        """Move the cursor in the list, if it is open."""
        if self.choosing is None:
            return Outcome(self)
        return Outcome(replace(self, choosing=self.choosing.move(steps)))

    def press(self, button: str) -> Outcome:
        """Open the list or choose an item (OK), move the cursor (action), close the list (back)."""
        if button == "ok":
            if self.choosing is None:
                return Outcome(replace(self, choosing=self._picker()))
            return self._choose(self.choosing.chosen)
        if button == "action" and self.choosing is not None:
            return Outcome(replace(self, choosing=self.choosing.advance(1)))
        return Outcome(replace(self, choosing=None))

    def number(self, value: int) -> Outcome:
        """Choose item *value*, from 1, of the open list; refuse the number if there is none."""
        if self.choosing is not None and value <= len(self.choosing.items):
            return self._choose(self.choosing.items[value - 1])
        return refuse(self, self.context.notice(TABLE, "no-game"))

    def seat(self, seat: int) -> Outcome:
        """Refuse a seat's command card: there is no game."""
        return refuse(self, self.context.notice(TABLE, "no-game"))

    @property
    def can_start(self) -> bool:
        """True: no game is in progress."""
        return True

    def start_game(self, chosen: GameChosen) -> Outcome | None:
        """Start the game, as ``Preparing`` does."""
        return Preparing.start_chosen(self.context, chosen)

    def summary(self) -> tuple[SpeechLine, ...]:
        """Return the line that says how to begin a game."""
        return (self.context.line(TABLE, "idle", Topic.QUESTION),)

    def view(self) -> TableView:
        """Return the title of the program, how to begin, and the list if it is open."""
        text = self.context.text
        choices = None
        if self.choosing is not None:
            items = self.choosing.items
            titles = tuple(
                text(TABLE, f"menu.{item.value}")
                if isinstance(item, ExtraItem)
                else text(item, "title")
                for item in items
            )
            values = tuple(item.value if isinstance(item, ExtraItem) else item for item in items)
            item = self.choosing.chosen
            said = None if isinstance(item, ExtraItem) else self.context.spoken_text(item, "title")
            prompt = text(TABLE, "choose-game")
            choices = ListView(prompt, titles, self.choosing.cursor, values, said=said)
        return TableView(
            phase="idle",
            title="tapmat",
            hint=self.context.hall.message or text(TABLE, "idle"),
            choices=choices,
            action=text(TABLE, "label.next") if choices else "",
        )

    def _picker(self) -> Picker[str | ExtraItem]:
        context = self.context
        optional = {ExtraItem.JOIN.value: context.companion.address is not None}
        optional |= {item: item == call_item(context) for item in CALLS}
        extra = (item for item in ExtraItem if optional.get(item.value, True))
        return Picker((*context.games, *extra))

    def _choose(self, item: str | ExtraItem) -> Outcome:
        """Open the extra *item*, or offer the game *item*.

        If no card of the game has a sticker, enrol the game first.
        """
        if item is ExtraItem.STICKERS:
            return ChoosingBox.open(self, self.context)
        if item is ExtraItem.SETTINGS:
            return Adjusting.open(replace(self, choosing=None), self.context)
        if item is ExtraItem.JOIN:
            return Joining.open(replace(self, choosing=None), self.context)
        if item in (ExtraItem.CALL, ExtraItem.NO_CALL):
            return call_or_not(replace(self, choosing=None), self.context)
        assert isinstance(item, str), "all other items are games"
        try:
            begun = self.context.register.boxes(item)
            if begun:
                return self._offer(item, begun[0])
            enrolling = Enrolling.of(self.context, self.context.box(item))
        except RegisterError:
            return refuse(self, self.context.notice(TABLE, "not-readable"))
        return Outcome(enrolling, enrolling.summary(), Flash.ACCEPTED)

    def _offer(self, game: str, box: int) -> Outcome:
        preparing = Preparing.of(self.context, game, box)
        return Outcome(preparing, preparing.summary(), Flash.ACCEPTED)
