"""``tapmat mqtt``: connect the table to the broker until the process is stopped."""

import asyncio
import signal
from pathlib import Path

from firmware.common.together import run_together
from firmware.config.mqtt_config import MqttConfig
from firmware.mqtt.connection import GOODBYE_S
from firmware.mqtt.house import HouseTable


def run_mqtt(config: MqttConfig, socket_file: Path) -> int:
    """Connect the table at *socket_file* to the broker of *config* until SIGTERM or Ctrl-C.

    Return the exit code.
    """
    asyncio.run(_run(HouseTable(config, socket_file)))
    return 0


async def _run(table: HouseTable) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    await run_together(table.run(), _wait(stopped), again_s=GOODBYE_S * 2)


async def _wait(stopped: asyncio.Event) -> None:
    await stopped.wait()
