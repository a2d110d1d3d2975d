"""Signatures of bundles by OpenSSH's ``ssh-keygen``, and the keys that a table trusts for updates.

The trusted keys are in ``/etc/tapmat/allowed_signers``, one a line: the name of the key, the
purpose, the kind of key and the public key.
Source: ssh-keygen(1), "-Y sign", "-Y verify" and "ALLOWED SIGNERS"; OpenSSH's PROTOCOL.sshsig;
RFC 4253, 6.6 (a public key begins with its kind).
"""

import base64
import binascii
import hashlib
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from firmware.pi.computer import SetUpFault, TargetComputer

ALLOWED_SIGNERS = "etc/tapmat/allowed_signers"
NAMESPACE = (
    "tapmat-update"  # a signature for another purpose, such as a git commit, is not accepted
)
TRUST = "sudo tapmat update --trust KEY.pub"
NO_NAME = "unnamed"


@dataclass(frozen=True)
class PublicKey:
    """A public key in base64. *kind* is the kind of key, such as "ssh-ed25519"."""

    name: str
    kind: str
    base64: str

    @classmethod
    def parse(cls, text: str, file: Path) -> Self:
        """Return the public key in *text*, the contents of *file*.

        The key's name is its comment, such as "ann@laptop".

        Raises:
            SetUpFault: *text* is not exactly one SSH public key.
        """
        kind, _, rest = text.strip().partition(" ")
        key, _, comment = rest.partition(" ")
        try:
            blob = base64.b64decode(key, validate=True)
        except binascii.Error:
            blob = b""
        size = len(kind).to_bytes(4, "big")
        if not kind or "\n" in text.strip() or not blob.startswith(size + kind.encode()):
            raise SetUpFault(
                f"{file} is not an SSH public key.",
                "Name the file that ends in .pub. To make a key, run: ssh-keygen -t ed25519",
            )
        # Blanks, commas, quotes, wildcards and # have a meaning in allowed_signers.
        name = re.sub(r"[^\w@.+-]+", "-", comment).strip("-")
        return cls(name or NO_NAME, kind, key)

    @property
    def fingerprint(self) -> str:
        """The key's fingerprint, as ``ssh-keygen -l`` prints it."""
        digest = hashlib.sha256(base64.b64decode(self.base64)).digest()
        return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"

    @property
    def allowed_signer(self) -> str:
        """The line for ``allowed_signers`` that trusts the key for updates only."""
        return f'{self.name} namespaces="{NAMESPACE}" {self.kind} {self.base64}\n'


@dataclass(frozen=True)
class TrustedKeys:
    """The keys that the table on *computer* trusts for updates."""

    computer: TargetComputer

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the keys."""
        lines = (line.split() for line in self.computer.text(ALLOWED_SIGNERS).splitlines())
        return tuple(words[0] for words in lines if words and not words[0].startswith("#"))

    def trust(self, key: PublicKey) -> None:
        """Trust *key* from now on, in addition to the keys that are trusted already."""
        text = self.computer.text(ALLOWED_SIGNERS)
        if key.allowed_signer not in text:
            ending = "\n" if text and not text.endswith("\n") else ""
            self.computer.write(ALLOWED_SIGNERS, f"{text}{ending}{key.allowed_signer}")

    def check(self, contents: bytes, signature: bytes) -> str:
        """Check that a trusted key made *signature* for *contents*; return the key's name.

        Raises:
            SetUpFault: no trusted key made it, or ssh-keygen is not installed.
        """
        with TemporaryDirectory() as folder:
            file = Path(folder) / "signature"
            file.write_bytes(signature)
            return self._check(contents, file)

    def _check(self, contents: bytes, signature: Path) -> str:
        of_file = ("-n", NAMESPACE, "-s", str(signature))
        # Without any keys: is this a signature of these contents at all, and by which key?
        made = _ssh_keygen("check-novalidate", of_file, contents)
        if made.returncode:
            raise SetUpFault(
                f"Its signature is wrong ({_last_line(made.stderr)}).",
                "The bundle was changed or damaged after it was signed. Copy it again from the "
                "person who made it.",
            )
        by = f"It is signed with the key {made.stdout.decode().split()[-1]}"
        keys = ("-f", str(self.computer.path(ALLOWED_SIGNERS)))
        found = _ssh_keygen("find-principals", (*keys, "-s", str(signature)))
        name = found.stdout.decode().partition("\n")[0]
        if found.returncode or not name:
            raise SetUpFault(
                f"{by}, which this table does not trust.",
                "If you know that this key belongs to somebody you trust, get its public key from "
                f"them and run: {TRUST}",
            )
        verified = _ssh_keygen("verify", (*keys, "-I", name, *of_file), contents)
        if verified.returncode:
            raise SetUpFault(
                f"{by}, which may not sign this bundle ({_last_line(verified.stderr)}).",
                f"Check the line of {name} in /{ALLOWED_SIGNERS}.",
            )
        return name


def sign(contents: bytes, key: Path) -> bytes:
    """Return a signature of *contents* by the private key in the file *key*.

    ssh-keygen asks for the key's passphrase, if it has one.

    Raises:
        SetUpFault: the key cannot be used, or ssh-keygen is not installed.
    """
    done = _ssh_keygen("sign", ("-q", "-n", NAMESPACE, "-f", str(key)), contents)
    if done.returncode:
        raise SetUpFault(
            f"The bundle cannot be signed with {key} ({_last_line(done.stderr)}).",
            "Name an SSH private key. To make one, run: ssh-keygen -t ed25519",
        )
    return done.stdout


def _ssh_keygen(
    verb: str, words: Sequence[str], contents: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run ``ssh-keygen -Y verb`` with the further arguments *words* and *contents* as its input.

    Raises:
        SetUpFault: ssh-keygen is not installed.
    """
    command = ("ssh-keygen", "-Y", verb, *words)
    try:
        return subprocess.run(command, input=contents, capture_output=True, check=False)
    except OSError as fault:
        raise SetUpFault(
            f"ssh-keygen, which checks signatures, cannot be run: {fault.strerror}.",
            "Install it: sudo apt install openssh-client",
        ) from fault


def _last_line(printed: bytes) -> str:
    lines = printed.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")
