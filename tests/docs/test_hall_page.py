"""The commands of docs/hall.md run one after the other, with a real broker and a hall that runs."""

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.docs.pages import page
from tests.docs.test_commands import Command, folder, shown, started
from tests.firmware.hall.servers import Server, give_board_port, needs_mosquitto
from tests.ports import free_port

__all__ = ["folder"]  # the fixture
HALL = page("docs/hall.md")
HOST = "127.0.0.1"
SHOWN_HOST, STATE = "192.168.1.10", "~/.local/state/tapmat"
JOIN = re.compile(r"http://\S+/join/\S+")
BEFORE_RESULTS = ("tapmat", "hall", "tournament", "next")  # nobody has played the first round
PLAYERS = "Ann\nBen\n"


@contextmanager
def running(words: Command, folder: Path, says: str) -> Iterator[None]:
    """Run the block while the command of *words* runs, once its first line has *says*."""
    with started(words, folder) as process:
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            assert says in first, first
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()
        assert process.wait() in (0, 130)


class Reader:
    """A reader who types the commands of the page in *folder*, on one computer, at free ports."""

    def __init__(self, folder: Path, programs: ExitStack) -> None:
        self.folder, self._programs = folder, programs
        self._broker, self._board = free_port(), 0
        self._address = ""  # the last one that add-table has printed
        self.done: list[str] = []

    def type(self, words: Command) -> None:
        """Run the command of *words*, or start it if it runs until it is stopped."""
        self.done.append(" ".join(words[:3]))
        match words:
            case ("mosquitto", "-c", file):
                config = file.replace(STATE, str(self.folder / "state"))
                log = self.folder / "mosquitto.log"
                server = Server(("mosquitto", "-c", config), self._broker, log, host=HOST)
                server.start()
                self._programs.callback(server.close)
            case ("tapmat", "hall", "run"):
                self._programs.enter_context(running(words, self.folder, f":{self._board}"))
            case ("tapmat", "hall", "setup", _):
                self._complete((*words[:3], HOST, "--port", str(self._broker)))
                self._board = give_board_port(self.folder / "state" / "hall")
            case ("tapmat", "hall", "join", shown_address) if SHOWN_HOST in shown_address:
                self._complete((*words[:3], self._address))
            case _:
                said = self._complete(words)
                if found := JOIN.search(said):
                    self._address = found[0]

    def _complete(self, words: Command) -> str:
        with started(words, self.folder) as process:
            said, _ = process.communicate(timeout=60)
        is_early = words[:4] == BEFORE_RESULTS
        assert process.returncode == (2 if is_early else 0), f"{' '.join(words)}\n{said}"
        assert not is_early or "no result yet: Ann - Ben" in said
        return said


@needs_mosquitto
@pytest.mark.long
def test_commands_of_the_page_run(folder: Path) -> None:
    (folder / "players.txt").write_text(PLAYERS)
    with ExitStack() as programs:
        reader = Reader(folder, programs)
        for words in shown(HALL):
            reader.type(words[1:] if words[0] == "sudo" else words)
    assert {"tapmat hall run", "tapmat hall join", "tapmat hall tournament"} <= {*reader.done}
    assert (folder / "state" / "hall.json").exists()
