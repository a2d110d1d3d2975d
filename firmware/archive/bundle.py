"""``tapmat journal bundle``: the files that a helper needs to find a fault, without private data.

Players are renamed player-1, player-2 and so on. UIDs of tags are replaced by salted hashes. The
salt is not stored, so a tag has the same hash everywhere in one bundle, but a different one in the
next bundle.
"""

import json
import platform
import re
import secrets
import sys
import tarfile
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, requires, version
from io import BytesIO
from pathlib import Path
from typing import Any

from firmware.archive.files import stickers_in
from firmware.archive.past import History, histories
from firmware.boxes.register import UID_SIZES
from firmware.common.errors import OutputError, StoreError, unwritable
from firmware.journal.journal import health_entries, sum_by_part
from firmware.journal.log_file import LOG as LOG_FILE
from firmware.journal.log_file import REPORT, read_saved_file
from firmware.runtime.controller import JOURNAL, REGISTER

HASH_BYTES = 8
LOG_LINES = 2000
JOURNALCTL = (
    "journalctl",
    "--unit",
    "tapmat",
    "--lines",
    str(LOG_LINES),
    "--no-pager",
    "--output",
    "cat",
)
SECRET = re.compile(r"pass(word|phrase)?|secret|token|key|user", re.IGNORECASE)
LEFT_OUT = "(left out)"
HEX, MORE = "[0-9A-Fa-f]{2}", "[ :][0-9A-Fa-f]{2}"  # bytes of a UID in a text
UID = re.compile(
    "|".join(rf"\b{HEX}(?:{MORE}){{{n - 1}}}\b|\b(?:{HEX}){{{n}}}\b" for n in reversed(UID_SIZES))
)
TEXT_ABOUT = """\
A support bundle of tapmat. It contains:
{contents}
Players are called player-1, player-2 and so on. UIDs of tags are hashed with a salt that is not in
the bundle. Values that look like passwords, and the name of the home folder, are left out.
"""


@dataclass
class Mask:
    """A mask for private data: it replaces names of players, UIDs of tags, and secrets.

    *called* has the new name of each player found so far. *salt* is the key for hashing UIDs.
    """

    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    called: dict[str, str] = field(default_factory=dict)

    def player(self, name: str) -> str:
        """Return the new name of the player *name*, such as "player-1"."""
        return self.called.setdefault(name, f"player-{len(self.called) + 1}")

    def uid(self, uid: bytes) -> str:
        """Return the hash of the UID *uid*, as 16 hexadecimal digits."""
        return blake2b(uid, key=self.salt, digest_size=HASH_BYTES).hexdigest()

    def text(self, text: str) -> str:
        """Return *text* with players' names, UIDs and the home folder replaced."""
        text = text.replace(str(Path.home()), "~")
        text = UID.sub(lambda found: self._replace_uid(found[0]), text)
        if not self.called:
            return text
        names = sorted(self.called, key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)
        return re.sub(pattern, lambda found: self.called[found[0]], text)

    def value(self, value: Any) -> Any:
        """Return the JSON value *value* with ``text()`` applied to all strings except keys.

        Values whose key suggests a secret, such as "password", are left out.
        """
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {
                    key: LEFT_OUT if SECRET.fullmatch(str(key)) else self.value(inner)
                    for key, inner in value.items()
                }
            case list() | tuple():
                return [self.value(inner) for inner in value]
        return value

    def _replace_uid(self, written: str) -> str:
        """Return the replacement for *written*, a part of a text that looks like a UID.

        Eight decimal digits are returned unchanged, because they may be a date.
        """
        if written.isdecimal() and len(written) == 2 * UID_SIZES[0]:
            return written
        return f"uid:{self.uid(bytes.fromhex(re.sub('[ :]', '', written)))}"


def bundle_files(
    folder: Path,
    table: Path,
    doctor: Callable[[], Mapping[str, Any]],
    run: Callable[[Sequence[str]], str | None],
) -> dict[str, str]:
    """Return the text of each file in a bundle, by the file's name.

    Args:
        folder: the state folder.
        table: the file ``table.toml``; it may be invalid.
        doctor: runs all checks of ``tapmat doctor`` and returns the report as JSON values.
        run: runs a command and returns its output; None if the command does not exist.
    """
    mask = Mask()
    journal = _journal(folder, mask)  # first, since it has the players' names
    last = {f"last-{name}": read_saved_file(folder, name) for name in (LOG_FILE, REPORT)}
    files = {
        "versions.json": _json(_versions()),
        "doctor.json": _json(mask.value(doctor())),
        "table.json": _json(_table(table, mask)),
        "journal.jsonl": journal,
        "health.json": _json(_health(folder, mask)),
        "tags.json": _json(_tags(folder, mask)),
    }
    log = run(JOURNALCTL)
    if log:
        files["log.txt"] = mask.text(log) + "\n"
    files |= {name: mask.text(text) for name, text in last.items() if text}
    sizes = "\n".join(f"  {name}: {len(text.encode()):,} bytes" for name, text in files.items())
    return {"README.txt": TEXT_ABOUT.format(contents=sizes), **files}


def write_bundle(files: Mapping[str, str], file: Path) -> None:
    """Write *files* (text by name) into the new ``.tar.gz`` archive *file*.

    Raises:
        OutputError: *file* exists already, or cannot be written.
    """
    try:
        with file.open("xb") as out, tarfile.open(fileobj=out, mode="w:gz") as tar:
            for name, text in files.items():
                data = text.encode()
                member = tarfile.TarInfo(f"tapmat-bundle/{name}")
                member.size = len(data)
                tar.addfile(member, BytesIO(data))
    except FileExistsError as wrong:
        raise OutputError(file, "", "already exists", "Name a new file.") from wrong
    except OSError as wrong:
        raise unwritable(file, wrong) from wrong


def _versions() -> dict[str, Any]:
    names = [re.split(r"[^\w.-]", need)[0] for need in requires("tapmat") or ()]
    return {
        "tapmat": version("tapmat"),
        "python": sys.version,
        "system": platform.platform(),
        "packages": {name: _version(name) for name in names},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _table(table: Path, mask: Mask) -> Any:
    """Return the configuration *table* as JSON values, or the error if it cannot be read.

    *mask* replaces the private data in it.
    """
    try:
        keys = tomllib.loads(table.read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        return {"error": mask.text(str(wrong))}
    of_table = keys.get("table")
    if isinstance(of_table, dict) and isinstance(of_table.get("names"), list):
        of_table["names"] = [mask.player(str(name)) for name in of_table["names"]]
    return mask.value(keys)


def _journal(folder: Path, mask: Mask) -> str:
    """Return the entries of all games in the state folder *folder* as JSON lines.

    *mask* replaces the private data in them. An entry that cannot be read becomes a line with the
    error.
    """
    lines: list[Mapping[str, Any]] = []
    try:
        for history in histories(folder):
            lines += _entries(history, mask)
    except StoreError as error:
        lines.append({"error": mask.text(str(error))})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _entries(history: History, mask: Mask) -> Iterable[Mapping[str, Any]]:
    for entry in history.entries:
        body = dict(entry.body)
        if entry.kind == "start" and isinstance(body.get("names"), list):
            body["names"] = [mask.player(str(name)) for name in body["names"]]
        yield {
            "seq": entry.seq, "game": entry.game, "kind": entry.kind, "at": entry.at, "body": body,
        }  # fmt: skip
    if history.fault is not None:
        yield {"game": history.number, "error": mask.text(str(history.fault))}


def _health(folder: Path, mask: Mask) -> Any:
    try:
        return sum_by_part(health_entries(folder / JOURNAL))
    except StoreError as error:
        return {"error": mask.text(str(error))}


def _tags(folder: Path, mask: Mask) -> Any:
    try:
        stickers = stickers_in(folder / REGISTER)
    except StoreError as error:
        return {"error": mask.text(str(error))}
    return [
        {
            "uid": mask.uid(uid),
            "bytes": len(uid),
            "game": to.game,
            "box": to.box,
            "piece": str(to.piece),
        }
        for uid, to in stickers.items()
    ]


def _json(shape: Any) -> str:
    return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"
