"""Test of the time after which no long test begins."""

import os
import subprocess
import sys
import time

import pytest

from tests.effort import LONG_UNTIL_S


@pytest.mark.long
def test_a_long_test() -> None:
    """Began in time, or it would have been skipped."""
    assert time.time() < LONG_UNTIL_S + 60


@pytest.mark.parametrize(("until", "outcome"), [("0", "1 skipped"), ("inf", "1 passed")])
def test_no_long_test_begins_after_the_time_for_them(until: str, outcome: str) -> None:
    named = f"{__file__}::test_a_long_test"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", named],
        env=os.environ | {"TAPMAT_LONG_UNTIL": until},
        capture_output=True,
        text=True,
        check=True,
    )
    assert outcome in done.stdout
    assert ("NOT RUN" in done.stdout) == (outcome == "1 skipped")
