"""Templates: ``table.toml`` files that come with tapmat, to copy and change."""

from pathlib import Path
from typing import Final

from firmware.common.errors import OutputError, UnknownTemplate, did_you_mean, unwritable, word_list
from firmware.config.table_config import DEFAULT_TABLE_TOML

FOLDER: Final = Path(__file__).with_name("tables")
TEMPLATES: Final = ("smallest", "family", "five-readers")


def template_file(name: str) -> Path:
    """Return the path of template *name*.

    Raises:
        UnknownTemplate: there is no template of that name.
    """
    if name not in TEMPLATES:
        hint = did_you_mean(name, TEMPLATES) or "Choose one of them."
        found = 'There is no template "{name}". The templates are: {templates}.'
        raise UnknownTemplate(f"{found.format(name=name, templates=word_list(TEMPLATES))} {hint}")
    return FOLDER / f"{name}.toml"


def write_template(name: str | None, file: Path) -> None:
    """Write template *name*, or the default table, to *file*, which must not exist yet.

    Raises:
        UnknownTemplate: there is no template of that name.
        OutputError: *file* exists already, or cannot be written.
    """
    text = (DEFAULT_TABLE_TOML if name is None else template_file(name)).read_bytes()
    try:
        with file.open("xb") as new:
            new.write(text)
    except FileExistsError as there:
        found = "exists already and was not changed"
        remedy = "Name another file, or move this one away."
        raise OutputError(file, "", found, remedy) from there
    except OSError as wrong:
        raise unwritable(file, wrong) from wrong
