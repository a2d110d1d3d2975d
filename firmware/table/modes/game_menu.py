"""The menu of a game: hear the score, change settings, enrol stickers, end the game."""

from dataclasses import dataclass

from engines.common.contract import Seat
from firmware.show.view import ListView, Notice
from firmware.table.context import TABLE
from firmware.table.modes.active_game import ActiveGame
from firmware.table.modes.adjusting import JOIN, Adjusting
from firmware.table.modes.calling import CALLS, call_item, call_or_not
from firmware.table.modes.choosing_box import ChoosingBox
from firmware.table.modes.ending import Ending
from firmware.table.modes.game_overlay import ItemsOverlay
from firmware.table.modes.joining import Joining
from firmware.table.modes.mode import Outcome
from firmware.table.picker import Picker
from firmware.voice.speech import as_requested

ITEMS = (
    *("say-again", "say-everything", "scores", "settings", "stickers", JOIN),
    *CALLS,
    "end-game",
)
ROW = "mat-row-"  # before a seat's number: the mat's row is read again


@dataclass(frozen=True)
class GameMenu(ItemsOverlay):
    """The open menu over a game."""

    @classmethod
    def of(cls, playing: ActiveGame) -> "GameMenu":
        """Return the menu over *playing*.

        It offers to join only while a companion is there, and to call for help while a hall is.
        """
        context = playing.context
        optional = {JOIN: context.companion.address is not None}
        optional |= {item: item == call_item(context) for item in CALLS}
        items = tuple(item for item in ITEMS if optional.get(item, True))
        rows = playing.mat.seats_with_rows() if playing.start.mats else ()
        return cls(playing, Picker((*items, *(f"{ROW}{seat + 1}" for seat in rows))))

    def _choose(self) -> Outcome:
        playing, context = self.playing, self.playing.context
        match self.items.chosen:
            case "say-again":
                return Outcome(playing, as_requested(playing.summary()))
            case "say-everything":
                return Outcome(playing, says_everything=True)
            case "settings":
                return Adjusting.open(playing, context)
            case "scores":
                scores = playing.scores_in_words()
                notice = Notice(context.text(TABLE, "scores"), "  ".join(scores))
                return Outcome(playing, as_requested(playing.spoken_scores()), notice=notice)
            case "stickers":
                return ChoosingBox.open(playing, context, return_to=playing)
            case "join":
                return Joining.open(playing, context)
            case "call" | "no-call":
                return call_or_not(playing, context)
            case "end-game":
                return Ending.open(playing, context)
            case row:
                return playing.mat.read_again(_seat_of(row))

    def _list(self) -> ListView:
        text = self.playing.text
        words = tuple(
            text("menu.mat-row", seat=_seat_of(item))
            if item.startswith(ROW)
            else text(f"menu.{item}")
            for item in self.items.items
        )
        return ListView(text("menu"), words, self.items.cursor, self.items.items)


def _seat_of(row: str) -> Seat:
    """Return the seat of the item *row*."""
    return Seat(int(row.removeprefix(ROW)) - 1)
