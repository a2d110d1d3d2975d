"""``tapmat journal stats --html``: one page with the figures and the curves, whole in itself.

Room: firmware/archive. The page is a tree of elements, so that every text, a player's name above
all, is escaped when it is written. It asks no other address for anything and runs no script.
"""

from collections.abc import Iterable, Sequence
from gettext import gettext as _
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from engines.common.contract import Message
from firmware.archive.charts import Curve, chart, element, key
from firmware.archive.figures import (
    Curves,
    Figures,
    GameFigures,
    cells_of,
    curves_of,
    in_words,
    ranked,
    unread_in_words,
)
from firmware.archive.listing import MINUTE
from firmware.archive.past import ENDED, PastGame, local
from firmware.archive.telling import Teller

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page_of(found: Figures, teller: Teller) -> str:
    """The page of *found*."""
    html = element("html", lang=_("en"))  # the language of the translation
    head, body = element("head"), element("body")
    html.extend((head, body))
    head.append(element("meta", charset="utf-8"))
    head.append(element("meta", http_equiv="Content-Security-Policy", content=POLICY))
    head.append(element("meta", name="viewport", content="width=device-width, initial-scale=1"))
    head.append(element("meta", name="color-scheme", content="light dark"))
    head.append(element("title", _("The games we played")))
    style = (files(__package__) / "page.css").read_text(encoding="utf-8")
    head.append(element("style", style))
    body.append(element("h1", _("The games we played")))
    if not found.games:
        body.append(element("p", _("No game was played yet.")))
    for figures in found.games.values():
        body.append(_section(figures, teller))
    if found.unread:
        body.append(element("p", unread_in_words(found)))
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def _section(figures: GameFigures, teller: Teller) -> Element:
    section = element("section")
    section.append(element("h2", teller.title(figures.name)))
    section.append(element("p", _("Games: {endings}.").format(endings=in_words(figures))))
    rows = [(name, *cells_of(standing)) for name, standing in ranked(figures)]
    heads = (_("player"), _("games"), _("won"), _("average"), _("lowest"), _("highest"))
    section.append(_table(tuple(map(str.capitalize, heads)), rows))
    happened = figures.happened
    if happened:
        section.append(element("h3", _("How often")))
        names = [name for name, _standing in ranked(figures)]
        told = [
            (
                teller.whoever(figures.name, code, figures.facts[code]),
                *(str(counted[name] or "") for name in names),
            )
            for code, counted in happened.items()
        ]
        section.append(_table(("", *names), told))
    drawn = element("div", class_="games")
    drawn.extend(_game(curves_of(past), teller) for past in reversed(figures.last))
    section.append(drawn)
    return section


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Element:
    """A table that scrolls by itself where it is wider than the page."""
    frame, table = element("div", class_="wide", tabindex="0"), element("table")
    frame.append(table)
    table.append(_row("th", heads))
    table.extend(_row("td", row) for row in rows)
    return frame


def _row(tag: str, cells: Sequence[str]) -> Element:
    row = element("tr")
    first, *others = cells
    row.append(element("th", first, scope="row" if tag == "td" else "col"))
    row.extend(element(tag, cell) for cell in others)
    return row


def _game(curves: Curves, teller: Teller) -> Element:
    past = curves.past
    article = element("article")
    heading = _("Game {number}, {when}").format(
        number=past.number, when=f"{local(past.at):{MINUTE}}"
    )
    article.append(element("h3", heading))
    names = past.start.names
    scores = (f"{name} {n}" for name, n in zip(names, past.view.scores, strict=True))
    ended = (
        _("{scores}. Won by {winners}.") if past.winners else _("{scores}. The game is {ending}.")
    )
    summary = ended.format(
        scores=", ".join(scores),
        winners=", ".join(past.winners),
        ending=_(ENDED[past.ending]),
    )
    article.append(element("p", summary))
    plays = len(past.standing)
    if not plays:
        return article
    if curves.runs:
        article.append(_headlines(curves, plays, teller))
    shown = (*curves.scores, curves.scores[-1])  # so that the last step has a tread
    lines = [
        Curve(name, 0, tuple(scores[seat] for scores in shown), seat, is_stepped=True)
        for seat, name in enumerate(names)
    ]
    figure = element("figure")
    caption = _("Scores, play by play")
    figure.append(element("figcaption", caption))
    figure.append(chart(caption, summary, lines, plays + 1))
    figure.append(key(names))
    article.append(figure)
    return article


def _headlines(curves: Curves, plays: int, teller: Teller) -> Element:
    """The headline over the plays of each run, and what put an end to each."""
    past = curves.past
    title = _("{caption}, play by play").format(
        caption=teller.caption(past.game.name, curves.runs[0].caption)
    )
    title = title[:1].upper() + title[1:]
    ends = [_ending(past, run.values[-1], run.ending, teller) for run in curves.runs]
    figure = element("figure")
    figure.append(element("figcaption", title))
    lines = [Curve(end, run.first, run.values) for run, end in zip(curves.runs, ends, strict=True)]
    figure.append(chart(title, " ".join(ends), lines, plays))
    listed = element("ol")
    listed.extend(element("li", end) for end in ends)
    figure.append(listed)
    return figure


def _ending(past: PastGame, value: int, told: Sequence[Message], teller: Teller) -> str:
    """The last *value* of a run, and what the table told then."""
    return ": ".join(filter(None, (str(value), teller.told(past, told))))
