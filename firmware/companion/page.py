"""The HTML of the companion's pages (board, overlay and phone), in one language."""

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from engines.common.contract import Message
from firmware.voice.words import language_name, words_of
from firmware.web.sources import without_comments

PACKAGE = "firmware.companion"
STATIC = Path(__file__).parent / "static"
SCRIPT, STYLE = "text/javascript", "text/css"
BACKGROUND = "#0d1712"
SCRIPTS = {
    **dict.fromkeys(
        (
            "answers.js",
            "awake.js",
            "board.js",
            "ear.js",
            "hand.js",
            "elements.js",
            "host.js",
            "message.js",
            "phone.js",
            "place.js",
            "results.js",
            "seats.js",
            "upkeep.js",
        ),
        SCRIPT,
    ),
    **dict.fromkeys(("sealing.js", "vendor/nacl-fast.min.js"), SCRIPT),
    **dict.fromkeys(
        (
            "box.js",
            "rules.js",
            "scoreboard.js",
            "cards/cargo.js",
            "cards/faces.js",
            "cards/glyphs.js",
            "cards/portraits.js",
            "cards/svg.js",
            "cards/tiles.js",
        ),
        SCRIPT,
    ),
    **dict.fromkeys(("board.css", "phone.css", "cards/faces.css"), STYLE),
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(("icon-192.png", "icon-512.png"), "image/png"),
}
FACTS = {
    fact: f"{{{fact}}}" for fact in ("names", "seconds", "code", "number", "since")
}  # filled by the page
CODES = (
    *("direction.clockwise", "direction.counter-clockwise"),
    *("board.round", "board.round-over", "phone.rules", "phone.close", "phone.left"),
    *("phone.settings", "join.in"),
    *("phone.listen-for", "phone.lay-real", "phone.not-now", "phone.said-again", "phone.drawn"),
    *("phone.nothing-fits", "phone.new", "board.ended"),
    *("board.counts", "board.how-to-join", "phone.your-turn"),
    *("unit.point", "unit.card", "unit.tile", "unit.piece"),
    *("board.turn", "board.won", "board.idle", "board.off", "board.lost"),
    *("join.ask", "join.send", "join.show", "join.wrong", "join.too-soon", "join.people"),
    *("join.refused", "phone.here", "phone.whose", "phone.host", "phone.you", "phone.press"),
    *("phone.hand", "phone.yours", "phone.take-back", "phone.say-again"),
    *(
        "phone.leave",
        "phone.leave-sure",
        "phone.unanswered",
        "phone.end-game",
        "phone.sure",
        "phone.phones",
        "phone.remove",
    ),
    *(
        "phone.busy",
        "phone.too-soon",
        "phone.refused",
        "phone.late",
        "phone.not-yours",
        "phone.lost",
        "phone.off",
    ),
    "phone.no-network",
    *("phone.wrong", "phone.listen", "phone.aloud", "phone.no-voice", "phone.gestures"),
    *("phone.playable", "phone.overview", "phone.last", "phone.rematch"),
    *("phone.free-reader", "phone.robots"),
    *("start.title", "start.game", "start.players", "start.name"),
    *("start.dealer", "start.rules", "start.go", "start.instead", "results.show", "results.none"),
    *("results.link", "results.file", "watch.title", "watch.share", "watch.open", "watch.end"),
    *("stickers.title", "stickers.box", "stickers.open", "parts.title", "parts.works"),
    *("parts.lost", "parts.unchecked", "parts.check", "stickers.help", "board.robot", "join.look"),
    *("phone.wait", "phone.instead", "phone.lost-seat", "phone.removed", "phone.robot"),
    *("phone.has-phone", "phone.language"),
    *("results.wait", "results.csv", "results.json"),
)


STARTS = {"board": "/", "overlay": "/overlay", "phone": "/phone"}  # the path of each view


def manifest_of(view: str, language: str) -> dict[str, Any]:
    """Return the web app manifest of *view*, with which a browser puts it on the home screen.

    A phone that is opened from there is the same seat: its key is in the browser's storage.
    """
    icons = [
        {"src": f"/static/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    drawing = {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}
    return {
        "id": STARTS[view],
        "start_url": STARTS[view],
        "scope": "/",
        "name": "tapmat",
        "short_name": "tapmat",
        "lang": language,
        "display": "fullscreen" if view == "board" else "standalone",
        "background_color": BACKGROUND,
        "theme_color": BACKGROUND,
        "icons": [drawing, *icons, *({**icon, "purpose": "maskable"} for icon in icons)],
    }


@cache
def page_of(view: str, language: str, *, must_join: bool = False) -> str:
    """Return the HTML of *view*, ``board``, ``overlay`` or ``phone``, in *language*.

    If *must_join*, the page asks for the six digits although it may watch.

    Raises:
        WordsError: a catalogue cannot be read.
    """
    words = words_of(language, PACKAGE)
    facts = {**FACTS, "language": language_name(language)}
    texts = {code: words.say(Message(code, facts)) for code in CODES}
    html = (STATIC / "page.html").read_text(encoding="utf-8")
    return (
        html.replace("LANGUAGE", escape(language))
        .replace("VIEW", view)
        .replace("JOINS", "join" if must_join else "")
        .replace("WORDS", escape(json.dumps(texts, ensure_ascii=False)))
    )


@cache
def text_of(name: str) -> str:
    """Return the text file *name* as it is sent: our own scripts and styles without comments.

    The comments are a quarter of what a phone would load.
    """
    text = (STATIC / name).read_text(encoding="utf-8")
    is_ours = SCRIPTS[name] in (SCRIPT, STYLE) and not name.startswith("vendor/")
    return without_comments(text) if is_ours else text
