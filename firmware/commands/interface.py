"""The names, options and help texts of all commands except ``tapmat journal`` and ``tapmat hall``.

Each command imports its code only when it is called, so that ``--help`` answers at once.
"""

from pathlib import Path
from typing import Annotated

import typer

from firmware.commands.group import ExtensibleGroup
from firmware.commands.hall_interface import hall
from firmware.commands.journal_interface import journal
from firmware.commands.options import AsJson, StateFolder, TableFile

APP_HELP = "A playmat that referees card games."
BOXES = (1, 9)  # a copy of firmware.boxes.register.BOXES; a test compares them
TEMPLATES = "smallest|family|five-readers"  # a copy of firmware.plan.templates.TEMPLATES

app = typer.Typer(
    cls=ExtensibleGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help takes half the time
    help=APP_HELP,
)
voice = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Test the table's voice, or list what to record for it.",
)
app.add_typer(voice, name="voice")
app.add_typer(journal, name="journal")
app.add_typer(hall, name="hall")

Language = Annotated[str, typer.Argument(help="A language of the table, such as en.")]
SpokenLanguage = Annotated[
    str | None, typer.Option("--language", help="A language other than the table's, such as de.")
]


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        print(f"tapmat {version('tapmat')}")
        raise typer.Exit


@app.callback()
def _tapmat(
    is_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A playmat that referees card games."""


@app.command()
def play(
    table: TableFile = None,
    state: StateFolder = None,
    sim: Annotated[
        bool, typer.Option("--sim", help="Emulate every chip, and type what you do at the mat.")
    ] = False,
    game: Annotated[
        str | None, typer.Option(help="With --sim: begin this game if none is in progress.")
    ] = None,
) -> None:
    """Run the table, or an emulated one in this terminal."""
    from firmware.config.table_config import load_config

    if sim:
        from firmware.commands.stand_ins import run_simulated

        raise typer.Exit(run_simulated(load_config(table), state, game))
    from firmware.commands.in_use import refuse_if_in_use
    from firmware.journal.log_file import logging_to_file
    from firmware.journal.state_folder import state_folder

    with logging_to_file(state_folder(state), "tapmat play"):
        config = load_config(table)
        refuse_if_in_use(state)
        from firmware.commands.play import run_table

        code = run_table(config, state)
    raise typer.Exit(code)


@app.command()
def pieces(
    game: Annotated[
        str | None, typer.Argument(help="The game. Without it, all games are listed.")
    ] = None,
    table: TableFile = None,
    as_json: AsJson = False,
) -> None:
    """List the games, or the pieces of a game's deck."""
    from firmware.commands.pieces import run_games, run_pieces
    from firmware.config.table_config import load_config

    config = load_config(table)
    if game is None:
        raise typer.Exit(run_games(config, as_json))
    raise typer.Exit(run_pieces(game, config, as_json))


@app.command()
def doctor(
    table: TableFile = None,
    state: StateFolder = None,
    sim: Annotated[bool, typer.Option("--sim", help="Check emulated parts.")] = False,
    as_json: AsJson = False,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Finish in about a second: no sound, no questions, no tests of chips."
        ),
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Print a report for the project, without personal data, and write it to FILE.",
        ),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="The file for --report. Without it: report.txt in the state folder.",
        ),
    ] = None,
) -> None:
    """Check the computer, the parts and the stored data.

    Each line has a verdict and, if something is wrong, what to do about it.
    """
    from firmware.commands.doctor import (
        doctor_options,
        load_config_to_check,
        run_doctor,
        write_report,
    )

    if report and as_json:
        raise typer.BadParameter("--report is text; leave out --json")
    if file is not None and not report:
        raise typer.BadParameter(f"{file} is the file of a report; add --report")
    options = doctor_options(is_quick=quick, is_emulated=sim, as_json=as_json)
    config = load_config_to_check(table, state, is_emulated=sim)
    if report:
        raise typer.Exit(write_report(config, state, options, file))
    raise typer.Exit(run_doctor(config, state, options, as_json))


@app.command()
def companion(
    table: TableFile = None,
    state: StateFolder = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Without it, every address.")
    ] = "",
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The port, in place of the one in table.toml."),
    ] = None,
    lists_viewers: Annotated[
        bool,
        typer.Option(
            "--viewers", help="Only list the viewers, which are the browsers that have joined."
        ),
    ] = False,
    removed: Annotated[
        str | None,
        typer.Option(
            "--remove", metavar="VIEWER", help="Only remove this viewer, a number from --viewers."
        ),
    ] = None,
    is_child: Annotated[bool, typer.Option("--child", hidden=True)] = False,
) -> None:
    """Show the table on televisions and phones.

    If [companion] is on in table.toml, tapmat play and tapmat sim run this command by themselves
    (tapmat play --sim does not).
    """
    from firmware.commands.companion import run

    if lists_viewers or removed is not None:
        from firmware.commands.viewers import list_viewers, remove_viewer

        code = list_viewers(table, port) if removed is None else remove_viewer(table, port, removed)
        raise typer.Exit(code)
    raise typer.Exit(run(table, state, host, port, is_child))


@app.command()
def mqtt(
    table: TableFile = None,
    state: StateFolder = None,
    is_child: Annotated[bool, typer.Option("--child", hidden=True)] = False,
) -> None:
    """Connect the table to an MQTT broker, for Home Assistant.

    If [mqtt] is on in table.toml, tapmat play and tapmat sim run this command by themselves
    (tapmat play --sim does not).
    """
    from firmware.commands.mqtt import run

    raise typer.Exit(run(table, state, is_child))


@app.command()
def safe(table: TableFile = None) -> None:
    """Show on the display that the table did not start.

    A systemd service runs this command if tapmat play fails. It runs until it is stopped.
    """
    import logging

    from firmware.commands.play import run_safe_mode
    from firmware.common.errors import StateFolderError
    from firmware.journal.log_file import logging_to_file
    from firmware.journal.state_folder import state_folder

    try:
        folder = state_folder()
    except StateFolderError as error:  # this folder may be the very reason
        logging.getLogger(__name__).warning("%s", error)
        raise typer.Exit(run_safe_mode(table)) from error
    with logging_to_file(folder, "tapmat safe"):
        code = run_safe_mode(table)
    raise typer.Exit(code)


@app.command()
def update(
    file: Annotated[
        Path | None,
        typer.Argument(help="The signed bundle. Without it, the installed versions are listed."),
    ] = None,
    trust: Annotated[
        Path | None,
        typer.Option(metavar="KEY.pub", help="Trust this SSH public key for updates."),
    ] = None,
    older: Annotated[
        bool, typer.Option("--older", help="Also accept an older version than the one in use.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Install a newer version of tapmat from a signed bundle.

    If the new version does not start, or fails within ten minutes, the previous one runs again.
    """
    if trust is not None and file is not None:
        raise typer.BadParameter("Give either a bundle or --trust with a key.")
    from firmware.pi.update import run_update

    raise typer.Exit(run_update(file, key=trust, accepts_older=older, says_yes=yes))


@app.command()
def wiring(
    table: TableFile = None,
    template: Annotated[
        str | None, typer.Option(metavar=TEMPLATES, help="Use this table in place of --table.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the template to a new FILE.")
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a drawing of the wiring to FILE (SVG)."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Only check the pins and currents; exit with 1 on an error."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print or draw the connection of every pin."""
    from firmware.commands.wiring import run_template, run_wiring
    from firmware.config.table_config import load_config
    from firmware.plan.templates import template_file

    if table is not None and (template is not None or write is not None):
        raise typer.BadParameter(
            "--table cannot be used with --template or --write. Give one or the other."
        )
    if write is not None:
        raise typer.Exit(run_template(template, write))
    config = load_config(table if template is None else template_file(template))
    raise typer.Exit(run_wiring(config, svg=svg, is_check=check, as_json=as_json))


@app.command()
def enrol(
    game: Annotated[str, typer.Argument(help="The game, or: commands (the command cards).")],
    table: TableFile = None,
    state: StateFolder = None,
    box: Annotated[
        int,
        typer.Option(
            min=BOXES[0],
            max=BOXES[1],
            help="The number of the box, if you have several copies of the game.",
        ),
    ] = 1,
    piece: Annotated[
        str | None,
        typer.Option(help="Only this card, to replace its sticker: weight-7, or weight-7#2."),
    ] = None,
    sim: Annotated[
        bool, typer.Option("--sim", help="Emulate every chip, and type what you do at the mat.")
    ] = False,
    export_to: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write the stickers to FILE; - prints them."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--import", metavar="FILE", help="Read the stickers from FILE.")
    ] = None,
    replaces: Annotated[
        bool,
        typer.Option("--replace", help="With --import: replace stickers that the box has already."),
    ] = False,
    deck_to: Annotated[
        Path | None,
        typer.Option(
            "--deck",
            metavar="FILE",
            help="Write a deck file with the enrolled cards to FILE; - prints it.",
        ),
    ] = None,
) -> None:
    """Record which sticker is on which card of a game."""
    if [piece, export_to, file, deck_to].count(None) < 3:
        raise typer.BadParameter("Give only one of --piece, --export, --import and --deck.")
    if replaces and file is None:
        raise typer.BadParameter("--replace only works with --import.")
    from firmware.commands import enrol
    from firmware.config.table_config import load_config

    config = load_config(table)
    wanted = enrol.CardsToEnrol.of(config, game, box, piece)
    if sim and state is None:
        state = enrol.blank_folder()
    if export_to is not None:
        code = enrol.run_export(wanted, state, export_to)
    elif file is not None:
        code = enrol.run_import(wanted, state, file, replaces)
    elif deck_to is not None:
        code = enrol.run_deck(wanted, state, deck_to)
    elif sim:
        code = enrol.run_simulated_enrolment(config, state, wanted)
    else:
        code = enrol.run_enrolment(config, state, wanted)
    raise typer.Exit(code)


@voice.command("say")
def _say(
    text: Annotated[str, typer.Argument(help="The words, in quotes.")],
    language: SpokenLanguage = None,
    table: TableFile = None,
) -> None:
    """Say TEXT in the table's voice."""
    from firmware.commands.voice import check_language, run_say
    from firmware.config.table_config import load_config

    config = load_config(table)
    raise typer.Exit(run_say(config, text, check_language(language or config.settings.language)))


@voice.command("lines")
def _lines(language: Language, table: TableFile = None) -> None:
    """List the recordings for a clip pack, with file names and words."""
    from firmware.commands.voice import check_language, run_lines
    from firmware.config.table_config import load_config

    raise typer.Exit(run_lines(load_config(table), check_language(language)))
