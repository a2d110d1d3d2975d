"""Write the rehearsals in ``tests/rehearsals/private-ear``: whole games played by a private ear.

``.venv/bin/python -m tests.sim.private_hand`` deals real cards: the table knows none of them. Ann
does not see. She holds each new card to the hand reader, asks her phone what she can play, and lays
only a card that her phone has named. Ben sees. The dealt cards are those of ``sim.deal``, beside
the mat. ``... straw`` writes the rehearsal of Straw only. Look at the changes before you commit
them.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from engines.common.contract import SEAT_SPOTS, PressAsk, Seat, Tap, TapAsk
from engines.common.hands import HAND_SPOT
from engines.common.pieces import Piece
from firmware.config.table_config import load_config
from firmware.table.modes.playing import Playing
from firmware.voice.announcer import audible_texts
from sim.rehearsal.command import with_parts
from sim.rehearsal.expectations import Witness
from sim.rehearsal.grammar import RehearsalLine
from tests.sim.written_game import WrittenGame, verb_in, write_rehearsals

FOLDER = Path(__file__).parents[1] / "rehearsals" / "private-ear"
GAMES = ("ciao", "straw")
SEEDS = range(12)  # the shortest of these games becomes the rehearsal
MOST = 300  # the most acts that a game may have
ANN, BEN = Seat(0), Seat(1)
FITS = "You can play: "  # begins the part of a line that names what fits


class TooLong(Exception):
    """The game has more than ``MOST`` acts."""


class Evening(WrittenGame):
    """One game of *game* by Ann, who does not see, and Ben, with cards shuffled by *seed*."""

    def __init__(self, game: str, seed: int, folder: Path) -> None:
        self.game, self.chance = game, Random(seed)
        self.acts = 0
        spots = (HAND_SPOT, *SEAT_SPOTS[:2])
        named = [RehearsalLine("", "", verb_in(f"tap stranger @ {spot}")) for spot in spots]
        super().__init__(
            f"a whole game of {game} by Ann, who does not see, from a real hand",
            (f"game {game}", "players Ann Ben", "dealer Ben", "start"),
            with_parts(load_config(), named),
            seed,
            folder,
        )

    @property
    def playing(self) -> Playing:
        mode = self.mat.running.table._mode
        assert isinstance(mode, Playing), mode
        return mode

    def do(self, line: str) -> None:
        """Do *line* and write it down."""
        self.acts += 1
        if self.acts > MOST:
            raise TooLong
        super().do(line)

    def tell(self, line: str) -> str:
        """Do *line*, write down the private line for Ann, and return it."""
        self.do(line)
        text = self.mat.private_lines["Ann"].text
        self.lines.append(f'expect private Ann "{text}"')
        return text

    def play(self, line: str) -> None:
        """Do *line*, after which Ann is told nothing alone, and the table speaks to everybody."""
        before = Witness.of(self.mat)
        self.do(line)
        self.lines.append("expect private Ann nothing")
        said = [text for language, text in audible_texts(before.said) if language == "en"]
        self.lines += [f'expect said en "{said[0].rstrip(".")}"'] if said else []

    def run(self) -> str:
        """Play to the end, and return the rehearsal."""
        self.tell("phone Ann listen")
        self.tell("phone Ann where-are-we")
        while not self.mat.view.winners:
            self.deck.update(self.record)
            if self.mat.view.phase == "round-over":
                self.play("press ok")
                continue
            self.show_new_cards()
            self.next_act()
        self.lines.append("# how it ended")
        self.tell("phone Ann where-are-we")
        names = " ".join(self.mat.view.names[seat] for seat in self.mat.view.winners)
        self.lines.append(f"expect winner {names}")
        self.mat.close()
        return "\n".join(self.lines) + "\n"

    def show_new_cards(self) -> None:
        """Let Ann hold the cards that she has not shown yet to the hand reader."""
        if self.playing.wants_on(HAND_SPOT):
            return  # hands are counted
        known = {
            each.piece for each in self.mat.running.table.private.known_hand(self.playing, "Ann")
        }
        for piece in self.deck.hands[ANN]:
            if piece not in known:
                text = self.tell(f"tap {piece} @ hand")
                assert text.lower().startswith(self.name_of(piece).lower()), text

    def next_act(self) -> None:
        """Do one act of the game: choose, lay a card, or press the button."""
        choices = self.mat.view.choices
        if choices is not None:
            value = choices.usual or self.chance.choice(choices.values)
            self.play(f"choose {value}")
            return
        asks = self.playing.game.asks(self.playing.state)
        seats = [seat for ask in asks if isinstance(ask, TapAsk) for seat in ask.seats]
        for seat in seats:
            if self.playing.wants_on(HAND_SPOT):
                left = [p for p in self.deck.hands[seat] if self.takes(p, seat, HAND_SPOT)]
                if left:
                    self.play(f"tap {left[0]} @ hand")
                    return
                continue
            fits = list(self.named() if seat == ANN else self.legal(seat))
            if fits:
                piece = fits[0] if seat == ANN else self.chance.choice(fits)
                self.play(f"tap {piece} @ {SEAT_SPOTS[seat]}")
                return
        presses = [ask.button for ask in asks if isinstance(ask, PressAsk)]
        self.play(f"press {presses[0].value}")

    def takes(self, piece: Piece, seat: Seat, spot: str) -> bool:
        return self.playing.takes(Tap(piece, spot, None if spot == HAND_SPOT else seat))

    def legal(self, seat: Seat) -> Iterator[Piece]:
        """Yield the cards that Ben, who sees, can lay."""
        view, cards = self.playing.game.view(self.playing.state), self.deck.hands[seat]
        if view.barred_by is not None:
            cards = cards[-1:] if view.is_drawn_free else ()
        yield from (piece for piece in cards if self.takes(piece, seat, SEAT_SPOTS[seat]))

    def named(self) -> Iterator[Piece]:
        """Yield the cards that Ann's phone says she can play."""
        text = self.tell("phone Ann what-can-i-play")
        if not text.startswith(FITS):
            return
        fits = text.removeprefix(FITS).partition(". ")[0].rstrip(".").split(", ")
        for piece in self.deck.hands[ANN]:
            if self.name_of(piece) in fits:
                assert self.takes(piece, ANN, SEAT_SPOTS[ANN]), f"{piece}: {text}"
                yield piece

    def name_of(self, piece: Piece) -> str:
        return self.playing.text(f"piece.{piece.kind}")


def rehearse(game: str) -> str:
    """Return the shortest rehearsal of *game*.

    Raises:
        AssertionError: every game is too long.
    """
    found: list[str] = []
    for seed in SEEDS:
        with TemporaryDirectory() as folder:
            try:
                found.append(Evening(game, seed, Path(folder)).run())
            except TooLong:
                continue
    assert found, f"no game of {game} ends in {MOST} acts"
    return min(found, key=len)


def main() -> None:
    """Write the rehearsals of the games named on the command line, or of all ``GAMES``."""
    write_rehearsals(FOLDER, sys.argv[1:] or GAMES, rehearse)


if __name__ == "__main__":
    main()
