"""The faults in docs/rehearsals.md are those of the catalogue, in its words."""

import re

from firmware.config.table_config import SPOTS
from sim.mat.faults import CATALOGUE, EVERY_PART
from tests.docs.pages import page

REHEARSALS = page("docs/rehearsals.md").text


def test_the_table_of_faults_is_the_catalogue() -> None:
    rows = [
        f"| `fault {fault.name}{_at(fault.parts.names, fault.parts.kind)}` | {fault.words} "
        f"| {fault.noticed.value} |"
        for fault in CATALOGUE
    ]
    assert re.findall(r"^\| `fault .*$", REHEARSALS, re.MULTILINE) == rows


def _at(names: tuple[str, ...], kind: str) -> str:
    """Return the words after a fault that name the part, such as " [@ SPOT]".

    Empty if *names*, the parts of this *kind* on a table, has only one.
    """
    return f" [@ {kind.upper()}]" if len(names) > 1 else ""


def test_every_part_that_can_break_is_named() -> None:
    (named,) = re.findall(r"A part is a spot, (.*)\.$", REHEARSALS, re.MULTILINE)
    assert tuple(re.findall("`([a-z]+)`", named)) == EVERY_PART[len(SPOTS) :]
