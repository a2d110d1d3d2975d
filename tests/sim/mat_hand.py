"""Write the rehearsals in ``tests/rehearsals/the-mat``: whole games in which the mat plays.

``.venv/bin/python -m tests.sim.mat_hand`` deals real cards: the table knows none of them. Ann plays
with her own cards. For the mat, she does exactly what its line says: she lays its cards unseen, and
turns over the card that it names by its place. She also makes mistakes: wrong cards, cards swapped
in the row, plays taken back, and power cuts. The dealt cards are those of ``sim.deal``, beside the
mat. ``... straw`` writes the rehearsal of Straw only. Look at the changes before you commit them.

``... --gestures 100`` plays games without mistakes instead, and counts the gestures that people do
for a turn of the mat.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engines.common.contract import PressAsk, Seat, Tap, TapAsk
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from firmware.table.modes.playing import Playing
from firmware.table.table import game_of
from sim.deal.layout import HandAct
from tests.sim.written_game import WrittenGame, write_rehearsals

FOLDER = Path(__file__).parents[1] / "rehearsals" / "the-mat"
GAMES = ("camargue", "ciao", "cramel", "riff-raff", "straw")
ONE, TWO = ("Ann", "Mat"), ("Ann", "Mat", "Mat 2")  # the players, with one or two seats of the mat
REHEARSALS = {**{game: (game, ONE) for game in GAMES}, "ciao-two-mats": ("ciao", TWO)}
SEEDS = range(3)  # the game with most kinds of trouble becomes the rehearsal, or the shortest
TROUBLES = ("power cut", "press back", "refused mat.", "change places", "unknown-tag")
MOST = 400  # the most acts that a game may have
MISTAKES = 0.12  # the share of acts before which Ann makes a mistake
DEAL, MORE = re.compile(r": (my \d+ \w+\.|lay my \w+ face)"), re.compile(r": \d+ more")
DRAW = re.compile(r": (draw|lay my new)|Then draw a")
ANY = re.compile(r"[Tt]urn over (any|a) tile")
OPEN = re.compile(r": I play |card of my colour")
PLAY = re.compile(r"my (?:card|tile) (\d+) from the (left|right)\. Turn")
GIVE = re.compile(r"give my card (\d+) from the left to")


class MatEvening(WrittenGame):
    """One game of *game* by the players *names*, with cards shuffled by *seed*.

    Each name that begins with Mat is a seat of the mat. *rows* are its cards on the table, from the
    left. *gestures* has the number of gestures in each of its turns.
    """

    def __init__(
        self, game: str, seed: int, folder: Path, names: tuple[str, ...], mistakes: float
    ) -> None:
        self.game, self.chance, self.names, self.mistakes = game, Random(seed), names, mistakes
        mats = [name for name in names if name.startswith("Mat")]
        self.rows: dict[str, list[Piece]] = {name: [] for name in mats}
        self.gestures: Counter[int] = Counter()
        self.served, self.count = "", 0  # the mat's seat that was served last, and its gestures
        opening = (f"game {game}", f"players {quoted(names)}", *self.settings(mats), "start")
        super().__init__(self.title, opening, load_config(), seed, folder)

    @property
    def title(self) -> str:
        return f"a whole game of {self.game} in which the mat plays, with mistakes"

    def settings(self, mats: Sequence[str]) -> tuple[str, ...]:
        """Return the lines of the opening between the players and the start."""
        return f"mats {quoted(mats)}", f'dealer "{self.names[-1]}"'

    @property
    def playing(self) -> Playing:
        game = game_of(self.mat.running.table._mode)
        assert isinstance(game, Playing), game
        return game

    def expect(self, line: str) -> None:
        self.do(f"expect {line}")

    def run(self) -> str:
        """Play to the end, and return the rehearsal."""
        while not self.mat.view.winners:
            assert len(self.lines) < 4 * MOST, "the game does not end"
            self.deck.update(self.record)
            self.choose_gift()
            self.check_rows()
            self.next_act()
        self.expect_end()
        self.mat.close()
        return "\n".join(self.lines) + "\n"

    def expect_end(self) -> None:
        winners = " ".join(f'"{self.mat.view.names[seat]}"' for seat in self.mat.view.winners)
        self.expect(f"winner {winners}")

    def check_rows(self) -> None:
        """Compare the cards on the table with what the mat believes."""
        is_open = self.playing.mat.seats.is_open
        if is_open or self.mat.view.phase == "round-over" or DEAL.search(self.mat.view.hint):
            return
        for name, row in self.rows.items():
            known = self.playing.mat.seats.row(Seat(self.names.index(name)))
            assert sorted(map(str, known)) == sorted(map(str, row)), (name, known, row)

    def next_act(self) -> None:
        hint, view = self.mat.view.hint, self.mat.view
        name = hint.partition(":")[0]
        if hint.endswith("is thinking."):
            self.do("wait 2.5")
        elif name in self.rows and self.playing.mat.instruction(self.playing.decided) == hint:
            self.obey(name, hint)
        elif view.phase == "round-over":
            self.end_turn()
            self.rows = {each: [] for each in self.rows}
            self.do("press ok")
        else:
            self.end_turn()
            self.play()

    def end_turn(self) -> None:
        if self.count:
            self.gestures[self.count] += 1
        self.count = 0

    # --- what Ann does for the mat ---

    def obey(self, name: str, hint: str) -> None:
        """Do what *hint* asks for."""
        if name != self.served:
            self.end_turn()
        self.served = name
        play, give = PLAY.search(hint), GIVE.search(hint)
        if ANY.search(hint) or OPEN.search(hint):
            self.lay_open()
            return
        if play is not None:
            self.turn_over(name, int(play[1]) - 1 if play[2] == "left" else -int(play[1]))
        elif give is not None:
            self.give(name, int(give[1]) - 1)
        else:
            assert DEAL.search(hint) or MORE.search(hint) or DRAW.search(hint), hint
            self.lay_unseen(name, is_dealt=bool(DEAL.search(hint) or MORE.search(hint)))

    def lay_open(self) -> None:
        """Lay the piece that the mat names, or any tile that is face down."""
        decided = self.playing.decided
        if self.chance.random() < self.mistakes:
            self.do("power cut")
            self.do("power on")
            self.do("wait 3")
        piece = decided.piece if isinstance(decided, Tap) else self.any_piece()
        self.count += 1
        self.do(f"tap {piece}")

    def any_piece(self) -> Piece:
        """Return a piece of the deck that the rules take now."""
        pieces = self.record.start.deck.pieces()
        fits = [piece for piece in pieces if self.playing.takes(Tap(piece))]
        # In Cramel, the people are lucky, so that the game is short.
        return self.chance.choice([each for each in fits if each.kind != "bloom"] or fits)

    def lay_unseen(self, name: str, *, is_dealt: bool) -> None:
        row, seat = self.rows[name], Seat(self.names.index(name))
        if DEAL.search(self.mat.view.hint):
            for each, cards in self.rows.items():  # the hands were swapped, if there were rows
                if not self.playing.mat.seats.row(Seat(self.names.index(each))):
                    cards.clear()
        piece = next(piece for piece in self.deck.hands[seat] if piece not in row)
        row.append(piece)
        self.count += not is_dealt
        self.do(f"tap {piece}")
        if self.chance.random() < self.mistakes:
            self.do("press back")
            self.expect(f'said en "What {name} got last is taken back"')
            self.do("wait 1")
            self.do(f"tap {piece}")

    def turn_over(self, name: str, at: int) -> None:
        row = self.rows[name]
        if self.chance.random() < self.mistakes and len(row) > 1:
            self.make_mistake(name, at)
            return
        piece = row[at]
        self.count += 1
        self.do(f"tap {piece}")
        if self.mat.view.notice is not None and self.mat.view.notice.code == "mat.wrong-card":
            self.put_right(name, piece)
            return
        row.remove(piece)

    def make_mistake(self, name: str, at: int) -> None:
        row = self.rows[name]
        match self.chance.randrange(4):
            case 0:
                self.do("power cut")
                self.do("power on")
                self.do("wait 3")
            case 1:
                wrong = self.chance.choice([piece for piece in row if piece != row[at]])
                if wrong.kind != row[at].kind:
                    self.do(f"tap {wrong}")
                    self.expect("refused mat.wrong-card")
                    self.put_right(name, wrong)
            case 2:
                self.lines.append("# two cards of the row change places, and nobody notices")
                one, other = self.chance.sample(range(len(row)), 2)
                row[one], row[other] = row[other], row[one]
            case _:
                self.do("tap stranger")
                self.expect("refused unknown-tag")

    def put_right(self, name: str, piece: Piece) -> None:
        """Put *piece* where the mat says that it was."""
        notice = self.mat.view.notice
        assert notice is not None
        found = re.search(r"number (\d+) from the left", notice.do)
        assert found is not None, notice
        row = self.rows[name]
        row.remove(piece)
        row.insert(int(found[1]) - 1, piece)

    def give(self, name: str, at: int) -> None:
        piece = self.rows[name].pop(at)
        self.deck.do_by_hand(HandAct("give", {"card": f"{self.game}/{piece}"}))
        self.count += 1
        self.do("press ok")

    # --- what people do for themselves ---

    def choose_gift(self) -> None:
        """Choose the card that a person gives away, if somebody has to."""
        giver = self.deck.chooser
        if giver is not None and giver not in self.mat_seats:
            card = self.deck.hands[giver][-1]
            self.deck.do_by_hand(HandAct("give", {"card": f"{self.game}/{card}"}))
            self.deck.update(self.record)

    def play(self) -> None:
        """Do one act of a person: choose, lay a card, or press the button."""
        is_counting = self.playing.wants_on(HAND_SPOT)
        line = next(self.acts())
        self.do(line)
        if is_counting:
            for row in self.rows.values():
                row[:] = [piece for piece in row if f"tap {piece}" != line]
        elif line.startswith("tap ") and self.chance.random() < self.mistakes:
            self.lines.append("# Ann takes her play back")
            self.do("press back")

    @property
    def mat_seats(self) -> tuple[Seat, ...]:
        return self.record.start.mats

    def acts(self) -> Iterator[str]:
        """Yield the lines that fit now, the best one first."""
        choices, playing = self.mat.view.choices, self.playing
        if choices is not None:
            value = choices.usual or self.chance.choice(choices.values)
            yield f'choose "{value}"'
        asks = playing.game.asks(playing.state)
        if self.game == "cramel":
            gains = (ask for ask in asks if isinstance(ask, PressAsk) and not ask.is_vain)
            yield from (f"press {ask.button.value}" for ask in gains)
            yield f"tap {self.any_piece()}"
        is_counting = playing.wants_on(HAND_SPOT)
        for seat in [seat for ask in asks if isinstance(ask, TapAsk) for seat in ask.seats]:
            if is_counting or seat not in self.mat_seats or playing.named_for_input == (seat,):
                fits = [piece for piece in self.free(seat) if playing.takes(Tap(piece))]
                yield from (f"tap {piece}" for piece in self.chance.sample(fits, min(1, len(fits))))
        for ask in asks:
            if isinstance(ask, PressAsk):
                yield f"press {ask.button.value}"
        yield f"tap {self.any_piece()}"

    def free(self, seat: Seat) -> tuple[Piece, ...]:
        view = self.playing.game.view(self.playing.state)
        cards = self.deck.hands.get(seat, self.record.start.deck.pieces())
        if view.barred_by is not None:
            return cards[-1:] if view.is_drawn_free else ()
        return cards


def quoted(names: Sequence[str]) -> str:
    """Return *names* as words of a rehearsal."""
    return " ".join(f'"{name}"' for name in names)


def rehearse(name: str) -> str:
    """Return the rehearsal *name* with the most kinds of trouble, or the shortest of these."""
    game, players = REHEARSALS[name]
    found: list[str] = []
    for seed in SEEDS:
        with TemporaryDirectory() as folder:
            found.append(MatEvening(game, seed, Path(folder), players, MISTAKES).run())
    return min(found, key=lambda text: (-sum(each in text for each in TROUBLES), len(text)))


def count_gestures(game: str, games: int) -> Counter[int]:
    """Return how many turns of the mat had each number of gestures in *games* games."""
    found: Counter[int] = Counter()
    for seed in range(games):
        with TemporaryDirectory() as folder:
            evening = MatEvening(game, seed, Path(folder), ONE, 0)
            evening.run()
            found += evening.gestures
    return found


def main() -> None:
    """Write the rehearsals named on the command line, or all of them."""
    words = sys.argv[1:]
    if words[:1] == ["--gestures"]:
        for game in words[2:] or GAMES:
            print(game, sorted(count_gestures(game, int(words[1])).items()))
        return
    write_rehearsals(FOLDER, words or tuple(REHEARSALS), rehearse)


if __name__ == "__main__":
    main()
