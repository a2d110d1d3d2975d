"""Write the rehearsals in ``tests/rehearsals/solo``: whole games of one player against a goal.

``.venv/bin/python -m tests.sim.solo_hand`` deals real cards, plays them at random, takes plays back
and pulls the plug. The last lines state who has won and what the table says about the goal.
``... straw`` writes the rehearsal of Straw only. Look at the changes before you commit them.
"""

import sys
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.sim.mat_hand import FOLDER, MISTAKES, MatEvening
from tests.sim.written_game import write_rehearsals

SOLO_FOLDER = FOLDER.parent / "solo"
GOALS: Final[Mapping[str, int]] = {"camargue": 700, "cramel": 12, "straw": 42}


class SoloEvening(MatEvening):
    """One game of *game* that Ann plays alone, with cards shuffled by *seed*."""

    def __init__(self, game: str, seed: int, folder: Path) -> None:
        super().__init__(game, seed, folder, ("Ann",), MISTAKES / 2)

    @property
    def title(self) -> str:
        return f"one player alone plays a whole game of {self.game} against a goal, with mistakes"

    def settings(self, mats: Sequence[str]) -> tuple[str, ...]:
        return (f"option solo {GOALS[self.game]}",)

    def next_act(self) -> None:
        if self.chance.random() < self.mistakes / 2:
            self.do("power cut")
            self.do("power on")
        super().next_act()

    def expect_end(self) -> None:
        super().expect_end()
        score, goal = self.mat.view.scores
        self.expect(f"score Ann {score}")
        missed = f"Ann misses the goal by {goal - score}"
        of_goal = "" if self.game == "cramel" else f" of {goal}"  # in easy words
        reached = f"Ann reaches the goal{of_goal} with {score}"
        self.expect(f'said en "{missed if score < goal else reached}"')


def rehearse_alone(game: str) -> str:
    """Return the rehearsal of *game* with a power cut and a play taken back."""
    for seed in count():
        with TemporaryDirectory() as folder:
            text = SoloEvening(game, seed, Path(folder)).run()
        if all(trouble in text for trouble in ("power cut", "press back")):
            return text
    raise AssertionError("there is always another seed")


def main() -> None:
    """Write the rehearsals of the games named on the command line, or of all ``GOALS``."""
    write_rehearsals(SOLO_FOLDER, sys.argv[1:] or GOALS, rehearse_alone)


if __name__ == "__main__":
    main()
