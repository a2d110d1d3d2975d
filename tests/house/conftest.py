"""``.ci/test-house`` names the system that has Home Assistant in ``TAPMAT_HOUSE_ROOT``.

Without it, no test is collected.
"""

import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.house.home_assistant import HomeAssistant
from tests.house.house import AUTOMATIONS, House

collect_ignore_glob = [] if os.environ.get("TAPMAT_HOUSE_ROOT") else ["test_*.py"]


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house in which everything runs, with a game of Straw."""
    folder = tmp_path_factory.mktemp("house")
    with closing(House(folder, HomeAssistant("judged", AUTOMATIONS))) as made:
        made.start_table()
        made.people.begin("straw", 2)
        made.start_connection()
        made.home.start()
        made.home.set_up(made.broker.port)
        made.until_right("at the beginning")
        yield made
