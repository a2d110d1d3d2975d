"""A whole emulated Pi for the doctor: with every part, every file and every program in order.

``tapmat doctor`` runs on it unmodified. One program is started for many examinations; it forks for
each, so that the imports are paid once.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from firmware.boxes.register import TagRegister
from firmware.config.table_config import DEFAULT_TABLE_TOML, load_config
from firmware.runtime.controller import JOURNAL, REGISTER
from sim.mat.tags import enrol_decks
from sim.nodes.loudspeaker import Loudspeaker
from tests.sim.nodes.child import PiChildren

READER = """
[readers.hand]
spi = "0.1"
reset_pin = 15
"""
# The computer's facts, as a Pi 4 with everything in order has them.
FILES = {
    "/etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\n',
    "/proc/asound/cards": " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n",
    "/sys/class/hwmon/hwmon0/name": "rpi_volt\n",
    "/sys/class/hwmon/hwmon0/in0_lcrit_alarm": "0\n",
    "/sys/class/drm/card1-HDMI-A-1/status": "disconnected\n",
}
CLAIMED = (
    "/etc/os-release", "/proc/asound", "/sys/class/hwmon", "/sys/class/rtc", "/sys/class/drm",
    "/opt/tapmat", "/boot/firmware",
)  # fmt: skip
SERVICE = {
    "LoadState": "loaded",
    "ActiveState": "inactive",
    "UnitFileState": "enabled",
    "Result": "success",
    "WatchdogUSec": "10s",
}
SERVER = """
import firmware.commands.doctor, firmware.commands.start
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        out = os.open(asked["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for handle in (1, 2):
            os.dup2(out, handle)
        sys.modules.pop("spidev", None)  # so that a missing library is missed
        sys.stdin = open(os.devnull)
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.argv = ["tapmat", "doctor", *asked["arguments"]]
        code = 0
        try:
            firmware.commands.start.main()
        except SystemExit as ended:
            code = ended.code or 0
        sys.stdout.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

Findings = list[Mapping[str, str]]


class Patient:
    """The Pi, and the folder *home* of the person who runs the doctor on it.

    Stage a fault in its public attributes: files of the Pi (``files``), its ``parts``, fake
    programs (``say``, ``run``), ``environment``, ``table`` and ``state``.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.table, self.state = home / "table.toml", home / "state"
        self.table.write_text(DEFAULT_TABLE_TOML.read_text(encoding="utf-8") + READER, "utf-8")
        config = load_config(self.table)
        self.loudspeaker = Loudspeaker(home / "programs")
        self._children = PiChildren(home, config)
        self.parts, self.files = self._children.pi, self._children.files
        self.libraries = home / "libraries"
        self.environment = {
            **self._children.environment,
            "PATH": self.loudspeaker.path,
            "TAPMAT_STATE": str(self.state),
        }
        for name in ("GPIOZERO_PIN_FACTORY", "CACHE_DIRECTORY"):
            self.environment.pop(name, None)
        self.files.claim(*CLAIMED)
        self.files.write_all({path: text.encode() for path, text in FILES.items()})
        (self.loudspeaker.folder / "cat").symlink_to("/bin/cat")
        self.say("vcgencmd", "throttled=0x0")
        self.say("timedatectl", "yes")
        self.say_service()
        self.state.mkdir()
        with closing(TagRegister(self.state / REGISTER)) as register:
            enrol_decks(register, config)

    @property
    def journal(self) -> Path:
        """The file with the recorded games."""
        return self.state / JOURNAL

    def say(self, program: str, text: str, code: int = 0) -> None:
        """Make *program* print *text* and exit with *code*."""
        self.run(program, f"cat <<'END'\n{text}\nEND\nexit {code}\n")

    def say_service(self, **facts: str) -> None:
        """Make systemctl tell these facts of the table's service, beside the usual ones."""
        lines = "\n".join(f"{name}={value}" for name, value in {**SERVICE, **facts}.items())
        state = {**SERVICE, **facts}["ActiveState"]
        shows = f"if [ $1 = show ]; then\ncat <<'END'\n{lines}\nEND\nelse echo {state}; fi\n"
        self.run("systemctl", shows)

    def run(self, program: str, script: str) -> None:
        """Make *program* run a shell *script*."""
        file = self.loudspeaker.folder / program
        file.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
        file.chmod(0o755)

    @contextmanager
    def programs_gone(self, *names: str) -> Iterator[None]:
        """Let these programs be missing for a while."""
        folder = self.loudspeaker.folder
        path = self.environment["PATH"]
        self.environment["PATH"] = str(folder)
        for name in names:
            (folder / name).rename(folder / f"{name}.gone")
        try:
            yield
        finally:
            self.environment["PATH"] = path
            for name in names:
                (folder / f"{name}.gone").rename(folder / name)

    @contextmanager
    def switched_on(self) -> Iterator["DoctorServer"]:
        """Start the program that runs the doctor again and again."""
        with self._children.start(SERVER, stdin=subprocess.PIPE, env=self.environment) as program:
            yield DoctorServer(self, program.process)
            assert program.process.stdin is not None
            program.process.stdin.close()
            program.process.wait()

    @contextmanager
    def other_program(self, code: str) -> Iterator[subprocess.Popen[str]]:
        """Run another Python program on the Pi; it prints a line when it is ready."""
        with self._children.start(code, stdin=subprocess.PIPE) as other:
            assert other.process.stdout is not None
            assert other.process.stdin is not None
            assert other.process.stdout.readline()
            yield other.process
            other.process.stdin.close()


class DoctorServer:
    """A running program that examines a *patient* at each request."""

    def __init__(self, patient: Patient, process: "subprocess.Popen[str]") -> None:
        self.patient = patient
        self._process = process

    def output(self, *arguments: str) -> tuple[int, str]:
        """Run ``tapmat doctor`` with *arguments*; return its exit code and all that it printed."""
        out = self.patient.home / "out"
        asked = {
            "out": str(out),
            "arguments": ["--table", str(self.patient.table), *arguments],
            "environment": self.patient.environment,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return code, out.read_text(encoding="utf-8")

    def findings(self, *arguments: str) -> Findings:
        """Run ``tapmat doctor --json``, and return its findings.

        A table that cannot be used gives one finding, about the table, with the message.
        """
        code, printed = self.output("--json", *arguments)
        if code == os.EX_OK or printed.startswith("{"):
            findings: Findings = json.loads(printed)["findings"]
            assert (code != 0) == any(finding["verdict"] == "FAIL" for finding in findings)
            return findings
        assert code == 2, printed
        assert "Traceback" not in printed
        return [{"part": "table", "verdict": "FAIL", "found": printed.strip(), "remedy": ""}]
