"""``tapmat.toml`` on the card of tapmat's image: what is used, and what is reported.

A folder takes the place of the Pi's file system; its card can only be written while it is mounted
for writing.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware.card.__main__ import main
from firmware.card.settings import KEYS, WIFI_KEYS, read_settings
from firmware.card.setup import with_language
from firmware.config.table_config import DEFAULT_TABLE_TOML, load_config
from firmware.journal.kit_choice import KitChoice
from firmware.pi.boot import with_block
from firmware.pi.computer import OnLine, SetUpFault, TargetComputer
from firmware.pi.needs import needs_of
from firmware.plan.templates import TEMPLATES, template_file
from firmware.voice.words import languages
from tests.docs.pages import page

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "image" / "tapmat.toml"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb3duIGZveCBqdW1wcyBvdmVyIGxhenkgZG9n ann@laptop"
CARD, STATE = "boot/firmware", "var/lib/tapmat"
EVERYTHING = f"""\
kit = "family"
language = "de"
name = "games"
ssh_key = "{KEY}"

[wifi]
name = "Our network"
password = "correct horse"
country = "de"
"""


class Pi:
    """A Pi with tapmat's image, in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands: list[str] = []
        self.failing = ""  # a command that fails
        self.put("proc/sys/kernel/hostname", "tapmat")
        self.put("etc/tapmat/table.toml", DEFAULT_TABLE_TOML.read_text("utf-8"))
        self.put("etc/modules-load.d/tapmat.conf", "i2c-dev\n")
        lines = needs_of(load_config(DEFAULT_TABLE_TOML)).boot_lines
        self.put(f"{CARD}/config.txt", with_block("arm_64bit=1\n", lines))
        self.put("var/lib/iwd/.known_network.freq", "")
        self._let_write(is_on=False)

    def put(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, text: str, name: str = "tapmat.toml") -> None:
        """Write a file to the card, as a person does with a laptop."""
        self._let_write(is_on=True)
        self.put(f"{CARD}/{name}", text)
        self._let_write(is_on=False)

    def start(self) -> int:
        self.said: list[str] = []
        self.commands.clear()
        return main(TargetComputer(self.said.append, lambda _: True, self.root, self.run))

    def run(self, command: Sequence[str], on_line: OnLine | None = None) -> str:
        assert on_line is None, "nothing is shown while a command runs"
        line = " ".join(command)
        self.commands.append(line)
        if self.failing and self.failing in line:
            raise SetUpFault(f"This failed: {line}", "Fix that.")
        if line.startswith("mount -o remount,"):
            assert line.endswith(f" /{CARD}")
            self._let_write(is_on=",rw" in line)
        return ""

    def _let_write(self, *, is_on: bool) -> None:
        """Make the card writable or not. Root may write in any folder, so tests look at this."""
        self.is_writable = is_on

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    @property
    def table(self) -> str:
        return self.text("etc/tapmat/table.toml")

    @property
    def report(self) -> str:
        return self.text(f"{CARD}/tapmat-report.txt")

    def networks(self) -> dict[str, str]:
        folder = self.root / "var/lib/iwd"
        return {x.name: x.read_text("utf-8") for x in folder.iterdir() if x.suffix != ".freq"}


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pi:
    made = Pi(tmp_path)
    write = TargetComputer.write

    def write_unless_read_only(computer: TargetComputer, name: str, text: str | bytes) -> None:
        assert made.is_writable or not name.startswith(CARD), f"{name} is on a read-only card"
        write(computer, name, text)

    monkeypatch.setattr(TargetComputer, "write", write_unless_read_only)
    return made


def test_everything_in_the_file_is_used(pi: Pi) -> None:
    pi.edit(EVERYTHING)
    assert pi.start() == 0
    assert pi.table == with_language(template_file("family").read_text("utf-8"), "de")
    assert load_config(pi.root / "etc/tapmat/table.toml").settings.language == "de"
    assert pi.text("etc/hostname") == "games\n"
    assert pi.text("proc/sys/kernel/hostname") == "games"
    assert "127.0.1.1 games" in pi.text("etc/hosts")
    assert pi.text("etc/ssh/authorized_keys/pi") == f"{KEY}\n"
    assert pi.networks() == {"Our network.psk": "[Security]\nPassphrase=correct horse\n"}
    assert pi.text("etc/iwd/main.conf") == "[General]\nCountry=DE\n"
    for used in ("kit: family", "language: de", "name: games", "ann@laptop", "Our network, DE"):
        assert f"- {used}" in pi.report or used in pi.report
    assert "cannot be used" not in pi.report


def test_only_the_owner_can_read_the_password(pi: Pi) -> None:
    pi.edit(EVERYTHING)
    pi.start()
    file = pi.root / "var/lib/iwd/Our network.psk"
    assert file.stat().st_mode & 0o777 == 0o600
    pi.edit(EVERYTHING.replace("correct horse", "battery staple"))
    pi.start()
    assert "battery staple" in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert "battery" not in pi.report + "".join(pi.said)


def test_without_the_file_the_table_stays_as_it_is(pi: Pi) -> None:
    before = pi.table
    assert pi.start() == 0
    assert pi.table == before
    assert pi.networks() == {}
    assert pi.text("etc/ssh/authorized_keys/pi") == ""


def test_the_second_start_writes_nothing(pi: Pi) -> None:
    pi.edit(EVERYTHING)
    pi.start()
    files = [x for x in pi.root.rglob("*") if x.is_file() and "proc" not in x.parts]
    before = {file: file.stat() for file in files}
    assert pi.start() == 0
    assert pi.commands == []
    assert {file: file.stat().st_ino for file in files} == {f: s.st_ino for f, s in before.items()}


def test_what_is_deleted_from_the_file_is_forgotten(pi: Pi) -> None:
    pi.edit(EVERYTHING)
    pi.start()
    pi.edit('kit = "family"\n')
    pi.start()
    assert pi.networks() == {}
    assert pi.text("etc/iwd/main.conf") == ""
    assert pi.text("etc/ssh/authorized_keys/pi") == ""
    assert pi.text("etc/hostname") == "tapmat\n"


WRONG = [
    ('kit = "famly"', "family"),
    ('language = "xx"', '"en"'),
    ('name = "our table"', "letters, digits and hyphens"),
    ("name = 7", "letters, digits and hyphens"),
    ('ssh_key = "ssh-ed25519 AAAA"', "id_ed25519.pub"),
    ('sshkey = "x"', "ssh_key"),
    ("wifi = 1", "a section"),
    ('[wifi]\nname = ""\ncountry = "DE"', "the network's name"),
    ('[wifi]\nname = "a"\npassword = "short"\ncountry = "DE"', "8 to 63"),
    ('[wifi]\nname = "a"\npassword = "drei Bäume"\ncountry = "DE"', "without accents"),
    ('[wifi]\nname = "a"\npassword = 12345678\ncountry = "DE"', "8 to 63"),
    ('[wifi]\nname = "a"', "country"),
    ('[wifi]\nname = "a"\ncountry = "Germany"', "two letters"),
    ('[wifi]\nname = "a"\ncountry = "DE"\npasword = "12345678"', "password"),
]


@pytest.mark.parametrize(("line", "remedy"), WRONG)
def test_a_wrong_setting_is_reported_and_the_others_are_used(
    pi: Pi, line: str, remedy: str
) -> None:
    other = 'kit = "five-readers"' if "kit" not in line else 'name = "games"'
    pi.edit(f"{other}\n{line}\n")
    assert pi.start() == 0
    assert "One setting cannot be used:\r\n- tapmat.toml: " in pi.report.replace("\n", "\r\n")
    assert remedy in pi.report
    assert "12345678" not in pi.report
    assert "Bäume" not in pi.report
    assert ("kit: five-readers" in pi.report) or ("name: games" in pi.report)
    assert pi.networks() == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [('kit = "family\n', "line 1"), ("\x00", "line 1"), ('[wifi]\npassword = "12345', "line 2")],
)
def test_a_file_that_is_not_toml_is_reported(pi: Pi, text: str, found: str) -> None:
    before = pi.table
    pi.edit(text)
    assert pi.start() == 0
    assert found in pi.report
    assert "12345" not in pi.report
    assert pi.table == before


def test_a_byte_order_mark_and_carriage_returns_do_no_harm(pi: Pi) -> None:
    pi.edit("\ufeff" + EVERYTHING.replace("\n", "\r\n"))
    pi.start()
    assert "cannot be used" not in pi.report
    assert pi.text("etc/hostname") == "games\n"


def test_the_report_has_the_line_endings_of_every_editor(pi: Pi) -> None:
    pi.edit("x = 1\n")
    pi.start()
    report = (pi.root / CARD / "tapmat-report.txt").read_bytes()
    assert report.count(b"\n") == report.count(b"\r\n") > 3


OWN = '[table]\nnames = ["Zoe", "Yan"]\n[readers.play]\nspi = "0.1"\n'


def test_a_table_file_on_the_card_replaces_the_kit(pi: Pi) -> None:
    pi.edit('kit = "family"\nlanguage = "fr"\n')
    pi.edit(OWN, "table.toml")
    pi.start()
    assert pi.table == OWN.replace("[table]\n", '[table]\nlanguage = "fr"\n')
    assert "table.toml: the file on this card" in pi.report


def test_a_table_file_that_cannot_be_used_leaves_the_present_one(pi: Pi) -> None:
    before = pi.table
    pi.edit(OWN.replace("0.1", "0.7"), "table.toml")
    pi.start()
    assert pi.table == before
    assert "- table.toml: readers.play.spi" in pi.report


def test_without_a_kit_on_the_card_people_choose_one_at_the_table(pi: Pi) -> None:
    pi.edit('language = "de"\n')
    pi.start()
    kits = KitChoice.of(pi.root / STATE)
    assert kits is not None
    assert kits.offered == TEMPLATES
    kits.choose("family")
    pi.start()
    assert pi.table == with_language(template_file("family").read_text("utf-8"), "de")
    assert "kit: family, chosen at the table" in pi.report


@pytest.mark.parametrize(
    ("text", "name"), [('kit = "smallest"\n', "tapmat.toml"), ("", "table.toml")]
)
def test_a_kit_on_the_card_goes_before_the_one_chosen_at_the_table(
    pi: Pi, text: str, name: str
) -> None:
    pi.start()
    KitChoice(pi.root / STATE).choose("family")
    pi.edit(text or OWN, name)
    pi.start()
    assert KitChoice.of(pi.root / STATE) is None
    assert pi.table == (
        OWN if name == "table.toml" else template_file("smallest").read_text("utf-8")
    )


def test_an_unknown_kit_in_the_state_folder_is_ignored(pi: Pi) -> None:
    before = pi.table
    pi.put(f"{STATE}/kit", "../../etc/passwd\n")
    assert pi.start() == 0
    assert pi.table == before


def test_a_language_alone_changes_the_present_table(pi: Pi) -> None:
    pi.edit('language = "it"\n')
    pi.start()
    assert load_config(pi.root / "etc/tapmat/table.toml").settings.language == "it"
    assert pi.table.replace('language = "it"', 'language = "en"') == DEFAULT_TABLE_TOML.read_text(
        "utf-8"
    )


@pytest.mark.parametrize("text", ["", "[table]\n", '[table]\nlanguage   = "en" # x\n', OWN])
def test_a_language_is_put_into_any_table(text: str) -> None:
    made = tomllib.loads(with_language(text, "hu"))
    assert made["table"]["language"] == "hu"
    assert made | {"table": 0} == tomllib.loads(text) | {"table": 0}


def test_a_kit_that_needs_another_bus_changes_the_boot_file_once(pi: Pi) -> None:
    pi.edit('kit = "five-readers"\n')
    assert "spi1-3cs" not in pi.text(f"{CARD}/config.txt")
    pi.start()
    assert "dtoverlay=spi1-3cs" in pi.text(f"{CARD}/config.txt")
    assert pi.commands[-1] == "systemctl reboot"
    assert not pi.is_writable
    pi.start()
    assert pi.commands == []


def test_a_card_that_cannot_be_written_is_no_reason_to_restart(pi: Pi) -> None:
    pi.edit('kit = "five-readers"\n')
    pi.failing = "remount,rw"
    assert pi.start() == 1
    assert "systemctl reboot" not in pi.commands
    assert pi.said[-1].startswith("The settings on the card could not be applied")
    assert load_config(pi.root / "etc/tapmat/table.toml").readers[-1].bus == 1


@pytest.mark.parametrize(
    ("name", "file"),
    [("Our network", "Our network"), ("Café", "=436166c3a9"), ("a.b", "=612e62"), ("=x", "=3d78")],
)
def test_the_file_of_a_network_is_named_as_iwd_expects(pi: Pi, name: str, file: str) -> None:
    pi.edit(f'[wifi]\nname = "{name}"\ncountry = "FR"\n')
    pi.start()
    assert list(pi.networks()) == [f"{file}.open"]


def test_a_password_is_escaped_as_iwd_expects(pi: Pi) -> None:
    pi.edit("[wifi]\nname = 'a'\npassword = ' back\\slash '\ncountry = 'FR'\n")
    pi.start()
    assert pi.networks() == {"a.psk": "[Security]\nPassphrase=\\sback\\\\slash \n"}


# --- the file that comes with the image ----------------------------------------------------------


def test_the_sample_changes_nothing(pi: Pi) -> None:
    before = pi.table
    pi.edit(SAMPLE.read_text("utf-8"))
    assert pi.start() == 0
    assert pi.table == before
    assert "cannot be used" not in pi.report


def test_each_line_of_the_sample_can_be_used_without_its_mark(pi: Pi) -> None:
    text = re.sub(r"^# (?=[a-z_]+ = |\[wifi\])", "", SAMPLE.read_text("utf-8"), flags=re.MULTILINE)
    text = text.replace("ssh-ed25519 AAAA... you@laptop", KEY)
    top = tomllib.loads(text)
    assert set(top) == set(KEYS)
    assert set(top["wifi"]) == set(WIFI_KEYS)
    pi.edit(text)
    assert read_settings(pi.root / CARD / "tapmat.toml").faults == ()


def test_what_the_page_shows_can_be_used(pi: Pi) -> None:
    shown = [fence for fence in page("docs/image.md").fences if fence.language == "toml"]
    assert len(shown) == 1
    pi.edit(shown[0].text.replace("ssh-ed25519 AAAA... ann@laptop", KEY))
    pi.start()
    assert "cannot be used" not in pi.report
    assert "ann@laptop may log in" in pi.report


def test_the_sample_names_every_kit_and_language() -> None:
    text = SAMPLE.read_text("utf-8")
    for name in (*TEMPLATES, *languages()):
        assert re.search(rf"[ :]{name}[,. ]", text), name
