"""A Debian system in a container, whose own systemd boots, shuts down and loses its power.

It runs in mount and process namespaces that end with the test's process, so nothing keeps running
or mounted however a test ends. Its root is an overlay of three kinds of folders: the release's root
at the bottom, then files that earlier machines wrote, then the files that this one writes.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from firmware.show.text import find_text

TESTS = Path(__file__).parents[1]
BOARD = "tests/boot/board"  # in the project, and below /srv
PART_FAULTS = "tests/part_faults.py"
# For the emulated board: sitecustomize, and the folder with its modules.
BOARD_PATH = f"/srv/{BOARD}:/srv"
CONFIG = "boot/firmware/config.txt"
SOURCE = "root/tapmat"  # where a maker has the project's source
STATE = "var/lib/tapmat"
PI = "srv/pi"  # the files of a Pi's kernel that the emulated board shows to the driver
UNITS = ("tapmat.service", "tapmat-safe.service")
IDLE = "or press OK"  # on the display while no game is open
PATIENCE_S = 90.0  # seconds after which a test fails, enough for the slowest computer
# Both units are the shipped ones, except that the emulated board replaces the Pi's driver.
DROP_IN = f"""\
[Service]
Environment=PYTHONPATH={BOARD_PATH}
ReadWritePaths=/srv/screen
"""
# The boot file of Raspberry Pi OS, shortened: both buses are off.
CONFIG_TXT = """\
# For more options and information see http://rptl.io/configtxt
#dtparam=i2c_arm=on
#dtparam=i2s=on
#dtparam=spi=on
dtparam=audio=on
camera_auto_detect=1
[cm4]
otg_mode=1
[all]
"""
MODEL = "Raspberry Pi 4 Model B Rev 1.5\0"
BUSES = {"spi=on": ("spidev0.0", "spidev0.1"), "i2c_arm=on": ("i2c-1",)}

# Holds the namespaces while its standard input is open. It is process 1 in them, so all others end
# with it. The cgroup is for the systemd inside, which would otherwise share the test's.
KEEPER = """\
set -e
[ "$4" = disk ] || mount -t tmpfs -o mode=755 tmpfs "$2"
mkdir "$2/upper" "$2/work"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$3"
mount -t tmpfs tmpfs /run
if [ "$(stat --file-system --format %T /sys/fs/cgroup)" != cgroup2fs ]; then
    umount --recursive /sys/fs/cgroup 2>/dev/null || true
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
fi
mkdir "/sys/fs/cgroup/$5"
echo ready
exec cat > /dev/null
"""
BOOT = """\
echo $$ > "/sys/fs/cgroup/$1/cgroup.procs"
shift
exec systemd-nspawn "$@"
"""
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a command: its exit code, and everything it printed."""

    code: int
    said: str


class Machine:
    """A machine on the file system *layers* (lowest first), which writes to *folder*.

    What it writes is lost at the end. If *is_layer*, the folder ``layer`` keeps it for other
    machines.
    """

    def __init__(
        self, layers: Sequence[Path], folder: Path, wheels: Path, *, is_layer: bool = False
    ) -> None:
        self._folder = folder
        self.wheels = wheels
        written = folder / "written"
        self.layer = written / "upper"
        self.screen = folder / "screen"
        self._merged = folder / "root"
        for each in (written, self.screen, self._merged):
            each.mkdir(parents=True)
        self.screen.chmod(0o777)
        self._name = f"tapmat-boot-{os.getpid()}-{folder.name}"
        lower = ":".join(str(layer) for layer in reversed(layers))
        medium = "disk" if is_layer else "memory"
        words = [lower, str(written), str(self._merged), medium, self._name]
        self._keeper = subprocess.Popen(
            [*DIES_WITH_US, "unshare", "--mount", "--propagation", "private",
             "--pid", "--mount-proc", "--fork", "--kill-child", "sh", "-c", KEEPER, "sh", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self._keeper.stdout is not None
        assert self._keeper.stdout.readline() == b"ready\n"
        (self._keeper_inside,) = _children(self._keeper.pid)
        self._container: subprocess.Popen[bytes] | None = None
        self._leader = 0
        self._boots = 0

    @property
    def leader(self) -> int:
        """The number, on this computer, of the machine's process 1."""
        return self._leader

    @property
    def _cgroup(self) -> Path:
        return Path(f"/proc/{self._keeper_inside}/root/sys/fs/cgroup") / self._name

    # --- power ---

    def boot(self) -> None:
        """Switch the machine on, and wait until systemd starts services."""
        self._plug_buses()
        self._boots += 1
        flags = [
            f"--directory={self._merged}", "--machine=tapmat", "--boot", "--quiet",
            "--register=no", "--keep-unit", "--private-network", "--console=pipe",
            "--resolv-conf=off", "--timezone=off", "--link-journal=no",
            f"--bind-ro={self.wheels}:/srv/wheels",
            *(f"--bind-ro={TESTS.parent / name}:/srv/{name}" for name in (BOARD, PART_FAULTS)),
            f"--bind={self.screen}:/srv/screen",
        ]  # fmt: skip
        with (self._folder / f"console-{self._boots}.log").open("wb") as console:
            self._container = subprocess.Popen(
                ["nsenter", f"--target={self._keeper_inside}", "--mount", "--pid",
                 "sh", "-c", BOOT, "sh", self._name, *flags],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                env=os.environ | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
                start_new_session=True,
            )  # fmt: skip
        self.wait_until("systemd answers", self._find_leader)
        self.wait_until("it has booted", self._has_booted)

    def power_off(self) -> None:
        """Shut the machine down properly."""
        if self._container is not None:
            os.kill(self._leader, signal.SIGRTMIN + 4)  # systemd(1): start poweroff.target
            self._container.wait(PATIENCE_S)
            self._container = None

    def reboot(self) -> None:
        """Shut the machine down and switch it on again."""
        self.power_off()
        self.boot()

    def close(self) -> None:
        """Cut the power and remove the machine; does nothing the second time."""
        if self._keeper.returncode is not None:
            return
        if self._container is not None:
            (self._cgroup / "cgroup.kill").write_text("1")
            self._container.wait()
            self._container = None
        events = self._cgroup / "cgroup.events"
        self.wait_until("all of it has ended", lambda: "populated 0" in events.read_text())
        for left in sorted(self._cgroup.rglob("*/"), reverse=True):
            left.rmdir()
        self._cgroup.rmdir()
        self._keeper.communicate()  # closes its input, which ends it

    def _plug_buses(self) -> None:
        """Create the device nodes of buses that config.txt turns on, as a Pi's firmware does.

        In /srv/pi, create the files of a Pi's kernel that the emulated board shows to the driver.
        """
        lines = self.path(CONFIG).read_text().splitlines()
        on = [bus for bus in BUSES if any(x.startswith("dtparam=") and bus in x for x in lines)]
        nodes = [f"f /dev/{node} 0666\n" for bus in on for node in BUSES[bus]]
        self.path("etc/tmpfiles.d/buses.conf").write_text("".join(nodes))
        model = self.path(f"{PI}/proc/device-tree/model")
        if not model.exists():
            model.parent.mkdir(parents=True)
            model.write_text(MODEL, encoding="ascii")
            self.path(f"{PI}/dev").symlink_to("/dev")
            for node in BUSES["spi=on"]:
                driver = self.path(f"{PI}/sys/bus/spi/devices/{node.replace('dev', '')}/driver")
                driver.parent.mkdir(parents=True)
                driver.symlink_to("../../drivers/spidev")

    def _find_leader(self) -> bool:
        """Look for the container's process 1; return True once its systemd answers."""
        assert self._container is not None
        assert self._container.poll() is None, self.console()
        for process in _below(self._container.pid):
            with suppress(OSError):
                status = Path(f"/proc/{process}/status").read_text()
                numbers = next(line for line in status.splitlines() if line.startswith("NSpid"))
                if numbers.split()[3:] == ["1"]:  # in host, keeper and container
                    self._leader = process
                    return (self.path("run/systemd/private")).exists()
        return False

    def _has_booted(self) -> bool:
        return self.run("systemctl", "is-active", "basic.target").code == 0

    def limit_disk(self, room_mb: int | None) -> None:
        """Give the root's disk *room_mb* megabytes of free space; None: as much as memory has."""
        written = Path(f"/proc/{self._keeper_inside}/root") / str(self._folder / "written")[1:]
        disk = os.statvfs(written)
        used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        size = "50%" if room_mb is None else str(used + room_mb * 1_000_000)
        subprocess.run(
            ["nsenter", f"--target={self._keeper_inside}", "--mount",
             "mount", "-o", f"remount,size={size}", str(self._folder / "written")], check=True,
        )  # fmt: skip

    # --- inside ---

    def path(self, name: str) -> Path:
        """Return the path, on the host, of the machine's file *name* (without a leading slash)."""
        if self._container is not None and self._leader:
            return Path(f"/proc/{self._leader}/root") / name
        return Path(f"/proc/{self._keeper_inside}/root") / str(self._merged)[1:] / name

    def inside(self, *words: str) -> Sequence[str]:
        """Return the command that runs *words* in the container, outside of any unit."""
        return ("nsenter", f"--target={self._leader}", "--mount", "--uts", "--ipc", "--net",
                "--pid", "--root", "--wd", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL=C.UTF-8", "HOME=/root", *words)  # fmt: skip

    def run(self, *words: str) -> Done:
        """Run a command in the container, outside of any unit; it should change nothing."""
        done = subprocess.run(
            self.inside(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, check=False, timeout=600,
        )  # fmt: skip
        return Done(done.returncode, done.stdout)

    def connect(self) -> str:
        """Connect the machine to this computer, as by a network cable; return its address.

        Switching the machine off removes the cable.
        """
        cable = f"tapmat{self._leader}"
        number = self._leader % 62_500  # networks of four addresses in 10.99.0.0/16 and above
        network = f"10.{96 + number // 16_384}.{number % 16_384 // 64}.{number % 64 * 4}"
        base, _, last = network.rpartition(".")
        here, there = f"{base}.{int(last) + 1}", f"{base}.{int(last) + 2}"
        for words in (
            f"ip link add {cable} type veth peer name host0 netns {self._leader}",
            f"ip address add {here}/30 dev {cable}",
            f"ip link set {cable} up",
        ):
            subprocess.run(words.split(), check=True)
        for words in (
            f"ip address add {there}/30 dev host0",
            "ip link set host0 up",
            f"ip route add default via {here}",
        ):
            network_only = ["nsenter", f"--target={self._leader}", "--net"]  # it has no ip itself
            subprocess.run([*network_only, *words.split()], check=True)
        return there

    def do(self, script: str) -> Done:
        """Run a shell *script* as root in a separate unit, like a person who is logged in."""
        return self.run("systemd-run", "--pipe", "--wait", "--quiet", "--collect",
                        f"--working-directory=/{SOURCE}", "--setenv=HOME=/root",
                        "--setenv=LC_ALL=C.UTF-8", "sh", "-c", f"exec 2>&1; {script}")  # fmt: skip

    def install(self, *words: str) -> Done:
        """Run the installer without questions."""
        return self.do(" ".join(("./install-pi", "--yes", *words)))

    def show(self, name: str, unit: str = UNITS[0]) -> str:
        """Return the property *name* of *unit*, as printed by ``systemctl show``."""
        return self.run("systemctl", "show", "--value", f"--property={name}", unit).said.strip()

    def state(self, unit: str = UNITS[0]) -> str:
        """Return the state of *unit*: active, inactive, failed and others."""
        return self.show("ActiveState", unit)

    def log(self, unit: str = "tapmat*") -> str:
        """Return systemd's log of *unit*."""
        return self.run("journalctl", "--no-pager", "--output=short-monotonic", f"-u{unit}").said

    def console(self) -> str:
        """Return what the system has printed since its last boot."""
        return (self._folder / f"console-{self._boots}.log").read_text(errors="replace")

    # --- the table on the machine ---

    @property
    def pictures(self) -> list[Path]:
        """The files of every picture that the display has shown, oldest first."""
        return sorted(self.screen.glob("*.png"))

    def read_pictures(self) -> list[Image.Image]:
        """Return every picture that is not dark, with its texts in ``info``.

        The text "shown_ns" is when it was shown, on the monotonic clock; ``board/pi.py`` says what
        the others are.
        """
        read = []
        for file in self.pictures:
            picture = Image.open(file).copy()
            picture.info["shown_ns"] = file.stem
            if picture.getbbox():
                read.append(picture)
        return read

    def shows(self, *texts: str) -> bool:
        """Return True if each of *texts* can be read on the display now."""
        if not self.pictures:
            return False
        with Image.open(self.pictures[-1]) as picture:
            return all(find_text(picture, text) for text in texts)

    def starts_of(self, unit: str) -> int:
        """Return how many times *unit* was started since the machine was switched on."""
        told = self.run("journalctl", "--no-pager", "--boot", "--output=cat", f"--unit={unit}",
                        "JOB_TYPE=start", "JOB_RESULT=done")  # fmt: skip
        return len(told.said.splitlines())

    def break_board(self, fault: str | None) -> None:
        """Let the emulated board have a *fault* from its next start on; None ends this.

        It makes the table ``hang`` or ``crash`` when it opens its readers, or is one of
        ``tests.part_faults``.
        """
        file = self.screen / "fault"
        file.unlink(missing_ok=True)
        if fault is not None:
            file.write_text(fault, encoding="utf-8")

    def wire(self, table: str) -> None:
        """Wire the emulated parts for good as the text *table* of a ``table.toml`` says."""
        (self.screen / "wiring.toml").write_text(table, encoding="utf-8")

    def kill(self, name: str, unit: str = UNITS[0]) -> None:
        """Send the process of *unit*, usually the table's, the signal SIG*name*."""
        done = self.run("systemctl", "kill", f"--signal=SIG{name}", "--kill-whom=main", unit)
        assert done.code == 0, done.said

    def wait_until(self, what: str, is_so: Callable[[], bool], patience_s: float = 0) -> None:
        """Wait until *is_so* returns True; after *patience_s* fail, with *what* in the message."""
        until = time.monotonic() + (patience_s or PATIENCE_S)
        while not is_so():
            if time.monotonic() > until:
                told = self.log() if self._container else self.console()
                raise AssertionError(f"it never came that {what}\n{told[-6000:]}")
            time.sleep(0.1)


def _below(process: int) -> Iterator[int]:
    """Yield *process* and all its descendants."""
    yield process
    with suppress(OSError):
        for child in _children(process):
            yield from _below(child)


def _children(process: int) -> list[int]:
    """Return the child processes of *process*."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def prepare(machine: Machine, source: Path) -> None:
    """Put the project, a boot file with SPI off and a pip configuration on a bare machine."""
    shutil.copytree(source, machine.path(SOURCE), symlinks=True)
    file = machine.path(CONFIG)
    file.parent.mkdir(parents=True)
    file.write_text(CONFIG_TXT)
    machine.path("etc/pip.conf").write_text("[global]\nno-index = true\nfind-links = /srv/wheels\n")
    machine.path("etc/hostname").write_text("tapmat\n")
    for unit in UNITS:
        folder = machine.path(f"etc/systemd/system/{unit}.d")
        folder.mkdir(parents=True)
        (folder / "board.conf").write_text(DROP_IN)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Lock *file* during the block, against other processes that run tests."""
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
