"""The agent in the guest: it connects the emulated board to the host, line by line.

If the state disk's writes are logged, it marks the log with the number of each picture before it
passes the picture on. It uses the system's Python and only the standard library.
"""

import os
import select
import socket
import subprocess
import sys
import tty
from pathlib import Path

PORT = "/dev/ttyS0"
SOCKET = Path("/run/cuts/socket")
LOGS = "cuts.log"  # on the kernel's command line: the state disk's writes are logged


def main() -> int:
    """Serve one service after the other, until the power is cut."""
    logs = LOGS in Path("/proc/cmdline").read_text().split()
    port = os.open(PORT, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port)
    SOCKET.parent.mkdir(mode=0o755, exist_ok=True)
    SOCKET.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(SOCKET))
    SOCKET.chmod(0o666)
    listener.listen()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
    write(port, b"booted\n")
    number = 0
    while True:
        board, _address = listener.accept()
        write(port, b"started\n")
        number = serve(port, board, number, logs=logs)
        write(port, b"ended\n")


def serve(port: int, board: socket.socket, number: int, *, logs: bool) -> int:
    """Pass lines on between *port* and *board* until the service ends.

    *number* pictures have been shown so far. Returns their number at the end.
    """
    rest = b""
    while True:
        ready, _, _ = select.select([port, board], [], [])
        if port in ready:
            board.sendall(os.read(port, 65536))
        if board in ready:
            came = board.recv(65536)
            if not came:
                return number
            *lines, rest = (rest + came).split(b"\n")
            for line in lines:
                number += 1
                if logs:
                    mark = ("dmsetup", "message", "state", "0", f"mark {number}")
                    subprocess.run(mark, check=True)
                write(port, b"%d %s\n" % (number, line))


def write(port: int, data: bytes) -> None:
    """Write all of *data*."""
    while data:
        data = data[os.write(port, data) :]


if __name__ == "__main__":
    sys.exit(main())
