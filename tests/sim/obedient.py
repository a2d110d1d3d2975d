"""Players who know no rule of any game, and do only what the mat says and shows.

``.venv/bin/python -m tests.sim.obedient --games 1000 --game straw`` plays games that are started
with *Start and learn*, at all numbers of players in turn. A refusal ends a game as failed, and the
last acts are printed with all that was heard. ``--chips`` plays at the emulated mat.

The players know the names printed on their pieces. What to do they know from the last sentences of
the mat and from the pixels of the display. If that is not enough, they turn the knob by one. They
have no access to rules, requests or books.
"""

import argparse
import re
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from engines.common.pieces import Piece
from firmware.boxes.games import games
from firmware.config.table_config import load_config
from firmware.journal.journal import Journal
from firmware.runtime.controller import decks_of
from firmware.show.screens import SIZES, draw
from firmware.show.text import find_text
from firmware.show.view import Flash
from firmware.table.table import NOTICE_S
from firmware.voice.announcer import Fate
from firmware.voice.speech import SpeechLine
from firmware.voice.words import ENGLISH, Words, words_of
from hardware.silence import SilentVoice
from sim.mat.mat import Mat
from sim.people.person import EmulatedPerson
from tests.firmware.tabletop import Tabletop
from tests.sim.obedient_hands import Pieces, pieces_of
from tests.sim.obedient_words import SIDES, Advice, Print, fits

CONFIG: Final = load_config()
REACTION_S: Final = 0.1  # of a person
MOST_ACTS: Final = 4000
KEPT: Final = 12  # acts that are printed when a game fails
TOPICS_OF_REFUSAL: Final = ("refusal", "fault")

COUNT: Final = re.compile(r"^(?P<who>\w+), lay down your (?:last card|\d+ cards)\.$")
COUNTED: Final = re.compile(r"^\w+ (?:scores|gets) -?\d+ points?\.$")
SHOW_ONE: Final = re.compile(r"^(?P<who>\w+), show (?:one of your cards|a card once more)\.$")
SHOW_ALL: Final = re.compile(r"^(?P<who>\w+), tap the (?:tile|\d+ tiles) you hold\.$")
SHOWN: Final = re.compile(r"^(?:You can place |\w+ is right|\w+ to play)")
TO_WIN: Final = re.compile(r"(?P<n>\d+) to win\.$")
WON: Final = re.compile(
    r"^(?:Ciao! )?\w+(?: began later, and)? (?:wins|shares the win)\b|, and wins!$"
)


class Failed(AssertionError):
    """The mat refused an act, or the players did not know what to do."""


class Seats(ABC):
    """A table as its players know it: ears, eyes and hands. *said* is what it says of an act."""

    names: Sequence[str]

    @abstractmethod
    def start(self, game: str, players: int) -> Sequence[str]:
        """Start *game* with *Start and learn*; return what was said."""

    @abstractmethod
    def tap(self, piece: Piece) -> Sequence[str]: ...

    @abstractmethod
    def press(self, button: str) -> Sequence[str]: ...

    @abstractmethod
    def turn(self, steps: int) -> Sequence[str]: ...

    @abstractmethod
    def shows(self, text: str) -> bool:
        """Return True if the pixels of the display show *text*."""

    @property
    @abstractmethod
    def has_refused(self) -> bool:
        """True if the red lamp was lit for the last act."""

    @property
    @abstractmethod
    def journal(self) -> Journal:
        """The record of the acts, from which the places of the pieces follow."""

    @abstractmethod
    def close(self) -> None: ...


class Tabled(Seats):
    """A table without chips, whose display is drawn when somebody looks at it."""

    def __init__(self, folder: Path) -> None:
        self._top = Tabletop(folder, names=CONFIG.names)

    def start(self, game: str, players: int) -> Sequence[str]:
        top = self._top
        top.game = game
        top.lay(str(decks_of(CONFIG)[game].pieces()[0]))
        top.choose("players")
        top.choose(str(players))
        top.choose("learn")
        self.names = top.view.names
        return self._said()

    def tap(self, piece: Piece) -> Sequence[str]:
        self._top.lay(str(piece))
        return self._said()

    def press(self, button: str) -> Sequence[str]:
        self._top.press(button)
        return self._said()

    def turn(self, steps: int) -> Sequence[str]:
        self._top.turn(steps)
        return self._said()

    def _said(self) -> Sequence[str]:
        lines: list[SpeechLine] = [line for answer in self._top.answers for line in answer.say]
        return [line.text for line in lines]

    def shows(self, text: str) -> bool:
        self._top.now_s += NOTICE_S
        return find_text(draw(self._top.view, SIZES[0]), text)

    @property
    def has_refused(self) -> bool:
        return any(answer.flash is Flash.REFUSED for answer in self._top.answers)

    @property
    def journal(self) -> Journal:
        return self._top.journal

    def close(self) -> None:
        self._top.close()


class Matted(Seats):
    """The emulated mat, with chips: stickers, pins, and the display's own memory."""

    def __init__(self, folder: Path) -> None:
        self._mat = Mat(CONFIG, folder, SilentVoice())  # whose words are read from the transcript
        self._person = EmulatedPerson(self._mat, decks_of(CONFIG))
        self._mat.power_on()
        self._heard = self._refused = 0

    def start(self, game: str, players: int) -> Sequence[str]:
        self._game = game
        self._person.start(game, tuple(CONFIG.names[:players]), None, {}, is_lesson=True)
        self.names = self._mat.view.names
        return self._said()

    def tap(self, piece: Piece) -> Sequence[str]:
        self._person.move("tap", [piece], "play", self._game)
        return self._said()

    def press(self, button: str) -> Sequence[str]:
        self._mat.press(button)
        return self._said()

    def turn(self, steps: int) -> Sequence[str]:
        self._mat.turn(steps)
        return self._said()

    def _said(self) -> Sequence[str]:
        """Wait until the mat is silent, and return what was heard since the last act."""
        self._mat.wait(REACTION_S)
        while any(each.fate is Fate.WAITING for each in [*self._mat.said][self._heard :]):
            self._mat.wait(REACTION_S)
        new = [*self._mat.said][self._heard :]
        self._heard += len(new)
        self._is_red = len(self._mat.refused) > self._refused or any(
            each.topic.value in TOPICS_OF_REFUSAL for each in new
        )
        self._refused = len(self._mat.refused)
        return [each.text for each in new if each.is_heard]

    def shows(self, text: str) -> bool:
        if not self._mat.shows(text):
            self._mat.wait(NOTICE_S)  # there may be a notice on the display
        return self._mat.shows(text)

    @property
    def has_refused(self) -> bool:
        return self._is_red

    @property
    def journal(self) -> Journal:
        return self._mat.running.journal

    def close(self) -> None:
        self._mat.close()


class Obedient:
    """All players of one game of *game* at *table*, with pieces dealt by *seed*."""

    def __init__(self, table: Seats, game: str, players: int, seed: int) -> None:
        self.table, self.chance = table, Random(f"obedient {game} {players} {seed}")
        self.acts: deque[str] = deque(maxlen=KEPT)
        self.count = 0
        self._words: Words = words_of(ENGLISH, games()[game].package)
        self._heard: list[str] = []
        self._counted = ""  # the name of the player whose hand is counted
        self._showing: str = ""  # the name of the player who shows all tiles
        self._shown: set[Piece] = set()
        self._tapper = ""  # the name of the player who tapped last
        self._stops = False  # once the mat has said that stopping wins a set
        self._is_won = False
        self._hear(f"start {game} with {players}", table.start(game, players))
        record = table.journal.open_game()
        assert record is not None, "the game has begun"
        self.pieces: Pieces = pieces_of(record, self.chance)

    def play(self) -> int:
        """Play until somebody has won and the game is closed; return the number of acts.

        Raises:
            Failed: an act was refused, or the game does not end.
        """
        while not self._is_won:
            self._act()
        self._press("ok")
        if self.table.journal.open_game() is not None:
            raise self._failed("the game is not over")
        return self.count

    # --- one act ---

    def _act(self) -> None:
        if self._obey_sentence():
            return
        if self._stops and self._to_win() and self._press_label("stop"):
            return
        sentences = self._turn(1)
        advice = Advice.of(sentences)
        if not advice.is_about_play:
            self._answer(sentences)
        elif not (self._play(advice) or self._press_instead(advice)):
            raise self._failed("nobody knows what to do")

    def _obey_sentence(self) -> bool:
        """Do what the last sentences ask for by name; return False if they do not."""
        for sentence in reversed(self._heard):
            if found := SHOW_ONE.match(sentence):
                self._tap(self._hand(found["who"])[0])
                return True
        if self._counted:
            self._tap(self._hand(self._counted)[0])
            return True
        if self._showing:
            left = [p for p in self._hand(self._showing) if p not in self._shown]
            if not left:
                raise self._failed("all tiles are shown, and the mat asks for more")
            self._shown.add(left[0])
            self._tap(left[0])
            return True
        return False

    def _to_win(self) -> bool:
        found = (TO_WIN.search(sentence) for sentence in self._heard)
        return any(match is not None and int(match["n"]) > 0 for match in found)

    def _play(self, advice: Advice) -> bool:
        """Tap a piece that the advice names, if somebody has one; then one that is allowed too."""
        only_drawn = any("Draw one. Play it" in each for each in advice.others)
        plays = self.chance.sample([*advice.plays], len(advice.plays))
        allowed = [(who, advice.allowed) for who, _ in advice.plays]
        for who, phrases in (*plays, *allowed):
            for name in self.table.names if who == "You" else (who,):
                seat = self._seat(name)
                hand = self.pieces.drawn_by(seat) if only_drawn else self.pieces.hand(seat)
                fitting = (p for each in phrases for p in hand if fits(each, self._print(p)))
                if piece := next(fitting, None) or self._common(phrases):
                    self._tapper = name
                    self._tap(piece)
                    return True
        return False

    def _common(self, phrases: Sequence[str]) -> Piece | None:
        """Return a piece that lies there for everybody and is named by one of *phrases*.

        A group, such as "any tile", means pieces of the hand if there are hands.
        """
        lying = self.pieces.common
        names = phrases if any(map(self.pieces.hand, range(len(self.table.names)))) else None
        return next((p for p in lying if names is None or self._print(p).name in names), None)

    def _press_instead(self, advice: Advice) -> bool:
        """Press what the advice names; if it names several, the one that is true."""
        if "it holds" in advice.presses:
            self.pieces.load()
            return self._press_label("it fell" if self.pieces.fallen else "it holds")
        return bool(advice.presses) and self._press_label(advice.presses[0])

    def _press_label(self, label: str) -> bool:
        """Press the action button if the display says that it means *label*, otherwise OK."""
        self._press("action" if self.table.shows(f"▶ {label}") else "ok")
        return True

    def _answer(self, items: Sequence[str]) -> None:
        """Choose from the open list: what is true, otherwise the item that was suggested."""
        question = " ".join(self._heard)
        truth = self._truth(question)
        items = [item.rstrip(".") for item in items]
        if truth is None:
            self._turn(-1)
        elif truth not in items:
            self._turn_to(truth)
        self._press("ok")

    def _truth(self, question: str) -> str | None:
        """Return the answer to a question about what everybody has seen, or None."""
        if "How many fell?" in question:
            return str(self.pieces.fallen)
        if "caught?" in question and "Which" not in question:
            return str(self.pieces.caught)
        if re.search(r"Whose \w+ is that\?", question):
            return self._tapper
        if "Which one " in question:
            return "The one just placed" if self.pieces.is_placed_one else "Another one"
        if "Is there a piece in area" in question:
            return "Yes" if self.pieces.lies_there else "No"
        return None

    def _turn_to(self, item: str) -> None:
        """Turn the knob to *item* of the open list, back to the first and then on."""
        for step in (-1, 1):
            before: Sequence[str] = ()
            while (said := self._turn(step)) != before:
                if item in (each.rstrip(".") for each in said):
                    return
                before = said
        raise self._failed(f'the list has no "{item}"')

    # --- hands, eyes and ears ---

    def _seat(self, name: str) -> int:
        return [*self.table.names].index(name)

    def _hand(self, name: str) -> Sequence[Piece]:
        return self.pieces.hand(self._seat(name))

    def _print(self, piece: Piece) -> Print:
        name = self._words.plain(f"piece.{piece.kind}")
        _, _, letters = piece.kind.rpartition("-")
        is_tile = name.split()[-1] in ("curve", "straight", "branch", "crossing")
        sides = zip("nesw", SIDES, strict=True)
        edges = frozenset(side for letter, side in sides if is_tile and letter in letters)
        return Print(name, edges)

    def _tap(self, piece: Piece) -> None:
        self._hear(f"tap {piece}", self.table.tap(piece))
        self._follow()

    def _press(self, button: str) -> None:
        self._hear(f"press {button}", self.table.press(button))
        self._follow()

    def _follow(self) -> None:
        record = self.table.journal.open_game()
        if record is not None:
            self.pieces.follow(record)

    def _turn(self, steps: int) -> Sequence[str]:
        """Turn the knob; what is said does not replace what was said before."""
        said = self.table.turn(steps)
        self._note(f"turn {steps}", said)
        return said

    def _note(self, act: str, said: Sequence[str]) -> None:
        self.count += 1
        self.acts.append(f"{act}: {' '.join(said)}")
        if self.table.has_refused:
            raise self._failed("the mat refuses")
        if self.count > MOST_ACTS:
            raise self._failed(f"no end after {MOST_ACTS} acts")

    def _hear(self, act: str, said: Sequence[str]) -> None:
        self._heard = [*said]
        self._note(act, said)
        for sentence in said:
            self._stops = self._stops or "Stop to win it" in sentence
            self._is_won = self._is_won or WON.search(sentence) is not None
            if SHOWN.match(sentence):
                self._showing = ""
            if COUNTED.match(sentence) or sentence.startswith("Round "):
                self._counted = ""
            if found := COUNT.match(sentence):
                self._counted = found["who"]
            if found := SHOW_ALL.match(sentence):
                self._showing, self._shown = found["who"], set()

    def _failed(self, why: str) -> Failed:
        return Failed("\n  ".join([f"{why}:", *self.acts]))


# --- many games -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one game: its acts, its time, and why it failed, if it did."""

    players: int
    seed: int
    acts: int
    seconds: float
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """The games to play at one table: *seeds*, with *players* or all numbers of them in turn."""

    game: str
    seeds: Sequence[int]
    players: int | None = None
    has_chips: bool = False


def run(order: Order) -> list[Result]:
    """Play all games of *order*, at one table without chips, or each at a new mat."""
    return [*results_of(order)]


def results_of(order: Order) -> Iterator[Result]:
    """Yield the result of each game of *order*."""
    sizes = [*games()[order.game].seats]
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        table: Seats | None = None
        for seed in order.seeds:
            if table is None:
                state = Path(folder) / str(seed)
                state.mkdir()
                table = Matted(state) if order.has_chips else Tabled(state)
            players = order.players or sizes[seed % len(sizes)]
            result = play_one(table, order.game, players, seed)
            if result.failure or order.has_chips:
                table.close()
                table = None
            yield result
        if table is not None:
            table.close()


def play_one(table: Seats, game: str, players: int, seed: int) -> Result:
    """Play one game; a refusal is its failure."""
    begun = time.monotonic()
    acts, failure = 0, ""
    try:
        acts = Obedient(table, game, players, seed).play()
    except Failed as failed:
        failure = str(failed)
    return Result(players, seed, acts, time.monotonic() - begun, failure)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play games and print the figures; return 1 if one failed."""
    parser = argparse.ArgumentParser(description="Let players who know no rules play whole games.")
    parser.add_argument("--game", choices=sorted(games()), required=True)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--players", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--chips", action="store_true", help="play at the emulated mat")
    asked = parser.parse_args(arguments)
    seeds = range(asked.seed, asked.seed + asked.games)
    share = [seeds[job :: asked.jobs] for job in range(asked.jobs)]
    orders = [Order(asked.game, each, asked.players, asked.chips) for each in share]
    begun = time.monotonic()
    if asked.jobs == 1:
        results = run(orders[0])
    else:
        with ProcessPoolExecutor(asked.jobs) as pool:
            results = [result for results in pool.map(run, orders) for result in results]
    failed = [result for result in results if result.failure]
    for result in failed[:5]:
        print(f"seed {result.seed}, {result.players} players: {result.failure}")
    whole = [result for result in results if not result.failure]
    by_size = Counter(result.players for result in whole)
    acts = sum(result.acts for result in whole)
    sizes = ", ".join(f"{by_size[size]} of {size}" for size in sorted(by_size))
    print(
        f"{asked.game}: {len(whole)} of {len(results)} games finished ({sizes} players), "
        f"{acts} acts, {time.monotonic() - begun:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
