"""The parts of the table, as far as the running program knows about them.

A part has a name: ``reader play``, ``display``, ``lamps``, ``button ok``. The program polls the
readers and the display all the time, and checks the journal each second, so they work unless they
have failed. It cannot sense lamps, buzzer and voice. A control works if somebody has used it since
the program has started. Everything else is not checked.
"""

from dataclasses import dataclass

from firmware.journal.log_file import SavedCheck
from firmware.table.answers import CheckAsked, PartAsked, PartStatus
from firmware.table.context import TABLE, TableContext
from hardware.ports import Pressed, Rocked, Turned

JOURNAL = "journal"
WATCHED = ("reader", "display", JOURNAL)  # kinds of parts whose failure the program notices


@dataclass(frozen=True, slots=True)
class Loss:
    """A failure of the kind *kind*, which selects the advice, at the time *since* in UTC."""

    kind: str
    since: str


class KnownParts:
    """The state of each part of the table of *context*, and the doctor's last *check*."""

    def __init__(self, context: TableContext) -> None:
        self._context = context
        self._lost: dict[str, Loss] = {}
        self._used: set[str] = set()  # controls
        self.check: SavedCheck | None = None

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the parts that have failed and do not work again yet."""
        return tuple(self._lost)

    @property
    def saves(self) -> bool:
        """True if plays can be written to the journal."""
        return JOURNAL not in self._lost

    def note_loss(self, part: str, kind: str) -> None:
        """Note that *part* has failed; *kind* selects the advice."""
        now = self._context.now().isoformat(timespec="seconds")
        self._lost.setdefault(part, Loss(kind, now))

    def note_return(self, part: str) -> None:
        """Note that *part* works again."""
        self._lost.pop(part, None)

    def note_use(self, event: Pressed | Turned | Rocked) -> None:
        """Note that the control that has made *event* works.

        The inbox makes a turn by 0 steps of a button that has answered its question; nobody has
        turned the knob then.
        """
        match event:
            case Pressed(button):
                self._used.add(f"button {button}")
            case Turned(steps) if steps:
                self._used.add("encoder")
            case Rocked():
                self._used.add("tilt")

    def name(self, part: str) -> str:
        """Return the name of *part* in the table's language."""
        kind, _, which = part.partition(" ")
        if kind == "button":
            button = self._context.text(TABLE, f"button.{which}")
            return self._context.text(TABLE, "part-button", button=button)
        return self._context.text(TABLE, f"part-{kind}", spot=which)

    def for_host(self) -> tuple[PartAsked, ...]:
        """Return all parts for the host's phone, the failed ones first."""
        others = (part for part in self._context.parts if part not in self._lost)
        return tuple(map(self._entry, (*self._lost, *others)))

    def _entry(self, part: str) -> PartAsked:
        loss = self._lost.get(part)
        if loss is not None:
            do = self._context.text(TABLE, f"part-lost.{loss.kind}")
            return PartAsked(part, self.name(part), PartStatus.LOST.value, loss.since, do)
        works = part.partition(" ")[0] in WATCHED or part in self._used
        state = PartStatus.WORKS if works else PartStatus.UNCHECKED
        return PartAsked(part, self.name(part), state.value)

    def check_in_words(self) -> CheckAsked:
        """Return the result of the last check for the host's phone."""
        text = self._context.text
        if self.check is None:
            return CheckAsked("", text(TABLE, "check.none"))
        told = text(TABLE, f"check.{self.check.verdict.lower() or 'unclear'}")
        if self.check.skipped:
            told += " " + text(TABLE, "check.skipped", n=self.check.skipped)
        return CheckAsked(self.check.at, told)
