"""The newest results, as files for other programs, for the host's phone.

``python -m firmware.archive.recent STATE LANGUAGE`` prints them as JSON. The table starts it as a
separate process with the lowest priority, because replaying games would delay the table's loop.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from firmware.archive.automatic import NICE
from firmware.archive.describer import Describer
from firmware.archive.exports import (
    TITLE_OF,
    bgstats_file,
    bgstats_links,
    results_csv,
    results_json,
)
from firmware.archive.past import histories, replay
from firmware.archive.results import GameResult, NotFinished, result_of
from firmware.common.errors import JournalError
from firmware.runtime.controller import words_for

MOST = 5  # games
LONGEST_S = 60.0
BYTE_ORDER_MARK = "\ufeff"  # Excel reads CSV as UTF-8 only with one


def recent_results(folder: Path, title_of: TITLE_OF, most: int = MOST) -> list[dict[str, Any]]:
    """Return the last finished games in the state folder *folder*, the newest first, as JSON.

    Each has its files as ``tapmat journal export`` writes them. Games that cannot be read are left
    out.
    """
    return [_shape(result, title_of) for result in islice(_backwards(folder), most)]


def find_recent(folder: Path, language: str) -> bytes:
    """Run this module in a process, wait for it, and return the JSON that it prints.

    Raises:
        OSError: the process cannot be started.
        subprocess.SubprocessError: it failed, or takes too long.
    """
    command = [sys.executable, "-m", __name__, str(folder), language]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=LONGEST_S, check=True
    )
    return done.stdout


def _backwards(folder: Path) -> Iterator[GameResult]:
    for history in reversed(list(histories(folder))):
        try:
            yield result_of(replay(history))
        except (JournalError, NotFinished):
            continue


def _shape(result: GameResult, title_of: TITLE_OF) -> dict[str, Any]:
    return {
        "number": result.number,
        "title": title_of(result.game),
        "ended": result.ended.astimezone().isoformat(timespec="seconds"),
        "players": [[each.name, each.score, each.has_won] for each in result.players],
        "link": bgstats_links([result], title_of).strip(),
        "bgsplay": bgstats_file([result], title_of),
        "csv": BYTE_ORDER_MARK + results_csv([result], title_of),
        "json": results_json([result], title_of),
    }


def main() -> None:
    """Print the newest results; see this module's docstring."""
    folder, language = sys.argv[1:]
    os.nice(NICE)
    title_of = Describer(words_for(language)).title
    print(json.dumps(recent_results(Path(folder), title_of)))


if __name__ == "__main__":
    main()
