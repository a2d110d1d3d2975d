"""A script that becomes the program whose device calls are answered.

``python launch.py SOCKET NUMBER FILTER COMMAND ...`` installs a seccomp *FILTER* (in hexadecimal)
by the system call *NUMBER*, sends its listener through the inherited *SOCKET*, and runs the command
in its place. It sends a system call's error number first, or 0; a second number follows if the
command does not start. A separate process does this, because a filter can never be removed.

May import: the standard library only, since it runs without the project on its path.
Source: seccomp(2), seccomp_unotify(2), prctl(2).
"""

import array
import ctypes
import os
import signal
import socket
import struct
import sys

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
SET_MODE_FILTER = 1
NEW_LISTENER, WAIT_KILLABLE = 1 << 3, 1 << 5


def install_filter(number: int, code: bytes) -> int:
    """Install the filter *code* by the system call *number*; return its listener's descriptor.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    kept = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(
        struct.pack("@HP", len(code) // 8, ctypes.addressof(kept))
    )
    # Without WAIT_KILLABLE (Linux 5.19), a signal makes the program repeat a call that has begun.
    for flags in (NEW_LISTENER | WAIT_KILLABLE, NEW_LISTENER):
        listener: int = libc.syscall(number, SET_MODE_FILTER, flags, program)
        if listener >= 0:
            return listener
    raise OSError(ctypes.get_errno(), "seccomp")


def main(handle: int, number: int, code: bytes, command: list[str]) -> None:
    """Install the filter *code*, report it on the socket *handle*, and become *command*."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    with socket.socket(fileno=handle) as report:
        # If the process that answers is killed, the program would run on with dead devices.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        try:
            listener = install_filter(number, code)
        except OSError as refused:
            report.send(struct.pack("i", refused.errno or 0))
            return
        # ``socket.send_fds`` imports ``array`` when it is called. An import opens files, and would
        # now wait for ever: until the listener is sent, nobody answers.
        handles = array.array("i", [listener])
        report.sendmsg([struct.pack("i", 0)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)])
        os.close(listener)
        report.recv(1)  # now the calls are answered
        report.set_inheritable(False)
        try:
            os.execvp(command[0], command)
        except OSError as failed:
            report.send(struct.pack("i", failed.errno or 0))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), bytes.fromhex(sys.argv[3]), sys.argv[4:])
