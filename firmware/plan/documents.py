"""The templates' wiring in the documents: drawings, and the tables in docs/wiring.md.

``python -m firmware.plan.documents`` writes them again; a test fails if they are out of date.
The generated text of each template is between two marks on the page. The rest of the page is
written by hand.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from firmware.config.table_config import load_config
from firmware.plan.page import draw
from firmware.plan.parts import Part
from firmware.plan.plan import CONFIG_TXT, WiringPlan, current_text, plan_of
from firmware.plan.svg import to_svg
from firmware.plan.templates import TEMPLATES, template_file

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "pictures"
PAGE = DOCS / "wiring.md"
MARKED = re.compile(r"(<!-- wiring of ([a-z-]+) -->\n).*?(<!-- end of wiring -->\n)", re.DOTALL)


def plan_of_template(template: str) -> WiringPlan:
    """Return the wiring plan of *template*."""
    return plan_of(load_config(template_file(template)))


def update_page(page: str) -> str:
    """Return the text of *page* with up-to-date text between its marks."""
    return MARKED.sub(lambda found: found[1] + section(found[2]) + found[3], page)


def section(template: str) -> str:
    """Return the Markdown text about *template*: drawing, table, currents and boot lines."""
    plan = plan_of_template(template)
    lines = [
        f"![The header's 40 pins and the parts of this kit](pictures/wiring-{template}.svg)",
        "",
        "| Part | Its pin | Pi pin | BCM | Wire | |",
        "|---|---|---|---|---|---|",
        *(row for part in plan.parts for row in _rows(part)),
        "",
        f"From 3.3 V: {current_text(plan.budget)}.",
        "",
        f"In `{CONFIG_TXT}`:",
        "",
        "```",
        *plan.boot_lines,
        "```",
    ]
    return "\n".join(lines) + "\n"


def _rows(part: Part) -> Iterator[str]:
    """Yield the Markdown table rows of *part*. Only the first has its name."""
    name = f"**{part.name}**: {part.kind}"
    for wire in part.connections:
        where = (wire.to.number, wire.to.name, wire.colour) if wire.to else ("", "", "")
        yield "| " + " | ".join(map(str, (name, f"`{wire.pin}`", *where, wire.note))) + " |"
        name = ""


def main() -> None:
    """Write the drawing of every template, and update the page."""
    for template in TEMPLATES:
        drawing = draw(plan_of_template(template))
        file = PICTURES / f"wiring-{template}"
        file.with_suffix(".svg").write_text(to_svg(drawing), encoding="utf-8", newline="\n")
    page = update_page(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
