"""The documents' own copies of the templates' wiring: pictures, and the tables in docs/wiring.md.

Room: firmware. ``python -m firmware.plan.documents`` makes them anew; a test fails when they have
drifted. On the page each stands between two marks, and what is around these is written by hand.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from firmware.config import load_config
from firmware.plan.page import draw
from firmware.plan.parts import Part
from firmware.plan.plan import CONFIG_TXT, Plan, current_text, plan_of
from firmware.plan.png import to_picture
from firmware.plan.svg import to_svg
from firmware.plan.templates import TEMPLATES, template_file

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "pictures"
PAGE = DOCS / "wiring.md"
MARKED = re.compile(r"(<!-- wiring of ([a-z-]+) -->\n).*?(<!-- end of wiring -->\n)", re.DOTALL)


def plan_named(template: str) -> Plan:
    """The plan of *template*."""
    return plan_of(load_config(template_file(template)))


def page_made_anew(page: str) -> str:
    """*page* with what stands between its marks made anew."""
    return MARKED.sub(lambda found: found[1] + section(found[2]) + found[3], page)


def section(template: str) -> str:
    """What the page says of *template*."""
    plan = plan_named(template)
    lines = [
        f"![The header's 40 pins and the parts of this kit](pictures/wiring-{template}.png)",
        "",
        f"To print, or to search: [the same as SVG](pictures/wiring-{template}.svg).",
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
    """The table's rows of *part*, of which the first one names it."""
    name = f"**{part.name}**: {part.kind}"
    for wire in part.connections:
        where = (wire.to.number, wire.to.name, wire.colour) if wire.to else ("", "", "")
        yield "| " + " | ".join(map(str, (name, f"`{wire.pin}`", *where, wire.note))) + " |"
        name = ""


def main() -> None:
    """Make every picture, and the page."""
    for template in TEMPLATES:
        drawing = draw(plan_named(template))
        file = PICTURES / f"wiring-{template}"
        file.with_suffix(".svg").write_text(to_svg(drawing), encoding="utf-8", newline="\n")
        to_picture(drawing).save(file.with_suffix(".png"), optimize=True)
    page = page_made_anew(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
