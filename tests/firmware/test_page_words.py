"""Texts for a page of the virtual table: they say what to click, and nothing about the mat."""

import re

import pytest

from engines.common.contract import Message
from firmware.boxes.games import games
from firmware.table.announcements import ROUND_OVER
from firmware.voice.words import ENGLISH, words_of
from tests.effort import long_unless
from tests.firmware.playouts import moments

# Words for acts at a mat. On a page, pieces are clicked, and go back by themselves.
MAT = re.compile(
    r"\b(taps?|lay|press|OK|action|mat|reader|spot|encoder|deck|[Tt]urn to|"
    r"[Tt]ake \S+( card)? back)\b"
)
NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")


@pytest.mark.parametrize("game", long_unless(("ciao", "riff-raff").__contains__, games()))
def test_what_to_do_is_said_for_a_page(game: str) -> None:
    words = words_of(ENGLISH, games()[game].package)
    found = set()
    for moment in moments(game):
        view = games()[game].view(moment.state)
        if view.phase == ROUND_OVER:
            continue  # the page shows the result instead
        texts = [view.headline, view.caption, view.page_hint or view.hint]
        found |= {words.write(text, NAMES) for text in texts if isinstance(text, Message)}
    assert found
    assert [text for text in sorted(found) if MAT.search(text)] == []
