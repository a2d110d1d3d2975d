"""A web server's errors that no task has handled."""

import asyncio
from contextlib import closing

import pytest
from aiohttp import ClientConnectionResetError

from firmware.web.serving import on_error


@pytest.mark.parametrize(
    ("error", "is_logged"),
    [
        (ClientConnectionResetError("Cannot write to closing transport"), False),
        (ValueError("a mistake of ours"), True),
    ],
)
def test_a_page_that_was_closed_is_no_error(
    caplog: pytest.LogCaptureFixture, error: Exception, *, is_logged: bool
) -> None:
    with closing(asyncio.new_event_loop()) as loop:
        on_error(loop, {"message": "Task exception was never retrieved", "exception": error})
    assert (str(error) in caplog.text) == is_logged
