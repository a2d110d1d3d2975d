"""Deck files, which list the pieces in a game's box.

Each game has a ``deck.toml``. Owners whose box differs write their own file, and name it in
``table.toml``. The keys are ``game``, ``total`` (the number of pieces), ``verified`` (false if
nobody has counted a real box), ``note``, ``spread`` (rows and columns, if all pieces are laid out
face down), and for each kind of piece a ``[[kind]]`` with ``name``, ``count``, ``value`` (the
number printed on it) and the game's own columns (numbers or strings). The column
``sticker = "optional"`` means that the kind needs no stickers in play.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import prod
from pathlib import Path
from typing import Any, Final

from engines.common.contract import Game
from engines.common.pieces import Deck, Kind
from firmware.boxes.register import COMMANDS
from firmware.common.errors import DeckError, did_you_mean, word_list
from firmware.common.toml_sections import Section, read_toml, to_write, toml_text

TOP = ("game", "total", "verified", "note", "spread", "kind")
COLUMNS = ("name", "count", "value")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # usable in rehearsals and in codes of catalogues
SPREAD_EXAMPLE = "spread = [7, 7]"
KIND_EXAMPLE = '[[kind]]\nname = "lamp"\ncount = 5'
MOST = 9999  # maximum count of one kind

COMMAND_KINDS = (
    "ok", "back", "action", "say-again", "say-everything", "settings",
    *(f"number-{n}" for n in range(1, 11)),
    *(f"seat-{n}" for n in range(1, 7)),
    "what-now", "learn",
)  # fmt: skip
COMMAND_CARDS: Final = Deck(COMMANDS, tuple(Kind(name, 1) for name in COMMAND_KINDS), True)


def load_deck(game: Game[Any], override: Path | None = None) -> Deck:
    """Return the deck of *game* from the game's file, or from the owner's file *override*.

    An owner's file may leave out kinds that the box lacks; the count of such a kind is 0. It must
    not add kinds that the game does not have, nor change a value, because the value is printed on
    the piece. Columns that it leaves out are taken from the game's file. The spread is taken from
    there too, if the pieces still fill it.

    Raises:
        DeckError: the file has an error.
    """
    own = _own_deck(game.package, game.name)
    return own if override is None else _read(override, game.name, own)


def deck_file(deck: Deck, note: str) -> str:
    """Return the text of an owner's deck file for *deck*, with *note* as its note."""
    lines = [f"game = {toml_text(deck.game)}", f"total = {deck.total}"]
    lines.append(f"verified = {toml_text(deck.is_verified)}")
    if deck.spread is not None:
        lines.append(f"spread = {toml_text(list(deck.spread))}")
    lines.append(f"note = {toml_text(note)}")
    for kind in deck.kinds:
        columns = {"name": kind.name, "count": kind.count, "value": kind.value, **kind.traits}
        lines += [
            "",
            "[[kind]]",
            *(f"{key} = {toml_text(value)}" for key, value in columns.items()),
        ]
    return "\n".join(lines) + "\n"


@cache
def _own_deck(package: str, game: str) -> Deck:
    """Return *game*'s own deck, read from ``deck.toml`` in its Python package, *package*."""
    return _read(files(package) / "deck.toml", game, None)


def _read(file: Path | Traversable, game: str, own: Deck | None) -> Deck:
    known = {} if own is None else own.by_name
    section = read_toml(file, DeckError)
    section.check_keys(TOP, f'game = "{game}"')
    section.one_of("game", (game,), f'game = "{game}"')
    verified = section.flag("verified", "verified = false")
    if "note" in section:
        section.text("note", "a text", 'note = "counted on a first edition"')
    kinds = tuple(_kind(row, known) for row in section.rows("kind", KIND_EXAMPLE))
    _refuse_doubles(section, kinds)
    _refuse_other_total(section, kinds)
    left_out = (kind for name, kind in known.items() if name not in {k.name for k in kinds})
    none = tuple(Kind(kind.name, 0, kind.value, kind.traits) for kind in left_out)
    spread = _spread(section, sum(kind.count for kind in kinds), own)
    return Deck(game, (*kinds, *none), verified, spread)


def _spread(section: Section, total: int, own: Deck | None) -> tuple[int, int] | None:
    if "spread" not in section:
        shipped = None if own is None else own.spread
        return shipped if shipped is not None and prod(shipped) == total else None
    value = section.value("spread")
    if not (isinstance(value, list) and [type(n) for n in value] == [int, int] and min(value) > 0):
        right = "rows and columns, two whole numbers from 1"
        raise section.wrong("spread", right, SPREAD_EXAMPLE)
    rows, columns = value
    if rows * columns != total:
        found = "has {places} places, but the counts of all kinds add up to {total}"
        found = found.format(places=rows * columns, total=total)
        remedy = "Write rows and columns with {total} places, or leave out the spread."
        remedy = remedy.format(total=total)
        raise section.fault("spread", found, remedy)
    return rows, columns


def _kind(row: Section, known: Mapping[str, Kind]) -> Kind:
    _refuse_misspelt(row)
    example = 'name = "lamp"'
    right = "a name in small letters, digits and hyphens"
    name = row.text("name", right, example)
    if not NAME.fullmatch(name):
        raise row.wrong("name", right, example)
    if known and name not in known:
        near = did_you_mean(name, known) or f"Its kinds are: {word_list(known)}."
        found = f'is "{name}", which is not a kind of this game'
        raise row.fault("name", found, near)
    right = f"a whole number from 0 to {MOST}"
    count = row.integer("count", right, "count = 4", range(MOST + 1))
    shipped = known.get(name, Kind(name, 0))
    value = shipped.value
    if "value" in row:
        value = row.integer("value", "a whole number", f"value = {shipped.value}")
        if known and value != shipped.value:
            found = "is {value}, but {printed} is printed on each {name}"
            found = found.format(value=value, printed=shipped.value, name=name)
            remedy = "Leave it out, or write: {line}".format(line=f"value = {shipped.value}")
            raise row.fault("value", found, remedy)
    own = {key: _trait(row, key) for key in row.keys() if key not in COLUMNS}  # noqa: SIM118
    return Kind(name, count, value, {**shipped.traits, **own})


def _trait(row: Section, key: str) -> str | int:
    value = row.value(key)
    if isinstance(value, str) or type(value) is int:
        return value
    raise row.wrong(key, "a string or a whole number", f'{key} = "red"')


def _refuse_misspelt(row: Section) -> None:
    """Raise DeckError if an extra column looks like a misspelling of a missing one."""
    for missing in (column for column in COLUMNS if column not in row):
        for key in row.keys():  # noqa: SIM118
            if key not in COLUMNS and did_you_mean(key, (missing,)):
                remedy = f"{did_you_mean(key, (missing,))} {to_write(f'{missing} = 4')}"
                found = f"is not a column, and {missing} is missing"
                raise row.fault(key, found, remedy)


def _refuse_doubles(section: Section, kinds: tuple[Kind, ...]) -> None:
    name, times = Counter(kind.name for kind in kinds).most_common(1)[0]
    if times > 1:
        remedy = "Merge them into one, with the sum of their counts."
        found = f'lists "{name}" {times} times'
        raise section.fault("kind", found, remedy)


def _refuse_other_total(section: Section, kinds: tuple[Kind, ...]) -> None:
    total = section.integer("total", "the number of pieces in the box", "total = 64")
    counted = sum(kind.count for kind in kinds)
    if total != counted:
        found = "is {total}, but the counts of all kinds add up to {counted}"
        remedy = (
            "Count the box: if it holds {counted}, write total = {counted}; if it holds {total}, "
            "correct the count that is wrong."
        )
        numbers = {"total": total, "counted": counted}
        raise section.fault("total", found.format(**numbers), remedy.format(**numbers))
