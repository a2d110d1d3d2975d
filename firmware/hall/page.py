"""The board's page, in one language."""

import json
from functools import cache
from html import escape
from pathlib import Path

from engines.common.contract import Message
from firmware.voice.words import words_of
from firmware.web.sources import without_comments

PACKAGE = "firmware.hall"
STATIC = Path(__file__).parent / "static"
FILES = {"hall.js": "text/javascript", "hall.css": "text/css"}
FACTS = {fact: f"{{{fact}}}" for fact in ("names", "time", "number", "name")}  # filled by the page
CODES = (
    *("hall.title", "hall.none", "hall.lost", "hall.away", "hall.calls", "hall.turn", "hall.won"),
    *("hall.since", "hall.ended", "hall.left", "hall.idle", "hall.tables", "hall.helps"),
    *("hall.standings", "hall.round", "hall.place", "hall.player", "hall.points", "hall.played"),
    *("hall.free", "hall.tie-break", "hall.waiting"),
)


@cache
def hall_page(language: str) -> str:
    """Return the HTML of the board in *language*.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    words = words_of(language, PACKAGE)
    texts = {code: words.write(Message(code, FACTS)) for code in CODES}
    html = (STATIC / "hall.html").read_text(encoding="utf-8")
    return html.replace("LANGUAGE", escape(language)).replace(
        "WORDS", escape(json.dumps(texts, ensure_ascii=False))
    )


@cache
def hall_file(name: str) -> str:
    """Return the script or style sheet *name* without its comments."""
    return without_comments((STATIC / name).read_text(encoding="utf-8"))
