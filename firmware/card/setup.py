"""Change the system to match the card: the table, the network, the computer's name, the SSH key.

The files are those of tapmat's image (decision 0036): iwd joins the Wi-Fi network, systemd-networkd
asks for an address, and OpenSSH lets the user ``pi`` in.
Source: iwd.network(5), iwd.config(5); sshd_config(5), AuthorizedKeysFile.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from firmware.card.settings import CardSettings, WifiNetwork, read_settings
from firmware.common.errors import TapmatError
from firmware.config.table_config import DEFAULT_TABLE_TOML, load_config
from firmware.journal.kit_choice import OFFERED, KitChoice
from firmware.pi.computer import TargetComputer
from firmware.pi.needs import needs_of
from firmware.pi.steps import TABLE, BootFile
from firmware.plan.templates import TEMPLATES, template_file

CARD: Final = "boot/firmware"  # the partition that a laptop can edit
SETTINGS, OWN_TABLE = f"{CARD}/tapmat.toml", f"{CARD}/table.toml"
REPORT: Final = f"{CARD}/tapmat-report.txt"
STATE: Final = "var/lib/tapmat"
AUTHORIZED: Final = "etc/ssh/authorized_keys/pi"
IWD, IWD_NETWORKS = "etc/iwd/main.conf", "var/lib/iwd"
LANGUAGE: Final = re.compile(r"^language *=.*$", re.MULTILINE)
TABLE_HEAD: Final = re.compile(r"^\[table\]\s*$", re.MULTILINE)


@dataclass(frozen=True)
class CardSetup:
    """Apply the card's settings to *computer*."""

    computer: TargetComputer

    def run(self) -> bool:
        """Apply all settings, and write the report onto the card.

        Returns:
            True if the boot file was changed, so the computer must restart.

        Raises:
            SetUpFault: a command failed.
            OSError: a file cannot be written.
        """
        settings = read_settings(self.computer.path(SETTINGS))
        folder = f"{self.computer.path(CARD)}/"  # on a laptop, the card is another folder
        faults = [fault.replace(folder, "") for fault in settings.faults]
        used = list(self._set_table(settings, faults))
        self._set_name(settings.name)
        self._set_key(settings.ssh_key)
        self._set_wifi(settings.wifi)
        used.append(f"name: {settings.name}")
        if settings.ssh_key is not None:
            used.append(f"ssh_key: {settings.ssh_key.rpartition(' ')[2]} may log in as pi")
        if settings.wifi is not None:
            used.append(f"wifi: {settings.wifi.name}, {settings.wifi.country}")
        self._write_report(used, faults)
        return self._set_buses()

    # --- the table ---

    def _set_table(self, settings: CardSettings, faults: list[str]) -> Iterator[str]:
        """Write ``table.toml`` if the settings ask for a different one; yield lines for the report.

        If the new table cannot be used, add the reason to *faults*, and keep the present one.
        """
        has_own = self.computer.path(OWN_TABLE).exists()
        self._offer_kits(is_choosable=not has_own and settings.kit is None)
        choice = KitChoice(self.computer.path(STATE)).chosen
        kit = settings.kit or (choice if choice in TEMPLATES else "")
        if has_own:
            text, title = self.computer.text(OWN_TABLE), "table.toml: the file on this card"
        elif kit:
            text = template_file(kit).read_text(encoding="utf-8")
            title = f"kit: {kit}" + ("" if settings.kit else ", chosen at the table")
        elif settings.language is not None:
            text = self.computer.text(TABLE) or DEFAULT_TABLE_TOML.read_text(encoding="utf-8")
            title = ""
        else:
            return
        if settings.language is not None:
            text = with_language(text, settings.language)
        if text != self.computer.text(TABLE):
            if reason := _refusal(text):
                faults.append(reason)
                return
            self.computer.write(TABLE, text)
        if title:
            yield title
        if settings.language is not None:
            yield f"language: {settings.language}"

    def _offer_kits(self, *, is_choosable: bool) -> None:
        """Offer the choice of a kit at the table if *is_choosable*; otherwise, withdraw the offer.

        A kit is one of the templates of ``table.toml``.
        """
        if is_choosable:
            self._write(f"{STATE}/{OFFERED}", "".join(f"{kit}\n" for kit in TEMPLATES))
        else:
            self.computer.path(f"{STATE}/{OFFERED}").unlink(missing_ok=True)

    def _set_buses(self) -> bool:
        """Turn on the table's buses in the boot file; return True if that changed the file."""
        boot = BootFile(self.computer, needs_of(load_config(self.computer.path(TABLE))))
        if not boot.changes():
            return False
        with self._writable_card():
            boot.do()
        return True

    # --- the network ---

    def _set_name(self, name: str) -> None:
        """Set the computer's name, now and for the next starts."""
        self._write("etc/hostname", f"{name}\n")
        self._write("etc/hosts", f"127.0.0.1 localhost\n127.0.1.1 {name}\n::1 localhost\n")
        self.computer.path("proc/sys/kernel/hostname").write_text(name, encoding="ascii")

    def _set_key(self, key: str | None) -> None:
        """Let only the owner of the SSH key *key* log in as pi; nobody if it is None."""
        self._write(AUTHORIZED, "" if key is None else f"{key}\n")

    def _set_wifi(self, wifi: WifiNetwork | None) -> None:
        """Make *wifi* the only network that iwd joins. If it is None, iwd joins no network."""
        files = {} if wifi is None else {f"{IWD_NETWORKS}/{profile_name(wifi)}": profile(wifi)}
        for old in sorted(self.computer.path(IWD_NETWORKS).glob("*.*")):
            if old.suffix in (".psk", ".open") and f"{IWD_NETWORKS}/{old.name}" not in files:
                old.unlink()
        for name, text in files.items():
            self._write(name, text, mode=0o600)
        country = "" if wifi is None else f"[General]\nCountry={wifi.country}\n"
        self._write(IWD, country)

    # --- files ---

    def _write_report(self, used: list[str], faults: list[str]) -> None:
        """Write the report of used and wrong settings to the card, if the report has changed."""
        text = report(used, faults)
        for line in text.splitlines():
            self.computer.say(line)
        if self.computer.text(REPORT) != text:
            with self._writable_card():
                self.computer.write(REPORT, text)

    def _write(self, name: str, text: str, mode: int = 0o644) -> None:
        """Write the file *name* if its text differs; each write wears the memory card.

        *mode* is the mode of a new file.
        """
        file = self.computer.path(name)
        if file.exists() and self.computer.text(name) == text:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.touch(mode)  # before the text, since it may be a password
        self.computer.write(name, text)

    @contextmanager
    def _writable_card(self) -> Iterator[None]:
        """Run a block that writes to the card's first partition, which is otherwise read-only."""
        mount = ("mount", "-o")
        self.computer.run((*mount, "remount,rw", f"/{CARD}"))
        try:
            yield
        finally:
            self.computer.run((*mount, "remount,ro", f"/{CARD}"))


def with_language(text: str, language: str) -> str:
    """Return the text of a ``table.toml`` with another *language*."""
    line = f"language = {json.dumps(language)}"
    if LANGUAGE.search(text):
        return LANGUAGE.sub(line, text, count=1)
    if TABLE_HEAD.search(text):
        return TABLE_HEAD.sub(f"[table]\n{line}", text, count=1)
    return f"[table]\n{line}\n\n{text}"


def _refusal(text: str) -> str:
    """Return the reason why *text* cannot be used as ``table.toml``; empty if it can be used."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "table.toml")
        file.write_text(text, encoding="utf-8")
        try:
            load_config(file)
        except TapmatError as fault:
            return str(fault).replace(f"{folder}/", "")
    return ""


def profile_name(wifi: WifiNetwork) -> str:
    """Return the name of iwd's file for *wifi*. Source: iwd.network(5), "NAMING"."""
    is_plain = re.fullmatch(r"[A-Za-z0-9 _-]+", wifi.name) is not None
    name = wifi.name if is_plain else f"={wifi.name.encode().hex()}"
    return f"{name}.{'open' if wifi.password is None else 'psk'}"


def profile(wifi: WifiNetwork) -> str:
    """Return the text of iwd's file for *wifi*. Source: iwd.network(5), "SETTINGS"."""
    if wifi.password is None:
        return "[Settings]\nAutoConnect=true\n"
    password = wifi.password.replace("\\", "\\\\")
    if password.startswith(" "):  # blanks at the start of a value are skipped
        password = f"\\s{password[1:]}"
    return f"[Security]\nPassphrase={password}\n"


def report(used: list[str], faults: list[str]) -> str:
    """Return the text of the report: the settings in *used*, and the messages in *faults*.

    Lines end with a carriage return and a line feed, so that the simplest editors can show them.
    """
    lines = ["The table has read tapmat.toml. It reads it again at each start.", ""]
    if faults:
        n = len(faults)
        lines.append("One setting cannot be used:" if n == 1 else f"{n} settings cannot be used:")
        lines += [f"- {fault}" for fault in faults]
        lines.append("")
    lines += ["Used:", *(f"- {setting}" for setting in used)]
    return "".join(f"{line}\r\n" for text in lines for line in text.splitlines() or [""])
