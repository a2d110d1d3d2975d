"""The commands of ``tapmat hall`` on a table's computer."""

import asyncio
import os
import re
import sys
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import TextIO
from urllib.error import HTTPError

from firmware.commands.beside import end_with_input, socket_to_read
from firmware.commands.hall import need_packages
from firmware.commands.options import EXIT_FAILED, EXIT_OK
from firmware.common.errors import TapmatError
from firmware.common.state_path import HALL_CREDENTIAL, state_path
from firmware.journal.state_folder import state_folder

ADDRESS = re.compile(r"(https?://)?([^\s/]+/join/[A-Za-z0-9_-]+)")
PATIENCE_S = 10.0
LONGEST_ANSWER = 64 * 1024  # bytes


class CannotJoin(TapmatError):
    """The credential of this table cannot be fetched."""


def run_join(address: str, state: Path | None, out: TextIO | None = None) -> int:
    """Save the credential at *address*, a URL or a file, in the state folder *state*."""
    need_packages()
    from firmware.hall.credentials import credential_of, credential_text
    from firmware.hall.private_text import read_secret, write_secret

    if found := ADDRESS.fullmatch(address):
        text = _fetch(f"{found[1] or 'http://'}{found[2]}")
    elif Path(address).is_file():
        text = read_secret(Path(address))
    else:
        raise CannotJoin(
            f"{address} is neither an address that tapmat hall add-table has printed, such as "
            "http://192.168.1.10:8740/join/..., nor a file."
        )
    credential = credential_of(text)
    write_secret(state_folder(state) / HALL_CREDENTIAL, credential_text(credential))
    lines = (
        f"This is the table {credential.table} of the hall at {credential.host} from now on.",
        "Start tapmat again; on a Pi with the service: sudo systemctl restart tapmat",
    )
    print("\n".join(lines), file=out or sys.stdout)
    return EXIT_OK


def run_leave(state: Path | None, out: TextIO | None = None) -> int:
    """Delete the credential in the state folder *state*."""
    need_packages()
    file = state_path(state) / HALL_CREDENTIAL
    out = out or sys.stdout
    if not file.exists():
        print("This table has joined no hall.", file=out)
        return EXIT_FAILED
    file.unlink()
    lines = (
        "This table sends nothing to the hall from its next start on.",
        "To take it off the board, run there: tapmat hall revoke, and the table's name.",
    )
    print("\n".join(lines), file=out)
    return EXIT_OK


def run_send(state: Path | None, is_child: bool) -> int:
    """Send the games in the state folder *state* until the process is stopped.

    If *is_child*, the process also ends when its standard input ends.
    """
    need_packages()
    from firmware.hall.credentials import address_in, credential_of
    from firmware.hall.private_text import read_secret
    from firmware.hall.sending import HallSender

    folder = state_path(state)
    if not (folder / HALL_CREDENTIAL).exists():
        raise CannotJoin("This table has joined no hall. Join one: tapmat hall join ADDRESS")
    credential = credential_of(read_secret(folder / HALL_CREDENTIAL))
    address = address_in(credential)
    socket_file = socket_to_read(os.environ, state)
    if is_child:
        end_with_input()
    asyncio.run(HallSender(address, credential.table, folder, socket_file).run())
    return EXIT_OK


def _fetch(address: str) -> str:
    request = urllib.request.Request(address, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return str(answer.read(LONGEST_ANSWER), "utf-8")
    except HTTPError as fault:
        raise CannotJoin(
            "The hall does not know this code: it was used already, or is older than 15 minutes. "
            "Ask the hall for a new one: tapmat hall add-table"
        ) from fault
    except (OSError, HTTPException, ValueError) as fault:
        reason = getattr(fault, "reason", fault)
        raise CannotJoin(
            f"The hall does not answer at {address}: {reason}. Check the address, and that tapmat "
            "hall run runs there. The code can be used again."
        ) from fault
