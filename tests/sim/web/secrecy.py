"""Compare what each role receives in pairs of worlds: ``python -m tests.sim.web.secrecy``.

Robots play at the virtual table. Then the same acts are done at the same moments in another world,
which differs only in what nobody has shown: cards in hands and in the draw pile, tiles that are
face down, or the robots' plans. Each role receives what the companion sends to its page. A message
may differ only if its role may know what differs.

Table, loop, outlet and companion are the real ones. Readers, display and lamps are left out, and
so are the encryption and the network, because they change no content: that makes a world quick.
"""

import argparse
import logging
import sys
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from json import loads
from pathlib import Path
from shutil import copytree, rmtree
from socket import socket
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from engines.common.contract import Tap
from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.companion.sealing import SealedSession
from firmware.companion.server import CompanionServer
from firmware.config.mqtt_config import MqttConfig
from firmware.config.table_config import load_config
from firmware.journal.codec import decode
from firmware.mqtt.house import HouseTable
from firmware.outlet.stream import ActRequest, Stream, answer_line
from firmware.runtime.local_socket import LocalClient
from firmware.table.events import PhoneAct, PhoneCommand
from firmware.voice.words import languages
from firmware.web.event_stream import EventStream
from hardware.ports import LampValue, Sighting
from sim.deal import requests, transitions
from sim.players.levels import styles_of
from tests.sim.web.test_seats import SEED, Table

BOARD, GUEST, HOST, BROKER = "board", "guest", "host", "broker"
SHARED = (BOARD, GUEST, HOST, BROKER)  # the others are seats
PASS_S = 0.02  # of virtual time between two passes of the loop
TURNS = 1000  # of the loop: half a minute of quick play
ASKS_EVERY = 40  # turns of the loop; then each player asks something at their phone
ASKED = (PhoneCommand.LISTEN, PhoneCommand.WHAT_CAN_I_PLAY, PhoneCommand.WHERE_ARE_WE)
TAKES_BACK_AT = 150  # turns of the loop; then the host takes the last input back
LONG = 8  # each game of as many is LONGER times as long
LONGER = 4
QUICKLY: dict[str, Any] = {"THINKS_S": 0.1, "READS_S": 0.1, "YIELDS_S": 0.2, "LIES_S": 0.3}
OPEN = ("apart", "board")  # the parts of a layout that lie open from the beginning
SHUFFLES = [f"sim.deal.layouts.{layout}.shuffle" for layout in ("hands", "board", "spread")]
NO_CARDS = {"riff-raff": "all start with the same cards, and lay them open"}
NO_HANDS = {"cramel": "no hands"}

Order = Callable[[list[Piece]], list[Piece]]
Leak = Callable[[Table], None]


# --- the parts that are left out ------------------------------------------------------------------


class PlainReader:
    """A reader that finds the tags on *spot* at once; in place of an emulated chip."""

    identity, remarks, has_reset_wire = "", (), False

    def __init__(self, table: Table, spot: str) -> None:
        self._mat, self._spot = table.mat, spot

    def poll(self) -> Sighting:
        """Return the tags in the field now."""
        return Sighting(tuple(picc.uid for picc in self._mat.tags_on(self._spot)))

    def restart(self, *, by_wire: bool = False) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class NoLamps:
    """Lamps that nobody sees."""

    names: tuple[str, ...] = ()

    def set(self, values: Mapping[str, LampValue]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class OpenBox:
    """A box that does not encrypt: sealed messages are compared by their content."""

    def encrypt(self, text: bytes) -> bytes:
        """Return *text*."""
        return text


class OpenSealer:
    """The companion's key pair, without keys."""

    public = "key"

    def session(self, key: str, viewer: str) -> SealedSession:
        """Return a session of the phone with *key*."""
        return SealedSession(key, viewer, OpenBox(), name="session")  # type: ignore[arg-type]


# --- a world --------------------------------------------------------------------------------------


class OpenBroker:
    """A broker that is there and takes everything."""

    is_open = True


class House:
    """The table's connection to a broker, without the network."""

    def __init__(self, folder: Path) -> None:
        self._table = HouseTable(MqttConfig(), folder / "none.sock")
        self._table.broker = OpenBroker()  # type: ignore[assignment]
        self._table._last_winners = []
        self._published: dict[str, str] = {}

    def hear(self, kind: str, value: Any) -> None:
        """Take what the table's socket sends."""
        if kind == "state":
            self._table._link.state = value
        self._table._hear_table(kind, value)

    def messages(self) -> Iterator[bytes]:
        """Yield what is published now."""
        for message in self._table._facts():
            if self._published.get(message.topic) != message.payload:
                self._published[message.topic] = message.payload
                yield f"{message.topic} {message.payload}".encode()
        while self._table._plays:
            play = self._table._plays.popleft()
            yield f"{play.topic} {play.payload}".encode()


class Pages:
    """The pages of a table with the players *names*: one of each role, connected to a companion.

    A broker gets what the table's connection publishes.
    """

    def __init__(self, folder: Path, table: Table, names: Sequence[str]) -> None:
        self._server = CompanionServer(folder / "none.sock", folder)
        self._outlet, self._unused = table.mat.outlet, socket()
        self._house = House(folder)
        self._stream = Stream(self._outlet)
        desk = self._server._desk
        desk._sealer = OpenSealer()  # type: ignore[assignment]
        for name in names:
            desk._book.sit(name, name, name)
        desk._book.make_host(HOST, HOST)
        self._pages = {name: EventStream(None, name) for name in (BOARD, GUEST, HOST, *names)}
        self._server._streams |= {*self._pages.values()}
        for role, page in self._pages.items():
            if role != BOARD:
                desk.open(role, role, _sender(page))
        self._outlet.wanted = self._server._link._wanted
        self._client = LocalClient(self._unused, wanted=self._outlet.wanted)

    def receive(self) -> Iterator[tuple[str, bytes]]:
        """Pass on what the table has sent; yield each message to a page, with the page's role."""
        lines = self._stream.new_lines() + self._client.private_lines(self._outlet.private)
        for line in lines.splitlines():
            ((kind, value),) = loads(line).items()
            if kind == "state":
                self._server._link.state = value
            self._server._hear(kind, value)
            self._house.hear(kind, value)
        if lines:
            yield from ((BROKER, message) for message in self._house.messages())
        for role, page in self._pages.items():
            while not page._waiting.empty():
                yield role, page._waiting.get_nowait() or b""

    def close(self) -> None:
        """Close the unused socket."""
        self._unused.close()


def content_of(message: bytes) -> bytes:
    """Return the content of *message*, decrypted if it is sealed."""
    kind, _, value = message.partition(b" ")
    return b64decode(value) if kind == b"sealed" else message


def _sender(page: EventStream) -> Callable[[str, Any], None]:
    return lambda kind, value: page.send(f"{kind} {value}".encode())


@dataclass
class World:
    """The acts in one world, turn by turn; what is hidden in it; and what its pages received."""

    acts: list[list[requests.Request]] = field(default_factory=list)
    order: list[Piece] = field(default_factory=list)  # of the pieces before they are dealt
    hidden: list[str] = field(default_factory=list)  # all places of pieces, now and then
    plans: list[str] = field(default_factory=list)  # the robots' next acts
    shown: set[str] = field(default_factory=set)  # all pieces that were ever laid or lay open
    held: dict[str, set[str]] = field(default_factory=dict)  # all pieces ever in a player's hand
    received: dict[str, list[bytes]] = field(default_factory=dict)  # messages by role

    @property
    def plays(self) -> int:
        """The number of inputs that were played."""
        return sum(b'"event": "played"' in message for message in self.received.get(BOARD, ()))


def places_in(table: Table) -> str:
    """Return all pieces where they are now, hidden ones too."""
    return repr(table.live._deck._lying)


def without_parts(table: Table) -> None:
    """Leave out what only costs time: chips, display, lamps, and the pages of the virtual table."""
    live, loop = table.live, table.mat.running.loop
    readers = {spot: PlainReader(table, spot) for spot in loop.parts.readers}
    loop.parts = replace(loop.parts, readers=readers, display=None, lamps=NoLamps(), buzzer=None)
    seen: list[Any] = [None]

    def follow_hands() -> None:
        record, decided = live._record(), live._deck._dealt
        if seen[0] == (record, decided):
            return
        live._deck.update(record)
        seen[0] = record, live._deck._dealt
        live.state = {"deal": {"game": None if record is None else record.start.game}}
        table.mat.running.table.private.dealt_hands = {} if record is None else live._deck.hands

    live._publish = follow_hands  # type: ignore[method-assign]


@contextmanager
def opened(folder: Path, seed: int, language: str, *, is_quick: bool) -> Iterator[Table]:
    """Open a virtual table; a quick one has no chips."""
    config = load_config()
    config = replace(config, settings=replace(config.settings, language=language))
    with closing(Table(folder, seed, config=config)) as table:
        clock = table.mat.board.clock
        table.mat.outlet._now = lambda: datetime.fromtimestamp(clock.now(), UTC)
        if is_quick:
            without_parts(table)
        yield table


@dataclass(frozen=True)
class Play:
    """A *game* to play in several worlds.

    *leak* changes the table, so that it tells a secret. *template* is a state folder with the
    stickers of all games. With *is_quick*, the chips are left out.
    """

    game: str
    players: int = 3
    seed: int = SEED
    language: str = "en"
    turns: int = TURNS
    leak: Leak = lambda _: None
    template: Path | None = None
    is_quick: bool = True

    def live(
        self,
        folder: Path,
        first: World | None = None,
        order: Order = lambda pieces: pieces,
        plan: int = 0,
    ) -> World:
        """Return a world in which robots play, or in which the acts of *first* are done again.

        *order* puts the shuffled pieces in another order. *plan* is the number of the robots' style
        and changes their random choices; in a world after the first, they only plan.
        """
        if self.template is not None:
            copytree(self.template, folder)
        else:
            folder.mkdir()
        world = World([] if first is None else first.acts)
        shuffle = transitions.shuffle

        def shuffled(*args: Any) -> list[Piece]:
            world.order = order(shuffle(*args))
            return list(world.order)

        with ExitStack() as stack:
            stack.enter_context(patch.multiple("sim.deal.seats", **QUICKLY))
            for name in SHUFFLES:
                stack.enter_context(patch(name, shuffled))
            if self.is_quick:
                stack.enter_context(patch("firmware.runtime.loop.PASS_S", PASS_S))
            if plan:
                own = property(lambda deck: f"{self.seed} {plan}")
                stack.enter_context(patch("sim.deal.deck.VirtualDeck.seed", own))
            table = stack.enter_context(
                opened(folder, self.seed, self.language, is_quick=self.is_quick)
            )
            self._fill(world, table, folder, plan, is_again=first is not None)
        return world

    def _fill(self, world: World, table: Table, folder: Path, plan: int, *, is_again: bool) -> None:
        """Let the pages of *world* receive what *table* sends while robots play."""
        styles = styles_of(self.game)
        robots = dict.fromkeys(range(1, self.players + 1), styles[plan % len(styles)])
        self.leak(table)
        table.deal(self.game, self.players, robots)
        names = table.record.start.names
        lying = table.live._deck._lying
        world.shown = {str(each) for part in OPEN for each in getattr(lying, part, ())}
        with closing(Pages(folder, table, names)) as pages:
            for turn in range(self.turns):
                if turn % ASKS_EVERY == 0:
                    world.hidden.append(places_in(table))
                    _ask(world, table, names, ASKED[turn // ASKS_EVERY % len(ASKED)])
                if turn % TAKES_BACK_AT == TAKES_BACK_AT - 1:
                    _act(table, None, PhoneCommand.TAKE_BACK)
                _pass(world, table, turn, is_again=is_again)
                for role, message in pages.receive():
                    world.received.setdefault(role, []).append(message)
                for seat, hand in table.live._deck.hands.items():
                    world.held.setdefault(names[seat], set()).update(map(str, hand))
        entries = table.mat.running.journal.entries()
        inputs = (decode(entry.body) for entry in entries if entry.kind == "input")
        world.shown |= {str(given.piece) for given in inputs if isinstance(given, Tap)}


def _ask(world: World, table: Table, names: Sequence[str], command: PhoneCommand) -> None:
    """Let each player ask *command* at their phone, which also gets the answer."""
    for name in names:
        _act(table, name, command, world.received.setdefault(name, []))


def _act(
    table: Table, player: str | None, act: PhoneCommand, received: list[bytes] | None = None
) -> None:
    """Do *act* at the phone of *player*, or of the host (None). The answer goes to *received*."""

    def answer(number: int, is_yes: bool, text: str) -> None:
        if received is not None:
            received.append(answer_line(number, is_yes=is_yes, text=text))

    event = PhoneAct(player, table.mat.running.journal.moment, act)
    table.mat.inbox.put(ActRequest(1, event), answer)


def _pass(world: World, table: Table, turn: int, *, is_again: bool) -> None:
    """Run the loop once. Robots act, or what they did in the first world *is* done *again*."""
    seats = table.live._seats
    step = seats.step

    def stepped(*args: Any) -> Iterable[requests.Request]:
        done = list(step(*args))
        world.plans.append(repr(seats._doing))
        if is_again:
            return world.acts[turn]
        world.acts.append(done)
        return done

    with patch.object(seats, "step", stepped):
        table.live._pass()


def other_places(world: World, player: str = "") -> Order:
    """Return an order with the pieces that nobody has shown in *world* at each other's places.

    The pieces that *player* has ever held stay.
    """
    fixed = world.shown | world.held.get(player, set())
    fixed |= {word for acts in world.acts for act in acts for word in _pieces_named(act)}

    def reorder(pieces: list[Piece]) -> list[Piece]:
        places = [n for n, piece in enumerate(pieces) if str(piece) not in fixed]
        moved = list(pieces)
        for place, other in zip(places, places[1:] + places[:1], strict=True):
            moved[place] = pieces[other]
        return moved

    return reorder


def _pieces_named(act: requests.Request) -> Iterator[str]:
    """Yield every word of *act* that can be the name of a piece."""
    text = repr(act)
    for sign in "'\"/,()[]=":
        text = text.replace(sign, " ")
    yield from text.split()


# --- comparing ------------------------------------------------------------------------------------


@dataclass
class Counts:
    """The messages compared, and those that differ, by what differs in the worlds and role."""

    compared: Counter[tuple[str, str]] = field(default_factory=Counter)
    different: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], tuple[bytes, bytes]] = field(default_factory=dict)
    unused: Counter[str] = field(default_factory=Counter)  # pairs that did not differ, by reason

    def compare(self, what: str, one: World, other: World, roles: Collection[str]) -> None:
        """Compare what *roles* received in two worlds that differ in *what*."""
        for role in roles:
            key = what, role if role in SHARED else "seat"
            mine, theirs = one.received.get(role, []), other.received.get(role, [])
            self.compared[key] += max(len(mine), len(theirs))
            self.different[key] += abs(len(mine) - len(theirs))
            for message, its in zip(mine, theirs, strict=False):
                if message != its:
                    self.different[key] += 1
                    self.examples.setdefault(key, (message, its))

    @property
    def total(self) -> int:
        """The number of all messages compared."""
        return self.compared.total()


def compare_worlds(play: Play, folder: Path, counts: Counts) -> None:
    """Play *play* in a first world and in others, and compare what each role receives."""
    first = play.live(folder / "first")
    seats = tuple(name for name in first.received if name not in SHARED)
    everybody = SHARED
    planned = play.live(folder / "plans", first, plan=1)
    if planned.plans == first.plans:
        counts.unused["the plans are the same"] += 1
    else:
        # The host chose the robots' styles, so its page at a table with pages names them.
        counts.compare(
            *("plans", first, planned),
            (BOARD, GUEST, BROKER, *((HOST,) if play.is_quick else ()), *seats),
        )
    if play.game in NO_CARDS:
        return
    is_face_down = play.game in NO_HANDS
    other = play.live(folder / "other", first, other_places(first))
    roles = (*everybody, *seats) if is_face_down else everybody
    _compare_hidden("pieces", first, other, roles, counts)
    for player in () if is_face_down else seats:
        other = play.live(folder / player, first, other_places(first, player))
        if other.held.get(player) != first.held.get(player):
            counts.unused["the own hand differs"] += 1
        else:
            _compare_hidden("other hands", first, other, (*everybody, player), counts)


def _compare_hidden(
    what: str, first: World, other: World, roles: Collection[str], counts: Counts
) -> None:
    if other.hidden == first.hidden:
        counts.unused["the hidden pieces are the same"] += 1
    else:
        counts.compare(what, first, other, roles)


def table_of(counts: Mapping[str, Counts]) -> Iterator[str]:
    """Yield the lines of a table of *counts* by game."""
    yield f"{'game':10} {'differs':12} {'role':6} {'messages':>10} {'differences':>12}"
    for game, of_game in counts.items():
        for (what, role), number in sorted(of_game.compared.items()):
            different = of_game.different[what, role]
            yield f"{game:10} {what:12} {role:6} {number:10,} {different:12,}"
        reasons = {"pieces, hands": NO_CARDS.get(game), "other hands": NO_HANDS.get(game)}
        for what, reason in reasons.items():
            if reason is not None:
                yield f"{game:10} {what}: cannot differ: {reason}"
        for reason, pairs in of_game.unused.items():
            yield f"{game:10} pairs of worlds left out because {reason}: {pairs}"
    total = sum(of_game.total for of_game in counts.values())
    different = sum(of_game.different.total() for of_game in counts.values())
    yield f"{total:,} messages compared, {different:,} differ"


def examples_of(counts: Mapping[str, Counts]) -> Iterator[str]:
    """Yield the first two messages that differ, for each game, difference and role."""
    for game, of_game in counts.items():
        for (what, role), pair in of_game.examples.items():
            yield f"{game}, {what}, {role}:"
            yield from (f"  {content_of(message).decode()[:500].strip()}" for message in pair)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare messages and print their numbers; return 1 if any differ."""
    parser = argparse.ArgumentParser(description="Compare what each role receives in two worlds.")
    parser.add_argument("--messages", type=int, default=20_000, help="how many to compare")
    parser.add_argument("--seed", type=int, default=SEED, help="of the first shuffle")
    parser.add_argument("--game", choices=sorted(filter(styles_of, games())), action="append")
    asked = parser.parse_args(arguments)
    counts = {game: Counts() for game in asked.game or sorted(filter(styles_of, games()))}
    with TemporaryDirectory() as name:
        template = Path(name, "template")
        template.mkdir()
        with closing(Table(template)):
            pass
        seed = asked.seed
        while sum(each.total for each in counts.values()) < asked.messages:
            game = min(counts, key=lambda each: counts[each].total)
            folder = Path(name, "worlds")
            folder.mkdir()
            turns = TURNS * (1 if seed % LONG else LONGER)
            language = languages()[seed % len(languages())]
            play = Play(game, 2 + seed % 3, seed, language, turns, template=template)
            compare_worlds(play, folder, counts[game])
            rmtree(folder)
            seed += 1
    for line in (*table_of(counts), *examples_of(counts)):
        print(line)
    return int(any(each.different.total() for each in counts.values()))


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    sys.exit(main())
