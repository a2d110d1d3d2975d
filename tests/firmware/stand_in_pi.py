"""A fake Raspberry Pi in a folder, for the tests of the installer.

Commands are not run. Their effects on users, packages and the program are imitated in the folder,
as far as the installer looks at them. ``make test-pi`` and ``make test-boot`` check the commands on
real systems.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware.pi import steps
from firmware.pi.command import ASK_COMPANION, main
from firmware.pi.computer import OnLine, SetUpFault, TargetComputer, run
from firmware.pi.needs import answer
from firmware.pi.service import COMPANION, HALL, MQTT, TIMER, UNIT_FOLDER

PI = Path(steps.__file__).parent
OS = 'PRETTY_NAME="Raspberry Pi OS"\nVERSION_CODENAME={}\n'
CONFIG = "# For more options see the documentation\ndtparam=audio=on\n\n[pi4]\narm_boost=1\n"
WANTS = f"{UNIT_FOLDER}/tapmat.service.wants"
DEVICES = {
    "dtparam=spi=on": ("spidev0.0", "spidev0.1"),
    "dtparam=i2c_arm=on": ("i2c-1",),
    "dtoverlay=spi1-3cs": ("spidev1.0", "spidev1.1", "spidev1.2"),
}


class StandIn:
    """A fake Raspberry Pi in a folder, and a person who gives every question the same answer."""

    def __init__(self, root: Path, *, says_yes: bool = True) -> None:
        self.root = root
        self.says_yes = says_yes
        self.answers: dict[str, bool] = {}  # answers to certain questions, instead of the usual one
        self.said: list[str] = []
        self.commands: list[str] = []
        self.packages = {"python3-venv"}
        self.offered = {*steps.PACKAGES, *steps.TOOLS}
        self.fails: dict[str, int] = {}  # failing commands, and how often each still fails
        self.version = 1
        self.width = "arm64"
        self.is_enabled = False
        self.is_running = False
        self.counts_down = False  # True while the timer of a trial runs
        self.put("etc/os-release", OS.format("bookworm"))
        self.put("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
        self.put("boot/firmware/config.txt", CONFIG)
        self.put("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
        self.put("etc/group", "root:x:0:\naudio:x:29:\n")
        (root / "run/systemd/system").mkdir(parents=True)

    @property
    def computer(self) -> TargetComputer:
        say, ask = self.said.append, self.answer
        return TargetComputer(say, ask, self.root, self.run, self.hand_over)

    def answer(self, question: str) -> bool:
        return self.answers.get(question, self.says_yes and question != ASK_COMPANION)

    def put(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def install(self, *words: str) -> int:
        return main([*words], self.computer)

    def upgrade(self, *words: str) -> int:
        """Run the installer of a newer version with the arguments *words*; return its exit code."""
        self.version += 1
        return self.install(*words)

    def files(self) -> dict[str, str]:
        """Return the text of every file except the program's, by path."""
        found = (file for file in self.root.rglob("*") if file.is_file())
        named = {str(file.relative_to(self.root)): file for file in found}
        return {n: f.read_text("utf-8") for n, f in named.items() if not n.startswith("opt/")}

    @property
    def release(self) -> str:
        """The name of the release in use."""
        return (self.root / "opt/tapmat/current").resolve().name

    def switch_buses_on(self) -> None:
        """Create the device files that a start with this boot file would create."""
        lines = self.text("boot/firmware/config.txt")
        modules = self.root / "etc/modules-load.d/tapmat.conf"
        for line, devices in DEVICES.items():
            if line in lines and ("i2c" not in line or modules.exists()):
                for device in devices:
                    self.put(f"dev/{device}", "")

    def reboot(self) -> None:
        """Restart the computer, and the table if its unit is enabled."""
        self.switch_buses_on()
        self.is_running = False
        if self.is_enabled:
            self.run(("systemctl", "start", "tapmat.service"))

    # --- imitated commands ---

    def systemctl(self, verb: str, units: Sequence[str]) -> None:
        """Imitate systemctl; starting fails if a device of the table is missing."""
        match verb:
            case "enable" if units[0] in (COMPANION, MQTT, HALL):
                (folder := self.root / WANTS).mkdir(parents=True, exist_ok=True)
                (folder / units[0]).symlink_to(f"../{units[0]}")
            case "disable" if units in ([COMPANION], [MQTT], [HALL]):
                (self.root / WANTS / units[0]).unlink()
            case "enable":
                self.is_enabled = True
            case "disable":
                shutil.rmtree(self.root / WANTS, ignore_errors=True)
                self.is_enabled = self.is_running = self.counts_down = False
            case "stop":
                self.is_running = self.counts_down = False
            case "is-active" if not self.is_running:
                raise SetUpFault("This failed: systemctl is-active", "It is not running.")
            case "start" if TIMER in units:
                assert self.is_running, "the timer is bound to the service"
                self.counts_down = True
            case "start":
                told = json.loads(answer(self.root / "etc/tapmat/table.toml"))
                lacking = [name for name in told["devices"] if not (self.root / name).exists()]
                if lacking or not (self.root / "opt/tapmat/current").exists():
                    raise SetUpFault("This failed: systemctl start", f"There is no {lacking}.")
                self.is_running = True

    def hand_over(self, command: Sequence[str]) -> int:
        """Run the installer of an unpacked bundle on this computer."""
        self.commands.append(" ".join(command))
        shell, installer, *words = command
        assert shell == "sh"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("firmware.pi.command.SOURCE", Path(installer).parent)
            return self.install(*words)

    def run(self, command: Sequence[str], on_line: OnLine | None = None) -> str:
        words = list(command)
        line = " ".join(words)
        self.commands.append(line)
        for failing, left in self.fails.items():
            if failing in line and left:
                self.fails[failing] -= 1
                raise SetUpFault(
                    f"This failed: {line}", "Fix the cause, then run the installer again."
                )
        match words:
            case ["dpkg-query", *_]:
                return "".join(f"{name} install ok installed\n" for name in self.packages)
            case ["apt-cache", "policy", name]:
                return f"{name}:\n  Candidate: 1.0\n" if name in self.offered else ""
            case ["apt-get", "install", *_]:
                self.packages |= {word for word in words if word in self.offered}
            case ["useradd", *_, name]:
                self.put("etc/passwd", self.text("etc/passwd") + f"{name}:x:990:990::/:/bin/no\n")
            case ["usermod", _, _, groups, name]:
                lines = "".join(f"{group}:x:1:{name}\n" for group in groups.split(","))
                self.put("etc/group", "root:x:0:\n" + lines)
            case ["userdel", name]:
                kept = [x for x in self.text("etc/passwd").splitlines() if not x.startswith(name)]
                self.put("etc/passwd", "\n".join(kept) + "\n")
            case ["dpkg", "--print-architecture"]:
                return f"{self.width}\n"
            case [_, "-m", "venv", _, folder]:
                Path(folder).mkdir(parents=True)
            case [python, "-m", "pip", "install", *_, "--quiet", _, _]:
                installed = Path(python).parents[1] / "lib/python3.13/site-packages/firmware/pi"
                shutil.copytree(PI, installed)
            case [*_, "-m", "firmware.pi.needs", table]:
                return answer(Path(table)) + "\n"
            case ["systemctl", verb, *units]:
                self.systemctl(verb, units)
            case ["journalctl", *_]:
                return "SPI: /dev/spidev0.0 is not there; turn SPI on\n"
            case ["cp", *_]:
                return run(command)
        return ""
