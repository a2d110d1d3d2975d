"""``tapmat journal dataset``: recorded games as episodes for programs that learn.

An episode has what the table knew before each input, and the input. It has no names, times or
numbers of games, so it does not tell whose game it was.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from engines.common.contract import Message, View
from firmware.archive.past import PastGame, Play, histories, replay
from firmware.commands.journal_export import NoResult, write_or_print
from firmware.common.errors import JournalError, TapmatError
from firmware.journal.codec import encode
from firmware.journal.state_folder import state_folder
from sim.envs.world import rewards_of

VERSION = 1  # of the episodes: fields may be added, but none is removed or changed


class ConsentMissing(TapmatError):
    """Nobody has said that the players agree."""


def run_dataset(
    file: Path,
    state: Path | None,
    *,
    has_consent: bool,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Write an episode for each finished game to the new *file*, or print them if it is "-".

    The number of games that are left out is printed to *err*.

    Raises:
        ConsentMissing: *has_consent* is False.
        NoResult: no game is finished.
        OutputError: the file cannot be written.
    """
    out, err = out or sys.stdout, err or sys.stderr
    if not has_consent:
        raise ConsentMissing(
            "A dataset has every play of these games, without the names. Ask all players whether "
            "they agree, and add --consent."
        )
    games = [*_games(state_folder(state))]
    episodes = [episode_of(game) for game in games if game is not None and game.view.winners]
    if left_out := len(games) - len(episodes):
        print(f"Left out: {left_out}, not finished or not readable.", file=err)
    if not episodes:
        raise NoResult("No game is finished yet, so there is no episode.")
    text = "".join(f"{json.dumps(episode, separators=(',', ':'))}\n" for episode in episodes)
    count = "1 episode" if len(episodes) == 1 else f"{len(episodes)} episodes"
    return write_or_print(file, text, count, out)


def _games(folder: Path) -> Iterator[PastGame | None]:
    """Yield every game in *folder*, and None for one that cannot be read."""
    for history in histories(folder):
        try:
            yield replay(history)
        except JournalError:
            yield None


def episode_of(past: PastGame) -> dict[str, Any]:
    """Return the finished game *past* as an episode, without undone plays."""
    start = past.start
    return {
        "v": VERSION,
        "game": start.game,
        "players": len(start.names),
        "dealer": start.dealer,
        "options": dict(start.options),
        "steps": [_step(past, play) for play in past.effective_plays],
        "rewards": rewards_of(past.view.winners, len(start.names)),
    }


def _step(past: PastGame, play: Play) -> dict[str, Any]:
    return {
        "seat": past.seat_of(play),
        "observation": _observation(past.game.view(play.before)),
        "action": encode(play.given),
    }


def _observation(view: View) -> dict[str, Any]:
    """Return the parts of *view* that are the same in every language."""
    headline = view.headline
    return {
        "phase": view.phase,
        "headline": headline.code if isinstance(headline, Message) else headline,
        "turn": view.turn,
        "direction": view.direction and view.direction.value,
        "scores": view.scores,
        "counts": dict(view.counts),
    }
