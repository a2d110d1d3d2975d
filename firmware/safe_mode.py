"""Safe mode: what a table shows and says when its program could not be started, time after time.

Room: firmware. It touches the display and the voice, and no state: whatever is wrong there waits
for people to look at it.
"""

import logging
from pathlib import Path

from engines.common.contract import Topic, told
from firmware.announcer import Announcer
from firmware.config import TableConfig, load_config
from firmware.errors import ConfigError
from firmware.screens import draw
from firmware.speech import lines
from firmware.view import Notice, TableView
from firmware.wiring import open_display, open_voice
from firmware.words import words_of
from hardware.errors import HardwareFault, MissingPart
from hardware.ports import Board

log = logging.getLogger(__name__)

PHASE = "safe-mode"


def show_safe_mode(table: Path | None, board: Board) -> None:
    """Show and say on *board* that the table of the file *table* cannot start, and what to do.

    Where that file is what is wrong, the default table's display is tried. A display or voice that
    does not work either is left silent, and logged.
    """
    config = _config(table)
    words = words_of(config.language)
    happened, do = (words.say(told(f"{PHASE}.{part}")) for part in ("happened", "do"))
    view = TableView(phase=PHASE, notice=Notice(happened, do, code=PHASE))
    try:
        if config.display is not None:
            display = open_display(config.display, board)
            display.restart()
            display.show(draw(view, display.size))
    except (MissingPart, HardwareFault) as fault:
        log.warning("display: %s", fault)
    announcer = Announcer(open_voice(config, board), config.settings)
    announcer.announce(lines(f"{happened} {do}", topic=Topic.FAULT), board.clock.now())
    announcer.turn(board.clock.now())


def _config(table: Path | None) -> TableConfig:
    try:
        return load_config(table)
    except ConfigError as error:
        log.warning("%s", error)
        return load_config()
