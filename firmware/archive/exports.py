"""Results as text for other programs: CSV, JSON, and two forms for the app BG Stats.

BG Stats takes one game as a link and several games as a file. Both forms were taken from other
programs that write them, because neither the app nor its makers' pages were available
(``docs/journal.md``). In this module, *title_of* returns the title of the game with a given name.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID, uuid5

from firmware.archive.results import GameResult, PlayerResult

VERSION: Final = 1  # of the JSON form
TITLE_OF = Callable[[str], str]  # returns the title of a game by its name

CSV_COLUMNS = (
    *("number", "date", "time", "zone", "game", "players", "seat", "name"),
    *("score", "place", "won", "rounds", "minutes"),
)
ROUND_COLUMNS = (
    *("number", "date", "time", "zone", "game", "players", "seat", "name"),
    *("round", "points", "total"),
)
# Spreadsheets take a cell that begins with one of these for a formula; some also the wide forms.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

APP_DATE = "%Y-%m-%d %H:%M:%S"
APP_LINK = "https://app.bgstatsapp.com/createPlay.html?data="
SOURCE: Final = "tapmat"  # BG Stats remembers matches of games and players by it: never change it
NAMESPACE = UUID("6a0f1a0e-5a3c-4f0e-9d55-7d1f3f0c7a26")  # of our UUIDs; never change it
ABOUT = (
    "This is a Play file that can be read by Board Game Stats. If you see this text, try to use a "
    "share, export or open-in function to open it with Board Game Stats."
)


# --- CSV -----------------------------------------------------------------------------------------


def results_csv(results: Iterable[GameResult], title_of: TITLE_OF) -> str:
    """Return *results* as CSV (RFC 4180), with a row for each player of each game."""
    rows = (
        (
            *_start_of_row(result, player, title_of),
            *(player.score, player.place, int(player.has_won)),
            *("" if result.rounds is None else result.rounds, result.minutes),
        )
        for result in results
        for player in result.players
    )
    return _csv(CSV_COLUMNS, rows)


def rounds_csv(results: Iterable[GameResult], title_of: TITLE_OF) -> str:
    """Return *results* as CSV with a row for each player and round.

    A player of a game without rounds has one row, in which the round is empty.
    """
    rows = (
        (*_start_of_row(result, player, title_of), *round_)
        for result in results
        for player in result.players
        for round_ in _rounds(player)
    )
    return _csv(ROUND_COLUMNS, rows)


def _rounds(player: PlayerResult) -> Iterator[tuple[int | str, int, int]]:
    """Yield the number of each round, the player's points in it, and the total after it."""
    if not player.by_round:
        yield "", player.score, player.score
    total = player.score - sum(player.by_round)
    for number, points in enumerate(player.by_round, 1):
        total += points
        yield number, points, total


def _start_of_row(
    result: GameResult, player: PlayerResult, title_of: TITLE_OF
) -> tuple[int | str, ...]:
    began = result.began.astimezone()
    return (
        *(result.number, f"{began:%Y-%m-%d}", f"{began:%H:%M}", f"UTC{_offset(began)}"),
        *(harmless(title_of(result.game)), len(result.players)),
        *(player.seat + 1, harmless(player.name)),
    )


def _offset(at: datetime) -> str:
    return at.isoformat()[-6:]  # as +01:00


def harmless(text: str) -> str:
    """Return *text* for a CSV cell, with an apostrophe in front if it looks like a formula."""
    is_formula = text.startswith(FORMULA) or text.lstrip().startswith(FORMULA)
    return f"'{text}" if is_formula else text


def _csv(columns: Sequence[str], rows: Iterable[Sequence[int | str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


# --- JSON ----------------------------------------------------------------------------------------


def results_json(results: Iterable[GameResult], title_of: TITLE_OF) -> str:
    """Return *results* as JSON; ``results.schema.json`` beside this module is its schema."""
    shape = {"v": VERSION, "games": [_game_shape(result, title_of) for result in results]}
    return json.dumps(shape, ensure_ascii=False, indent=2) + "\n"


def _game_shape(result: GameResult, title_of: TITLE_OF) -> dict[str, Any]:
    return {
        "number": result.number,
        "game": result.game,
        "title": title_of(result.game),
        "began": result.began.astimezone().isoformat(timespec="seconds"),
        "ended": result.ended.astimezone().isoformat(timespec="seconds"),
        "minutes": result.minutes,
        "options": result.options,
        "unit": result.unit,
        "lowestWins": result.lowest_wins,
        "rounds": result.rounds,
        "players": [
            {
                "seat": player.seat,
                "name": player.name,
                "score": player.score,
                "place": player.place,
                "won": player.has_won,
                "byRound": None if result.rounds is None else list(player.by_round),
            }
            for player in result.players
        ],
    }


# --- BG Stats ------------------------------------------------------------------------------------


def bgstats_links(results: Iterable[GameResult], title_of: TITLE_OF) -> str:
    """Return a line for each of *results*: a link that opens the game in BG Stats on a phone."""
    shapes = (json.dumps(_link_shape(result, title_of), ensure_ascii=False) for result in results)
    return "".join(f"{APP_LINK}{quote(shape, safe='')}\n" for shape in shapes)


def _link_shape(result: GameResult, title_of: TITLE_OF) -> dict[str, Any]:
    """Return *result* as the JSON data of a link. Its date is the end of the game, in UTC."""
    names = _distinct(result)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": _play_uuid(result),
        "playDate": f"{result.ended.astimezone(UTC):{APP_DATE}}",
        "durationMin": result.minutes,
        "game": {
            "name": title_of(result.game),
            "sourceGameId": result.game,
            "highestWins": not result.lowest_wins,
            "noPoints": False,
        },
        "players": [
            {
                "name": player.name,
                "sourcePlayerId": names[player.seat],
                "startPlayer": player.has_begun,
                "winner": player.has_won,
                "score": player.score,
                "rank": player.place,
            }
            for player in result.players
        ],
    }


def bgstats_file(results: Sequence[GameResult], title_of: TITLE_OF) -> str:
    """Return *results*, at least one, as a play file of BG Stats (``.bgsplay``).

    Its dates have no time zone; they are local. Games and players are listed once, with numbers
    that are valid in this file only. All players with the same name are one player. A file names
    its owner as one of the players, but the table has no owner, so the first player is named as the
    owner.
    """
    last = f"{max(result.ended for result in results).astimezone():{APP_DATE}}"
    games = {result.game: result for result in results}
    people = {
        name: player.name
        for result in results
        for player, name in zip(result.players, _distinct(result), strict=True)
    }
    game_ids, people_ids = _ids(games), _ids(people)
    shape = {
        "about": ABOUT,
        "players": [
            {
                "id": people_ids[key],
                "uuid": _uuid("player", key),
                "name": name,
                "isAnonymous": False,
                "modificationDate": last,
                "bggUsername": "",
            }
            for key, name in people.items()
        ],
        "locations": [],
        "games": [
            {
                "id": game_ids[name],
                "uuid": _uuid("game", name),
                "name": title_of(name),
                "modificationDate": last,
                "cooperative": False,
                "highestWins": not result.lowest_wins,
                "noPoints": False,
                "usesTeams": False,
                "bggId": 0,  # unknown
                "bggName": "",
                "bggYear": 0,
            }
            for name, result in games.items()
        ],
        "plays": [_play_shape(result, game_ids, people_ids) for result in results],
        "userInfo": {"meRefId": 1},
    }
    return json.dumps(shape, ensure_ascii=False, indent=2) + "\n"


def _play_shape(
    result: GameResult, game_ids: Mapping[str, int], people_ids: Mapping[str, int]
) -> dict[str, Any]:
    names, ended = _distinct(result), f"{result.ended.astimezone():{APP_DATE}}"
    return {
        "uuid": _play_uuid(result),
        "modificationDate": ended,
        "entryDate": ended,
        "playDate": f"{result.began.astimezone():{APP_DATE}}",
        "usesTeams": False,
        "durationMin": result.minutes,
        "ignored": False,
        "manualWinner": True,  # not only the scores decide who wins
        "rounds": result.rounds or 0,
        "gameRefId": game_ids[result.game],
        "board": "",
        "scoringSetting": 0,
        "expansionPlays": [],
        "playerScores": [
            {
                "playerRefId": people_ids[names[player.seat]],
                "score": str(player.score),
                "winner": player.has_won,
                "newPlayer": False,
                "startPlayer": player.has_begun,
                "rank": player.place,
                "seatOrder": player.seat + 1,
            }
            for player in result.players
        ],
    }


def _distinct(result: GameResult) -> list[str]:
    """Return the players' names by seat. If two players have one name, a number makes it unique."""
    seen: Counter[str] = Counter()
    names = []
    for player in result.players:
        seen[player.name] += 1
        again = seen[player.name] > 1
        names.append(f"{player.name} ({seen[player.name]})" if again else player.name)
    return names


def _ids(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, 1)}


def _play_uuid(result: GameResult) -> str:
    """Return the UUID of *result*, by which BG Stats recognizes a game that it already has."""
    return _uuid("play", f"{result.began.astimezone(UTC).isoformat()} {result.number}")


def _uuid(kind: str, name: str) -> str:
    return str(uuid5(NAMESPACE, f"{kind} {name}")).upper()


FORMATS: Mapping[str, Callable[[Sequence[GameResult], TITLE_OF], str]] = MappingProxyType(
    {
        "csv": results_csv,
        "json": results_json,
        "bgstats": bgstats_file,
        "bgstats-link": bgstats_links,
    }
)
