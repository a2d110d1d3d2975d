"""Pairings, results and standings of a tournament, and its file."""

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from firmware.hall.desk import Desk
from firmware.hall.pairing import round_robin, swiss_pairs
from firmware.hall.table_fold import ShownGame, ShownPlayer
from firmware.hall.tournament import (
    System,
    Tournament,
    TournamentError,
    new_tournament,
)
from firmware.hall.tournament_file import TournamentFile
from tests.effort import some

TABLES = ("one", "two", "three")
READY = dict.fromkeys(TABLES, 0)  # no game has begun there


def names(count: int) -> tuple[str, ...]:
    return tuple(f"player {number}" for number in range(1, count + 1))


def begun(
    count: int, system: System = System.SWISS, length: int = 0, tables: tuple[str, ...] = TABLES
) -> Tournament:
    return new_tournament("Cup", "straw", system, length, names(count), tables)


def play_round(tournament: Tournament, chance: Random) -> Tournament:
    """Return the tournament after a round, in which players with lower numbers often win."""
    tournament = tournament.next_round(dict.fromkeys(tournament.tables, 0))
    while not tournament.is_round_done:
        pairing = next(p for p in tournament.rounds[-1].pairings if p.table and not p.is_done)
        players = sorted(pairing.players, key=lambda name: int(name.split()[1]))
        winner = players[chance.random() < 0.2]
        number = chance.randrange(pairing.after + 1, pairing.after + 9)
        tournament = tournament.after_game(pairing.table, number, "straw", [winner], players)
        tournament = tournament.seat(dict.fromkeys(tournament.tables, 0))
    return tournament


@pytest.mark.parametrize("count", range(2, 13))
def test_in_a_round_robin_everybody_plays_everybody_once(count: int) -> None:
    rounds = round_robin(names(count))
    pairs = [frozenset(pair) for one in rounds for pair in one]
    assert sorted(map(sorted, pairs)) == sorted(map(sorted, combinations(names(count), 2)))
    for one in rounds:
        players = [name for pair in one for name in pair]
        assert len(players) == len(set(players)) == count - count % 2


@pytest.mark.parametrize("seed", range(some(50)))
def test_in_a_swiss_system_nobody_meets_twice_or_is_free_twice(seed: int) -> None:
    chance = Random(seed)
    tournament = begun(chance.randrange(5, 40))
    while not tournament.is_over:
        tournament = play_round(tournament, chance)
    met = [frozenset(p.players) for one in tournament.rounds for p in one.pairings]
    assert len(met) == len(set(met))
    free = [one.free for one in tournament.rounds if one.free]
    assert len(free) == len(set(free))
    played = {row.name: row.played for row in tournament.standings()}
    rounds = len(tournament.rounds)
    assert all(played[name] + free.count(name) == rounds for name in tournament.players)


def test_players_with_equal_points_meet_in_a_swiss_system() -> None:
    tournament = play_round(begun(8), Random(1)).next_round(READY)
    points = {row.name: row.points for row in tournament.standings()}
    assert all(
        points[a] == points[b] for a, b in (p.players for p in tournament.rounds[-1].pairings)
    )


def test_players_meet_again_only_if_there_is_no_other_way() -> None:
    four = names(4)
    assert swiss_pairs(four, [frozenset(four[:2])]) == [(four[0], four[2]), (four[1], four[3])]
    everybody = [frozenset(pair) for pair in combinations(four, 2)]
    assert swiss_pairs(four, everybody) == [(four[0], four[1]), (four[2], four[3])]


def test_standings_break_ties_by_the_opponents_points() -> None:
    tournament = begun(4, System.ROUND_ROBIN).next_round(READY)
    (one, two), (three, four) = (p.players for p in tournament.rounds[0].pairings)
    tournament = tournament.with_result((one, two), [one]).with_result((three, four), [three, four])
    rows = tournament.standings()
    assert [(row.name, row.points, row.tie_break, row.place) for row in rows] == [
        (one, 1.0, 0.0, 1),
        *((name, 0.5, 0.5, 2) for name in tournament.players if name in (three, four)),
        (two, 0.0, 1.0, 4),
    ]


def test_games_wait_for_a_free_table() -> None:
    tournament = begun(8, tables=("one", "two")).next_round({"one": 0})
    assert [p.table for p in tournament.rounds[-1].pairings] == ["one", "", "", ""]
    tournament = tournament.seat({"one": 0, "two": 0})
    assert [p.table for p in tournament.rounds[-1].pairings] == ["one", "two", "", ""]
    first = tournament.rounds[-1].pairings[0].players
    tournament = tournament.after_game("one", 5, "straw", first[:1], first).seat(
        {"one": 0, "two": 0}
    )
    assert [p.table for p in tournament.rounds[-1].pairings] == ["one", "two", "one", ""]


def test_the_game_of_a_table_that_is_out_begins_again_elsewhere() -> None:
    tournament = begun(4, tables=("one", "two")).next_round({"one": 0, "two": 0}).without("one")
    assert [p.table for p in tournament.rounds[-1].pairings] == ["", "two"]
    second = tournament.rounds[-1].pairings[1].players
    tournament = tournament.after_game("two", 9, "straw", second[:1], second).seat({"two": 0})
    assert [p.table for p in tournament.rounds[-1].pairings] == ["two", "two"]
    with pytest.raises(TournamentError, match="no table 'one' in the tournament"):
        tournament.without("one")


def test_other_games_at_a_table_do_not_count() -> None:
    before = begun(4).next_round(READY)
    one, other = before.rounds[-1].pairings
    for number, game, winners, players in (
        (3, "ciao", one.players[:1], one.players),
        (3, "straw", other.players[:1], other.players),
        (3, "straw", (), one.players),
    ):
        after = before.after_game(one.table, number, game, list(winners), players)
        assert after.rounds == before.rounds
    late = before.after_game(one.table, 3, "straw", one.players[:1], one.players).next_round
    with pytest.raises(TournamentError, match="no result yet"):
        late(READY)


def test_a_game_that_began_before_the_pairing_does_not_count() -> None:
    pair = names(2)
    tournament = begun(2).next_round({"one": 9})
    assert not tournament.after_game("one", 9, "straw", pair[:1], pair).is_round_done
    assert tournament.after_game("one", 10, "straw", pair[:1], pair).is_round_done


def test_a_game_that_ended_before_the_pairing_does_not_count() -> None:
    pair = names(2)
    tournament = begun(2).after_game("one", 7, "straw", pair[:1], pair).next_round(READY)
    assert not tournament.after_game("one", 7, "straw", pair[:1], pair).is_round_done
    assert tournament.after_game("one", 8, "straw", pair[:1], pair).is_round_done


def test_a_result_can_be_corrected() -> None:
    pair = names(2)
    tournament = begun(2).next_round(READY).with_result(pair, pair[:1]).with_result(pair, pair)
    assert [row.points for row in tournament.standings()] == [0.5, 0.5]
    with pytest.raises(TournamentError, match="do not play in this round"):
        tournament.with_result(("nobody", "else"), [])
    with pytest.raises(TournamentError, match="is over"):
        tournament.next_round(READY)


def test_a_tournament_that_cannot_be_held_is_refused() -> None:
    for players, tables, why in (
        (("Ann",), TABLES, "two players"),
        (("Ann", "Ann"), TABLES, "twice: Ann"),
        (("Ann", "Ben"), (), "needs a table"),
    ):
        with pytest.raises(TournamentError, match=why):
            new_tournament("Cup", "straw", System.SWISS, 0, players, tables)


def test_the_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    file, tournament = TournamentFile(tmp_path), play_round(begun(5), Random(2))
    assert file.load() is None
    with pytest.raises(TournamentError, match="There is no tournament"):
        file.need()
    with file.changing():
        file.save(tournament)
    assert file.need() == tournament
    (tmp_path / "tournament.json").write_text('{"v": 2}', encoding="utf-8")
    with pytest.raises(TournamentError, match="is not a tournament"):
        file.load()


def test_the_desk_tells_players_where_to_sit_until_their_game_is_over(tmp_path: Path) -> None:
    file, shown, ready = TournamentFile(tmp_path), list[dict[str, str]](), {"one": 0}
    file.save(begun(4, System.ROUND_ROBIN).next_round({}))
    desk = Desk(file, "en", lambda: ready, lambda texts: shown.append(dict(texts)), lambda _: None)
    desk.look()
    (first, second) = (pairing.players for pairing in file.need().rounds[0].pairings)
    assert shown[-1] == {"one": f"Round 1: {' - '.join(first)}"}
    ready["two"] = 0
    desk.look()
    assert shown[-1].keys() == {"one", "two"}
    players = tuple(ShownPlayer(name, 7, False, 1 + (name != first[0])) for name in first)
    desk.take_result("one", ShownGame(5, "straw", "Straw", "", players, "over", "", ""))
    desk.look()
    assert shown[-1] == {"two": f"Round 1: {' - '.join(second)}"}
    assert desk.shape["standings"][0]["name"] == first[0]
