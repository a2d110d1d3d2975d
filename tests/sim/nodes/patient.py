"""A whole emulated Pi for the doctor: with every part, every file and every program in order.

``tapmat doctor`` runs on it unmodified. One program is started for many examinations; it forks for
each, so that the imports are paid once.
"""

import errno
import json
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from firmware.boxes.register import TagRegister
from firmware.config.table_config import DEFAULT_TABLE_TOML, load_config
from firmware.runtime.controller import REGISTER
from sim.mat.tags import enrol_decks
from sim.nodes.loudspeaker import Loudspeaker
from tests.doctor_faults import Findings, findings_in
from tests.doctor_stages import HAND
from tests.part_faults import PART_FAULTS
from tests.sim.nodes.child import PiChildren

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


class PiPatient:
    """The Pi, and the folder *home* of the person who runs the doctor on it.

    It is a ``tests.doctor_stages.Patient``. More faults can be staged in its attributes: files of
    the Pi (``files``), its ``parts``, and fake programs (``say``, ``run``).
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.table, self.state = home / "table.toml", home / "state"
        self.table.write_text(DEFAULT_TABLE_TOML.read_text(encoding="utf-8") + HAND, "utf-8")
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
    def state_inside(self) -> str:
        """The path of the state folder, the same for all programs."""
        return str(self.state)

    def file(self, path: str) -> Path:
        """Return the path, on this computer, of the Pi's file *path*."""
        return self.files.of(path)

    @contextmanager
    def broken(self, fault: str) -> Iterator[None]:
        """Let one of the parts have a *fault* of ``PART_FAULTS`` for a while."""
        acts = PART_FAULTS[fault](self.parts)  # type: ignore[arg-type]  # it has the same parts
        with self.parts.lock:
            next(acts)
        try:
            yield
        finally:
            with self.parts.lock:
                next(acts, None)

    @contextmanager
    def without(self, *nodes: str) -> Iterator[None]:
        """Let device files be missing for a while."""
        removed = {node: self.files.remove_node(node) for node in nodes}
        try:
            yield
        finally:
            for path, node in removed.items():
                self.files.add_node(path, node)

    @contextmanager
    def forbidden(self, node: str, group: str) -> Iterator[None]:
        """For a while, let the user not open a device file; groups play no part here."""
        self.files.refused[node] = errno.EACCES
        try:
            yield
        finally:
            del self.files.refused[node]

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
        """Let these programs be missing for a while, and all of this computer's own."""
        folder = self.loudspeaker.folder
        path = self.environment["PATH"]
        self.environment["PATH"] = str(folder)
        gone = [name for name in names if (folder / name).exists()]
        for name in gone:
            (folder / name).rename(folder / f"{name}.gone")
        try:
            yield
        finally:
            self.environment["PATH"] = path
            for name in gone:
                (folder / f"{name}.gone").rename(folder / name)

    @contextmanager
    def programs_added(self, **scripts: str) -> Iterator[None]:
        """Let there be other programs for a while: shell scripts, by their names."""
        for name, script in scripts.items():
            self.run(name, script)
        try:
            yield
        finally:
            for name in scripts:
                (self.loudspeaker.folder / name).unlink()

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

    def __init__(self, patient: PiPatient, process: "subprocess.Popen[str]") -> None:
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
        """Run ``tapmat doctor --json``, and return its findings."""
        code, printed = self.output("--json", *arguments)
        return findings_in(printed, code)
