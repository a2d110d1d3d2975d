"""A small tournament of robots at emulated tables, one of which dies."""

import subprocess
import sys

import pytest

from tests.firmware.hall.servers import needs_mosquitto


@needs_mosquitto
@pytest.mark.long
def test_robots_play_a_tournament_although_a_table_dies() -> None:
    command = [sys.executable, "-m", "tests.sim.hall.tournament", "--players", "4", "--tables", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 games at 2 tables, of which died: table-" in done.stdout
    assert done.stdout.endswith("The tables' journals say the same.\n")
