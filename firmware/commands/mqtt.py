"""``tapmat mqtt``: connect the table to a broker. It runs beside the table (``beside``)."""

import logging
import os
import sys
from pathlib import Path

from firmware.commands.beside import end_with_input, socket_to_read
from firmware.commands.options import EXIT_BAD_INPUT
from firmware.config.mqtt_config import load_mqtt

log = logging.getLogger(__name__)


def run(table: Path | None, state: Path | None, is_child: bool) -> int:
    """Connect the table whose state folder is *state* to a broker, until the process is stopped.

    If *is_child*, the process also ends when its standard input ends.

    Raises:
        ConfigError: the file *table* cannot be used.
    """
    if sys.platform == "win32":
        log.warning("There is no MQTT on Windows: Python has no Unix sockets there.")
        return EXIT_BAD_INPUT
    config = load_mqtt(table)
    logging.getLogger("firmware.mqtt").setLevel(logging.INFO)  # also tells that it is connected
    try:
        from firmware.mqtt.command import run_mqtt
    except ModuleNotFoundError as missing:
        if missing.name != "aiomqtt":
            raise
        log.warning("MQTT needs the package aiomqtt. Install it: pip install 'tapmat[mqtt]'")
        return EXIT_BAD_INPUT
    if is_child:
        end_with_input()
    return run_mqtt(config, socket_to_read(os.environ, state))
