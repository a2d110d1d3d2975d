"""A whole game of Straw, worked out by hand: each act, and what the mat shows after it.

Ann and Ben play, and Ben deals the first round. The game plays Lamps and Copies, reverses the
direction, takes back cards, weights and the deal of a round, and ends with Straw.
"""

from typing import Any, NamedTuple


class Known(NamedTuple):
    """One act, its journal entry, and the phase, headline and turn shown after it."""

    verb: str
    kind: str
    body: dict[str, Any]
    shown: tuple[str, str, str]


def _known(line: str) -> Known:
    verb, phase, headline, turn = (column.strip() for column in line.split("|"))
    word, _, what = verb.partition(" ")
    shown = (phase, headline, turn)
    if verb == "press back":
        return Known(verb, "undo", {}, shown)
    bodies: dict[str, dict[str, Any]] = {
        "tap": {"tap": what},
        "press": {"press": what},
        "choose": {"number": int(what) if what.isdecimal() else 0},
    }
    return Known(verb, "input", bodies[word], shown)


BEGUN = ("play", "0", "Ann")  # shown after the deal
GAME = tuple(
    map(
        _known,
        """\
tap weight-10#1 | play | 10 | Ben
tap weight-10#2 | play | 20 | Ann
tap lamp#1      | lamp | 20 | Ann
choose 7        | play | 27 | Ben
tap copy#1      | lamp | 27 | Ben
choose 3        | play | 30 | Ann
tap weight-9#1  | play | 39 | Ben
press back      | play | 30 | Ann
tap weight-4#1  | play | 34 | Ben
tap reverse#1   | play | 34 | Ann
tap carpet-6#1  | play | 28 | Ben
tap weight-8#1  | play | 36 | Ann
tap weight-8#2  | play | 44 | Ben
press back      | play | 36 | Ann
press back      | play | 28 | Ben
tap weight-8#1  | play | 36 | Ann
tap lamp#2      | lamp | 36 | Ann
press back      | play | 36 | Ann
tap weight-7#1  | play | 43 | Ben
tap weight-6#1  | play | 49 | Ann
tap weight-2#1  | scoring | 51 | Ben
tap weight-9#2  | scoring | 9 | Ben
tap weight-5#1  | scoring | 14 | Ben
tap copy#2      | scoring | 14 | Ben
press back      | scoring | 14 | Ben
tap carpet-1#1  | scoring | 13 | Ben
tap straw#1     | round-over | 13 | Ann
press ok        | play | 0 | Ben
press back      | round-over | 13 | Ann
press ok        | play | 0 | Ben
tap weight-10#1 | play | 10 | Ann
tap weight-10#2 | play | 20 | Ben
tap weight-10#3 | play | 30 | Ann
tap weight-10#4 | play | 40 | Ben
tap copy#1      | play | 50 | Ann
tap straw#1     | scoring | 50 | Ann
tap weight-9#1  | scoring | 9 | Ann
tap weight-8#1  | scoring | 17 | Ann
tap lamp#1      | over | 17 | -
""".splitlines(),
    )
)


def shown_after(acts: int) -> tuple[str, str, str]:
    """Return the phase, headline and turn shown after the first *acts* acts of the game."""
    return GAME[acts - 1].shown if acts else BEGUN
