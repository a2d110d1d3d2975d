"""Reading deck files: what lies in a game's box.

Room: firmware. A game brings its ``deck.toml``; owners whose box differs write their own and name
it in ``table.toml``. The format stands in the game's file: ``game``, ``total``, ``verified``,
``note``, ``spread`` (rows and columns, where all pieces are laid out face down), and for each kind
of piece a ``[[kind]]`` with ``name``, ``count``, ``value`` and the game's own columns (numbers or
texts). The column ``sticker = "optional"`` says that the kind can be played with without stickers.
"""

import re
from collections import Counter
from collections.abc import Mapping
from gettext import gettext as _
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import prod
from pathlib import Path
from typing import Any, Final

from engines.common.contract import Game
from engines.common.pieces import Deck, Kind
from firmware.errors import DeckError, did_you_mean, listed
from firmware.register import COMMANDS
from firmware.sections import Section, read_toml, to_write, written

TOP = ("game", "total", "verified", "note", "spread", "kind")
COLUMNS = ("name", "count", "value")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")  # fits a rehearsal's line and a catalogue's code
SPREAD_EXAMPLE = "spread = [7, 7]"
KIND_EXAMPLE = '[[kind]]\nname = "lamp"\ncount = 5'
MOST = 9999  # pieces of one kind

COMMAND_KINDS = (
    "ok", "back", "action", "say-again", "say-everything", "settings",
    *(f"number-{n}" for n in range(1, 11)),
    *(f"seat-{n}" for n in range(1, 7)),
)  # fmt: skip
COMMAND_CARDS: Final = Deck(COMMANDS, tuple(Kind(name, 1) for name in COMMAND_KINDS), True)


def load_deck(game: Game[Any], override: Path | None = None) -> Deck:
    """Return the deck of *game*: its own, or the one its owner wrote in *override*.

    An owner's file may leave kinds out (the box holds none), but names no kind that the game does
    not know, since no rule would know what it does. Columns it leaves out are as in the game's,
    and so is the spread, if the box still fills it; the value, which is printed on the piece, is
    never another one.

    Raises:
        DeckError: the file cannot be used.
    """
    own = _read(files(game.package) / "deck.toml", game.name, None)
    return own if override is None else _read(override, game.name, own)


def deck_file(deck: Deck, note: str) -> str:
    """*deck* as an owner's file says it."""
    lines = [f"game = {written(deck.game)}", f"total = {deck.total}"]
    lines.append(f"verified = {written(deck.is_verified)}")
    if deck.spread is not None:
        lines.append(f"spread = {written(list(deck.spread))}")
    lines.append(f"note = {written(note)}")
    for kind in deck.kinds:
        columns = {"name": kind.name, "count": kind.count, "value": kind.value, **kind.traits}
        lines += ["", "[[kind]]", *(f"{key} = {written(value)}" for key, value in columns.items())]
    return "\n".join(lines) + "\n"


def _read(file: Path | Traversable, game: str, own: Deck | None) -> Deck:
    known = {} if own is None else own.by_name
    section = read_toml(file, DeckError)
    section.only(TOP, f'game = "{game}"')
    section.one_of("game", (game,), f'game = "{game}"')
    verified = section.flag("verified", "verified = false")
    if "note" in section:
        section.text("note", _("a text"), 'note = "counted on a first edition"')
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
        right = _("rows and columns, two whole numbers from 1")
        raise section.wrong("spread", right, SPREAD_EXAMPLE)
    rows, columns = value
    if rows * columns != total:
        found = _("has {places} places, but the counts of all kinds add up to {total}")
        found = found.format(places=rows * columns, total=total)
        remedy = _("Write rows and columns with {total} places, or leave it out.")
        remedy = remedy.format(total=total)
        raise section.fault("spread", found, remedy)
    return rows, columns


def _kind(row: Section, known: Mapping[str, Kind]) -> Kind:
    _refuse_misspelt(row)
    example = 'name = "lamp"'
    right = _("a name in small letters, digits and hyphens")
    name = row.text("name", right, example)
    if not NAME.fullmatch(name):
        raise row.wrong("name", right, example)
    if known and name not in known:
        near = did_you_mean(name, known) or _("Its kinds are: {kinds}.").format(kinds=listed(known))
        found = _('is "{name}", which this game does not know').format(name=name)
        raise row.fault("name", found, near)
    right = _("a whole number from 0 to {most}").format(most=MOST)
    count = row.integer("count", right, "count = 4", range(MOST + 1))
    shipped = known.get(name, Kind(name, 0))
    value = shipped.value
    if "value" in row:
        value = row.integer("value", _("a whole number"), f"value = {shipped.value}")
        if known and value != shipped.value:
            found = _("is {value}, but {printed} is printed on each {name}")
            found = found.format(value=value, printed=shipped.value, name=name)
            remedy = _("Leave it out, or write: {line}").format(line=f"value = {shipped.value}")
            raise row.fault("value", found, remedy)
    own = {key: _trait(row, key) for key in row.keys() if key not in COLUMNS}  # noqa: SIM118
    return Kind(name, count, value, {**shipped.traits, **own})


def _trait(row: Section, key: str) -> str | int:
    value = row.value(key)
    if isinstance(value, str) or type(value) is int:
        return value
    raise row.wrong(key, _("a text or a whole number"), f'{key} = "red"')


def _refuse_misspelt(row: Section) -> None:
    """A further column is a game's own business, unless a column that is missing sounds like it."""
    for missing in (column for column in COLUMNS if column not in row):
        for key in row.keys():  # noqa: SIM118
            if key not in COLUMNS and did_you_mean(key, (missing,)):
                remedy = f"{did_you_mean(key, (missing,))} {to_write(f'{missing} = 4')}"
                found = _("is no column here, and {missing} is missing").format(missing=missing)
                raise row.fault(key, found, remedy)


def _refuse_doubles(section: Section, kinds: tuple[Kind, ...]) -> None:
    name, times = Counter(kind.name for kind in kinds).most_common(1)[0]
    if times > 1:
        remedy = _("Join them in one, with the sum of their counts.")
        found = _('lists "{name}" {times} times').format(name=name, times=times)
        raise section.fault("kind", found, remedy)


def _refuse_other_total(section: Section, kinds: tuple[Kind, ...]) -> None:
    total = section.integer("total", _("the number of pieces in the box"), "total = 64")
    counted = sum(kind.count for kind in kinds)
    if total != counted:
        found = _("is {total}, but the counts of all kinds add up to {counted}")
        remedy = _(
            "Count the box: if it holds {counted}, write total = {counted}; if it holds {total}, "
            "correct the count that is wrong."
        )
        numbers = {"total": total, "counted": counted}
        raise section.fault("total", found.format(**numbers), remedy.format(**numbers))
