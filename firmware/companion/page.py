"""The page of the board and the overlay, with its words in one language."""

import json
from functools import cache
from html import escape
from pathlib import Path

from engines.common.contract import Message
from firmware.voice.words import words_of

PACKAGE = "firmware.companion"
STATIC = Path(__file__).parent / "static"
SCRIPT = "text/javascript"
SCRIPTS = {
    **dict.fromkeys(
        ("board.js", "phone.js", "ear.js", "sealing.js", "vendor/nacl-fast.min.js"), SCRIPT
    ),
    **dict.fromkeys(("board.css", "phone.css"), "text/css"),
    "icon.svg": "image/svg+xml",
}
FACTS = {fact: f"{{{fact}}}" for fact in ("names", "seconds", "code")}  # filled by the page
CODES = (
    *("direction.clockwise", "direction.counter-clockwise"),
    *("board.turn", "board.won", "board.idle", "board.off", "board.lost"),
    *("join.ask", "join.send", "join.show", "join.wrong", "join.too-soon", "join.people"),
    *("join.refused", "phone.here", "phone.whose", "phone.host", "phone.you", "phone.press"),
    *("phone.hand", "phone.yours", "phone.take-back", "phone.say-again"),
    *("phone.leave", "phone.end-game", "phone.sure", "phone.phones", "phone.remove"),
    *("phone.busy", "phone.refused", "phone.late", "phone.not-yours", "phone.lost", "phone.off"),
    *("phone.wrong", "phone.listen", "phone.aloud", "phone.no-voice", "phone.gestures"),
    *("phone.playable", "phone.overview", "phone.last"),
)


@cache
def page_of(view: str, language: str) -> str:
    """Return the HTML of *view*, ``board``, ``overlay`` or ``phone``, in *language*.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    words = words_of(language, PACKAGE)
    texts = {code: words.say(Message(code, FACTS)) for code in CODES}
    html = (STATIC / "page.html").read_text(encoding="utf-8")
    return (
        html.replace("LANGUAGE", escape(language))
        .replace("VIEW", view)
        .replace("WORDS", escape(json.dumps(texts, ensure_ascii=False)))
    )
