"""The command ``tapmat``: parses, calls, and turns what is wrong into one message and an exit code.

Room: firmware. Rooms above add commands of their own under the entry-point group
``tapmat.commands`` (each a ``typer.Typer``), a stand-in for the real table under ``tapmat.play``,
and one for the computer under ``tapmat.boards``; none is named here.
"""

import errno
import io
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from gettext import gettext as _
from gettext import ngettext, textdomain
from importlib.metadata import entry_points
from pathlib import Path
from threading import Event
from typing import Annotated, Any, ClassVar, NoReturn, TextIO

import click
import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from firmware import WORDS
from firmware.archive.keeping import keep_within_limit
from firmware.boxes import Box
from firmware.config import TableConfig, load_config
from firmware.controller import Controller
from firmware.decks import load_deck
from firmware.doctor.computer import Computer
from firmware.doctor.examination import Examination, Manner
from firmware.doctor.findings import Verdict
from firmware.doctor.printing import print_json, print_table
from firmware.doctor.terminal import person_at
from firmware.enrol import (
    STDOUT,
    Screen,
    Typed,
    Wanted,
    export,
    follow,
    import_from,
    write_deck,
)
from firmware.errors import TapmatError
from firmware.games import game_named
from firmware.journal import utc_now
from firmware.plan.command import run_template, run_wiring
from firmware.plan.templates import TEMPLATES, template_file
from firmware.register import BOXES
from firmware.safe_mode import show_safe_mode
from firmware.service import Service
from firmware.state_folder import state_folder
from firmware.voice_command import run_lines, run_say
from firmware.wiring import open_computer
from firmware.words import languages
from hardware.errors import MissingPart
from hardware.ports import Board

EXIT_OK, EXIT_FAILED, EXIT_BAD_INPUT, EXIT_MISSING_PART = 0, 1, 2, 3
SIM = "sim"  # what stands in is called that in every group, and so is its own state folder
BLANK = "sim-blank"  # the state folder of an emulated table at which nobody has enrolled anything
PRINT_FAULTS = (errno.EPIPE, errno.EBADF, errno.EIO, errno.ENOSPC, errno.EFBIG)

TableFile = Annotated[
    Path | None, typer.Option("--table", help="The table's configuration, table.toml.")
]
StateFolder = Annotated[
    Path | None, typer.Option("--state", help="The folder of journal and tag register.")
]
LANGUAGES = click.Choice(languages())
LANGUAGE = typer.Argument(click_type=LANGUAGES)
SpokenLanguage = Annotated[
    str | None, typer.Option("--language", click_type=LANGUAGES, help="In place of the table's.")
]


@contextmanager
def in_english() -> Iterator[None]:
    """A block in which nothing is translated: what programs and helpers read, wherever it runs."""
    textdomain("messages")  # of which there is no catalogue
    try:
        yield
    finally:
        textdomain(WORDS)


def _for_programs(ctx: click.Context, is_asked: bool) -> bool:
    """What programs read is in English."""
    if is_asked:
        ctx.with_resource(in_english())
    return is_asked


AsJson = Annotated[
    bool,
    typer.Option("--json", callback=_for_programs, is_eager=True, help="Print for programs."),
]


class Commands(TyperGroup):
    """Our commands, and those that other rooms add, loaded when they are asked for."""

    added_under: ClassVar[str] = "tapmat.commands"  # the entry-point group

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name."""
        added = entry_points(group=self.added_under).names
        return [*super().list_commands(ctx), *sorted(added)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called *cmd_name*."""
        for entry in entry_points(group=self.added_under, name=cmd_name):
            return _translated(typer.main.get_command(entry.load()))
        command = super().get_command(ctx, cmd_name)
        return None if command is None else _translated(command)


def _translated(command: click.Command) -> click.Command:
    """*command* and those below it with their help in the language of whoever reads it."""
    command.help = command.help and _(command.help)
    for param in command.params:
        if isinstance(param, TyperOption | TyperArgument):
            param.help = param.help and _(param.help)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _translated(inner)
    return command


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help=_("A playmat that keeps the rules."),
)


voice = typer.Typer(no_args_is_help=True, help="How the table sounds, and what can be recorded.")
app.add_typer(voice, name="voice")


@app.callback()
def _tapmat() -> None:
    """A playmat that keeps the rules."""


@app.command()
def play(
    table: TableFile = None,
    state: StateFolder = None,
    sim: Annotated[
        bool, typer.Option("--sim", help="Emulate every chip; type at the mat.")
    ] = False,
    game: Annotated[str | None, typer.Option(help="With --sim: begin with this game.")] = None,
) -> None:
    """Run the table."""
    config = load_config(table)
    raise typer.Exit(_simulated(config, state, game) if sim else run_table(config, state))


@app.command()
def pieces(game: str, table: TableFile = None, as_json: AsJson = False) -> None:
    """Print a game's deck."""
    raise typer.Exit(run_pieces(game, load_config(table), as_json))


@app.command()
def doctor(
    table: TableFile = None,
    state: StateFolder = None,
    sim: Annotated[bool, typer.Option("--sim", help="Look at emulated parts.")] = False,
    as_json: AsJson = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="In a second: nothing is said aloud, nobody is asked.")
    ] = False,
) -> None:
    """Check computer, buses, parts, decks and journal; one verdict and one remedy a line."""
    asks = not (sim or as_json or quick)
    person = person_at(sys.stdin, sys.stdout) if asks else None
    manner = Manner(is_quick=quick, is_emulated=sim, person=person)
    raise typer.Exit(run_doctor(load_config(table), state, manner, as_json))


@app.command()
def safe(table: TableFile = None) -> None:
    """Show on the display that the table could not be started, until told to stop."""
    raise typer.Exit(run_safe_mode(table))


def run_safe_mode(table: Path | None) -> int:
    """Show on the display of *table* what to do; with the default table if that cannot be read.

    Raises:
        MissingPart: this computer has no such display.
    """
    stopped = Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    with closing(open_computer()) as board:
        show_safe_mode(table, board)
        stopped.wait()
    return EXIT_OK


@app.command()
def wiring(
    table: TableFile = None,
    template: Annotated[
        str | None, typer.Option(help=f"In place of --table: {', '.join(TEMPLATES)}.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option(help="Write the template to this new file, to begin with.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw it into this file.")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw it into this file.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Just check pins and current; 1 if they are too much.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print which pin of each part goes to which pin of the Pi, or draw it."""
    if table is not None and (template is not None or write is not None):
        raise typer.BadParameter(_("--table names a table that is there; leave out one of them."))
    if write is not None:
        raise typer.Exit(run_template(template, write))
    config = load_config(table if template is None else template_file(template))
    raise typer.Exit(run_wiring(config, svg=svg, png=png, is_check=check, as_json=as_json))


@app.command()
def enrol(
    game: Annotated[str, typer.Argument(help="The game, or: commands (the command cards).")],
    table: TableFile = None,
    state: StateFolder = None,
    box: Annotated[
        int, typer.Option(min=BOXES[0], max=BOXES[-1], help="Which copy of the game.")
    ] = 1,
    piece: Annotated[
        str | None,
        typer.Option(help="Just this card, whose sticker is lost: weight-7, or weight-7#2."),
    ] = None,
    sim: Annotated[
        bool, typer.Option("--sim", help="Emulate every chip; type at the mat.")
    ] = False,
    export_to: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write the stickers to FILE; - prints them."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--import", metavar="FILE", help="Read the stickers from FILE.")
    ] = None,
    replaces: Annotated[
        bool, typer.Option("--replace", help="With --import: in place of those of the box.")
    ] = False,
    deck_to: Annotated[
        Path | None,
        typer.Option("--deck", metavar="FILE", help="Write the deck as enrolled; - prints it."),
    ] = None,
) -> None:
    """Bind a deck's stickers to its cards, tap after tap, or keep them in files."""
    if [piece, export_to, file, deck_to].count(None) < 3:
        raise typer.BadParameter(_("Name just one of --piece, --export, --import and --deck."))
    if replaces and file is None:
        raise typer.BadParameter(_("--replace goes with --import."))
    config = load_config(table)
    wanted = Wanted.of(config, game, box, piece)
    if sim and state is None:
        state = state_folder() / BLANK
    if export_to is not None:
        code = run_export(wanted, state, export_to)
    elif file is not None:
        code = run_import(wanted, state, file, replaces)
    elif deck_to is not None:
        code = run_deck(wanted, state, deck_to)
    elif sim:
        code = int(_stand_in("tapmat.enrol")(config, state, wanted))
    else:
        code = run_enrolment(config, state, wanted)
    raise typer.Exit(code)


@voice.command("say")
def _say(text: str, language: SpokenLanguage = None, table: TableFile = None) -> None:
    """Say something as the table would."""
    config = load_config(table)
    raise typer.Exit(run_say(config, text, language or config.language))


@voice.command("lines")
def _lines(language: Annotated[str, LANGUAGE], table: TableFile = None) -> None:
    """Print what can be recorded for a clip pack: the name of each file, and its words."""
    raise typer.Exit(run_lines(load_config(table), language))


def run_table(config: TableConfig, state: Path | None) -> int:
    """Run the table on this computer's own parts until it is told to stop.

    Raises:
        MissingPart: this computer lacks a part.
        TapmatError: configuration or state folder cannot be used.
    """
    service = Service.of(os.environ)
    keep_within_limit(state_folder(state), utc_now())
    with closing(open_computer()) as board, Controller.open(config, state, board) as controller:
        signal.signal(signal.SIGTERM, lambda *_: controller.loop.stop())
        controller.loop.alive = service.alive
        controller.loop.run()
        service.stopping()
    return EXIT_OK


def run_enrolment(
    config: TableConfig, state: Path | None, wanted: Wanted, out: TextIO | None = None
) -> int:
    """Enrol what is *wanted* on this computer's own parts until it is done, or left.

    Raises:
        MissingPart: this computer lacks a part.
        TapmatError: configuration or state folder cannot be used.
    """
    out = out or sys.stdout
    with closing(open_computer()) as board, Controller.open(config, state, board) as controller:
        signal.signal(signal.SIGTERM, lambda *_: controller.loop.stop())
        box = follow(controller, wanted, Screen(out), Typed(sys.stdin))
    print(_in_words(box), file=out)
    return EXIT_OK


def run_export(wanted: Wanted, state: Path | None, file: Path, out: TextIO | None = None) -> int:
    """Write a box's stickers to *file*."""
    export(wanted, state, file, out or sys.stdout)
    return EXIT_OK


def run_import(
    wanted: Wanted, state: Path | None, file: Path, replaces: bool, out: TextIO | None = None
) -> int:
    """Read a box's stickers from *file*, all of them or none."""
    box = import_from(wanted, state, file, replaces=replaces)
    print(_in_words(box), file=out or sys.stdout)
    return EXIT_OK


def run_deck(wanted: Wanted, state: Path | None, file: Path, out: TextIO | None = None) -> int:
    """Write the deck of a box, as it was enrolled, to *file*."""
    out = out or sys.stdout
    deck = write_deck(wanted, state, file, out)
    if file != STDOUT:
        told = ngettext(
            "{count} piece. To play with it, name it in table.toml:",
            "{count} pieces. To play with it, name it in table.toml:",
            deck.total,
        )
        print(told.format(count=deck.total), file=out)
        print(f"[decks]\n{deck.game} = {json.dumps(str(file))}", file=out)
    if deck.total != wanted.deck.total:
        told = _("Count again: the deck should have {count}.")
        print(told.format(count=wanted.deck.total), file=sys.stderr)
    return EXIT_OK


def _in_words(box: Box) -> str:
    told = _("{game}: {done} of {total} have a sticker.")
    if box.number > 1:
        told = _("{game}, box {number}: {done} of {total} have a sticker.")
    return told.format(game=box.game, number=box.number, done=box.done, total=box.total)


def run_pieces(name: str, config: TableConfig, as_json: bool, out: TextIO | None = None) -> int:
    """Print the deck of game *name*."""
    out = out or sys.stdout
    game = game_named(name)
    deck = load_deck(game, config.decks.get(game.name))
    kinds = [{"name": k.name, "count": k.count, "value": k.value} for k in deck.kinds]
    if as_json:
        shape = {
            "game": deck.game,
            "total": deck.total,
            "verified": deck.is_verified,
            "kinds": kinds,
        }
        print(json.dumps(shape), file=out)
        return EXIT_OK
    width = max(16, *(len(kind.name) for kind in deck.kinds))
    for kind in deck.kinds:
        print(f"{kind.count:3} x {kind.name:<{width}} {kind.value:4}", file=out)
    told = ngettext("{count:3} piece", "{count:3} pieces", deck.total).format(count=deck.total)
    doubt = "" if deck.is_verified else _(" (not verified: compare with your box)")
    print(f"{told}{doubt}", file=out)
    return EXIT_OK


def run_doctor(
    config: TableConfig,
    state: Path | None,
    manner: Manner,
    as_json: bool,
    out: TextIO | None = None,
) -> int:
    """Check the table of *config*, on this computer's own parts or on emulated ones.

    Returns:
        0: all is well, or works with a warning; 1: a check failed; 3: a part is missing.

    Raises:
        MissingPart: there are no emulated parts here.
    """
    out = out or sys.stdout
    open_board: Callable[[TableConfig], Board] = lambda _: open_computer()  # noqa: E731
    if manner.is_emulated:
        state = state or state_folder() / SIM
        open_board = _stand_in("tapmat.boards")
    logging.disable(logging.WARNING)  # what the parts would log is in the report
    try:
        report = Examination(config, open_board, Computer(), manner).of(state)
    finally:
        logging.disable(logging.NOTSET)
    if as_json:
        print_json(report, out)
    else:
        print_table(report, out, report.shown)
    if report.lacks_part:
        return EXIT_MISSING_PART
    return EXIT_FAILED if report.verdict is Verdict.FAIL else EXIT_OK


def _simulated(config: TableConfig, state: Path | None, game: str | None) -> int:
    """Run the stand-in for the real table."""
    return int(_stand_in("tapmat.play")(config, state, game))


def _stand_in(group: str) -> Callable[..., Any]:
    """What another room offers under *group* in place of the real thing.

    Raises:
        MissingPart: none does.
    """
    for entry in entry_points(group=group, name=SIM):
        offered: Callable[..., Any] = entry.load()
        return offered
    raise MissingPart("--sim", _("the emulated table is not installed"), _("Install all of tapmat"))


def main() -> None:
    """Run the command line; every known fault ends in one message and its exit code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        _take_streams()
        try:
            app()
        finally:
            sys.stdout.flush()
    except TapmatError as error:
        _end(str(error), error.exit_code)
    except MissingPart as missing:
        _end(str(missing), EXIT_MISSING_PART)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        if error.errno not in PRINT_FAULTS or error.filename is not None:
            raise  # it is of another file than the standard output
        _drop_output()
        is_broken_pipe = error.errno == errno.EPIPE  # whoever read it has read enough
        told = _("Nothing can be printed: {reason}.").format(reason=error.strerror)
        _end("" if is_broken_pipe else told, EXIT_FAILED)


def _take_streams() -> None:
    """Make do with the standard streams: one that is closed is empty, letters they lack are ``?``.

    Raises:
        OSError: there is nothing to print to.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # for good
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # for good
    if sys.stdout is None:
        raise OSError(errno.EBADF, _("the standard output is closed"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Send what is still to be printed nowhere, so that Python's own last flush does not fail."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(message: str, code: int) -> NoReturn:
    """End with *code*; a *message* that cannot be printed either is lost."""
    with suppress(OSError):
        if message:
            print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
