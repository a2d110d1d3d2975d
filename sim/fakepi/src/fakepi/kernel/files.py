"""The files of the Raspberry Pi that a program sees in place of this computer's own.

They are real files in a separate folder, so the kernel itself lists, reads and describes them.
The device files among them are empty; ``fakepi.kernel.supervisor`` opens their nodes instead.

May import: the standard library and this package's ``abi`` and ``nodes``.
"""

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from fakepi.kernel.abi import FileStatus
from fakepi.kernel.nodes import DeviceNode, refusal

# A path that begins like this is the Pi's: if the Pi does not have it, it does not exist.
OF_THE_PI = (
    "/dev/spidev", "/dev/i2c-", "/dev/gpiochip", "/dev/gpiomem", "/dev/mem", "/dev/vcio",
    "/proc/device-tree", "/sys/firmware/devicetree",
    "/sys/bus/gpio", "/sys/bus/spi", "/sys/bus/i2c",
    "/sys/class/gpio", "/sys/class/spidev", "/sys/class/i2c-",
)  # fmt: skip
DEV = "/dev"  # the one folder with files of both
NODE_MODE = stat.S_IFCHR | 0o660


class PiFiles:
    """The files of a Pi below the folder *root*, which is the ``/`` that a program sees.

    ``nodes`` are its device files by path. ``refused`` has an error number for each device file
    that cannot be opened, such as ``errno.EACCES``.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._of_the_pi: tuple[str, ...] = OF_THE_PI
        self.nodes: dict[str, DeviceNode] = {}
        self.refused: dict[str, int] = {}
        self.all_open: dict[int, str] = {}  # paths of open devices; see ``Descriptors``
        for name in ("dev", "sys/bus", "proc"):
            (root / name).mkdir(parents=True)
        self._add_names_of_this_computer()

    def _add_names_of_this_computer(self) -> None:
        """Let the Pi's /dev list this computer's other devices. They are opened under /dev."""
        for name in os.listdir(DEV):  # noqa: PTH208 - names alone
            if not self.has(f"{DEV}/{name}"):
                (self.root / "dev" / name).touch()

    def has(self, path: str) -> bool:
        """Return True if *path* is claimed for the Pi's files, even if there is no such file."""
        return path.startswith(self._of_the_pi) or path == DEV

    def claim(self, *paths: str) -> None:
        """Claim all paths that begin with one of *paths* for the Pi's files.

        The program does not see this computer's files there.
        """
        self._of_the_pi += paths

    def write(self, path: str, contents: bytes) -> None:
        """Create the file *path*, with its folders."""
        file = self.of(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(contents)

    def write_all(self, contents: Mapping[str, bytes]) -> None:
        """Create files with these contents, by path."""
        for path, data in contents.items():
            self.write(path, data)

    def add_link(self, path: str, target: str) -> None:
        """Create the symbolic link *path* to *target*."""
        file = self.of(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def add_node(self, path: str, node: DeviceNode) -> None:
        """Create the device file *path*."""
        self.write(path, b"")
        self.nodes[path] = node

    def remove_node(self, path: str) -> DeviceNode:
        """Delete the device file *path*; return its node, which programs may still have open."""
        self.of(path).unlink()
        return self.nodes.pop(path)

    def remove(self, path: str) -> None:
        """Delete the file *path*, if there is one."""
        self.of(path).unlink(missing_ok=True)

    def of(self, path: str) -> Path:
        """Return the real file that holds the contents of the Pi's file *path*."""
        return self.root / path.removeprefix("/")

    def seen_path(self, path: str) -> str:
        """Return *path* as the program sees it: without the folder ``root`` in front."""
        inside = path.removeprefix(str(self.root))
        return path if inside == path else inside or "/"

    def stat(self, path: str, *, follow: bool) -> FileStatus:
        """Return the status of *path*. A device file is a character device.

        Raises:
            OSError: there is no such file.
        """
        found = self.of(path).stat(follow_symlinks=follow)
        node = self.nodes.get(path)
        if node is None:
            return FileStatus(found, found.st_mode, found.st_rdev)
        return FileStatus(found, NODE_MODE, os.makedev(*node.number))

    def check_access(self, path: str, wanted: int) -> None:
        """Check that the program may use *path* as *wanted* says, a mask such as ``os.R_OK``.

        Raises:
            OSError: it may not, or there is no such file.
        """
        self.stat(path, follow=True)
        if wanted and path in self.refused:
            raise refusal(self.refused[path])
        if wanted & os.W_OK and path not in self.nodes:
            raise refusal(errno.EACCES)

    def node_to_open(self, path: str) -> DeviceNode | None:
        """Return the node of the device file *path*, or None if *path* is not a device file.

        Raises:
            OSError: it may not be opened.
        """
        if path in self.nodes and path in self.refused:
            raise refusal(self.refused[path])
        return self.nodes.get(path)

    def open_file(self, path: str, flags: int) -> int:
        """Open the file or folder *path* to be read, and return the descriptor.

        Raises:
            OSError: there is no such file, or *flags* ask to write it.
        """
        self.stat(path, follow=True)
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise refusal(errno.EACCES)
        kept = flags & (os.O_DIRECTORY | os.O_NOFOLLOW | os.O_PATH)
        return os.open(self.of(path), os.O_RDONLY | os.O_CLOEXEC | kept)
