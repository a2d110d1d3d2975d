"""A table of a tournament at which two robots sit: ``python -m tests.sim.hall.robot_table FOLDER``.

The table is an emulated mat with the state folder FOLDER, which has joined a hall; the real
``tapmat hall send`` runs beside it. The robots read on the display who plays, start that game with
the table's own controls, play it through the chips, and wait for the next one.
"""

import re
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

from firmware.boxes.decks import load_deck
from firmware.boxes.games import game_named
from firmware.commands.beside import socket_path
from firmware.config.table_config import load_config
from firmware.journal.journal import GameStart
from firmware.runtime.local_socket import LocalSocket
from sim.mat.mat import Mat
from sim.robots.contract import SeededDeal
from sim.robots.games import all_robots
from sim.robots.referees import AtMat
from sim.robots.run import GameOrder, play_out, seed_of
from sim.robots.session import Session

GAME = "straw"
SEATS = re.compile(r"Round (\d+): (\w+) - (\w+)")  # what the hall's message says
STEP_S = 0.05  # of the mat's time and of real time, while the robots wait


def seated(mat: Mat) -> tuple[str, ...] | None:
    """Return the round and the two players that the display names; None if it names none."""
    found = SEATS.search(mat.screen_in_words())
    return None if found is None else found.groups()


def play(mat: Mat, names: tuple[str, ...], chance: Random) -> None:
    """Play one game of *names* at *mat*."""
    robots, game = all_robots()[GAME], game_named(GAME)
    deal = SeededDeal(len(names), chance.randrange(len(names)), chance.randrange(1 << 30), {})
    start = GameStart(GAME, names, deal.dealer, deal.options, load_deck(game, None))
    styles = chance.choices(tuple(robots.styles), k=len(names))
    play_out(Session(robots, deal, styles, AtMat(mat, game, start), chance), GameOrder(GAME))


def main(folder: Path) -> None:
    """Play every game that the hall names, until the process is killed."""
    chance = Random(seed_of(1, len(folder.name) + sum(map(ord, folder.name))))
    send = [sys.executable, "-m", "firmware.commands.cli", "hall", "send", "--child"]
    with ExitStack() as opened:
        mat = opened.enter_context(closing(Mat(load_config(), folder)))
        mat.power_on()
        local = LocalSocket(socket_path({}, folder), mat.outlet, mat.inbox)
        opened.enter_context(closing(local.open()))
        sender = subprocess.Popen([*send, "--state", str(folder)], stdin=subprocess.PIPE)
        opened.callback(sender.kill)
        last: tuple[str, ...] | None = None
        while True:
            now = seated(mat)
            if now is not None and now != last:
                play(mat, now[1:], chance)
                last = now
            mat.wait(STEP_S)
            time.sleep(STEP_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
