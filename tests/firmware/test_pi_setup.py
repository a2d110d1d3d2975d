"""Setting a Pi up and taking that out again, in a folder that stands in for its file system.

Commands are not run but done to that folder as far as the steps can see them (users, packages, the
program); what they would be on a real system is checked by ``make test-pi``.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware.pi import steps
from firmware.pi.__main__ import main
from firmware.pi.boot import BEGIN, END, with_block, without_block
from firmware.pi.computer import Computer, SetUpFault

OS = 'PRETTY_NAME="Raspberry Pi OS"\nVERSION_CODENAME={}\n'
CONFIG = "# For more options see the documentation\ndtparam=audio=on\n\n[pi4]\narm_boost=1\n"
BLOCK = f"{BEGIN}\n[all]\ndtparam=spi=on\n{END}\n"


class StandIn:
    """A Raspberry Pi in a folder, and somebody who answers every question alike."""

    def __init__(self, root: Path, *, says_yes: bool = True) -> None:
        self.root = root
        self.says_yes = says_yes
        self.said: list[str] = []
        self.commands: list[str] = []
        self.packages = {"python3-venv"}
        self.offered = {*steps.PACKAGES, *steps.TOOLS}
        self.fails: dict[str, int] = {}  # what fails, and how often still
        self.boot_lines = ["dtparam=spi=on", "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"]
        self.put("etc/os-release", OS.format("bookworm"))
        self.put("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
        self.put("boot/firmware/config.txt", CONFIG)
        self.put("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
        self.put("etc/group", "root:x:0:\naudio:x:29:\n")
        (root / "run/systemd/system").mkdir(parents=True)

    @property
    def computer(self) -> Computer:
        return Computer(self.said.append, lambda _: self.says_yes, self.root, self.run)

    def put(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def install(self, *words: str) -> int:
        return main([*words], self.computer)

    def files(self) -> dict[str, str]:
        """Every file but those of the program, with what it says."""
        found = (file for file in self.root.rglob("*") if file.is_file())
        named = {str(file.relative_to(self.root)): file for file in found}
        return {n: f.read_text("utf-8") for n, f in named.items() if not n.startswith("opt/")}

    @property
    def release(self) -> str:
        """The release in use."""
        return (self.root / "opt/tapmat/current").resolve().name

    # --- what commands do ---

    def run(self, command: Sequence[str]) -> str:
        words = list(command)
        line = " ".join(words)
        self.commands.append(line)
        for failing, left in self.fails.items():
            if failing in line and left:
                self.fails[failing] -= 1
                raise SetUpFault(f"This failed: {line}", "Mend that, then run it again.")
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
            case ["python3", "-m", "venv", _, folder]:
                Path(folder).mkdir(parents=True)
            case [_, "-m", "firmware.pi.boot_lines", _]:
                return "\n".join(self.boot_lines) + "\n"
            case ["cp", "--archive", folder, to]:
                Path(to).mkdir()
                for file in Path(folder).iterdir():
                    Path(to, file.name).write_bytes(file.read_bytes())
        return ""


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    return StandIn(tmp_path)


# --- the boot file -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a=1", "a=1\n", "a=1\n\n[pi4]\nb=2\n", f"a=1\n{BLOCK}c=3\n"])
def test_our_block_can_be_put_in_twice_and_taken_out(text: str) -> None:
    once = with_block(text, ["x=1", "y=2"])
    assert once.endswith(f"{BEGIN}\n[all]\nx=1\ny=2\n{END}\n")
    assert with_block(once, ["x=1", "y=2"]) == once
    assert without_block(once).strip() == without_block(text).strip()


def test_what_is_written_below_our_block_stays() -> None:
    assert without_block(f"a=1\n{BLOCK}c=3\n") == "a=1\nc=3\n"


def test_a_block_without_its_end_takes_nothing_before_it_along() -> None:
    assert without_block(f"a=1\n{BEGIN}\nb=2\n") == "a=1\n"


# --- setting up ----------------------------------------------------------------------------------


def test_a_bare_system_becomes_a_table(pi: StandIn) -> None:
    assert pi.install() == 0
    assert pi.packages == pi.offered
    assert "tapmat:" in pi.text("etc/passwd")
    assert pi.text("etc/tapmat/table.toml") == steps_table()
    assert "dtparam=i2c_arm=on,i2c_arm_baudrate=400000" in pi.text("boot/firmware/config.txt")
    assert pi.text("etc/modules-load.d/tapmat.conf") == "i2c-dev\n"
    assert "Type=notify" in pi.text("etc/systemd/system/tapmat.service")
    assert pi.commands[-1] == "systemctl start tapmat.service"
    assert pi.said[-1] == "Restart this computer now: sudo reboot"


def steps_table() -> str:
    return (Path(steps.__file__).parents[1] / "table.toml").read_text(encoding="utf-8")


def test_a_pi_whose_system_lacks_a_package_is_told_which_system_has_it(pi: StandIn) -> None:
    pi.offered.remove("python3-lgpio")
    assert pi.install() == 1
    wanted = "This system offers no package python3-lgpio. Use Raspberry Pi OS, which has it."
    assert pi.said[-1] == wanted
    assert pi.packages == {"python3-venv"}


def test_off_a_pi_the_pins_package_may_be_missing(pi: StandIn) -> None:
    pi.put("proc/device-tree/model", "")
    pi.offered.remove("python3-lgpio")
    assert pi.install() == 0
    assert pi.packages == pi.offered


def test_the_boot_file_keeps_what_it_said_and_a_copy_is_kept(pi: StandIn) -> None:
    pi.install()
    assert pi.text("boot/firmware/config.txt").startswith(CONFIG)
    assert pi.text("boot/firmware/config.txt.before-tapmat") == CONFIG


def test_what_will_be_changed_in_the_boot_file_is_said_before(pi: StandIn) -> None:
    pi.install()
    (about,) = [line for line in pi.said if "config.txt" in line]
    assert "dtparam=spi=on" in about
    assert "config.txt.before-tapmat" in about


def test_setting_up_twice_changes_nothing_but_the_release(pi: StandIn, later: None) -> None:
    pi.install()
    first, release = pi.files(), pi.release
    pi.said.clear()
    assert pi.install() == 0
    assert pi.files() == first
    assert pi.release != release
    assert "Restart this computer now: sudo reboot" not in pi.said
    assert not any("apt-get" in line for line in pi.commands[len(pi.commands) // 2 :])


def test_the_owners_table_is_kept(pi: StandIn) -> None:
    pi.put("etc/tapmat/table.toml", "# mine\n")
    pi.install()
    assert pi.text("etc/tapmat/table.toml") == "# mine\n"


def test_a_table_of_ones_own_is_taken(pi: StandIn, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("# mine\n", encoding="utf-8")
    pi.install("--table", str(mine))
    assert pi.text("etc/tapmat/table.toml") == "# mine\n"


def test_a_table_that_is_not_there_changes_nothing(pi: StandIn) -> None:
    before = pi.files()
    assert pi.install("--table", "nowhere.toml") == 1
    assert pi.said == ["There is no file nowhere.toml. Name your table.toml with --table."]
    assert pi.files() == before


def test_readers_on_spi1_get_its_overlay(pi: StandIn) -> None:
    pi.boot_lines.append("dtoverlay=spi1-3cs")
    pi.install()
    assert "dtoverlay=spi1-3cs\n" in pi.text("boot/firmware/config.txt")


def test_no_means_no(pi: StandIn) -> None:
    pi.says_yes = False
    before = pi.files()
    assert pi.install() == 1
    assert pi.files() == before
    assert pi.said[-1] == "Nothing was changed."


def test_a_dry_run_only_says(pi: StandIn) -> None:
    before = pi.files()
    assert pi.install("--dry-run") == 0
    assert pi.files() == before
    assert any("install python3-lgpio, python3-spidev, espeak-ng" in line for line in pi.said)


def test_the_boot_file_can_be_left_alone(pi: StandIn) -> None:
    assert pi.install("--no-boot") == 0
    assert pi.text("boot/firmware/config.txt") == CONFIG


def test_without_a_boot_file_it_says_what_to_do(pi: StandIn) -> None:
    (pi.root / "boot/firmware/config.txt").unlink()
    assert pi.install() == 1
    assert "./install-pi --no-boot" in pi.said[-1]


@pytest.mark.parametrize("release", ["bullseye", "noble"])
def test_another_system_is_refused(pi: StandIn, release: str) -> None:
    pi.put("etc/os-release", OS.format(release))
    assert pi.install() == 1
    assert "Write Raspberry Pi OS (bookworm or trixie" in pi.said[0]


def test_without_root_nothing_is_begun(pi: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert pi.install() == 1
    assert pi.said == ["Setting up changes the system. Run: sudo ./install-pi"]
    assert pi.commands == []


# --- upgrading -----------------------------------------------------------------------------------


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each release has a name of its own, however fast they follow each other."""
    names = iter(["one", "two", "three"])
    made = steps.Program
    monkeypatch.setattr(
        "firmware.pi.__main__.Program",
        lambda computer, source: made(computer, source, next(names)),
    )


def test_a_release_that_fails_its_trial_is_never_used(pi: StandIn, later: None) -> None:
    pi.install()
    pi.fails["doctor --sim --quick"] = 1
    assert pi.install() == 1
    assert pi.release == "one"
    assert [file.name for file in (pi.root / "opt/tapmat/releases").iterdir()] == ["one"]


def test_a_release_that_does_not_start_gives_way_to_the_one_before(
    pi: StandIn, later: None
) -> None:
    pi.install()
    pi.put("var/lib/tapmat/journal.sqlite", "a game")
    pi.fails["start tapmat.service"] = 1
    assert pi.install() == 1
    assert pi.release == "one"
    assert pi.text("var/lib/tapmat/journal.sqlite") == "a game"
    assert pi.commands[-1] == "systemctl start tapmat.service"
    assert "The new version does not start, so the one before runs again." in pi.said[-1]


def test_the_state_is_as_it_was_before_a_release_that_wrote_it_anew(
    pi: StandIn, later: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi.install()
    pi.put("var/lib/tapmat/journal.sqlite", "old form")
    run = pi.run

    def migrating(command: Sequence[str]) -> str:
        if list(command) == ["systemctl", "start", "tapmat.service"] and pi.release == "two":
            pi.put("var/lib/tapmat/journal.sqlite", "new form")
            raise SetUpFault("This failed: it crashed.", "Mend that.")
        return run(command)

    monkeypatch.setattr(pi, "run", migrating)
    assert pi.install() == 1
    assert pi.text("var/lib/tapmat/journal.sqlite") == "old form"


def test_an_upgrade_keeps_one_release_to_go_back_to(pi: StandIn, later: None) -> None:
    for _ in range(3):
        pi.install()
    kept = {folder.name for folder in (pi.root / "opt/tapmat/releases").iterdir()}
    assert (kept, pi.release) == ({"two", "three"}, "three")


# --- taking it out -------------------------------------------------------------------------------


def test_taking_it_out_leaves_what_was_there_and_what_was_played(pi: StandIn) -> None:
    before = pi.files()
    pi.install()
    pi.put("var/lib/tapmat/journal.sqlite", "a game")
    assert pi.install("--remove") == 0
    left = {name: text for name, text in pi.files().items() if before.get(name) != text}
    assert sorted(left) == [
        "boot/firmware/config.txt.before-tapmat",
        "etc/group",
        "etc/tapmat/table.toml",
        "var/lib/tapmat/journal.sqlite",
    ]
    assert not (pi.root / "opt/tapmat").exists()


def test_purging_takes_the_state_too(pi: StandIn) -> None:
    pi.install()
    pi.put("var/lib/tapmat/journal.sqlite", "a game")
    pi.install("--remove", "--purge")
    assert not (pi.root / "var/lib/tapmat").exists()
    assert not (pi.root / "etc/tapmat").exists()


def test_taking_out_what_is_not_there_is_no_fault(pi: StandIn) -> None:
    before = pi.files()
    assert pi.install("--remove") == 0
    assert pi.files() == before


def test_the_command_runs_the_program_in_use_as_the_tables_user(pi: StandIn) -> None:
    pi.install()
    command = pi.root / "usr/local/bin/tapmat"
    assert command.stat().st_mode & 0o777 == 0o755
    ways = pi.root / "ways"  # stand-ins that print what they were given
    ways.mkdir()
    for name in ("sudo", "env"):
        (ways / name).write_text('#!/bin/sh\necho "$0" "$@"\n', encoding="utf-8")
        (ways / name).chmod(0o755)

    def said(*words: str) -> str:
        done = subprocess.run(
            ["/bin/sh", str(command), *words],
            env={"PATH": f"{ways}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    start = f"{ways}/sudo -u tapmat env TAPMAT_STATE=/var/lib/tapmat "
    start += "CACHE_DIRECTORY=/var/cache/tapmat LG_WD=/tmp "
    start += "/opt/tapmat/current/bin/tapmat "
    assert said("doctor") == f"{start}doctor --table /etc/tapmat/table.toml"
    assert said("doctor", "--table", "my.toml") == f"{start}doctor --table my.toml"
    assert said("pieces", "straw") == f"{start}pieces straw"
