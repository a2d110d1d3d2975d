"""Tables to begin with: each a ``table.toml`` that comes with tapmat, to be written and changed.

Room: firmware.
"""

from gettext import gettext as _
from pathlib import Path
from typing import Final

from firmware.config import DEFAULT_TABLE_TOML
from firmware.errors import OutputError, UnknownTemplate, did_you_mean, listed, unwritable

FOLDER: Final = Path(__file__).with_name("tables")
TEMPLATES: Final = ("smallest", "family", "five-readers")


def template_file(name: str) -> Path:
    """The file of template *name*.

    Raises:
        UnknownTemplate: there is none of that name.
    """
    if name not in TEMPLATES:
        hint = did_you_mean(name, TEMPLATES) or _("Choose one of them.")
        found = _('There is no template "{name}"; there are: {templates}.')
        raise UnknownTemplate(f"{found.format(name=name, templates=listed(TEMPLATES))} {hint}")
    return FOLDER / f"{name}.toml"


def write_template(name: str | None, file: Path) -> None:
    """Write template *name*, or the default table, to *file*, which must not be there yet.

    Raises:
        UnknownTemplate: there is none of that name.
        OutputError: *file* is there already, or cannot be written.
    """
    text = (DEFAULT_TABLE_TOML if name is None else template_file(name)).read_bytes()
    try:
        with file.open("xb") as new:
            new.write(text)
    except FileExistsError as there:
        found = _("is there already, and was left as it is")
        remedy = _("Name another file, or move that one away.")
        raise OutputError(file, "", found, remedy) from there
    except OSError as wrong:
        raise unwritable(file, wrong) from wrong
