"""The commands of ``tapmat hall tournament``."""

import csv
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from firmware.commands.hall import hall_folder, need_packages
from firmware.commands.options import EXIT_OK
from firmware.common.errors import TapmatError

if TYPE_CHECKING:
    from firmware.hall.tournament import Pairing, Tournament


class PlayersError(TapmatError):
    """The file with the players cannot be used."""


def run_start(
    folder: Path | None, name: str, game: str, players: Path, system: str, rounds: int
) -> int:
    """Start a tournament, whose players are in the file *players*, and pair its first round."""
    need_packages()
    from firmware.boxes.games import game_named
    from firmware.hall.credentials import users
    from firmware.hall.settings import HALL, load_hall
    from firmware.hall.tournament import System, TournamentError, new_tournament
    from firmware.hall.tournament_file import TournamentFile

    hall = load_hall(hall_folder(folder))
    tables = [user.name for user in users(hall.folder) if user.name != HALL]
    kind = System(system)
    begun = new_tournament(name, game_named(game).name, kind, rounds, _names_in(players), tables)
    file = TournamentFile(hall.folder)
    with file.changing():
        old = file.load()
        if old is not None and old.rounds and not old.is_over:
            raise TournamentError(
                f"The tournament {old.name} is not over. To give it up, delete tournament.json "
                f"in {hall.folder}."
            )
        file.save(begun.next_round({}))
    return run_show(folder)


def run_next(folder: Path | None) -> int:
    """Pair the next round."""
    return _change(folder, lambda tournament: tournament.next_round({}))


def run_result(folder: Path | None, names: Sequence[str], is_draw: bool) -> int:
    """Enter a result by hand: the first of the two *names* has won, unless *is_draw*."""
    winners = names if is_draw else names[:1]
    return _change(folder, lambda tournament: tournament.with_result(names, winners))


def run_without(folder: Path | None, table: str) -> int:
    """Take *table* out; its unfinished game waits for another table."""
    return _change(folder, lambda tournament: tournament.without(table))


def run_show(folder: Path | None, as_csv: bool = False, out: TextIO | None = None) -> int:
    """Print the games of this round and the standings."""
    need_packages()
    from firmware.hall.settings import load_hall
    from firmware.hall.tournament_file import TournamentFile

    out = out or sys.stdout
    tournament = TournamentFile(load_hall(hall_folder(folder)).folder).need()
    rows = tournament.standings()
    if as_csv:
        table = csv.writer(out)
        table.writerow(("place", "name", "points", "opponents_points", "games"))
        table.writerows((r.place, r.name, r.points, r.tie_break, r.played) for r in rows)
        return EXIT_OK
    number = len(tournament.rounds)
    print(f"{tournament.name}: round {number} of {tournament.length}", file=out)
    for pairing in tournament.rounds[-1].pairings if tournament.rounds else ():
        state = _result_of(pairing) or pairing.table or "waits for a table"
        print(f"  {' - '.join(pairing.players)}: {state}", file=out)
    if number and tournament.rounds[-1].free:
        print(f"  {tournament.rounds[-1].free}: free", file=out)
    for row in rows:
        print(f"{row.place:3}  {row.name:24} {row.points:5g} {row.tie_break:6g}", file=out)
    return EXIT_OK


def _result_of(pairing: "Pairing") -> str:
    """Return the result in words, or "" if the game is not over."""
    if not pairing.is_done:
        return ""
    most = max(pairing.halves)
    winners = [name for name, n in zip(pairing.players, pairing.halves, strict=True) if n == most]
    return "draw" if len(winners) > 1 else f"{winners[0]} has won"


def _change(folder: Path | None, change: "Callable[[Tournament], Tournament]") -> int:
    need_packages()
    from firmware.hall.settings import load_hall
    from firmware.hall.tournament_file import TournamentFile

    file = TournamentFile(load_hall(hall_folder(folder)).folder)
    with file.changing():
        file.save(change(file.need()))
    return run_show(folder)


def _names_in(file: Path) -> list[str]:
    """Return the names in *file*, one on each line, as the tables write them.

    Raises:
        PlayersError: it cannot be read, or no table can write a name.
    """
    from firmware.show.names import LETTERS, NAME_LENGTH, as_spelt, capital_of

    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is not UTF-8. Save it as UTF-8"
        raise PlayersError(f"{file}: cannot be read: {why}.") from fault
    names = [line.strip() for line in lines if line.strip()]
    for name in names:
        odd = [letter for letter in name if capital_of(letter) not in LETTERS]
        if odd or len(name) > NAME_LENGTH:
            why = f"there is no {odd[0]!r}" if odd else f"it has more than {NAME_LENGTH} letters"
            raise PlayersError(f"{file}: {name!r} cannot be spelt at a table: {why}.")
    return [as_spelt(name) for name in names]
