"""``tapmat update``: install a newer version from a signed bundle, and trust keys for that.

The signature is checked before anything of the bundle is unpacked. After that, the bundle's own
``install-pi`` installs the new version, as if a user had started it.
"""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from firmware.common.errors import word_list
from firmware.pi.boot import Needs
from firmware.pi.bundle import UNPACKED, unpacked_source
from firmware.pi.command import answer_yes, ask_at_terminal, run_reporting
from firmware.pi.computer import SetUpFault, TargetComputer
from firmware.pi.keys import TRUST, PublicKey, TrustedKeys
from firmware.pi.releases import Releases
from firmware.pi.steps import BootFile

NOT_INSTALLED = "Install it first: sudo ./install-pi, in the folder of tapmat."


@dataclass(frozen=True)
class Updates:
    """Updates for the tapmat that is installed on *computer*."""

    computer: TargetComputer

    def install(self, bundle: Path, *, accepts_older: bool, asks: bool) -> int:
        """Install the signed file *bundle*; return the installer's exit code.

        If *accepts_older*, its version may be older than the one in use. If *asks*, the installer
        asks for confirmation.

        Raises:
            SetUpFault: the bundle is refused; nothing was changed.
        """
        self._check(f"tapmat update {bundle}")
        bundle = bundle.resolve()
        self.computer.check_room({UNPACKED: bundle.stat().st_size})
        with unpacked_source(bundle, partial(self._check_signature, bundle)) as source:
            if not accepts_older:
                self._check_newer(bundle, source.version)
            # The shell reads it, since /var/tmp may forbid to execute files.
            words = ["sh", str(source.folder / "install-pi")]
            if not BootFile(self.computer, Needs((), ())).is_ours:
                words.append("--no-boot")
            return self.computer.hand_over([*words, *([] if asks else ["--yes"])])

    def trust(self, file: Path) -> int:
        """Ask, and trust the public key in *file* for updates; return the exit code.

        Raises:
            SetUpFault: the file does not contain a public key.
        """
        self._check(f"tapmat update --trust {file}")
        key = PublicKey.parse(file.read_text(encoding="utf-8", errors="replace"), file)
        say = self.computer.say
        say(f"The key of {key.name}: {key.fingerprint}")
        say("Everyone who has its private key can then run programs as root on this table.")
        if not self.computer.ask("Trust it for updates?"):
            say("Nothing was changed.")
            return 1
        TrustedKeys(self.computer).trust(key)
        say("Done. The table accepts bundles signed with this key.")
        return 0

    def print_status(self) -> int:
        """Print the versions, the trusted keys and the last update that failed; return 0."""
        releases, say = Releases(self.computer), self.computer.say
        if releases.current is None:
            raise SetUpFault("tapmat is not installed on this computer.", NOT_INSTALLED)
        trial = " (on trial)" if releases.is_on_trial else ""
        before = "none" if releases.previous is None else releases.previous.name
        say(f"In use: {releases.current.name}{trial}")
        say(f"Previous version: {before}")
        say(f"Keys trusted for updates: {word_list(TrustedKeys(self.computer).names)}")
        if releases.rolled_back:
            say(releases.rolled_back.rstrip())
        return 0

    def _check(self, command: str) -> None:
        """Check that this process may update this computer.

        *command* is the command that the user has run.

        Raises:
            SetUpFault: the system is not a supported one, the user is not root, or tapmat is not
                installed.
        """
        self.computer.check()
        self.computer.check_root(command)
        if Releases(self.computer).current is None:
            raise SetUpFault("tapmat is not installed on this computer.", NOT_INSTALLED)

    def _check_signature(self, bundle: Path, contents: bytes, signature: bytes | None) -> None:
        """Check the *signature* of *contents*, the list of sums in the file *bundle*.

        Raises:
            SetUpFault: the signature is missing or wrong, or made with an unknown key.
        """
        if signature is None:
            raise SetUpFault(
                f"{bundle} is not signed, and an update must be.",
                "Nothing was changed. If you made the bundle, make it again with: "
                f"make bundle KEY=~/.ssh/id_ed25519; then let the table trust the key: {TRUST}",
            )
        try:
            name = TrustedKeys(self.computer).check(contents, signature)
        except SetUpFault as refused:
            raise SetUpFault(f"{bundle} is refused. {refused}", "Nothing was changed.") from refused
        self.computer.say(f"{bundle.name} is signed by {name}.")

    def _check_newer(self, bundle: Path, version: str) -> None:
        """Check that *version*, that of the file *bundle*, is not older than the version in use.

        Raises:
            SetUpFault: it is older.
        """
        used = Releases(self.computer).version
        if _order(version) < _order(used):
            raise SetUpFault(
                f"{bundle} has version {version}, which is older than {used}, the one in use.",
                "Nothing was changed. To install it all the same, add --older. To return to the "
                "version before the last update, run: sudo ./install-pi --rollback",
            )


def run_update(
    bundle: Path | None,
    *,
    key: Path | None = None,
    accepts_older: bool = False,
    says_yes: bool = False,
    computer: TargetComputer | None = None,
) -> int:
    """Run ``tapmat update``: trust *key* or install *bundle*; without both, print the status.

    If *accepts_older*, an older version may be installed. If *says_yes*, nothing is asked.

    Returns:
        The exit code: 0 if it succeeded, 1 if it failed, 130 after Ctrl-C.
    """
    ask = answer_yes if says_yes else ask_at_terminal
    computer = computer or TargetComputer(partial(print, flush=True), ask)
    updates = Updates(computer)
    if key is not None:
        return run_reporting(partial(updates.trust, key), computer)
    if bundle is None:
        return run_reporting(updates.print_status, computer)
    install = partial(updates.install, bundle, accepts_older=accepts_older, asks=not says_yes)
    return run_reporting(install, computer)


def _order(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Return a key that sorts versions by age. A pre-release such as 1.2.0rc1 is before 1.2.0.

    Source: Semantic Versioning 2.0.0, 11
    """
    numbers = re.match(r"[\d.]*", version)
    assert numbers is not None, "it also matches nothing"
    rest = version[numbers.end() :]
    return tuple(int(part) for part in numbers[0].split(".") if part), not rest, rest
