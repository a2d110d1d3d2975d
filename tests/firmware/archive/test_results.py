"""``tapmat journal export``: results of finished games as CSV, JSON and for the app BG Stats."""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from jsonschema import Draft202012Validator

from engines.common.contract import Message, Seat, View
from firmware.archive import exports
from firmware.archive.past import history_of, replay
from firmware.archive.results import (
    PAUSE,
    GameResult,
    NotFinished,
    place_of,
    played_time,
    result_of,
)
from firmware.commands import cli, options
from firmware.commands.journal_export import (
    NoResult,
    WantedResults,
    WrongFormat,
    run_export_results,
)
from firmware.commands.options import STDOUT, ResultFormat
from firmware.common.errors import JournalError, OutputError, UnknownNumber
from firmware.journal.codec import decode
from firmware.journal.journal import Journal
from firmware.runtime.controller import JOURNAL
from tests.docs.pages import page
from tests.firmware.archive import bgstats
from tests.firmware.archive.kept import CONFIG, play, play_at_random, scribble, start_of
from tests.sim.known_game import GAME

SCHEMA = Path(exports.__file__).with_name("results.schema.json")
PLAYED = {  # a whole game of each kind: the house rules, and True if the lowest score wins
    "straw": ({}, False),
    "ciao": ({"scoring": True, "rounds": 2}, True),
    "cramel": ({}, False),
    "riff-raff": ({}, True),
    "camargue": ({}, False),
}
ROUNDS = {"Ann": (0, 17), "Ben": (13, 0)}  # points by round in ``GAME``, by hand
NASTY = ("=1+1", 'Zoë "K", Ann', "+Ben")


pytestmark = pytest.mark.usefixtures("in_budapest")


def exported(folder: Path, form: str = "csv", *numbers: int, **wanted: Any) -> str:
    out = io.StringIO()
    what = WantedResults(numbers, form=ResultFormat(form), **wanted)
    assert run_export_results(what, STDOUT, CONFIG, folder, out, io.StringIO()) == 0
    return out.getvalue()


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def whole(folder: Path, game: str, names: tuple[str, ...] = ("Ann", "Ben", "Cem")) -> int:
    """Play a whole game of *game* at random."""
    return play_at_random(folder, game, 1, 9000, names, PLAYED[game][0])


def result(folder: Path, number: int) -> GameResult:
    return result_of(replay(history_of(folder, number)))


# --- the result itself ---------------------------------------------------------------------------


def test_the_result_of_a_game_that_was_worked_out_by_hand(tmp_path: Path) -> None:
    """Ann broke the camel's back, and Ben had 13 in his hand. Then Ann played Straw and had 17."""
    found = result(tmp_path, play(tmp_path))
    assert (found.rounds, found.unit, found.lowest_wins) == (2, "point", False)
    ann, ben = found.players
    assert (ann.place, ann.has_won, ben.place, ben.has_won) == (1, True, 2, False)
    assert ann.by_round == ROUNDS["Ann"]
    assert ben.by_round == ROUNDS["Ben"]
    assert (ann.score, ben.score) == (sum(ROUNDS["Ann"]), sum(ROUNDS["Ben"]))
    assert (ann.has_begun, ben.has_begun) == (True, False)
    assert (found.ended - found.began).seconds == len(GAME)  # an act a second


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_game_of_each_kind_has_a_result(game: str, tmp_path: Path) -> None:
    found = result(tmp_path, whole(tmp_path, game))
    assert found.lowest_wins is PLAYED[game][1]
    best = (min if found.lowest_wins else max)(player.score for player in found.players)
    assert [p.place == 1 for p in found.players] == [p.has_won for p in found.players]
    assert all(player.score == best for player in found.players if player.has_won)
    assert (found.rounds is not None) == (game in ("straw", "ciao"))
    for player in found.players:
        assert len(player.by_round) == (found.rounds or 0)
        assert not player.by_round or sum(player.by_round) == player.score
    by_place = sorted(found.players, key=lambda player: player.place)
    scores = [player.score for player in by_place]
    assert scores == sorted(scores, reverse=not found.lowest_wins)


@pytest.mark.parametrize(
    ("scores", "winners", "lowest_wins", "places"),
    [
        ((5, 9, 7), (1,), False, (3, 1, 2)),
        ((5, 9, 7), (0,), True, (1, 3, 2)),
        ((9, 9, 4), (0, 1), False, (1, 1, 3)),
        ((9, 4, 4, 1), (0,), False, (1, 2, 2, 4)),
        ((9, 9, 4), (1,), False, (2, 1, 3)),  # something other than the score decided
    ],
)
def test_places(
    scores: tuple[int, ...], winners: tuple[int, ...], lowest_wins: bool, places: tuple[int, ...]
) -> None:
    hint = Message("hint")
    won = tuple(map(Seat, winners))
    view = View("", hint, "over", hint, scores, winners=won, lowest_wins=lowest_wins)
    assert tuple(place_of(view, Seat(seat)) for seat in range(len(scores))) == places


def test_pauses_and_a_clock_that_was_set_do_not_count() -> None:
    began = datetime(2026, 3, 1, 18, tzinfo=UTC)
    minutes = (0, 10, 10 + 29, 39 + 31, 71, 60 * 24 * 365, 60 * 24 * 365 - 5, 60 * 24 * 365 - 4)
    times = [began + timedelta(minutes=minute) for minute in minutes]
    assert timedelta(minutes=29) < PAUSE < timedelta(minutes=31)
    assert played_time(times) == timedelta(minutes=10 + 29 + 1 + 1)
    assert played_time(times[:1]) == timedelta()


def test_a_game_whose_last_play_was_undone_has_no_result(tmp_path: Path) -> None:
    number = unfinished(tmp_path, len(GAME))
    assert result(tmp_path, number).players[0].has_won
    with closing(Journal(tmp_path / JOURNAL)) as journal:
        journal.undo()
    with pytest.raises(NotFinished, match=f"Game {number} has no result: it is open"):
        result(tmp_path, number)


def test_a_round_that_was_undone_and_counted_again_is_one_round(tmp_path: Path) -> None:
    """In the first round Ben has a Copy instead of the carpet of -1: 14 points, not 13."""
    next_round = next(at for at, act in enumerate(GAME) if act.verb == "press ok") + 1
    undos: list[tuple[str, dict[str, Any]]] = [
        ("undo", {})
    ] * 3  # the next round, Straw and the carpet
    again = [("input", {"tap": "copy#2"}), ("input", {"tap": "straw#1"})]
    rest = [(act.kind, act.body) for act in GAME[next_round + 1 :]]
    begin = [(act.kind, act.body) for act in GAME[:next_round]]
    number = recorded(tmp_path, [*begin, *undos, *again, *rest])
    found = result(tmp_path, number)
    assert found.rounds == 2
    assert [player.by_round for player in found.players] == [(0, 17), (14, 0)]


def unfinished(folder: Path, acts: int) -> int:
    """Record the first *acts* acts of ``GAME`` and do not close the game."""
    return recorded(folder, [(act.kind, act.body) for act in GAME[:acts]])


def recorded(folder: Path, acts: Iterable[tuple[str, dict[str, Any]]]) -> int:
    """Record *acts*, each a kind and the body of an input, as a game of Straw."""
    with closing(Journal(folder / JOURNAL)) as journal:
        number = journal.begin(start_of()).number
        for kind, body in acts:
            if kind == "undo":
                journal.undo()
            else:
                journal.append(decode(body))
    return number


# --- CSV -----------------------------------------------------------------------------------------


def test_csv_has_a_row_for_each_player(tmp_path: Path) -> None:
    number = play(tmp_path)
    ann, ben = rows_of(exported(tmp_path))
    assert ann == {
        "number": str(number),
        "date": "2026-03-01",
        "time": "19:30",
        "zone": "UTC+01:00",
        "game": "Straw",
        "players": "2",
        "seat": "1",
        "name": "Ann",
        "place": "1",
        "won": "1",
        "score": str(sum(ROUNDS["Ann"])),
        "rounds": "2",
        "minutes": "1",
    }
    assert (ben["seat"], ben["name"], ben["place"], ben["won"]) == ("2", "Ben", "2", "0")


def test_csv_lines_end_as_the_standard_wants(tmp_path: Path) -> None:
    play(tmp_path)
    text = exported(tmp_path)
    assert text.count("\r\n") == text.count("\n") == 3
    assert text.startswith("number,date,time,zone,game,players,seat,name,score,place,won,")


def test_csv_has_a_row_for_each_player_and_round_if_wanted(tmp_path: Path) -> None:
    straw, cramel = play(tmp_path), whole(tmp_path, "cramel")
    rows = rows_of(exported(tmp_path, has_all=True, by_round=True))
    for name, points in ROUNDS.items():
        own = [row for row in rows if row["number"] == str(straw) and row["name"] == name]
        assert [row["round"] for row in own] == ["1", "2"]
        assert [int(row["points"]) for row in own] == list(points)
        assert [int(row["total"]) for row in own] == [points[0], sum(points)]
    without = [row for row in rows if row["number"] == str(cramel)]
    assert [(row["round"], row["points"] == row["total"]) for row in without] == [("", True)] * 3


def test_a_name_is_never_a_formula(tmp_path: Path) -> None:
    number = whole(tmp_path, "ciao", NASTY)
    for by_round in (False, True):
        names = {row["name"] for row in rows_of(exported(tmp_path, by_round=by_round))}
        assert names == {"'=1+1", 'Zoë "K", Ann', "'+Ben"}
    shape = json.loads(exported(tmp_path, "json", number))
    assert [player["name"] for player in shape["games"][0]["players"]] == list(NASTY)


@pytest.mark.parametrize(
    "text", ["=A1", "+1", "-1", "@A", "\t=A1", "\tA", " =A1", "\r=A1", "\uff1dA1"]
)
def test_formulas_are_made_harmless(text: str) -> None:
    assert exports.harmless(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "Ann", "A=1", "'x", "Zoë"])
def test_other_names_stay_as_they_are(text: str) -> None:
    assert exports.harmless(text) == text


# --- JSON ----------------------------------------------------------------------------------------


def wrong_in(shape: Mapping[str, Any]) -> list[str]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return [wrong.message for wrong in Draft202012Validator(schema).iter_errors(shape)]


@pytest.mark.parametrize("game", PLAYED)
def test_json_keeps_to_its_schema(game: str, tmp_path: Path) -> None:
    whole(tmp_path, game)
    shape = json.loads(exported(tmp_path, "json"))
    assert wrong_in(shape) == []
    (one,) = shape["games"]
    assert one["game"] == game
    assert one["began"] == "2026-03-01T19:30:00+01:00"


BREAKS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "another version": lambda shape: shape.update(v=2),
    "no games": lambda shape: shape.pop("games"),
    "a score that is text": lambda shape: shape["games"][0]["players"][0].update(score="7"),
    "no winner": lambda shape: shape["games"][0]["players"][0].pop("won"),
    "a time without a zone": lambda shape: shape["games"][0].update(began="2026-03-01T19:30:00"),
    "another unit": lambda shape: shape["games"][0].update(unit="camel"),
    "round zero": lambda shape: shape["games"][0].update(rounds=0),
}


@pytest.mark.parametrize("story", BREAKS)
def test_the_schema_refuses(story: str, tmp_path: Path) -> None:
    play(tmp_path)
    shape = json.loads(exported(tmp_path, "json"))
    BREAKS[story](shape)
    assert len(wrong_in(shape)) == 1


def test_every_field_of_the_json_form_is_documented() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    told = page("docs/journal.md").text
    for fields in (schema, schema["$defs"]["game"], schema["$defs"]["player"]):
        assert set(fields["required"]) == set(fields["properties"])
        assert [name for name in fields["properties"] if f"`{name}`" not in told] == []
    for column in (*exports.CSV_COLUMNS, *exports.ROUND_COLUMNS):
        assert f"`{column}`" in told, column


# --- BG Stats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", PLAYED)
def test_a_link_says_who_won_and_if_a_high_score_is_good(game: str, tmp_path: Path) -> None:
    found = result(tmp_path, whole(tmp_path, game, NASTY))
    shape = bgstats.read_link(exported(tmp_path, "bgstats-link").rstrip("\n"))
    assert shape["game"]["highestWins"] is not PLAYED[game][1]
    assert shape["game"]["sourceGameId"] == game
    assert "bggId" not in shape["game"]
    for told, player in zip(shape["players"], found.players, strict=True):
        assert told["name"] == told["sourcePlayerId"] == player.name
        assert (told["score"], told["rank"]) == (player.score, player.place)
        assert (told["winner"], told["startPlayer"]) == (player.has_won, player.has_begun)


def test_the_date_of_a_link_is_the_end_in_utc(tmp_path: Path) -> None:
    play(tmp_path)
    shape = bgstats.read_link(exported(tmp_path, "bgstats-link").rstrip("\n"))
    seconds = len(GAME)
    assert shape["playDate"] == f"2026-03-01 18:30:{seconds:02}"
    assert shape["durationMin"] == 1


def test_a_file_has_each_game_and_player_once(tmp_path: Path) -> None:
    numbers = [play(tmp_path), play(tmp_path, ("Ben", "Ann")), whole(tmp_path, "ciao")]
    shape = bgstats.read_file(exported(tmp_path, "bgstats", has_all=True))
    games = {game["id"]: game for game in shape["games"]}
    people = {player["id"]: player["name"] for player in shape["players"]}
    assert [game["highestWins"] for game in games.values()] == [True, False]
    assert list(people.values()) == ["Ann", "Ben", "Cem"]
    for told, number in zip(shape["plays"], numbers, strict=True):
        found = result(tmp_path, number)
        scores = told["playerScores"]
        assert [people[one["playerRefId"]] for one in scores] == [p.name for p in found.players]
        assert [one["score"] for one in scores] == [str(p.score) for p in found.players]
        assert [one["winner"] for one in scores] == [p.has_won for p in found.players]
        assert [one["rank"] for one in scores] == [p.place for p in found.players]
        assert told["rounds"] == (found.rounds or 0)
        assert told["playDate"] == "2026-03-01 19:30:00"
    assert [game["bggId"] for game in games.values()] == [0, 0]


def test_a_game_keeps_its_identity_in_every_export(tmp_path: Path) -> None:
    first, second = play(tmp_path), play(tmp_path)

    def identities() -> list[str]:
        shape = bgstats.read_file(exported(tmp_path, "bgstats", has_all=True))
        return [one["uuid"] for one in shape["plays"]]

    before = identities()
    links = exported(tmp_path, "bgstats-link", second, first).splitlines()
    assert [bgstats.read_link(link)["sourcePlayId"] for link in links] == before[::-1]
    play(tmp_path)
    assert identities()[:2] == before
    assert len(set(identities())) == 3


def test_two_players_with_one_name_are_two_players(tmp_path: Path) -> None:
    play(tmp_path, ("Ann", "Ann"))
    shape = bgstats.read_file(exported(tmp_path, "bgstats"))
    assert [player["name"] for player in shape["players"]] == ["Ann", "Ann"]
    link = bgstats.read_link(exported(tmp_path, "bgstats-link").rstrip("\n"))
    assert [player["sourcePlayerId"] for player in link["players"]] == ["Ann", "Ann (2)"]


Break = Callable[[dict[str, Any]], Any]
FILE_BREAKS: Mapping[str, Break] = {
    "a game that is not there": lambda shape: shape["plays"][0].update(gameRefId=9),
    "a player that is not there": lambda shape: score_of(shape).update(playerRefId=9),
    "a player twice": lambda shape: score_of(shape).update(playerRefId=2),
    "an owner that is not there": lambda shape: shape["userInfo"].update(meRefId=9),
    "a score that is a number": lambda shape: score_of(shape).update(score=7),
    "no start player": lambda shape: score_of(shape).pop("startPlayer"),
    "a date with a zone": lambda shape: shape["plays"][0].update(playDate="2026-03-01T19:30:00Z"),
    "a misspelt field": lambda shape: shape["games"][0].update(highestwins=True),
    "one identity for two": lambda shape: shape["games"][0].update(uuid=shape["plays"][0]["uuid"]),
}
LINK_BREAKS: Mapping[str, Break] = {
    "no start player": lambda shape: shape["players"][0].pop("startPlayer"),
    "no source": lambda shape: shape.pop("sourceName"),
    "a date with a zone": lambda shape: shape.update(playDate="2026-03-01T19:30:00+00:00"),
    "a score that is text": lambda shape: shape["players"][0].update(score="7"),
    "no BGG number": lambda shape: shape["game"].update(bggId=0),
    "no player": lambda shape: shape["players"].clear(),
}


def score_of(shape: dict[str, Any]) -> dict[str, Any]:
    score: dict[str, Any] = shape["plays"][0]["playerScores"][0]
    return score


@pytest.mark.parametrize("story", FILE_BREAKS)
def test_the_reader_of_files_can_refuse(story: str, tmp_path: Path) -> None:
    play(tmp_path)
    good = bgstats.read_file(exported(tmp_path, "bgstats"))
    bad = deepcopy(good)
    FILE_BREAKS[story](bad)
    with pytest.raises(bgstats.Refused):
        bgstats.read_file(json.dumps(bad))


@pytest.mark.parametrize("story", LINK_BREAKS)
def test_the_reader_of_links_can_refuse(story: str, tmp_path: Path) -> None:
    play(tmp_path)
    bad = bgstats.read_link(exported(tmp_path, "bgstats-link").rstrip("\n"))
    LINK_BREAKS[story](bad)
    with pytest.raises(bgstats.Refused):
        bgstats.read_link(bgstats.LINK_START + quote(json.dumps(bad), safe=""))
    with pytest.raises(bgstats.Refused):
        bgstats.read_link(bgstats.LINK_START + json.dumps(bad))  # not encoded


# --- which games ---------------------------------------------------------------------------------


def test_without_a_number_it_is_the_last_finished_game(tmp_path: Path) -> None:
    play(tmp_path)
    last, _abandoned, still_open = play(tmp_path), play(tmp_path, acts=3), play(tmp_path, acts=2)
    out, err = io.StringIO(), io.StringIO()
    run_export_results(WantedResults(), STDOUT, CONFIG, tmp_path, out, err)
    assert {row["number"] for row in rows_of(out.getvalue())} == {str(last)}
    assert err.getvalue() == (
        f"Left out: game {_abandoned} is abandoned; game {still_open} is open.\n"
    )


def test_all_finished_games_are_exported_in_order_and_the_others_named(tmp_path: Path) -> None:
    numbers = [play(tmp_path), play(tmp_path, acts=3), play(tmp_path)]
    out, err = io.StringIO(), io.StringIO()
    run_export_results(WantedResults(has_all=True), STDOUT, CONFIG, tmp_path, out, err)
    finished = [str(numbers[0]), str(numbers[2])]
    assert list(dict.fromkeys(row["number"] for row in rows_of(out.getvalue()))) == finished
    assert err.getvalue() == f"Left out: game {numbers[1]} is abandoned.\n"


def test_games_are_exported_in_the_order_given_and_once(tmp_path: Path) -> None:
    first, second = play(tmp_path), play(tmp_path)
    rows = rows_of(exported(tmp_path, "csv", second, first, second))
    assert [row["number"] for row in rows] == [str(second)] * 2 + [str(first)] * 2


def test_a_game_without_a_result_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    good, bad = play(tmp_path), play(tmp_path, acts=3)
    file = tmp_path / "games.csv"
    for number, error in ((bad, NotFinished), (bad + 99, UnknownNumber)):
        with pytest.raises(error, match=f"ame {number}"):
            run_export_results(WantedResults((good, number)), file, CONFIG, tmp_path)
    assert not file.exists()


def test_an_unreadable_game_is_refused_or_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = play(tmp_path), play(tmp_path)
    scribble(tmp_path, f"UPDATE entry SET body = '{{' WHERE seq = {bad + 3}")
    with pytest.raises(JournalError, match=f"entry {bad + 3}"):
        exported(tmp_path, "csv", bad)
    err = io.StringIO()
    run_export_results(WantedResults(has_all=True), STDOUT, CONFIG, tmp_path, io.StringIO(), err)
    why = f"Left out: game {bad} cannot be read: tapmat journal verify says why.\n"
    assert err.getvalue() == why
    # A game whose rules are not installed is one that cannot be read.
    monkeypatch.setattr("firmware.archive.past.games", dict)
    with pytest.raises(JournalError, match=f"game {good} is a game of straw, which is not"):
        exported(tmp_path, "csv", good)
    with pytest.raises(NoResult):
        exported(tmp_path)


def test_without_a_finished_game_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoResult, match="No game was played yet"):
        exported(tmp_path)
    play(tmp_path, acts=3)
    for has_all in (False, True):
        with pytest.raises(NoResult, match="No game is finished yet"):
            exported(tmp_path, has_all=has_all)


def test_games_of_the_virtual_table_are_named_if_there_are_no_others(tmp_path: Path) -> None:
    emulated = tmp_path / options.SIM
    emulated.mkdir()
    play(emulated)
    with pytest.raises(NoResult, match=f"tapmat journal export --state {emulated}"):
        exported(tmp_path)


def test_names_are_those_of_the_time_of_the_game(tmp_path: Path) -> None:
    play(tmp_path)
    play(tmp_path, ("Anna", "Ben"))
    names = [row["name"] for row in rows_of(exported(tmp_path, has_all=True))]
    assert names == ["Ann", "Ben", "Anna", "Ben"]


# --- files and the command line ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("games.csv", b"\xef\xbb\xbfnumber,"),  # Excel takes it for UTF-8 by these three bytes
        ("games.JSON", b"{"),
        ("games.bgsplay", b'{\n  "about"'),
        ("games", b"\xef\xbb\xbfnumber,"),
    ],
)
def test_the_ending_decides_the_format_and_no_file_is_replaced(
    name: str, start: bytes, tmp_path: Path
) -> None:
    play(tmp_path)
    file, out = tmp_path / name, io.StringIO()
    run_export_results(WantedResults(), file, CONFIG, tmp_path, out)
    assert out.getvalue() == f"{file} was written: 1 game.\n"
    written = file.read_bytes()
    assert written.startswith(start)
    with pytest.raises(OutputError, match="Name a new file"):
        run_export_results(WantedResults(), file, CONFIG, tmp_path, out)
    assert file.read_bytes() == written


def test_an_ending_that_names_no_format_is_refused(tmp_path: Path) -> None:
    play(tmp_path)
    file = tmp_path / "games.xlsx"
    with pytest.raises(WrongFormat, match="does not end in one of"):
        run_export_results(WantedResults(), file, CONFIG, tmp_path)
    assert not file.exists()
    wanted = WantedResults(form=ResultFormat.CSV)
    assert run_export_results(wanted, file, CONFIG, tmp_path, io.StringIO()) == 0


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(tmp_path)
    file, real = tmp_path / "games.csv", Path.open

    def open_on_full_disk(path: Path, *words: Any, **more: Any) -> Any:
        new = real(path, *words, **more)
        if path != file:
            return new
        new.write("number")
        new.close()
        return real(Path("/dev/full"), "w", encoding="utf-8")

    monkeypatch.setattr(Path, "open", open_on_full_disk)
    with pytest.raises(OutputError, match="No space left"):
        run_export_results(WantedResults(), file, CONFIG, tmp_path)
    assert not file.exists()


def test_rounds_are_for_csv(tmp_path: Path) -> None:
    play(tmp_path)
    with pytest.raises(WrongFormat, match="--rounds is for the format csv, not for json"):
        exported(tmp_path, "json", by_round=True)


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[object, str, str]:
    """Run ``tapmat journal export`` with *words*; return its exit code and what it printed."""
    monkeypatch.setattr(sys, "argv", ["tapmat", "journal", "export", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr()
    return ended.value.code, said.out, said.err


def test_the_command_reads_its_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    number = str(play(tmp_path))
    state = ("--state", str(tmp_path))
    code, out, _err = run(capsys, monkeypatch, number, "--format", "json", *state)
    assert (code, json.loads(out)["v"]) == (0, 1)
    code, out, _err = run(capsys, monkeypatch, "--all", "--rounds", *state)
    assert (code, len(out.splitlines())) == (0, 1 + 2 * 2)
    code, out, _err = run(capsys, monkeypatch, number, "--rehearsal", "-", *state)
    assert (code, out.splitlines()[0]) == (0, "game straw")
    code, out, err = run(capsys, monkeypatch, "7", *state)
    assert (code, out, err.count("\n")) == (options.EXIT_BAD_INPUT, "", 1)


@pytest.mark.parametrize(
    "words",
    [
        ("1", "--all"),
        ("--rehearsal", "-"),
        ("1", "2", "--rehearsal", "-"),
        ("1", "--rehearsal", "-", "--rounds"),
        ("1", "--rehearsal", "-", "--format", "csv"),
        ("--format", "xml"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    play(tmp_path)
    code, out, err = run(capsys, monkeypatch, *words, "--state", str(tmp_path))
    assert (code, out) == (options.EXIT_BAD_INPUT, "")
    assert "Error" in err
