"""The table of roles in the document is the one in use, and the library is whole."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from firmware.companion.page import STATIC
from firmware.companion.roles import MAY, Role
from tests.docs.pages import page

LIBRARY = STATIC / "vendor" / "nacl-fast.min.js"
# Of the file in tweetnacl 1.0.3.
HASH = "3ec535c004aeeb225785d8e93fb33bf99f52e399bd7dfc01969b5629baea5131"
LOCK = Path(__file__).parents[3] / "sim" / "web" / "package-lock.json"
INSTALLED = LOCK.parent / "node_modules" / "tweetnacl"
ROLES = [role.value for role in Role]


def documented() -> dict[str, frozenset[Role]]:
    """Return the table of roles in docs/companion.md."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page("docs/companion.md").text.splitlines()
        if line.startswith("|")
    ]
    at = next(n for n, row in enumerate(rows) if [each.lower() for each in row[2:]] == ROLES)
    found: dict[str, frozenset[Role]] = {}
    for row in rows[at + 2 :]:
        if len(row) != len(ROLES) + 2 or not row[0].startswith("`"):
            break
        marks = zip(Role, row[2:], strict=True)
        roles = frozenset(role for role, mark in marks if mark == "yes")
        found |= {act.strip("` "): roles for act in row[0].split(",")}
    return found


def test_the_document_and_the_companion_have_the_same_table() -> None:
    assert documented() == MAY


def test_a_board_does_nothing_and_nobody_sees_another_hand() -> None:
    assert [act for act, roles in MAY.items() if Role.BOARD in roles] == ["see-public"]
    assert MAY["see-hand"] == {Role.SEAT}


def test_the_library_is_the_published_one() -> None:
    assert sha256(LIBRARY.read_bytes()).hexdigest() == HASH
    assert "public domain" in (LIBRARY.parent / "LICENSE.tweetnacl").read_text("utf-8")


def test_the_installed_package_has_the_same_file() -> None:
    """Npm has compared the package with the hash in the registry, which package-lock.json pins."""
    if not INSTALLED.is_dir():
        pytest.skip("npm has not installed tweetnacl: make page")
    locked = json.loads(LOCK.read_text("utf-8"))["packages"]["node_modules/tweetnacl"]
    assert locked["integrity"].startswith("sha512-")
    assert (INSTALLED / LIBRARY.name).read_bytes() == LIBRARY.read_bytes()
