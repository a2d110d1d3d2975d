"""Safe mode: tell people, on the display and aloud, that the table's program failed repeatedly.

Safe mode uses only the display and the voice. It changes no stored file except the log and the
doctor's report, so people can look for the cause.
"""

import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event

from engines.common.contract import Topic, message
from firmware.common.errors import ConfigError
from firmware.config.table_config import TableConfig, load_config
from firmware.runtime.display_wiring import open_display
from firmware.runtime.wiring import open_voice
from firmware.show.screens import draw
from firmware.show.view import Notice, TableView
from firmware.voice.announcer import Announcer
from firmware.voice.speech import lines
from firmware.voice.words import words_of
from hardware.errors import HardwareFault, MissingPart
from hardware.ports import Board

log = logging.getLogger(__name__)

PHASE = "safe-mode"
CHECK_S, LIMIT_S = 0.2, 60  # time between two checks for the doctor's end, and its time limit


def show_safe_mode(table: Path | None, board: Board, *, is_said: bool = True) -> None:
    """Show on the display of *table* that the program failed, and what to do.

    If *is_said*, say it too. If the file *table* cannot be read, the default table's display is
    used.
    """
    show_failure(_config(table), board, PHASE, is_said=is_said)


def show_failure(config: TableConfig, board: Board, code: str, *, is_said: bool = True) -> None:
    """Show the texts ``<code>.happened`` and ``<code>.do`` on the display of the table *config*.

    Say them too if *is_said*. A fault of the display is only logged.
    """
    words = words_of(config.settings.language)
    happened, do = (words.say(message(f"{code}.{part}")) for part in ("happened", "do"))
    view = TableView(phase=code, notice=Notice(happened, do, code=code))
    try:
        if config.display is not None:
            display = open_display(config.display, board)
            display.restart()
            display.show(draw(view, display.size))
    except (MissingPart, HardwareFault) as fault:
        log.warning("display: %s", fault)
    if is_said:
        announcer = Announcer(open_voice(config, board))
        said = lines(f"{happened} {do}", topic=Topic.FAULT)
        announcer.announce(said, config.settings, board.clock.now())
        announcer.advance(board.clock.now())


def failure_in(environment: Mapping[str, str]) -> str:
    """Return a sentence with the failed service's result and exit code; empty without systemd.

    Source: systemd.exec(5), ``MONITOR_SERVICE_RESULT``, ``MONITOR_EXIT_CODE`` and
    ``MONITOR_EXIT_STATUS``, which systemd puts into *environment*.
    """
    names = ("SERVICE_RESULT", "EXIT_CODE", "EXIT_STATUS")
    found = [environment.get(f"MONITOR_{name}", "") for name in names]
    if not found[0]:
        return ""
    return f"The table's service has failed: {', '.join(filter(None, found))}"


def examine(table: Path | None, stopped: Event) -> None:
    """Run ``tapmat doctor --quick``, which saves a report, until it ends or *stopped* is set.

    The doctor runs in its own process, because it may fail in the same way as the table.
    """
    of_table = [] if table is None else ["--table", str(table)]
    command = [sys.executable, "-m", "firmware.commands.cli", "doctor", "--quick", *of_table]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as doctor:
        checks = 0
        while doctor.poll() is None and not stopped.wait(CHECK_S):
            checks += 1
            if checks * CHECK_S >= LIMIT_S:
                log.warning("tapmat doctor did not finish within %d s", LIMIT_S)
                break
        doctor.kill()


def _config(table: Path | None) -> TableConfig:
    try:
        return load_config(table)
    except ConfigError as error:
        log.warning("%s", error)
        return load_config()
