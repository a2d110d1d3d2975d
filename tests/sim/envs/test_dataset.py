"""``tapmat journal dataset`` writes finished games as episodes, without names."""

import io
import json
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from engines.common.contract import Seat, Setup
from firmware.archive.past import history_of, replay
from firmware.boxes.games import games
from firmware.commands.interface import app
from firmware.commands.journal_export import NoResult
from firmware.common.errors import OutputError
from firmware.journal.codec import decode
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL
from sim.envs.baselines import play, policy_of
from sim.envs.dataset import ConsentMissing, run_dataset
from sim.envs.worlds import WORLDS, world_of
from tests.firmware.archive.kept import DECKS, play_at_random

PEOPLE = ("Wilhelmina", "Balthasar", "Quentin")


def add_game(folder: Path, game: str) -> int:
    """Write a whole game of *PEOPLE* into the journal, and return its number."""
    world = world_of(game)(len(PEOPLE), 3)
    policy = policy_of(game, world.robots.fair[0])
    assert play(world, [policy] * len(PEOPLE), Random(3))
    start = GameStart(game, PEOPLE, world.deal.dealer, world.deal.options, DECKS[game])
    with closing(Journal(folder / JOURNAL)) as journal:
        number = journal.begin(start).number
        for act in world.acts:
            journal.append(act.given)
        journal.end("over")
    return number


@pytest.mark.parametrize("game", WORLDS)
def test_an_episode_replays_to_its_rewards_and_has_no_name(game: str, tmp_path: Path) -> None:
    past = replay(history_of(tmp_path, add_game(tmp_path, game)))
    out = io.StringIO()
    assert run_dataset(Path("-"), tmp_path, has_consent=True, out=out) == 0
    (episode,) = map(json.loads, out.getvalue().splitlines())
    rules, deck = games()[game], DECKS[game]
    state = rules.start(Setup(3, Seat(episode["dealer"]), deck, episode["options"]))
    for step in episode["steps"]:
        view = rules.view(state)
        assert step["observation"]["counts"] == view.counts
        assert step["observation"]["scores"] == [*view.scores]
        assert step["observation"]["phase"] == view.phase
        state = rules.step(state, decode(step["action"])).state
    winners = rules.view(state).winners
    assert winners == past.view.winners
    assert episode["rewards"] == [1 if seat in winners else -1 for seat in range(3)]
    assert not any(name in out.getvalue() for name in PEOPLE)
    assert past.at[:10] not in out.getvalue()


def test_nothing_is_written_without_consent(tmp_path: Path) -> None:
    add_game(tmp_path, "straw")
    with pytest.raises(ConsentMissing, match="Ask all players"):
        run_dataset(tmp_path / "games.jsonl", tmp_path, has_consent=False)
    assert not (tmp_path / "games.jsonl").exists()
    refused = CliRunner().invoke(app, ["journal", "dataset", "--state", str(tmp_path)])
    assert isinstance(refused.exception, ConsentMissing)


def test_games_that_are_not_finished_are_left_out(tmp_path: Path) -> None:
    play_at_random(tmp_path, "straw", seed=1, limit=5)
    with pytest.raises(NoResult, match="no episode"):
        run_dataset(Path("-"), tmp_path, has_consent=True)
    add_game(tmp_path, "cramel")
    err, out, file = io.StringIO(), io.StringIO(), tmp_path / "games.jsonl"
    assert run_dataset(file, tmp_path, has_consent=True, out=out, err=err) == 0
    assert err.getvalue() == "Left out: 1, not finished or not readable.\n"
    assert out.getvalue() == f"{file} was written: 1 episode.\n"
    assert json.loads(file.read_text("utf-8"))["game"] == "cramel"
    with pytest.raises(OutputError, match="cannot be written"):
        run_dataset(file, tmp_path, has_consent=True)
