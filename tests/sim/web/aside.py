"""A function that runs a coroutine while a browser is open."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(act: Coroutine[Any, Any, T]) -> T:
    """Run *act* in a thread and return its result; in this one, the browser's loop may run."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, act).result()
