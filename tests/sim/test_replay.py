"""Tests of ``tapmat journal replay`` and ``export``, which play a recorded game again."""

import io
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engines.common.pieces import Deck, Piece
from firmware.archive.describer import Describer
from firmware.archive.past import history_of, replay
from firmware.boxes.decks import deck_file
from firmware.boxes.games import game_names
from firmware.boxes.register import TagRegister
from firmware.common.errors import OutputError, UnknownNumber
from firmware.journal.codec import decode
from firmware.journal.journal import GameStart, Journal
from firmware.runtime.controller import JOURNAL, REGISTER, words_for
from sim.mat.mat import Mat
from sim.mat.tags import enrol_decks, uid_of
from sim.rehearsal.command import rehearse, with_parts
from sim.rehearsal.export import quote
from sim.rehearsal.grammar import RehearsalError, parse
from sim.rehearsal.replay import CannotReplay, Replay, run_export, run_replay
from sim.rehearsal.runner import Runner, as_json
from tests.effort import long_unless
from tests.firmware.archive.kept import CONFIG, DECKS, play, play_at_random, start_of
from tests.sim.known_game import GAME

RECORDED = Path(__file__).parent.parent / "rehearsals"


def rehearsal_text(folder: Path, number: int, file: Path) -> str:
    out = io.StringIO()
    assert run_export(number, file, CONFIG, folder, out) == 0
    assert "Play it with: tapmat rehearse" in out.getvalue()
    return file.read_text(encoding="utf-8")


def recorded(folder: Path, start: GameStart, *inputs: dict[str, object]) -> int:
    """Write a game into the journal and return its number."""
    with closing(Journal(folder / JOURNAL)) as journal:
        number = journal.begin(start).number
        for given in inputs:
            journal.append(decode(given))
    return number


@pytest.mark.parametrize("game", long_unless(lambda game: game == "cramel", game_names()))
def test_an_exported_game_replays_to_the_same_state_scores_and_words(
    game: str, tmp_path: Path
) -> None:
    number = play_at_random(tmp_path, game, seed=11, limit=40)
    past = replay(history_of(tmp_path, number))
    rehearsal_text(tmp_path, number, tmp_path / "game.mat")
    report = rehearse(tmp_path / "game.mat", CONFIG, tmp_path / "again")
    assert report.is_ok, report
    again = replay(history_of(tmp_path / "again", 1))
    assert (again.start, again.inputs) == (past.start, past.inputs)
    assert again.effective_plays[-1].after == past.effective_plays[-1].after
    assert again.view.scores == past.view.scores
    describer = Describer(words_for("en"))
    said = " ".join(line["text"] for line in as_json(report)["transcript"])
    for play_told in (describer.events_text(past, p.events) for p in past.plays):
        assert play_told in said


def since_the_start(mat: Mat) -> list[tuple[str, str]]:
    """Return the texts said since the game began; a replay says more before it, for house rules."""
    said = [(utterance.language, utterance.text) for utterance in mat.said]
    return said[said.index(("en", "Start.")) + 1 :]


@pytest.mark.long
def test_what_a_mat_said_is_said_again(tmp_path: Path) -> None:
    """A replay has the transcript of the original game, including undone plays."""
    story = "game straw\nplayers Ann Ben\noption floor-at-zero on\nstart\n" + "\n".join(
        act.verb for act in GAME
    )
    lines = parse(story, "story")
    first = Mat(with_parts(CONFIG, lines), tmp_path / "first")
    assert Runner(first).play(lines) is None
    said = since_the_start(first)
    first.close()
    replay = Replay.of(tmp_path / "first", 1, CONFIG)
    with replay.mat(CONFIG) as mat:
        assert since_the_start(mat) == said
        assert mat.view.winners == (0,)
    text = rehearsal_text(tmp_path / "first", 1, tmp_path / "game.mat")
    assert "option floor-at-zero on\n" in text
    assert text.count("press back\n") == sum(act.kind == "undo" for act in GAME)
    assert "expect winner Ann\n" in text


def test_an_export_says_the_language(tmp_path: Path) -> None:
    number = play(tmp_path, acts=2)
    assert "\nlanguage en\n" in rehearsal_text(tmp_path, number, tmp_path / "game.mat")


@pytest.mark.long
def test_names_that_cannot_be_spelt_or_need_quotation_marks(tmp_path: Path) -> None:
    names = ("A, b#1", "<B>&", "Zoë K.")
    number = recorded(tmp_path, start_of(names), {"tap": "weight-7#1"})
    text = rehearsal_text(tmp_path, number, tmp_path / "game.mat")
    assert 'names "A, b#1" <B>& "Zoë K."\n' in text
    report = rehearse(tmp_path / "game.mat", CONFIG, tmp_path / "again")
    assert report.is_ok, report
    assert replay(history_of(tmp_path / "again", 1)).start.names == names


@pytest.mark.long
def test_a_quotation_mark_in_a_name_becomes_an_apostrophe(tmp_path: Path) -> None:
    number = recorded(tmp_path, start_of(('Ann "A"', "Ben")), {"tap": "weight-7#1"})
    text = rehearsal_text(tmp_path, number, tmp_path / "game.mat")
    assert "players \"Ann 'A'\" Ben\n" in text
    assert rehearse(tmp_path / "game.mat", CONFIG).is_ok


def fuller(deck: Deck) -> Deck:
    """Return *deck* with nine copies of weight-7 and without lamps, like a home-made deck."""
    counts = {"weight-7": 9, "lamp": 0}
    return replace(
        deck, kinds=tuple(replace(k, count=counts.get(k.name, k.count)) for k in deck.kinds)
    )


def test_a_game_of_another_deck_takes_it_along(tmp_path: Path) -> None:
    """The game's deck differs from the deck file, so the export writes it beside the rehearsal."""
    deck = fuller(DECKS["straw"])
    start = replace(start_of(), deck=deck)
    number = recorded(tmp_path, start, {"tap": "weight-7#9"}, {"tap": "weight-7#8"})
    file = tmp_path / "game.mat"
    text = rehearsal_text(tmp_path, number, file)
    beside = tmp_path / f"game-{number}.deck.toml"
    assert f"deck {beside.name}\n" in text
    assert beside.read_text(encoding="utf-8") == deck_file(
        deck, f"Game {number} was played with it."
    )
    report = rehearse(file, CONFIG, tmp_path / "again")
    assert report.is_ok, report
    again = replay(history_of(tmp_path / "again", 1))
    assert again.start == start
    with pytest.raises(OutputError, match="Give the path of a file"):
        run_export(number, Path("-"), CONFIG, tmp_path, io.StringIO())


@pytest.mark.long
def test_a_deck_that_grew_by_enrolling_is_taken_along(tmp_path: Path) -> None:
    more = Piece("weight-7", DECKS["straw"].by_name["weight-7"].count + 1)
    with closing(TagRegister(tmp_path / REGISTER)) as register:
        enrol_decks(register, CONFIG)
        register.bind(uid_of("straw", more), "straw", more)
    lines = parse("game straw\nplayers Ann Ben\nstart\ntap weight-10\n", "story")
    mat = Mat(with_parts(CONFIG, lines), tmp_path)
    assert Runner(mat).play(lines) is None
    mat.close()
    start = replay(history_of(tmp_path, 1)).start
    assert start.deck.by_name["weight-7"].count == more.copy
    rehearsal_text(tmp_path, 1, tmp_path / "game.mat")
    assert rehearse(tmp_path / "game.mat", CONFIG, tmp_path / "again").is_ok
    assert replay(history_of(tmp_path / "again", 1)).start == start


@pytest.mark.parametrize(
    ("story", "found"),
    [
        ("deck own.toml\ngame straw\nstart\n", "there is no file"),
        ("deck own.toml\nstart\n", "a deck is named, but no game"),
        ("game straw\nnames\n", '"names" needs a value'),
        ("game straw\nnames Bartholomew-James\n", "cannot be a name"),
        ("game straw\nstart\nnames Zoë\n", "names cannot be added while the mat is on"),
    ],
)
def test_a_deck_or_name_that_cannot_be(story: str, found: str, tmp_path: Path) -> None:
    file = tmp_path / "own.mat"
    file.write_text(story, encoding="utf-8")
    with pytest.raises(RehearsalError, match=found):
        rehearse(file, CONFIG)


def test_a_deck_is_for_rehearsals_that_are_files(tmp_path: Path) -> None:
    mat = Mat(CONFIG, tmp_path)
    with pytest.raises(RehearsalError, match="a running table cannot change its decks"):
        Runner(mat).play(parse("game straw\ndeck own.toml\n", "typed"))
    mat.close()


@pytest.mark.long
def test_an_export_is_printed_or_written_into_a_new_file(tmp_path: Path) -> None:
    number = play(tmp_path, acts=2)
    out = io.StringIO()
    run_export(number, Path("-"), CONFIG, tmp_path, out)
    assert out.getvalue() == rehearsal_text(tmp_path, number, tmp_path / "game.mat")
    with pytest.raises(OutputError, match="Name a new file"):
        run_export(number, tmp_path / "game.mat", CONFIG, tmp_path, out)
    with pytest.raises(UnknownNumber, match=f"The nearest is {number}"):
        run_export(number + 5, tmp_path / "other.mat", CONFIG, tmp_path, out)
    assert not (tmp_path / "other.mat").exists()


def test_a_replay_is_watched_play_by_play(tmp_path: Path) -> None:
    number = play(tmp_path, acts=4)
    out, slept = io.StringIO(), list[float]()
    assert run_replay(number, CONFIG, tmp_path, 0.5, out, slept.append) == 0
    text = out.getvalue()
    places = [text.index(f"{act.verb}\n") for act in GAME[:4]]
    assert places == sorted(places)
    assert "headline 27" in text[places[-1] :]
    assert slept == [0.5] * 5  # after the start and after each play
    assert text.endswith(f"Game {number} has the same result as in the journal.\n")


def test_a_replay_at_once_shows_how_it_ends(tmp_path: Path) -> None:
    number = play(tmp_path, acts=4)
    out = io.StringIO()
    assert run_replay(number, CONFIG, tmp_path, None, out) == 0
    assert "tap " not in out.getvalue()
    assert "headline 27" in out.getvalue()


def test_a_replay_leaves_the_journal_as_it_is(tmp_path: Path) -> None:
    number = play(tmp_path, acts=4)
    before = (tmp_path / JOURNAL).read_bytes()
    with closing(Journal(tmp_path / JOURNAL)):  # keeps the journal open, as a running table does
        run_replay(number, CONFIG, tmp_path, None, io.StringIO())
    assert (tmp_path / JOURNAL).read_bytes() == before


def test_what_comes_out_otherwise_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = play(tmp_path, acts=4)
    replay = Replay.of(tmp_path, number, CONFIG)
    other = replace(replay, acts=("tap weight-10#1", "tap weight-9#1", *replay.acts[2:]))
    found = f"Game {number}: on the emulated mat, play 2 had a different result"
    with pytest.raises(CannotReplay, match=found), other.mat(CONFIG):
        pass


@pytest.mark.parametrize(
    ("text", "word"),
    [("Ann", "Ann"), ("Ann B", '"Ann B"'), ("#1", '"#1"'), ("", '""'), ("2,-1", '"2,-1"')],
)
def test_a_text_is_quoted_where_it_must_be(text: str, word: str) -> None:
    assert quote(text) == word
