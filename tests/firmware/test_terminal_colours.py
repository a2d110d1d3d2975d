"""Tests that the command line can be read on light and on dark terminals."""

import re
from io import StringIO

import pytest
from rich.style import Style

from firmware.commands.progress import progress
from firmware.doctor.findings import Verdict
from firmware.doctor.printing import COLOURS
from tests.terminal import Terminal

SGR = re.compile(r"\x1b\[([\d;]*)m")
PLAIN = {"", "0", "1", "2"}  # reset, bold and dim: readable on light and on dark terminals


def test_a_progress_bar_uses_the_terminals_own_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    with progress(2, out) as advance:
        advance("straw", 1)
        advance("straw", 1)
    codes = set(SGR.findall(out.getvalue()))
    assert codes - {""}, "a bar was drawn with styles"
    assert codes <= PLAIN


def test_a_progress_bar_prints_nothing_into_a_file() -> None:
    out = StringIO()
    with progress(1, out) as advance:
        advance("straw", 1)
    assert out.getvalue().strip() == ""


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_in_colour_has_its_own_background(verdict: Verdict) -> None:
    style = Style.parse(COLOURS[verdict])
    assert (style.color is None) == (style.bgcolor is None)
