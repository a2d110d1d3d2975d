"""The mat in real time: one thread turns the loop, takes what pages ask, and tells what changed.

Room: sim/web. Everything that belongs to the mat is touched in that thread alone; others hand in
acts and receive plain values. Chips keep their own virtual time, which is made to keep pace with
the clock on the wall.
"""

import logging
import secrets
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from itertools import groupby, islice
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from engines.common.contract import Seat
from engines.common.pieces import Piece
from firmware.announcer import Fate, Utterance
from firmware.config import TableConfig
from firmware.controller import decks_of
from firmware.errors import TapmatError
from firmware.events import CodeAsked
from firmware.games import games
from firmware.journal import GameRecord
from firmware.view import GridView, ListView
from hardware.errors import HardwareFault
from sim.chips.picc import Picc
from sim.faults import FAULTS, NONE
from sim.mat import HOLD_S, CannotDo, Mat
from sim.person import Person
from sim.rehearsal.export import exported, told
from sim.robots.games import styles_of
from sim.web import board, protocol
from sim.web.deal import VirtualDeck, can_be_dealt
from sim.web.grid import grid_shown
from sim.web.seats import Seats

BEHIND_S = 0.5  # more than that behind the wall clock is not made up for
KEPT = 500  # entries of transcript and journal a page gets when it connects

log = logging.getLogger(__name__)

Changes = dict[str, Any]
Listener = Callable[[str, Any], None]  # ("state", changes), ("said", entries), ("journal", entries)


class LiveMat:
    """One mat that runs until ``stop()``. *listen* is called in the mat's thread.

    At one that *is_blank* nobody has enrolled anything.
    """

    def __init__(
        self, config: TableConfig, folder: Path, listen: Listener, *, is_blank: bool = False
    ) -> None:
        self.said: list[Changes] = []
        self.journal: list[Changes] = []
        self.state: Changes = {}
        self.config = config
        self._mat = Mat(config, folder, is_blank=is_blank)
        self._person = Person(self._mat, decks_of(config))
        self._listen = listen
        self._acts: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._thread = Thread(target=self._run, name="mat", daemon=True)
        self._is_stopping = False
        self._cards: dict[Picc, str] = {}  # what pages call the stickers that were laid
        self._faults: dict[tuple[str, str], None] = {}
        self._moved_s: dict[str, float] = {}  # when a finger moved last, by button
        self._deck = VirtualDeck(folder / "deal.json")
        self._seats = Seats(config, self._deck)
        self._refused = self._seq = self._entries = 0  # what was told already
        self._settled = 0  # lines whose fate was told
        self._unsettled: dict[int, Changes] = {}  # events told that may change, by number
        self._names: tuple[str, ...] = ()  # of the players in the last entry told
        self._oled_seen: tuple[object, Changes] | None = None
        self._grid_seen: tuple[GridView | None, Changes | None] = (None, None)
        self._acted: Mapping[type, Callable[[Any], Any]] = {
            protocol.Lay: self._lay,
            protocol.Lift: self._lift,
            protocol.Down: lambda ask: self._move_finger(ask.button, self._mat.hold),
            protocol.Up: lambda ask: self._move_finger(ask.button, self._mat.release),
            protocol.Turn: lambda ask: self._mat.turn(ask.steps),
            protocol.ChoosePlace: self._choose_place,
            protocol.Tilt: lambda ask: self._mat.tilt(),
            protocol.Power: self._power,
            protocol.Fault: self._fault,
            protocol.Deal: self._deal,
            protocol.Undeal: lambda ask: self._deck.gather(),
            protocol.Move: self._move,
            protocol.Give: lambda ask: self._deck.give(ask.card),
            protocol.Load: lambda ask: self._deck.load(ask.piece),
            protocol.Spill: lambda ask: self._deck.spill(ask.fallen, ask.caught),
            protocol.Choose: lambda ask: self._person.choose(ask.value),
            protocol.Show: self._show,
            protocol.Cover: lambda ask: self._deck.cover(),
            protocol.Robot: self._robot,
            protocol.Export: self._export,
            protocol.Picture: self._picture,
        }

    # --- for other threads ---

    def start(self, game: str | None = None, robots: int = 0) -> None:
        """Switch the mat on; where no game is on, begin *game* and deal it.

        It is for two; or for one person and so many *robots*, who sit in the last seats.
        A game of which no card has a sticker yet is enrolled instead.

        Raises:
            TapmatError: configuration, decks or state folder cannot be used, or no such game.
        """
        self._thread.start()
        self._call(self._mat.power_on).result()
        self._call(self._publish).result()  # so that the first page finds a state
        if game is not None and self._call(self._record).result() is None:
            if self._call(lambda: self._mat.running.register.boxes(game)).result():
                self.do(protocol.Deal(game, max(robots + 1, 2), is_hot_seat=True)).result()
                self._call(self._publish).result()
                for seat in range(2, robots + 2):
                    self.do(protocol.Robot(seat, styles_of(game)[0])).result()
            else:
                self._call(lambda: self._mat.enrol(game)).result()

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
            self._turn()
            ahead_s = clock.now() - time.monotonic() - lead_s
            if self._act(max(ahead_s, 0.0)) or ahead_s < -BEHIND_S:
                # Hands take the mat's own time, and nobody has to wait for that again.
                lead_s = clock.now() - time.monotonic()

    def _turn(self) -> None:
        """Let the mat's loop turn once, tell what is new, and let robots play."""
        self._mat.step()
        self._publish()
        self._play_robots()

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

    def _play_robots(self) -> None:
        """Do what robots in seats ask for; what cannot be done they try again, or leave."""
        is_on = self._mat.is_on
        record, view = (self._record(), self._mat.view) if is_on else (None, None)
        for ask in self._seats.step(self._mat.board.clock.now(), record, view):
            try:
                self._acted[type(ask)](ask)
            except (CannotDo, TapmatError, HardwareFault) as error:
                log.info("A robot cannot do that: %s", error)

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
            by_number = {entry["n"]: entry for entry in (*kept, *new)}
            kept[:] = list(by_number.values())[-KEPT:]
            self._listen(kind, new)

    # --- acts ---

    def _lay(self, ask: protocol.Lay) -> None:
        here = self._lying(ask.spot)
        for tag in ask.tags:
            if tag in here:
                raise CannotDo(f"{tag} lies on {ask.spot} already", "Lift it first")
        self._mat.lay([self._picc(tag, ask.spot) for tag in ask.tags], ask.spot)

    def _lift(self, ask: protocol.Lift) -> None:
        here = self._lying(ask.spot)
        for tag in ask.tags:
            if tag not in here:
                raise CannotDo(f"no such card lies on {ask.spot}: {tag}", "Lay it first")
        self._mat.lift([here[tag] for tag in ask.tags], ask.spot)

    def _lying(self, spot: str) -> dict[str, Picc]:
        """What lies on *spot*, by the names that pages laid it under."""
        return {self._cards[picc]: picc for picc in self._mat.lying(spot)}

    def _picc(self, card: str, spot: str) -> Picc:
        """The sticker pages call *card*, to be laid."""
        game, tag = self._deck.named(card)
        deal = self.state.get("deal")
        if deal is not None and game and game == deal["game"] and isinstance(tag, Piece):
            tag = self._person.card_of(game, tag)  # the table deals what it takes cards for
        picc = self._person.picc(tag, "lay", spot, game)
        self._cards[picc] = card
        return picc

    def _move_finger(self, button: str, move: Callable[[str], None]) -> None:
        """Hold *button* or let go of it, a finger's time after it was moved last.

        A click can be over sooner than any finger, and where a computer or a network paused, edges
        come here all at once: the table would take them for one bouncing contact.
        """
        now_s = self._mat.board.clock.now()
        self._mat.wait(self._moved_s.get(button, now_s - HOLD_S) + HOLD_S - now_s)
        move(button)
        self._moved_s[button] = self._mat.board.clock.now()

    def _choose_place(self, ask: protocol.ChoosePlace) -> None:
        """Turn to the place and press OK; where the controls do not go to it, say why."""
        record, grid = self._record(), self._mat.view.grid
        if record is not None and grid is not None and grid.places and ask.at not in grid.places:
            error = board.refused_at(games()[record.start.game], record, ask.at)
            if error is not None:
                words = self._mat.running.table.desk.words[record.start.game]
                why = words.refusal(error, record.start.names)
                raise CannotDo(f"{why.happened.rstrip('.')} ({why.rule})", why.do.rstrip("."))
        self._person.choose(str(ask.at))

    def _power(self, ask: protocol.Power) -> None:
        (self._mat.power_on if ask.is_on else self._mat.power_cut)()

    def _fault(self, ask: protocol.Fault) -> None:
        self._mat.fault(ask.name, ask.part)
        if ask.name == NONE:
            self._faults = {key: None for key in self._faults if key[1] != ask.part}
        elif FAULTS[ask.name].lasts:
            self._faults[ask.name, ask.part] = None

    def _deal(self, ask: protocol.Deal) -> None:
        """Set the game up if none is on, and deal a shuffled deck for the game that is.

        Of a game that cannot be dealt the pieces stay in the tray.
        """
        if self._record() is None:
            self._person.begin(ask.game, ask.players)
        record = self._record()
        if record is None or record.start.game != ask.game:
            raise CannotDo("another game is on", "End it at the mat first: OK, End this game")
        if can_be_dealt(record, self._mat.view):
            for spot in self._mat.board.readers:  # what lies on the mat is shuffled too
                self._mat.lift(self._mat.lying(spot), spot)
            self._deck.deal(record, secrets.randbits(32), ask.is_hot_seat)

    def _move(self, ask: protocol.Move) -> None:
        self._deck.move(ask.start, ask.to)

    def _show(self, ask: protocol.Show) -> None:
        self._deck.show(Seat(ask.seat - 1), self._mat.view)

    def _robot(self, ask: protocol.Robot) -> None:
        self._deck.seat(ask.seat - 1, ask.style)

    def _export(self, ask: protocol.Export) -> str:
        journal = self._mat.running.journal
        record = journal.open_game()
        if record is None:
            raise CannotDo("no game is on", "Start one, then export it")
        entries = journal.entries(record.number)
        return exported(record.start, entries, self._mat.view, self.config.language)

    def _picture(self, ask: protocol.Picture) -> str:
        grid = self._mat.view.grid
        if grid is None:
            raise CannotDo("no map is on the table", "Begin a game that has one")
        return b64encode(board.picture_of(grid.board)).decode()

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
        view, record = self._mat.view, self._record()
        game = self._mat.running.table.enrolled
        if game is None and record is not None:
            game = record.start.game
        return {
            "game": game if game in games() else None,
            "phase": view.phase,
            "turn": view.turn,
            "active": list(view.active),
            "direction": None if view.direction is None else view.direction.value,
            "names": list(view.names),
            "scores": list(view.scores),
            "winners": list(view.winners),
            "grid": self._grid(view.grid),
            "hint": view.hint,
            "asks": list(view.asks),
            "choices": _choices(view.choices),
        }

    def _grid(self, grid: GridView | None) -> Changes | None:
        """The game's map; told anew only when the table has another one."""
        if self._grid_seen[0] is not grid:
            self._grid_seen = grid, None if grid is None else grid_shown(grid)
        return self._grid_seen[1]

    def _deal_shown(self) -> Changes | None:
        self._deck.follow(self._record())
        return self._deck.shown(self._mat.view)

    def _new_said(self) -> list[Changes]:
        """The events of which a line is new, or has fared on since the last look."""
        recent = islice(self._mat.said, self._settled, None)
        events = [list(lines) for _, lines in groupby(recent, lambda line: line.event)]
        told = {lines[0].event: _event(lines) for lines in events}
        new = [entry for n, entry in told.items() if self._unsettled.get(n) != entry]
        self._unsettled = told
        for lines in events:
            if any(line.fate in (Fate.WAITING, Fate.SPEAKING) for line in lines):
                break
            self._settled += len(lines)
        return new

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


def _event(lines: Sequence[Utterance]) -> Changes:
    """What was said of one event, and what became of each line."""
    return {
        "n": lines[0].event,
        "at": round(lines[0].at_s, 2),
        "language": lines[0].language,
        "lines": [
            {
                "topic": line.topic.value,
                "text": line.text,
                "fate": line.fate.value,
                "why": line.why,
            }
            for line in lines
        ],
    }


def _choices(choices: ListView | None) -> Changes | None:
    """The list the controls stand in; of each item its words and what ``choose`` calls it."""
    if choices is None:
        return None
    items = zip(choices.values, choices.items, strict=True)
    return {"prompt": choices.prompt, "items": [list(item) for item in items]}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
