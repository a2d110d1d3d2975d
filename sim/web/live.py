"""The mat in real time: one thread turns the loop, takes what pages ask, and tells what changed.

Room: sim/web. Everything that belongs to the mat is touched in that thread alone; others hand in
acts and receive plain values. Chips keep their own virtual time, which is made to keep pace with
the clock on the wall.
"""

import json
import secrets
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Self

from engines.common.pieces import Piece
from firmware.config import TableConfig
from firmware.controller import decks_of
from firmware.events import CodeAsked
from firmware.games import games
from firmware.journal import GameRecord
from sim.chips.picc import Picc
from sim.mat import CannotDo, Mat
from sim.person import Person
from sim.rehearsal.export import exported, told
from sim.web import protocol
from sim.web.dealer import Cards, cards_of

BEHIND_S = 0.5  # more than that behind the wall clock is not made up for
KEPT = 500  # entries of transcript and journal a page gets when it connects

Changes = dict[str, Any]
Listener = Callable[[str, Any], None]  # ("state", changes), ("said", entries), ("journal", entries)


@dataclass(frozen=True, slots=True)
class Dealt:
    """A shuffled deck in use: for which game of the journal, how shuffled, and how shown."""

    game: int
    seed: int
    is_hot_seat: bool

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """The deck that *file* remembers; none when it remembers none that can be read."""
        try:
            shape = json.loads(file.read_text(encoding="utf-8"))
            return cls(int(shape["game"]), int(shape["seed"]), bool(shape["is_hot_seat"]))
        except (OSError, ValueError, TypeError, LookupError):
            return None

    def write(self, file: Path) -> None:
        """Have *file* remember it; where that fails, the cards are dealt anew after a restart."""
        with suppress(OSError):
            file.write_text(json.dumps(asdict(self)), encoding="utf-8")


class LiveMat:
    """One mat that runs until ``stop()``. *listen* is called in the mat's thread."""

    def __init__(self, config: TableConfig, folder: Path, listen: Listener) -> None:
        self.said: list[Changes] = []
        self.journal: list[Changes] = []
        self.state: Changes = {}
        self.config = config
        self._mat = Mat(config, folder)
        self._person = Person(self._mat, decks_of(config))
        self._listen = listen
        self._acts: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._thread = Thread(target=self._run, name="mat", daemon=True)
        self._is_stopping = False
        self._cards: dict[Picc, str] = {}  # what pages call the stickers that were laid
        self._faults: dict[tuple[str, str], None] = {}
        self._deal_file = folder / "deal.json"
        self._dealt = Dealt.read(self._deal_file)
        self._heard = self._refused = self._seq = self._entries = 0  # what was told already
        self._names: tuple[str, ...] = ()  # of the players in the last entry told
        self._oled_seen: tuple[object, Changes] | None = None
        self._cards_seen: tuple[object, Cards] | None = None
        self._acted: Mapping[type, Callable[[Any], Any]] = {
            protocol.Lay: self._lay,
            protocol.Lift: self._lift,
            protocol.Down: lambda ask: self._mat.hold(ask.button),
            protocol.Up: lambda ask: self._mat.release(ask.button),
            protocol.Turn: lambda ask: self._mat.turn(ask.steps),
            protocol.Power: self._power,
            protocol.Fault: self._fault,
            protocol.Deal: self._deal,
            protocol.Undeal: self._undeal,
            protocol.Export: self._export,
        }

    # --- for other threads ---

    def start(self, game: str | None = None) -> None:
        """Switch the mat on; where no game is on, begin *game* for two and deal it.

        Raises:
            TapmatError: configuration, decks or state folder cannot be used, or no such game.
        """
        self._thread.start()
        self._call(self._mat.power_on).result()
        self._call(self._publish).result()  # so that the first page finds a state
        if game is not None and self._call(self._record).result() is None:
            self.do(protocol.Deal(game, 2, is_hot_seat=True)).result()

    def stop(self) -> None:
        """Switch the mat off and end its thread."""
        self._call(self._mat.close).result()
        self._is_stopping = True
        self._thread.join()

    def do(self, ask: protocol.Ask) -> Future[Any]:
        """Have *ask* done; the future gives the answer, or what was in the way."""
        return self._call(lambda: self._acted[type(ask)](ask))

    def show_code(self, code: str) -> None:
        """Have the display show a pairing code."""
        self._call(lambda: self._mat.tell(CodeAsked(code)))

    def _call(self, act: Callable[[], Any]) -> Future[Any]:
        done: Future[Any] = Future()
        self._acts.put((act, done))
        return done

    # --- the mat's thread ---

    def _run(self) -> None:
        clock = self._mat.board.clock
        lead_s = clock.now() - time.monotonic()
        while not self._is_stopping:
            self._mat.step()
            self._publish()
            ahead_s = clock.now() - time.monotonic() - lead_s
            if self._act(max(ahead_s, 0.0)) or ahead_s < -BEHIND_S:
                # Hands take the mat's own time, and nobody has to wait for that again.
                lead_s = clock.now() - time.monotonic()

    def _act(self, wait_s: float) -> bool:
        """Do what is asked, waiting for it for at most *wait_s*; whether anything was."""
        try:
            act, done = self._acts.get(timeout=wait_s) if wait_s else self._acts.get_nowait()
        except Empty:
            return False
        try:
            done.set_result(act())
        except Exception as error:  # whoever asked hears of it; the mat turns on
            done.set_exception(error)
        return True

    def _publish(self) -> None:
        """Tell what differs from what was told before."""
        state = self._look()
        changes = {key: value for key, value in state.items() if self.state.get(key) != value}
        self.state = state
        if changes:
            self._listen("state", changes)
        self._tell("said", self.said, self._new_said())
        self._tell("journal", self.journal, self._new_journal())

    def _tell(self, kind: str, kept: list[Changes], new: list[Changes]) -> None:
        if new:
            kept += new
            del kept[:-KEPT]
            self._listen(kind, new)

    # --- acts ---

    def _lay(self, ask: protocol.Lay) -> None:
        self._mat.lay([self._picc(tag, "lay", ask.spot) for tag in ask.tags], ask.spot)

    def _lift(self, ask: protocol.Lift) -> None:
        self._mat.lift([self._picc(tag, "lift", ask.spot) for tag in ask.tags], ask.spot)

    def _picc(self, card: str, how: str, spot: str) -> Picc:
        """The sticker pages call *card*: ``straw/weight-7#2``, or a stranger by its name."""
        game, slash, piece = card.partition("/")
        try:
            tag = Piece.parse(piece) if slash else card
        except ValueError as error:
            raise CannotDo(str(error), "Name a card as in straw/weight-7#2") from None
        picc = self._person.picc(tag, how, spot, game if slash else None)
        self._cards[picc] = card
        return picc

    def _power(self, ask: protocol.Power) -> None:
        (self._mat.power_on if ask.is_on else self._mat.power_cut)()

    def _fault(self, ask: protocol.Fault) -> None:
        self._mat.fault(ask.name, ask.part)
        if ask.name == "none":
            self._faults = {key: None for key in self._faults if key[1] != ask.part}
        elif ask.name != "reader-brownout":  # that one is over at once
            self._faults[ask.name, ask.part] = None

    def _deal(self, ask: protocol.Deal) -> None:
        """Set the game up if none is on, and deal a shuffled deck for the game that is."""
        if self._record() is None:
            self._person.begin(ask.game, ask.players)
        record = self._record()
        if record is None or record.start.game != ask.game:
            raise CannotDo("another game is on", "End it at the mat first: OK, End this game")
        self._dealt = Dealt(record.number, secrets.randbits(32), ask.is_hot_seat)
        self._dealt.write(self._deal_file)

    def _undeal(self, ask: protocol.Undeal) -> None:
        self._dealt = None
        self._deal_file.unlink(missing_ok=True)

    def _export(self, ask: protocol.Export) -> str:
        journal = self._mat.running.journal
        record = journal.open_game()
        if record is None:
            raise CannotDo("no game is on", "Start one, then export it")
        return exported(record.start, list(journal.entries(record.number)), self._mat.view)

    def _record(self) -> GameRecord | None:
        return self._mat.running.journal.open_game()

    # --- what is told ---

    def _look(self) -> Changes:
        """Everything pages show, as JSON values; what did not change is the same object."""
        is_on = self._mat.is_on
        return {
            "power": is_on,
            "oled": self._oled(),
            "lamps": {name: self._mat.lamp(name) for name in self._mat.config.lamps},
            "tone": self._mat.tone,
            "lying": {
                spot: [self._cards[picc] for picc in reader.field.piccs]
                for spot, reader in self._mat.board.readers.items()
            },
            "view": self._view() if is_on else None,
            "deal": self._deal_shown() if is_on else None,
            "faults": [{"name": name, "part": part} for name, part in self._faults],
        }

    def _oled(self) -> Changes | None:
        """The display's pixels; read again only when something was sent to it."""
        chip = self._mat.board.display
        if chip is None:
            return None
        moment = (self._mat.board.i2c_bus.bits, self._mat.is_on)
        if self._oled_seen is None or self._oled_seen[0] != moment:
            registers = chip.registers
            shown = {
                "on": chip.is_lit,
                "inverted": registers.is_inverted,
                "contrast": registers.contrast,
                "rows": b64encode(self._mat.pixels.tobytes()).decode(),
            }
            self._oled_seen = moment, shown
        return self._oled_seen[1]

    def _view(self) -> Changes:
        view = self._mat.view
        return {
            "phase": view.phase,
            "turn": view.turn,
            "direction": None if view.direction is None else view.direction.value,
            "names": list(view.names),
            "scores": list(view.scores),
            "winners": list(view.winners),
        }

    def _deal_shown(self) -> Changes | None:
        """Where the dealt cards are; in hot-seat, only the hand to play is face up."""
        dealt, record = self._dealt, self._record()
        if dealt is None or record is None or record.number != dealt.game:
            return None
        cards = self._cards_of(record, dealt.seed)
        shown = self._mat.view.turn if dealt.is_hot_seat else None
        prefix = f"{record.start.game}/"
        return {
            "game": record.start.game,
            "pile": len(cards.pile),
            "hands": [
                [f"{prefix}{piece}" if shown in (None, seat) else None for piece in hand]
                for seat, hand in enumerate(cards.hands)
            ],
            "shown": shown,
            "laid": [f"{prefix}{piece}" for piece in cards.laid],
        }

    def _cards_of(self, record: GameRecord, seed: int) -> Cards:
        """The dealt cards; reckoned again only when the game went on."""
        moment = (record.number, record.inputs, seed)
        if self._cards_seen is None or self._cards_seen[0] != moment:
            game = games()[record.start.game]
            self._cards_seen = moment, cards_of(game, record, seed)
        return self._cards_seen[1]

    def _new_said(self) -> list[Changes]:
        new = list(islice(self._mat.said, self._heard, None))
        self._heard += len(new)
        first = self._heard - len(new)
        return [
            {"n": first + at, "at": round(u.at_s, 2), "language": u.language, "text": u.text}
            for at, u in enumerate(new)
        ]

    def _new_journal(self) -> list[Changes]:
        """What was accepted and refused since the last look."""
        new = []
        for notice in islice(self._mat.refused, self._refused, None):
            self._refused += 1
            new.append(self._entry("refused", f"{notice.code}: {notice.happened}", _now()))
        if self._mat.is_on:
            for entry in self._mat.running.journal.entries(after=self._seq):
                self._seq = entry.seq
                new.append(self._entry(entry.kind, told(entry, self._names), entry.at))
                if entry.kind == "start":
                    self._names = tuple(entry.body["names"])
        return new

    def _entry(self, kind: str, text: str, at: str) -> Changes:
        self._entries += 1
        return {"n": self._entries, "at": at, "kind": kind, "text": text}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
