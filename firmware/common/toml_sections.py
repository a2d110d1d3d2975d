"""Read TOML files, with error messages that help people to correct the files.

``Section`` is one table of a TOML file. Its methods return checked values; if a value is wrong,
they raise an error with the key, the value, what was expected, and a line to copy. Used for
``table.toml`` and deck files.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from firmware.common.bounded_file import read_bounded
from firmware.common.errors import FileFault, did_you_mean, either, nearest, word_list

if TYPE_CHECKING:  # the first screen does not need it
    from importlib.resources.abc import Traversable

MAX_DOTS = 200  # limit for a line; tomllib is slow for keys with many dots
AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")


class Section:
    """The TOML table *table*, at the dotted *path* in *file* (empty for the top level).

    Its methods raise errors of the type *error*.
    """

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
        """Return the full dotted path of *key*, for messages."""
        return f"{self._path}.{key}" if self._path else key

    def fault(self, key: str, found: str, remedy: str) -> FileFault:
        """Return an error about *key*, or about this whole table if *key* is empty.

        *found* says what is wrong, and *remedy* what to do. The caller raises the error.
        """
        return self._error(str(self.file), self.place(key) if key else self._path, found, remedy)

    def wrong(self, key: str, right: str, example: str, hint: str = "") -> FileFault:
        """Return an error about the value of *key*.

        *right* says what the value must be, *example* is a line to copy, and *hint* comes first in
        the remedy. The caller raises the error.
        """
        found = f"is missing; it must be {right}"
        if key in self._table:
            value = toml_text(self._table[key])
            found = f"is {value}; it must be {right}"
        remedy = f"{hint} {to_write(example)}".lstrip()
        return self.fault(key, found, remedy)

    def check_keys(
        self, keys: Iterable[str], example: str, elsewhere: Mapping[str, str] | None = None
    ) -> None:
        """Raise an error if this table has a key that is not one of *keys*.

        *example* is a line to copy. *elsewhere* has the right section of keys that people may put
        here by mistake.
        """
        known = tuple(keys)
        for key in self._table:
            if elsewhere and key in elsewhere and key not in known:
                place = f"[{elsewhere[key]}]"
                line = f"{place}\n{self._line(key, key)}"
                found = f"belongs under {place}"
                raise self.fault(key, found, f"Move it there:\n{line}")
            if key not in known:
                near = nearest(key, known)
                all_known = f"Known keys: {word_list(known)}."
                remedy = f"{all_known} {to_write(example)}"
                if near is not None:
                    write = f"Write: {self._line(key, near)}"
                    remedy = f"{did_you_mean(key, known)} {write}"
                raise self.fault(key, "is not a known key", remedy)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of this table, in the order of the file."""
        return tuple(self._table)

    def section(self, key: str, example: str) -> "Section | None":
        """Return the table under *key*; None if there is no such key.

        *example* is a line to copy.
        """
        if key not in self._table:
            return None
        if not isinstance(self._table[key], dict):
            raise self.wrong(key, "a section", example)
        return Section(self.file, self._table[key], self._error, self.place(key))

    def rows(self, key: str, example: str) -> list["Section"]:
        """Return the tables in the array *key*, at least one. Messages number them from 1.

        *example* is a line to copy.
        """
        rows = self._table.get(key)
        if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
            raise self.wrong(key, f"a list of sections [[{key}]]", example)
        place = self.place(key)
        return [
            Section(self.file, row, self._error, f"{place}[{number}]")
            for number, row in enumerate(rows, 1)
        ]

    def text(self, key: str, right: str, example: str) -> str:
        """Return the string under *key*, which must not be blank.

        *right* says what it must be, and *example* is a line to copy; both are the same in the next
        methods.
        """
        value = self._value(key, None)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, right, example)
        return value

    def one_of(
        self, key: str, names: Sequence[str], example: str, default: str | None = None
    ) -> str:
        """Return the string under *key*, or *default*. It must be one of *names*.

        The error suggests the most similar name, or else *example*, a line to copy.
        """
        value = self._value(key, default)
        if value not in names:
            near = nearest(value, names) if isinstance(value, str) else None
            right = either(map(toml_text, names))
            if near is None:
                raise self.wrong(key, right, example)
            hint = did_you_mean(near, names)
            raise self.wrong(key, right, f"{key} = {toml_text(near)}", hint)
        return str(value)

    def integer(self, key: str, right: str, example: str, within: range | None = None) -> int:
        """Return the integer under *key*, which must be in the range *within*."""
        value = self._value(key, None)
        if type(value) is not int or (within is not None and value not in within):
            raise self.wrong(key, right, example)
        return value

    def flag(self, key: str, example: str, default: bool | None = None) -> bool:
        """Return the boolean under *key*, or *default* if there is no such key."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false", example)
        return value

    def texts(
        self, key: str, right: str, example: str, is_right: Callable[[str], bool]
    ) -> tuple[str, ...]:
        """Return the strings in the list *key*, in Unicode form NFC; empty if there is no such key.

        They must all differ, and *is_right* must return True for each.
        """
        value = self._value(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.wrong(key, right, example)
        texts = tuple(normalize("NFC", text) for text in value)
        if not all(map(is_right, texts)) or len(set(texts)) < len(texts):
            raise self.wrong(key, right, example)
        return texts

    def some_of(self, key: str, names: Sequence[str], example: str) -> tuple[str, ...]:
        """Return the strings in the list *key*; empty if there is no such key.

        They must all differ, and all must be in *names*.
        """
        right = f"a list of some of {word_list(map(toml_text, names))}"
        values = self.texts(key, right, example, lambda text: True)
        wrong = next((value for value in values if value not in names), None)
        if wrong is not None:
            near = nearest(wrong, names)
            mended = [near if value == wrong else value for value in values]
            line = example if near is None else f"{key} = {toml_text(mended)}"
            none = f"{toml_text(wrong)} is not one of them."
            hint = f"{none} {did_you_mean(wrong, names)}"
            raise self.wrong(key, right, line, hint.rstrip())
        return values

    def value(self, key: str) -> Any:
        """Return the value under *key*, unchecked."""
        return self._table[key]

    def _value(self, key: str, default: Any) -> Any:
        return self._table.get(key, default)

    def _line(self, key: str, name: str) -> str:
        """Return the line for *key*, with the key replaced by *name*."""
        value = self._table[key]
        if isinstance(value, dict):
            return f"[{self.place(name)}]"
        return f"{name} = {toml_text(value)}"


def read_toml(file: "Path | Traversable", error: type[FileFault]) -> Section:
    """Read the TOML file *file* and return its top level.

    Raises:
        FileFault: of type *error*; the file cannot be read, or is not valid TOML in UTF-8.
    """
    try:
        data = read_bounded(file)
    except FileNotFoundError as wrong:
        remedy = "Check the path, or write the file."
        raise error(str(file), "", "does not exist", remedy) from wrong
    except OSError as wrong:
        found = f"cannot be read ({wrong.strerror or wrong})"
        raise error(str(file), "", found, "Name a file that you may read.") from wrong
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        byte = f"{data[wrong.start]:02X}h"
        found = f"contains the byte {byte}, which is not UTF-8"
        remedy = "Save the file with the encoding UTF-8."
        raise error(str(file), line_number(line), found, remedy) from wrong
    for number, words in enumerate(text.splitlines(), 1):
        if words.count(".") > MAX_DOTS:  # tomllib needs quadratic time for them
            found = f"has more than {MAX_DOTS} dots"
            raise error(str(file), line_number(number), found, "Write shorter keys.")
    try:
        return Section(file, tomllib.loads(text), error)
    except RecursionError as wrong:
        found = "is nested too deeply"
        raise error(str(file), "", found, "Remove some brackets.") from wrong
    except tomllib.TOMLDecodeError as wrong:
        raise _not_toml(file, text, str(wrong), error) from wrong


def _not_toml(file: object, text: str, reason: str, error: type[FileFault]) -> FileFault:
    lines = text.splitlines() or [""]
    at = AT_LINE.search(reason)
    number = min(int(at[1]), len(lines)) if at else len(lines)
    found = f"is not valid TOML: {AT_LINE.sub('', reason)}"
    remedy = f"Correct this line: {lines[number - 1].strip()}"
    return error(str(file), line_number(number), found, remedy)


def line_number(number: int) -> str:
    """Return the name of a line in messages, such as "line 3"."""
    return f"line {number}"


def to_write(example: str) -> str:
    """Return "Write for example: " and *example*, on new lines if it has several lines."""
    if "\n" in example:
        return f"Write for example:\n{example}"
    return f"Write for example: {example}"


def toml_text(value: object) -> str:
    """Return *value* approximately as TOML text, for messages."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return "a list of sections, in double brackets"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    return "a section" if isinstance(value, dict) else str(value)
