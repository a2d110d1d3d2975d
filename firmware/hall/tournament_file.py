"""The tournament on disk: ``tournament.json`` in the hall's folder.

The running hall and the commands change it, one after the other.
"""

import json
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from firmware.common.errors import FolderInUse
from firmware.hall.private_text import read_secret, write_secret
from firmware.hall.tournament import (
    Pairing,
    System,
    Tournament,
    TournamentError,
    TournamentRound,
)
from firmware.journal.lock import Lock

FILE, LOCK = "tournament.json", "tournament.lock"
WAIT_S, AGAIN_S = 5.0, 0.02  # for another process that changes the file
VERSION = 1


class TournamentFile:
    """The file of the tournament of the hall in *folder*."""

    def __init__(self, folder: Path) -> None:
        self._file, self._lock = folder / FILE, folder / LOCK

    @property
    def stamp(self) -> int:
        """A number that changes whenever the file does."""
        return self._file.stat().st_mtime_ns if self._file.exists() else 0

    def load(self) -> Tournament | None:
        """Return the tournament; None if there is none.

        Raises:
            TapmatError: the file cannot be read.
        """
        if not self._file.exists():
            return None
        try:
            return _tournament_of(json.loads(read_secret(self._file)))
        except (ValueError, TypeError, KeyError) as wrong:
            raise TournamentError(f"{self._file}: is not a tournament: {wrong}.") from wrong

    def need(self) -> Tournament:
        """Return the tournament.

        Raises:
            TapmatError: there is none, or it cannot be read.
        """
        found = self.load()
        if found is None:
            start = "tapmat hall tournament start NAME GAME PLAYERS"
            raise TournamentError(f"There is no tournament. Start one: {start}")
        return found

    def save(self, tournament: Tournament) -> None:
        """Write *tournament*. Call this within ``closing(changing())``."""
        write_secret(self._file, json.dumps({"v": VERSION, **asdict(tournament)}, indent=1))

    def take_out(self, table: str) -> bool:
        """Take *table* out of the tournament; return False if it is in none.

        Raises:
            TapmatError: the file cannot be read or written.
        """
        with self.changing():
            found = self.load()
            if found is None or table not in found.tables:
                return False
            self.save(found.without(table))
            return True

    def changing(self) -> "closing[Lock]":
        """Return a context in which no other process changes the file.

        Raises:
            FolderInUse: another process has been changing it for five seconds.
        """
        until_s = time.monotonic() + WAIT_S
        while True:
            try:
                return closing(Lock(self._lock))
            except FolderInUse:
                if time.monotonic() > until_s:
                    raise
                time.sleep(AGAIN_S)


def page_shape(tournament: Tournament) -> dict[str, Any]:
    """Return *tournament* as the board's page gets it."""
    last = tournament.rounds[-1] if tournament.rounds else TournamentRound(())
    return {
        "name": tournament.name,
        "round": len(tournament.rounds),
        "rounds": tournament.length,
        "over": tournament.is_over,
        "pairings": [
            {
                "table": each.table,
                "names": each.players,
                "done": each.is_done,
                "won": [half > 0 for half in each.halves],
            }
            for each in last.pairings
        ],
        "free": [last.free] if last.free else [],
        "standings": [
            {
                "place": row.place,
                "name": row.name,
                "points": row.points,
                "tie": row.tie_break,
                "played": row.played,
            }
            for row in tournament.standings()
        ],
    }


def _tournament_of(shape: dict[str, Any]) -> Tournament:
    if shape.pop("v") != VERSION:
        raise ValueError("a newer tapmat wrote it")
    return Tournament(
        name=shape["name"],
        game=shape["game"],
        system=System(shape["system"]),
        length=shape["length"],
        players=tuple(shape["players"]),
        tables=tuple(shape["tables"]),
        rounds=tuple(map(_round_of, shape["rounds"])),
        last_games=tuple(sorted(map(_last_game, shape["last_games"]))),
    )


def _last_game(pair: Sequence[Any]) -> tuple[str, int]:
    table, number = pair
    return str(table), int(number)


def _round_of(shape: dict[str, Any]) -> TournamentRound:
    pairings: Iterable[dict[str, Any]] = shape["pairings"]
    return TournamentRound(
        tuple(
            Pairing(
                (each["players"][0], each["players"][1]),
                each["table"],
                tuple(each["halves"]),
                each["after"],
            )
            for each in pairings
        ),
        shape["free"],
    )
