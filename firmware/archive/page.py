"""``tapmat journal stats --html``: one self-contained HTML page with statistics and charts.

The page is an element tree, so all texts, such as players' names, are escaped when the page is
written. It loads nothing from other addresses and runs no script. In these functions, *describer*
puts a game's messages into words.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from xml.etree.ElementTree import Element, tostring

from engines.common.contract import Message
from firmware.archive.charts import Curve, chart, element, key
from firmware.archive.describer import Describer
from firmware.archive.figures import (
    SOLO_HEADS,
    Curves,
    Figures,
    GameFigures,
    cells_of,
    curves_of,
    ranking,
    solo_cells,
    unread_in_words,
)
from firmware.archive.listing import MINUTE
from firmware.archive.past import ENDED, PastGame, endings_in_words, local

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page_of(found: Figures, describer: Describer) -> str:
    """Return the HTML page for the statistics in *found*."""
    html = element("html", lang="en")  # the language of the page's own texts
    head, body = element("head"), element("body")
    html.extend((head, body))
    head.append(element("meta", charset="utf-8"))
    head.append(element("meta", http_equiv="Content-Security-Policy", content=POLICY))
    head.append(element("meta", name="viewport", content="width=device-width, initial-scale=1"))
    head.append(element("meta", name="color-scheme", content="light dark"))
    head.append(element("title", "The games we played"))
    style = (files(__package__) / "page.css").read_text(encoding="utf-8")
    head.append(element("style", style))
    body.append(element("h1", "The games we played"))
    if not found.games:
        body.append(element("p", "No game was played yet."))
    for figures in found.games.values():
        body.append(_section(figures, describer))
    if found.unread:
        body.append(element("p", unread_in_words(found)))
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def _section(figures: GameFigures, describer: Describer) -> Element:
    section = element("section")
    section.append(element("h2", describer.title(figures.name)))
    section.append(element("p", f"Games: {endings_in_words(figures.endings)}."))
    rows = [(name, *cells_of(standing)) for name, standing in ranking(figures)]
    heads = ("player", "games", "won", "average", "lowest", "highest")
    section.append(_table(tuple(map(str.capitalize, heads)), rows))
    if figures.solo:
        section.append(element("h3", "Alone"))
        section.append(_table(SOLO_HEADS, solo_cells(figures)))
    happened = figures.events_by_player
    if happened:
        section.append(element("h3", "How often"))
        names = [name for name, _standing in ranking(figures)]
        rows_of_events = [
            (
                describer.label(figures.name, code, figures.facts[code]),
                *(str(counted[name] or "") for name in names),
            )
            for code, counted in happened.items()
        ]
        section.append(_table(("", *names), rows_of_events))
    drawn = element("div", class_="games")
    drawn.extend(_game(curves_of(past), describer) for past in reversed(figures.last))
    section.append(drawn)
    return section


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Element:
    """Return a table with *heads* and *rows*, in a box that scrolls if the table is too wide."""
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


def _game(curves: Curves, describer: Describer) -> Element:
    past = curves.past
    article = element("article")
    heading = "Game {number}, {when}".format(number=past.number, when=f"{local(past.at):{MINUTE}}")
    article.append(element("h3", heading))
    names = past.start.names
    scores = (f"{name} {n}" for name, n in zip(names, past.view.scores, strict=True))
    ended = "{scores}. Won by {winners}." if past.winners else "{scores}. The game is {ending}."
    summary = ended.format(
        scores=", ".join(scores),
        winners=", ".join(past.winners),
        ending=ENDED[past.ending],
    )
    article.append(element("p", summary))
    plays = len(past.effective_plays)
    if not plays:
        return article
    if curves.runs:
        article.append(_headlines(curves, plays, describer))
    shown = (*curves.scores, curves.scores[-1])  # once more, so that the last step can be seen
    lines = [
        Curve(name, 0, tuple(scores[seat] for scores in shown), seat, is_stepped=True)
        for seat, name in enumerate(names)
    ]
    figure = element("figure")
    caption = "Scores, play by play"
    figure.append(element("figcaption", caption))
    figure.append(chart(caption, summary, lines, plays + 1))
    figure.append(key(names))
    article.append(figure)
    return article


def _headlines(curves: Curves, plays: int, describer: Describer) -> Element:
    """Return a chart of the headline in all runs of *curves*, and a list of how each run ended.

    *plays* is the number of plays in the game.
    """
    past = curves.past
    title = f"{describer.caption(past.game.name, curves.runs[0].caption)}, play by play"
    title = title[:1].upper() + title[1:]
    ends = [_ending(past, run.values[-1], run.ending, describer) for run in curves.runs]
    figure = element("figure")
    figure.append(element("figcaption", title))
    lines = [Curve(end, run.first, run.values) for run, end in zip(curves.runs, ends, strict=True)]
    figure.append(chart(title, " ".join(ends), lines, plays))
    listed = element("ol")
    listed.extend(element("li", end) for end in ends)
    figure.append(listed)
    return figure


def _ending(past: PastGame, value: int, events: Sequence[Message], describer: Describer) -> str:
    """Return one text with *value*, a run's last value, and the messages that ended the run."""
    return ": ".join(filter(None, (str(value), describer.events_text(past, events))))
