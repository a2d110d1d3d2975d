"""A progress bar for long work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.theme import Theme

# Rich's own colours, such as cyan, are hard to read on a white terminal.
PLAIN = Theme({"progress.download": "none", "progress.remaining": "none"})


@contextmanager
def progress(total: int | None, err: TextIO) -> Iterator[Callable[[str, int], None]]:
    """Show a bar of *total* steps on *err*, if that is a terminal, while a ``with`` block runs.

    If *total* is None, the number of steps is unknown, and only the description of the work is
    shown.

    Yields:
        A function to call with a description of the work and the number of further steps done.
    """
    bar_column = BarColumn(20, style="dim", complete_style="bold", finished_style="bold")
    of_total = (bar_column, MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(file=err, theme=PLAIN)
    with Progress(
        TextColumn("{task.description}"), *(() if total is None else of_total),
        console=console, transient=True, disable=not console.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task("", total=total)

        def advance(doing: str, steps: int) -> None:
            bar.update(task, advance=steps, description=doing)

        yield advance
