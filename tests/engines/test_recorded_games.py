"""Recorded games: every game shows, asks, says and refuses what it did when it was recorded.

If a rule is changed on purpose, run this file with ``--approve`` and read the differences in
tests/golden/recorded_games.
"""

import pytest

from tests.conftest import Golden
from tests.engines.contract import Case, installed
from tests.engines.record import record_of

GAMES = installed()


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_game_goes_as_it_was_recorded(name: str, golden: Golden) -> None:
    golden.check_text(f"{name}.txt", record_of(Case(GAMES[name])))
