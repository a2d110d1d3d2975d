"""Reading a TOML file with errors that help: which key, what was found, what would be right.

Room: firmware. ``Section`` is one table of such a file; each getter takes a value out, checked, or
says what is wrong with it and gives a line to copy. Used for ``table.toml`` and deck files.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from gettext import gettext as _
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any
from unicodedata import normalize

from firmware.errors import FileFault, did_you_mean, either, listed, nearest

AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")


class Section:
    """The table at *path* of *file* (empty: the file itself); faults are raised as *error*."""

    def __init__(
        self, file: object, table: Mapping[str, Any], error: type[FileFault], path: str = ""
    ) -> None:
        self.file = file
        self._table = table
        self._error = error
        self._path = path

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def place(self, key: str) -> str:
        """*key* with the table it stands in, as messages name it."""
        return f"{self._path}.{key}" if self._path else key

    def fault(self, key: str, found: str, remedy: str) -> FileFault:
        """The error to raise about *key*."""
        return self._error(str(self.file), self.place(key) if key else self._path, found, remedy)

    def wrong(self, key: str, right: str, example: str, hint: str = "") -> FileFault:
        """The error for the value of *key*, which must be *right*; *example* is a line to copy."""
        found = _("is missing; it must be {right}").format(right=right)
        if key in self._table:
            value = written(self._table[key])
            found = _("is {value}; it must be {right}").format(value=value, right=right)
        remedy = f"{hint} {to_write(example)}".lstrip()
        return self.fault(key, found, remedy)

    def only(
        self, keys: Iterable[str], example: str, elsewhere: Mapping[str, str] | None = None
    ) -> None:
        """Refuse every key that is not one of *keys*; *example* is a line to copy.

        *elsewhere* names the sections of keys that may have been meant for them.
        """
        known = tuple(keys)
        for key in self._table:
            if elsewhere and key in elsewhere and key not in known:
                place = f"[{elsewhere[key]}]"
                line = f"{place}\n{self._line(key, key)}"
                found = _("belongs under {place}").format(place=place)
                raise self.fault(key, found, _("Move it there:\n{lines}").format(lines=line))
            if key not in known:
                near = nearest(key, known)
                all_known = _("Known here: {keys}.").format(keys=listed(known))
                remedy = f"{all_known} {to_write(example)}"
                if near is not None:
                    write = _("Write: {line}").format(line=self._line(key, near))
                    remedy = f"{did_you_mean(key, known)} {write}"
                raise self.fault(key, _("is not a key that is known here"), remedy)

    def keys(self) -> tuple[str, ...]:
        """The keys, as they follow each other in the file."""
        return tuple(self._table)

    def section(self, key: str, example: str) -> "Section | None":
        """The table under *key*, or None when it is left out."""
        if key not in self._table:
            return None
        if not isinstance(self._table[key], dict):
            raise self.wrong(key, _("a section of its own"), example)
        return Section(self.file, self._table[key], self._error, self.place(key))

    def rows(self, key: str, example: str) -> list["Section"]:
        """The tables of the array under *key*, numbered from 1 in messages."""
        rows = self._table.get(key)
        if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
            raise self.wrong(key, _("a list of sections [[{key}]]").format(key=key), example)
        place = self.place(key)
        return [
            Section(self.file, row, self._error, f"{place}[{number}]")
            for number, row in enumerate(rows, 1)
        ]

    def text(self, key: str, right: str, example: str) -> str:
        """A text that is not blank."""
        value = self._value(key, None)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, right, example)
        return value

    def one_of(
        self, key: str, names: Sequence[str], example: str, default: str | None = None
    ) -> str:
        """One of *names*; *example* is a line to copy, unless one of them is near."""
        value = self._value(key, default)
        if value not in names:
            near = nearest(value, names) if isinstance(value, str) else None
            right = either(map(written, names))
            if near is None:
                raise self.wrong(key, right, example)
            hint = did_you_mean(near, names)
            raise self.wrong(key, right, f"{key} = {written(near)}", hint)
        return str(value)

    def integer(self, key: str, right: str, example: str, within: range | None = None) -> int:
        """A whole number, in the range *within* if there is one."""
        value = self._value(key, None)
        if type(value) is not int or (within is not None and value not in within):
            raise self.wrong(key, right, example)
        return value

    def flag(self, key: str, example: str, default: bool | None = None) -> bool:
        """A switch."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, _("true or false"), example)
        return value

    def texts(
        self, key: str, right: str, example: str, is_right: Callable[[str], bool]
    ) -> tuple[str, ...]:
        """A list of different texts for which *is_right* holds; empty when it is left out."""
        value = self._value(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.wrong(key, right, example)
        texts = tuple(normalize("NFC", text) for text in value)
        if not all(map(is_right, texts)) or len(set(texts)) < len(texts):
            raise self.wrong(key, right, example)
        return texts

    def some_of(self, key: str, names: Sequence[str], example: str) -> tuple[str, ...]:
        """A list of different ones of *names*, as ``one_of`` has one; empty when left out."""
        right = _("a list of some of {names}").format(names=listed(map(written, names)))
        values = self.texts(key, right, example, lambda text: True)
        wrong = next((value for value in values if value not in names), None)
        if wrong is not None:
            near = nearest(wrong, names)
            mended = [near if value == wrong else value for value in values]
            line = example if near is None else f"{key} = {written(mended)}"
            none = _("{value} is none of them.").format(value=written(wrong))
            hint = f"{none} {did_you_mean(wrong, names)}"
            raise self.wrong(key, right, line, hint.rstrip())
        return values

    def value(self, key: str) -> Any:
        """Whatever stands under *key*."""
        return self._table[key]

    def _value(self, key: str, default: Any) -> Any:
        return self._table.get(key, default)

    def _line(self, key: str, name: str) -> str:
        """The line that *key* begins, with *name* in its place."""
        value = self._table[key]
        if isinstance(value, dict):
            return f"[{self.place(name)}]"
        return f"{name} = {written(value)}"


def read_toml(file: Path | Traversable, error: type[FileFault]) -> Section:
    """Read *file* as TOML.

    Raises:
        FileFault: of type *error*; it cannot be read, is not UTF-8 or not TOML.
    """
    try:
        data = file.read_bytes()
    except FileNotFoundError as wrong:
        remedy = _("Check the path, or write the file.")
        raise error(str(file), "", _("does not exist"), remedy) from wrong
    except OSError as wrong:
        found = _("cannot be read ({reason})").format(reason=wrong.strerror or wrong)
        raise error(str(file), "", found, _("Name a file that you may read.")) from wrong
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        byte = f"{data[wrong.start]:02X}h"
        found = _("holds the byte {byte}, which is not UTF-8").format(byte=byte)
        remedy = _("Save the file with the encoding UTF-8.")
        raise error(str(file), line_number(line), found, remedy) from wrong
    try:
        return Section(file, tomllib.loads(text), error)
    except tomllib.TOMLDecodeError as wrong:
        raise _not_toml(file, text, str(wrong), error) from wrong


def _not_toml(file: object, text: str, reason: str, error: type[FileFault]) -> FileFault:
    lines = text.splitlines() or [""]
    at = AT_LINE.search(reason)
    number = min(int(at[1]), len(lines)) if at else len(lines)
    found = _("is not TOML: {reason}").format(reason=AT_LINE.sub("", reason))
    remedy = _("Correct this line: {line}").format(line=lines[number - 1].strip())
    return error(str(file), line_number(number), found, remedy)


def line_number(number: int) -> str:
    """How messages name a line of a file."""
    return _("line {number}").format(number=number)


def to_write(example: str) -> str:
    """What a message ends in: *example*, to be copied, on lines of its own if it has several."""
    if "\n" in example:
        return _("Write for example:\n{lines}").format(lines=example)
    return _("Write for example: {line}").format(line=example)


def written(value: object) -> str:
    """*value* as TOML writes it, near enough to be found again in the file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _("a list of sections, in double brackets")
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    return _("a section") if isinstance(value, dict) else str(value)
