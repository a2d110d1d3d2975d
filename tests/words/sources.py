"""Every text that a catalogue of the command line must have.

Room: tests. They stand in calls of gettext, in the help of commands, and in the libraries that
parse the command line.
"""

from collections.abc import Iterator
from pathlib import Path

import click
import typer
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir

from firmware.cli import app

HOUSE = Path(__file__).parents[2]
ROOMS = ("firmware", "hardware", "sim")
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}

Id = str | tuple[str, ...]  # the second for many

CLICK: tuple[Id, ...] = (  # and typer
    "Usage:",
    "Options",
    "Arguments",
    "Commands",
    "Error",
    "Aborted.",
    "Show this message and exit.",
    "Try [blue]'{command_path} {help_option}'[/] for help.",
    "[default: {}]",
    "[required]",
    "Missing command.",
    "No such command {name!r}.",
    "Missing argument",
    "Missing option",
    "No such option: {name}",
    ("Did you mean {possibility}?", "(Possible options: {possibilities})"),
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    "Option {name!r} does not take a value.",
    "Invalid value: {message}",
    "Invalid value for {param_hint}: {message}",
    "{value!r} is not a valid {number_type}.",
    "{value} is not in the range {range}.",
)
ARGPARSE: tuple[Id, ...] = (
    "usage: ",
    "options",
    "show this help message and exit",
    "%(prog)s: error: %(message)s\n",
    "argument %(argument_name)s: %(message)s",
    "unrecognized arguments: %s",
    "expected one argument",
)


def template() -> Catalog:
    """A catalogue of every text, without translations; to be called where English is spoken."""
    catalog = Catalog()
    for text in (*CLICK, *ARGPARSE, *helps(), *calls()):
        catalog.add(text)
    return catalog


def helps() -> Iterator[str]:
    """What stands in the help of every command and its parameters."""
    command = typer.main.get_command(app)
    yield from _helps(command, click.Context(command))


def _helps(command: click.Command, parent: click.Context) -> Iterator[str]:
    texts = (command.help, *(getattr(param, "help", None) for param in command.params))
    yield from filter(None, texts)
    if isinstance(command, click.Group):
        for name in command.list_commands(parent):
            inner = command.get_command(parent, name)
            assert inner is not None, name
            yield from _helps(inner, click.Context(inner, parent))


def calls() -> Iterator[Id]:
    """What stands in calls of gettext."""
    for room in ROOMS:
        found = extract_from_dir(HOUSE / room, keywords=KEYWORDS)
        for _file, _line, text, _comments, _context in found:
            yield text
