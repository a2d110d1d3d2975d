"""Coroutines that run side by side and end together."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


async def run_together(
    *coroutines: Coroutine[Any, Any, None],
    goodbye: Callable[[], Coroutine[Any, Any, None]] | None = None,
    again_s: float = 0.1,
) -> None:
    """Run *coroutines* until one of them ends or fails, or this task is cancelled; end the others.

    If this task is cancelled, *goodbye* is awaited first. Those that do not end are cancelled again
    after *again_s*: before Python 3.12, ``asyncio.wait_for`` loses a cancellation that comes
    together with the result, and aiomqtt uses it.
    """
    tasks = {asyncio.ensure_future(each) for each in coroutines}
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    except asyncio.CancelledError:
        if goodbye is not None:
            await goodbye()
        raise
    finally:
        while tasks:
            for each in tasks:
                each.cancel()
            done, tasks = await asyncio.wait(tasks, timeout=again_s)
            await asyncio.gather(*done, return_exceptions=True)
