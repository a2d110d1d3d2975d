"""The emulated Pi 3 of ``tests.board``, which starts from a copy of the image.

QEMU has no Pi firmware. ``ImagePi`` does its part: it takes the kernel, the initial system, the
device tree and the kernel's parameters from the card, and writes the board's revision into the
tree. A shell on the first serial line runs the tests' commands; the console is on the second. The
shell's unit is put into the folder over ``/etc`` on the state partition, so the image's own
partitions stay as they are.
"""

import base64
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shlex import quote
from tempfile import NamedTemporaryFile

from tests.board.emulator import WORDS, BoardFault, BootFiles, Pi3

CARD_BYTES = 4 << 30  # QEMU's SD cards have a power of two
FIRST = 4 << 20  # where the card's first partition begins
TREE = "bcm2837-rpi-3-b.dtb"  # the firmware chooses it by the board
# The firmware writes the revision. The first UART is the tests' line instead of Bluetooth's.
CHANGES = """\
/dts-v1/;
/plugin/;
/ {
    fragment@9 { target-path = "/"; __overlay__ { system { linux,revision = <0xa02082>; }; }; };
};
&uart0 { bluetooth { status = "disabled"; }; };
"""
PART = 2000  # letters of a file in one command
READY = "the shell is ready"
SHELL = f"""\
[Unit]
Description=A shell for the tests
DefaultDependencies=no
After=local-fs.target
[Service]
ExecStartPre=/usr/bin/stty -F /dev/ttyAMA0 raw -echo
ExecStart=/bin/sh -c 'echo {READY}; exec /bin/sh 2>/dev/null'
StandardInput=tty-force
StandardOutput=tty
TTYPath=/dev/ttyAMA0
Environment=HOME=/root LC_ALL=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
"""
CHANGED = "lib/tapmat-etc/upper"  # what lies over /etc, on the state partition, which is /var
ETC = f"{CHANGED}/systemd/system"
# The service that holds the emulated chips, for the same partition.
HERE = "lib/tests"
ROOT = Path(__file__).parents[2]
GUEST = ("tests/__init__.py", "tests/board/__init__.py", "tests/board/guest.py")
LOOPBACK = ("3500007F:", "3600007F:")  # 127.0.0.53 and 54, where systemd-resolved waits
LINES = "/run/chips"
PLUG = f"""\
modprobe cuse && mkdir -p {LINES} && mkfifo {LINES}/asked {LINES}/answered &&
systemd-run --quiet --unit tests-chips --setenv PYTHONPATH=/var/{HERE} \\
    /opt/tapmat/current/bin/python -m tests.board.guest {LINES}/asked {LINES}/answered &&
head -n 1 {LINES}/answered
"""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a command: its exit code, and everything it printed."""

    code: int
    said: str


class ImagePi(Pi3):
    """A Pi 3 whose card is a copy of *image*; its files are in *folder*.

    With *ssh_port*, it has a network, and this port of the computer leads to its port for SSH.
    """

    def __init__(
        self, image: Path, folder: Path, qemu: Sequence[str], ssh_port: int | None = None
    ) -> None:
        files = BootFiles(folder / "vmlinuz", folder / "initrd.img", folder / "tree.dtb")
        super().__init__(qemu, files, folder)
        self._numbers = count()
        self.folder = folder
        self._ssh_port = ssh_port
        self.card = folder / "card.img"
        run(("cp", "--sparse=always", str(image), str(self.card)))
        run(("truncate", f"--size={CARD_BYTES}", str(self.card)))
        self._state_at = _start_of_partition(self.card, 3)
        self.put(f"{ETC}/tests-shell.service", SHELL)
        # Two drivers fit QEMU's network card, and only one is right.
        self.put(f"{CHANGED}/modprobe.d/tests.conf", "blacklist cdc_subset\n")
        for name in GUEST:
            self.put(f"{HERE}/{name}", (ROOT / name).read_text(encoding="utf-8"))
        self.debugfs(
            f"mkdir {ETC}/local-fs.target.wants",
            f"symlink {ETC}/local-fs.target.wants/tests-shell.service ../tests-shell.service",
        )

    # --- the card, while the power is off ---

    def edit(self, name: str, text: str) -> None:
        """Write the file *name* to the partition that a laptop can edit."""
        with NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            run(("mcopy", "-o", "-i", f"{self.card}@@{FIRST}", file.name, f"::{name}"))

    def read(self, name: str) -> str:
        """Return the text of the file *name* on that partition."""
        return run(("mtype", "-i", f"{self.card}@@{FIRST}", f"::{name}"))

    def put(self, name: str, text: str) -> None:
        """Write the file *name* to the state partition, as root's."""
        folders = Path(name).parts[:-1]
        made = ["/".join(folders[: n + 1]) for n in range(len(folders))]
        with NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            self.debugfs(*(f"mkdir {each}" for each in made), f"write {file.name} {name}")
            self.debugfs(f"set_inode_field {name} uid 0", f"set_inode_field {name} gid 0")

    def debugfs(self, *commands: str) -> None:
        """Run *commands* of debugfs on the state partition, which may repeat earlier ones."""
        where = f"{self.card}?offset={self._state_at}"
        script = "".join(f"{command}\n" for command in commands)
        subprocess.run(
            ("debugfs", "-w", "-f", "-", where),
            input=script, capture_output=True, text=True, check=True,
        )  # fmt: skip

    # --- power ---

    def power_on(self) -> None:
        """Do the firmware's part and switch the Pi on; return when all its units have started."""
        for name in ("vmlinuz", "initrd.img", TREE, "cmdline.txt"):
            target = str(self._folder / name)
            run(("mcopy", "-o", "-n", "-i", f"{self.card}@@{FIRST}", f"::{name}", target))
        self._change_tree()
        super().power_on()
        self.wait_for("systemctl is-system-running", ("running", "degraded"))

    def _options(self) -> list[str]:
        words = (self._folder / "cmdline.txt").read_text().strip().replace("quiet", WORDS)
        drive = f"if=sd,format=raw,file={self.card},cache=writethrough"
        options = [*super()._options(), "-append", words, "-drive", drive]  # the last -append holds
        if self._ssh_port is not None:
            # Its clock must not run ahead while it waits for this computer.
            options += ["-icount", "shift=0,sleep=on", "-device", "usb-net,netdev=lan", "-netdev"]
            options += [f"user,id=lan,restrict=on,hostfwd=tcp:127.0.0.1:{self._ssh_port}-:22"]
        return options

    def _change_tree(self) -> None:
        """Write what the firmware writes into the tree; gpiozero reads the revision."""
        source, overlay = self._folder / "changes.dtso", self._folder / "changes.dtbo"
        source.write_text(CHANGES)
        run(("dtc", "-q", "-@", "-o", str(overlay), str(source)))
        tree, made = self._folder / TREE, self._folder / "tree.dtb"
        run(("fdtoverlay", "-i", str(tree), "-o", str(made), str(overlay)))

    # --- inside ---

    def do(self, script: str) -> Done:
        """Run a shell *script* as root."""
        mark = f"mark-{next(self._numbers)}"
        sent = base64.b64encode(script.encode()).decode()
        assert len(sent) < 3500, "a line on a terminal has at most 4,095 bytes"
        assert self._line is not None
        self._line.write(
            f"echo {sent} | base64 -d > /run/script; sh /run/script > /run/said 2>&1 < /dev/null; "
            f"echo {mark} $?; base64 /run/said; echo {mark} end\n"
        )
        self._line.flush()
        head = self._read_until(mark)[-1]
        said = "".join(self._read_until(f"{mark} end")[:-1])
        return Done(int(head.split()[1]), base64.b64decode(said).decode(errors="replace"))

    def write(self, path: str, text: str) -> None:
        """Write the file *path*, as root."""
        commands = [f": > {path}"]
        for start in range(0, len(text), PART):
            commands.append(f"printf %s {quote(text[start : start + PART])} >> {path}")
        for command in commands:
            done = self.do(command)
            assert done.code == 0, done.said

    def wait_for(self, script: str, right: Sequence[str], tries: int = 300) -> None:
        """Run *script* each second of the Pi's own time until it prints one of *right*.

        Raises:
            BoardFault: it has not after *tries* seconds.
        """
        said = ""
        for _ in range(tries):
            said = self.do(script).said.strip()
            if said in right:
                return
            self.do("sleep 1")
        raise BoardFault(f"{script} prints {said}, never {list(right)}\n{self.console_end()}")

    def plug_in(self) -> None:
        """Wire the parts of the table's own table.toml to the buses; the table must not run.

        From then on ``ask`` talks to ``tests.board.guest``, which runs on the installed program.
        """
        done = self.do(PLUG)
        if done.code != 0:
            raise BoardFault(f"the chips' service does not start: {done.said}")
        self.ask("plug", table="/etc/tapmat/table.toml")

    def plug_stick(self, file: Path) -> None:
        """Plug in a memory stick that holds the picture *file*; it becomes /dev/sda."""
        assert self._monitor is not None
        drive = f"if=none,id=stick,format=raw,read-only=on,file={file}"
        self._monitor.write(f"drive_add 0 {drive}\ndevice_add usb-storage,drive=stick\n")
        self._monitor.flush()
        self.wait_for("test -b /dev/sda && echo there", ("there",))

    def _exchange(self, request: str) -> str:
        done = self.do(f"echo {quote(request)} > {LINES}/asked; head -n 1 {LINES}/answered")
        return done.said

    def _wait_for_boot(self) -> None:
        self._read_until(READY)

    def _read_until(self, start: str) -> list[str]:
        """Return the lines up to the first one that starts with *start*, with it."""
        lines: list[str] = []
        while not (lines and lines[-1].startswith(start)):
            lines.append(self._read_line().strip())
        return lines


def open_ports(pi: ImagePi) -> list[str]:
    """Return the addresses at which a program waits for TCP connections from other computers.

    They are in the kernel's form, in hexadecimal: address and port.
    """
    listed = pi.do("""cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == "0A" { print $2 }'""").said
    return [at for at in listed.split() if not at.startswith(LOOPBACK)]


def run(command: Sequence[str]) -> str:
    """Run *command* and return its output."""
    assert shutil.which(command[0]), f"{command[0]} is not installed"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def _start_of_partition(card: Path, number: int) -> int:
    """Return the offset of a partition on *card*, in bytes."""
    listed = run(("sfdisk", "--dump", str(card))).splitlines()
    lines = [line for line in listed if line.startswith(str(card))]
    found = re.search(r"start=\s*(\d+)", lines[number - 1])
    assert found is not None, lines
    return int(found[1]) * 512
