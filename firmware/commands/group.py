"""Groups of commands to which other rooms and distributions can add commands."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar

import click
import typer
import typer.core
from typer.core import TyperGroup

# Where rich is installed, typer 0.20 writes plain help with a backslash before each "[".
typer.core.HAS_RICH = False


class ExtensibleGroup(TyperGroup):
    """A group of tapmat's own commands, followed by those in the entry-point group *added_under*.

    Each entry point is a ``typer.Typer``. An entry point with the name of one of tapmat's own
    commands is ignored.
    """

    added_under: ClassVar[str] = "tapmat.commands"

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        own = super().list_commands(ctx)
        return [
            *own,
            *(name for name in sorted(_added_entry_points(self.added_under)) if name not in own),
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command called *cmd_name*; None if there is none."""
        command = super().get_command(ctx, cmd_name)
        entry = _added_entry_points(self.added_under).get(cmd_name)
        if command is None and entry is not None:
            command = typer.main.get_command(entry.load())
            command.name = cmd_name  # typer names no groups
        if command is not None:
            _read_without_asking(command)
        return command


class JournalGroup(ExtensibleGroup):
    """The commands of ``tapmat journal``."""

    added_under: ClassVar[str] = "tapmat.journal"


class HallGroup(ExtensibleGroup):
    """The commands of ``tapmat hall``."""

    added_under: ClassVar[str] = "tapmat.hall"


def _read_without_asking(command: click.Command) -> None:
    """Let *command* open its files without asking access(2) first.

    On a Pi, the user tapmat reads files in people's home folders by a capability, which access(2)
    ignores. Each command reports a file that it cannot open.
    """
    for parameter in command.params:
        if isinstance(parameter.type, click.Path):
            parameter.type.readable = False
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _read_without_asking(inner)


@cache
def _added_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of *group*, by name. The search is slow, so it is cached."""
    return {entry.name: entry for entry in entry_points(group=group)}
