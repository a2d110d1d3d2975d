"""Lessons, hints and requests on both displays, in every language; approved pictures of lessons."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from engines.common.grid import Place
from engines.common.lessons import lessons_of
from firmware.boxes.games import games
from firmware.runtime.loop import PAGE_S
from firmware.show.screens import SIZES
from firmware.show.text import legible
from firmware.show.view import Notice, TableView
from firmware.table.modes.advice import Advice
from firmware.table.modes.playing import Playing
from firmware.table.table import NOTICE_S
from firmware.voice.settings import Hints
from firmware.voice.words import languages
from tests.conftest import Golden
from tests.effort import long_unless
from tests.firmware.playouts import Moment, moments
from tests.firmware.test_catalogues import Shown, playing_at

TAUGHT = sorted(name for name, game in games().items() if lessons_of(game) is not None)
every_game = pytest.mark.parametrize("name", TAUGHT)


def lessons_in(name: str, language: str) -> Iterator[tuple[str, TableView]]:
    """Yield each lesson of game *name* with a view whose notice shows it in *language*.

    A lesson with another text for small children is yielded twice.
    """
    game = games()[name]
    taught = lessons_of(game)
    assert taught is not None
    views: dict[str, TableView] = {}
    for is_for_children in (False, True):
        states = (m for m in moments(name) if game.view(m.state).is_for_children is is_for_children)
        for moment in islice(states, 1):
            playing = playing_at(name, moment, language)
            for lesson in (*taught.opening, *taught.lessons):
                view = with_notice(playing, playing.lesson_notice(lesson))
                if views.setdefault(lesson.code, view) != view:
                    views[f"{lesson.code}.child"] = view
    yield from views.items()


def with_notice(playing: Playing, notice: Notice) -> TableView:
    return TableView("play", title=playing.view().title, notice=notice)


def left_out(view: TableView, size: tuple[int, int]) -> list[str]:
    """Return the words of the notice of *view* that a display of *size* cuts or leaves out."""
    assert view.notice is not None
    shown = Shown(view, size)
    words = legible(f"{view.notice.happened} {view.notice.do}").split()
    return [word for word in words if word not in shown.text.split()]


# Hungarian has the longest words.
@pytest.mark.parametrize("language", long_unless("hu".__eq__, languages()))
@every_game
def test_each_lesson_is_whole_on_both_displays_while_it_is_shown(name: str, language: str) -> None:
    for lesson, view in lessons_in(name, language):
        for size in SIZES:
            assert not left_out(view, size), lesson
            assert len(Shown(view, size).pages) * PAGE_S <= NOTICE_S, lesson


@pytest.mark.parametrize("language", languages())
def test_lessons_draw_their_approved_pictures(language: str, golden: Golden) -> None:
    for name in TAUGHT:
        for lesson, view in lessons_in(name, language):
            for width, height in SIZES:
                for number, page in enumerate(Shown(view, (width, height)).pages, start=1):
                    sheet = f"{language}-{width}x{height}"
                    golden.check(sheet, f"{name}-{lesson}-{number}", page)


@pytest.mark.parametrize("language", long_unless("hu".__eq__, languages()))
@every_game
def test_each_hint_is_whole_on_both_displays(name: str, language: str) -> None:
    found = {hint_at(name, moment, language) for moment in moments(name)}
    assert found
    for hint in found:
        view = TableView("play", title=name, notice=hint)
        for size in SIZES:
            assert not left_out(view, size), hint


def hint_at(name: str, moment: Moment, language: str) -> Notice:
    """Return the answer to "What can I do?" at *moment*, with what is recommended."""
    notice = Advice(playing_at(name, moment, language, Hints.OFFERED)).outcome().notice
    assert notice is not None
    return notice


# The requests of the mat as a player, each with the longest facts.
REQUESTS = (
    *("mat.deal", "mat.more", "mat.draw", "mat.draw-placed", "mat.receive", "mat.give"),
    *("mat.play", "mat.play-right", "mat.any", "mat.look", "mat.open"),
)
MOST_PAGES = 3  # of a request and of the game after it


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", sorted(games()))
def test_what_the_mat_asks_for_is_whole_on_both_displays(name: str, language: str) -> None:
    moment = moments(name)[0]
    playing = playing_at(name, moment, language)
    pieces = {piece.kind: piece for piece in moment.setup.deck.pieces()}.values()
    longest = max(pieces, key=lambda piece: len(playing.text("mat.open", seat=0, piece=piece)))
    facts = {"seat": 0, "other_seat": 1, "n": 12, "number": 12, "piece": longest}
    where = playing.way_text(Place(-12, -12))
    for code in REQUESTS:
        request = playing.text(code, where=where, **facts)
        view = replace(playing.view(), hint=request, is_for_mat=True, choices=None)
        for size in SIZES:
            shown = Shown(view, size)
            words = legible(request).split()
            assert [word for word in words if word not in shown.text.split()] == [], code
            assert len(shown.pages) <= MOST_PAGES, code
