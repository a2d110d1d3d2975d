"""The build of the guest's disks: a root with the table installed, and a state disk with a game."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cuts.game import begin_game
from tests.cuts.guest import Guest, GuestFailed, kernel

PROJECT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MODULES = Path("/usr/lib/uml/modules")
DRIVERS = ("dm-mod", "dm-log-writes")
ROOT_SIZE, STATE_SIZE, LOG_SIZE = "1200M", "256M", 1 << 30
BOARD = (
    "__init__.py",
    "boot/__init__.py",
    "boot/board/__init__.py",
    "boot/board/pi.py",
    "part_faults.py",
)


def make_disks(debian: Path, wheels: Path, folder: Path) -> tuple[Path, Path]:
    """Install the table on a copy of the system *debian*; return the root and the state disk.

    The disks and the log of the guest's boot are in *folder*. The folder *debian* gets the
    project's files.

    Raises:
        GuestFailed: the table cannot be installed.
    """
    _add_files(debian, wheels)
    root, state, console = folder / "root.disk", folder / "state.disk", folder / "install.log"
    for disk, size, files in (
        (root, ROOT_SIZE, ["-d", str(debian)]),
        (state, STATE_SIZE, ["-N", "4096"]),
    ):
        disk.unlink(missing_ok=True)
        # Blocks of 4 KB, as on a big disk; two groups of them, so that it has a second superblock.
        form = ["-q", "-t", "ext4", "-b", "4096", "-J", "size=4", "-E", "lazy_itable_init=0"]
        subprocess.run(["mke2fs", *form, *files, str(disk), size], check=True)
    with Guest([root, state], console, "systemd.run=/srv/guest/install") as guest:
        guest.wait()
    if "the table is installed" not in console.read_text(errors="replace"):
        raise GuestFailed(f"the table is not installed:\n{guest.console()}")
    return root, state


def _add_files(debian: Path, wheels: Path) -> None:
    """Put the project's source, the emulated board and a begun game on the system *debian*."""
    for name in ("root/tapmat", "srv"):
        shutil.rmtree(debian / name, ignore_errors=True)
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.check_output(listed, cwd=PROJECT, text=True).split("\0")
    for name in filter(None, names):
        if (PROJECT / name).is_file():
            (debian / "root/tapmat" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, debian / "root/tapmat" / name)
    shutil.copytree(HERE / "guest", debian / "srv/guest")
    shutil.copytree(wheels, debian / "srv/wheels")
    board = debian / "srv/board"
    for name in BOARD:
        (board / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(PROJECT / "tests" / name, board / "tests" / name)
    shutil.copy2(PROJECT / "tests/boot/board/sitecustomize.py", board)
    shutil.copy2(HERE / "board/pi.py", board)
    with TemporaryDirectory() as state:
        begin_game(Path(state))
        shutil.copytree(state, debian / "srv/state")
    config = debian / "etc/pip.conf"
    config.write_text("[global]\nno-index = true\nfind-links = /srv/wheels\n", encoding="utf-8")
    # Units that have nothing to do with the table: each start of a program takes long in the guest.
    for unit in (HERE / "guest/masked").read_text(encoding="utf-8").split():
        mask = debian / "etc/systemd/system" / unit
        mask.unlink(missing_ok=True)
        mask.symlink_to("/dev/null")
    version = kernel()
    modules = debian / "usr/lib/modules" / version
    shutil.rmtree(modules.parent, ignore_errors=True)
    for driver in DRIVERS:
        source = MODULES / version / f"kernel/drivers/md/{driver}.ko"
        (modules / "kernel/drivers/md").mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, modules / "kernel/drivers/md")
    for listing in (MODULES / version).glob("modules.*"):
        shutil.copy2(listing, modules)
