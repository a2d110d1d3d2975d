"""``tapmat companion --viewers`` and ``--remove``: they ask the companion that is running.

A *viewer* is a browser that has joined: it may show the companion's pages.
"""

import json
import sys
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

from firmware.commands.options import EXIT_FAILED, EXIT_OK
from firmware.common.errors import TapmatError
from firmware.config.companion_config import load_companion

PATIENCE_S = 5.0


class NoCompanionError(TapmatError):
    """No companion answers at the port."""


def list_viewers(table: Path | None, port: int | None, out: TextIO | None = None) -> int:
    """Print each viewer's number, and when and from where it joined.

    All pages that the link for watching has opened are one viewer, ``watch``.

    *port* is the companion's port; None is the port in *table*.

    Raises:
        ConfigError: the file *table* cannot be used.
        NoCompanionError: no companion runs.
    """
    out = out or sys.stdout
    _, text = _ask("GET", "/viewers", table, port)
    try:
        viewers = json.loads(text)
    except ValueError:
        raise _no_companion(table, port) from None
    for number, note in viewers.items():
        print(f"{number}  {note}", file=out)
    if not viewers:
        print("There are no viewers.", file=out)
    return EXIT_OK


def remove_viewer(
    table: Path | None, port: int | None, number: str, out: TextIO | None = None
) -> int:
    """Remove the viewer *number*; return 1 if there is none. ``watch`` takes the link back.

    *port* is the companion's port; None is the port in *table*.

    Raises:
        ConfigError: the file *table* cannot be used.
        NoCompanionError: no companion runs.
    """
    out = out or sys.stdout
    path = f"/viewers/{quote(number, safe='')}/remove"
    status, _ = _ask("POST", path, table, port)
    if status != 200:
        print(f"There is no viewer {number}. To list them: tapmat companion --viewers", file=out)
        return EXIT_FAILED
    print(f"Removed: {number}. This viewer must join again to see the table.", file=out)
    return EXIT_OK


def _ask(method: str, path: str, table: Path | None, port: int | None) -> tuple[int, str]:
    """Send a request to the companion; return the status and the text of its answer.

    *method* is the HTTP method and *path* the path of the URL. The port is *port* or, if that is
    None, the port in the file *table*.

    Raises:
        ConfigError: the file *table* cannot be used.
        NoCompanionError: no companion runs.
    """
    at = load_companion(table).port if port is None else port
    connection = HTTPConnection("127.0.0.1", at, timeout=PATIENCE_S)
    try:
        connection.request(method, path, headers={"Origin": f"http://127.0.0.1:{at}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", errors="replace")
    except (OSError, HTTPException):
        raise _no_companion(table, port) from None
    finally:
        connection.close()


def _no_companion(table: Path | None, port: int | None) -> NoCompanionError:
    at = load_companion(table).port if port is None else port
    return NoCompanionError(
        f"No companion answers at port {at}. Start the table, or name its file with --table."
    )
