"""The computer of a person who logs in to the emulated Pi with OpenSSH's own client.

Source: ssh(1), "SSH_ASKPASS"; ssh_config(5); RFC 4253, 4.2 (a server first says its version).
"""

import os
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.board.emulator import PATIENCE_S

HOST = "127.0.0.1"


class Laptop:
    """A laptop whose *port* leads to the Pi's port for SSH; its keys are in *folder*."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._port = port

    def make_key(self, name: str) -> str:
        """Make a pair of keys; return the public one, as one line."""
        file = self._folder / name
        command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(file))
        subprocess.run(command, check=True)
        return file.with_suffix(".pub").read_text().strip()

    def log_in(
        self, command: str, key: str, user: str = "pi", host_key: str = "accept-new"
    ) -> subprocess.CompletedProcess[str]:
        """Run *command* on the Pi as *user*, with a key of this laptop.

        By default a Pi that was never seen is trusted; with *host_key* "yes", it must be the one
        that was seen before.
        """
        options = ("-o", "BatchMode=yes", "-i", str(self._folder / key))
        return self._ssh(command, user, host_key, options, {})

    def log_in_with_password(
        self, command: str, password: str, user: str = "pi"
    ) -> subprocess.CompletedProcess[str]:
        """Run *command* on the Pi as *user*, with a password instead of a key.

        After a refused login, sshd turns the same computer away for some seconds; this waits.
        """
        until = time.monotonic() + PATIENCE_S
        while not self.greeting().startswith(b"SSH-") and time.monotonic() < until:
            time.sleep(1)
        answer = self._folder / "answer"
        answer.write_text(f"#!/bin/sh\necho '{password}'\n")
        answer.chmod(0o700)
        options = ("-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1")
        asked = {"SSH_ASKPASS": str(answer), "SSH_ASKPASS_REQUIRE": "force"}
        return self._ssh(command, user, "accept-new", options, asked)

    def _ssh(
        self, command: str, user: str, host_key: str, options: Sequence[str], more: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        settings = {
            "StrictHostKeyChecking": host_key,
            "UserKnownHostsFile": str(self._folder / "known_hosts"),
            "IdentityAgent": "none",
            "IdentitiesOnly": "yes",
        }
        fixed = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        at = ("-p", str(self._port), f"{user}@{HOST}")
        return subprocess.run(
            ("ssh", "-F", "none", *fixed, *options, *at, command),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=PATIENCE_S, env={**os.environ, **more},
        )  # fmt: skip

    def greeting(self) -> bytes:
        """Return what the Pi's port for SSH says first; nothing if nobody listens there."""
        with suppress(ConnectionError), socket.create_connection((HOST, self._port)) as line:
            line.settimeout(PATIENCE_S)
            return line.recv(100)
        return b""
