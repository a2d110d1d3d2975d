"""Signed updates, the keys that a table trusts for them, and the trial of a new version.

Signatures are made and checked by the real ssh-keygen. ``make test-boot`` repeats the main cases on
a real systemd.
"""

import io
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware.pi import bundle, computer, keys, trial
from firmware.pi.bundle import pack, unpacked_source
from firmware.pi.command import SOURCE
from firmware.pi.computer import SetUpFault
from firmware.pi.keys import ALLOWED_SIGNERS, NAMESPACE, PublicKey, TrustedKeys, sign
from firmware.pi.releases import CURRENT, HOME, TRIAL
from firmware.pi.source import ProjectSource
from firmware.pi.update import Updates, _order, run_update
from tests.effort import long_unless
from tests.firmware import stand_in_pi
from tests.firmware.stand_in_pi import PI, StandIn

needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen here"
)
KEPT = "var/lib/tapmat.before"
JOURNAL = "var/lib/tapmat/journal.sqlite"
CRASHED = {
    "MONITOR_SERVICE_RESULT": "exit-code",
    "MONITOR_EXIT_CODE": "exited",
    "MONITOR_EXIT_STATUS": "1",
}


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A Pi with a running table and a journal; its versions are 0.1.0, 0.2.0 and so on."""
    monkeypatch.setattr("os.geteuid", lambda: 0, raising=False)
    made = StandIn(tmp_path / "pi")
    named = property(lambda _: f"0.{made.version}.0-0123456789ab")
    monkeypatch.setattr(ProjectSource, "release_name", named)
    made.packages |= made.offered
    made.install()
    made.reboot()
    made.put(JOURNAL, "old form")
    made.said.clear()
    return made


def make_key(folder: Path, name: str) -> Path:
    """Make an SSH private key called *name*, beside its public key; return its file."""
    file = folder / name
    words = ("-q", "-t", "ed25519", "-N", "", "-C", f"{name}@laptop", "-f", str(file))
    subprocess.run(("ssh-keygen", *words), check=True)
    return file


def public(key: Path) -> PublicKey:
    """Return the public key beside the private *key*."""
    file = key.with_name(f"{key.name}.pub")
    return PublicKey.parse(file.read_text(encoding="utf-8"), file)


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    """Ann's private key."""
    return make_key(tmp_path, "ann")


@pytest.fixture
def trusting(running: StandIn, ann: Path) -> StandIn:
    """A Pi with a running table that trusts Ann's key."""
    TrustedKeys(running.computer).trust(public(ann))
    return running


def make_bundle(
    folder: Path, key: Path | None, version: str = "0.2.0", machine: str = platform.machine()
) -> Path:
    """Make a bundle of this project as *version*, with an empty file in place of its wheels."""
    source = folder / f"source-{version}"
    for name in ProjectSource(SOURCE).files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, source / name)
    project = (source / "pyproject.toml").read_text(encoding="utf-8")
    text = project.replace('version = "0.1.0"', f'version = "{version}"')
    (source / "pyproject.toml").write_text(text, encoding="utf-8")
    wheel = folder / f"mat-1-cp311-manylinux_2_17_{machine}.whl"
    wheel.touch()
    file = folder / "update.tar"
    pack(ProjectSource(source), [wheel], file, key)
    return file


def update(pi: StandIn, file: Path, *, accepts_older: bool = False) -> int:
    """Run ``tapmat update`` with the next version in *file*."""
    pi.version += 1
    return run_update(file, accepts_older=accepts_older, says_yes=True, computer=pi.computer)


def is_untouched(pi: StandIn, before: dict[str, str]) -> bool:
    """Return True if the first version runs, and all files are still those in *before*."""
    return (pi.release, pi.is_running, pi.files()) == ("0.1.0-0123456789ab", True, before)


# --- accepted ------------------------------------------------------------------------------------


@needs_ssh_keygen
def test_a_signed_bundle_is_installed_by_its_own_installer(
    trusting: StandIn, ann: Path, tmp_path: Path
) -> None:
    trusting.put(JOURNAL, "a game")
    file = make_bundle(tmp_path, ann)
    assert update(trusting, file) == 0, trusting.said
    assert "update.tar is signed by ann@laptop." in trusting.said
    assert (trusting.release, trusting.is_running) == ("0.2.0-0123456789ab", True)
    assert trusting.text(JOURNAL) == "a game"
    (handed,) = [line for line in trusting.commands if line.startswith("sh /var/tmp/")]
    assert handed.endswith("/install-pi --yes")
    assert not Path(handed.split()[1]).exists()  # it is deleted in the end
    fetching = [line for line in trusting.commands if "pip install" in line]
    assert "--no-index --find-links /var/tmp/" in fetching[-1]


@needs_ssh_keygen
def test_nothing_is_unpacked_before_the_signature_is_checked(
    ann: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()

    @contextmanager
    def folder(dir: str) -> Iterator[str]:  # noqa: A002  # as the library calls it
        yield str(unpacked)

    def refuse(_sums: bytes, signature: bytes | None) -> None:
        assert signature is not None
        assert list(unpacked.iterdir()) == []
        raise SetUpFault("It is refused.", "Nothing was changed.")

    file = make_bundle(tmp_path, ann)
    monkeypatch.setattr(bundle, "TemporaryDirectory", folder)
    with pytest.raises(SetUpFault), unpacked_source(file, refuse):
        pass
    assert list(unpacked.iterdir()) == []
    with unpacked_source(file):
        assert (unpacked / "install-pi").exists()


@needs_ssh_keygen
@pytest.mark.parametrize("version", long_unless("0.1.1rc1".__eq__, ["0.1.0", "0.1.1rc1", "0.10.0"]))
def test_the_same_or_a_newer_version_is_accepted(
    trusting: StandIn, ann: Path, tmp_path: Path, version: str
) -> None:
    assert update(trusting, make_bundle(tmp_path, ann, version)) == 0, trusting.said


@pytest.mark.long
@needs_ssh_keygen
def test_an_older_version_is_installed_if_that_is_wanted(
    trusting: StandIn, ann: Path, tmp_path: Path
) -> None:
    assert update(trusting, make_bundle(tmp_path, ann, "0.0.9"), accepts_older=True) == 0


@pytest.mark.long
@needs_ssh_keygen
def test_a_boot_file_that_was_left_alone_is_left_alone_by_updates(
    trusting: StandIn, ann: Path, tmp_path: Path
) -> None:
    config = trusting.text("boot/firmware/config.txt.before-tapmat")
    trusting.put("boot/firmware/config.txt", config)
    assert update(trusting, make_bundle(tmp_path, ann)) == 0, trusting.said
    assert trusting.text("boot/firmware/config.txt") == config


# --- refused -------------------------------------------------------------------------------------


def unsigned(folder: Path, _ann: Path) -> Path:
    return make_bundle(folder, None)


def of_eve(folder: Path, _ann: Path) -> Path:
    return make_bundle(folder, make_key(folder, "eve"))


def changed_file(folder: Path, ann: Path) -> Path:
    file = make_bundle(folder, ann)
    file.write_bytes(file.read_bytes().replace(b"MIT License", b"MIT Licence"))
    return file


def changed_sums(folder: Path, ann: Path) -> Path:
    """Change a file and its hash, as somebody would who wants to run their own program."""
    file = changed_file(folder, ann)
    data = file.read_bytes()
    with tarfile.open(file) as tar:
        name = next(name for name in tar.getnames() if name.endswith("/LICENSE"))
        license_file = tar.extractfile(name)
        assert license_file is not None
        new = bundle._sum(license_file.read())
    old = bundle._sum((SOURCE / "LICENSE").read_bytes())
    file.write_bytes(data.replace(old.encode(), new.encode()))
    with unpacked_source(file):  # it is whole
        return file


def garbled_signature(folder: Path, ann: Path) -> Path:
    file = make_bundle(folder, ann)
    data = file.read_bytes()
    file.write_bytes(data.replace(b"-----BEGIN SSH SIGNATURE-----", b"+" * 29))
    return file


def signature_for_git(folder: Path, ann: Path) -> Path:
    """Return a bundle whose signature was made for another purpose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "NAMESPACE", "git")
        return make_bundle(folder, ann)


def cut_off(folder: Path, ann: Path) -> Path:
    file = make_bundle(folder, ann)
    file.write_bytes(file.read_bytes()[:100_000])
    return file


def no_bundle(folder: Path, _ann: Path) -> Path:
    file = folder / "letter.txt"
    file.write_text("Dear Ann, ...", encoding="utf-8")
    return file


def missing(folder: Path, _ann: Path) -> Path:
    return folder / "nowhere.tar"


def for_another_processor(folder: Path, ann: Path) -> Path:
    return make_bundle(folder, ann, machine="riscv64")


def older(folder: Path, ann: Path) -> Path:
    return make_bundle(folder, ann, "0.0.9")


def older_candidate(folder: Path, ann: Path) -> Path:
    return make_bundle(folder, ann, "0.1.0rc1")


def sparse(folder: Path, ann: Path) -> Path:
    """Return a bundle with a few bytes that a tar reader would take for a gigabyte."""
    file = make_bundle(folder, ann)
    with tarfile.open(file, "a") as tar:
        hole = tarfile.TarInfo("update/SHA256SUMS.sig")
        hole.type = tarfile.GNUTYPE_SPARSE
        tar.addfile(hole, io.BytesIO())
    return file


@needs_ssh_keygen
@pytest.mark.parametrize(
    ("make", "found", "remedy"),
    long_unless(
        lambda case: case[0] in (of_eve, changed_file, older),
        [
            (unsigned, "is not signed, and an update must be", "make bundle KEY="),
            (of_eve, "which this table does not trust", "sudo tapmat update --trust KEY.pub"),
            (changed_file, "LICENSE is damaged", "Copy it again"),
            (changed_sums, "Its signature is wrong", "Copy it again"),
            (garbled_signature, "Its signature is wrong", "Copy it again"),
            (signature_for_git, "Its signature is wrong", "Copy it again"),
            (cut_off, "is not a complete bundle of tapmat", "Copy it again"),
            (no_bundle, "is not a complete bundle of tapmat", "Copy it again"),
            (missing, "No such file or directory", "Fix the cause"),
            (for_another_processor, "is not for this computer", "Make one for it"),
            (older, "has version 0.0.9, which is older than 0.1.0", "add --older"),
            (older_candidate, "has version 0.1.0rc1, which is older than 0.1.0", "add --older"),
            (sparse, "is not a complete bundle of tapmat", "Copy it again"),
        ],
    ),
)
def test_what_is_wrong_is_refused_and_changes_nothing(
    trusting: StandIn,
    ann: Path,
    tmp_path: Path,
    make: Callable[[Path, Path], Path],
    found: str,
    remedy: str,
) -> None:
    before = trusting.files()
    file = make(tmp_path, ann)
    assert update(trusting, file) == 1
    assert str(file) in trusting.said[-1]
    assert found in trusting.said[-1]
    assert remedy in trusting.said[-1]
    assert is_untouched(trusting, before)
    assert not any(line.startswith("sh ") for line in trusting.commands)


@needs_ssh_keygen
def test_a_table_that_trusts_no_key_says_how_to_trust_one(
    running: StandIn, ann: Path, tmp_path: Path
) -> None:
    before = running.files()
    assert update(running, make_bundle(tmp_path, ann)) == 1
    assert f"It is signed with the key {public(ann).fingerprint}, which" in running.said[-1]
    assert "run: sudo tapmat update --trust KEY.pub" in running.said[-1]
    assert is_untouched(running, before)


@needs_ssh_keygen
def test_a_key_that_is_trusted_for_something_else_signs_no_update(
    running: StandIn, ann: Path, tmp_path: Path
) -> None:
    line = public(ann).allowed_signer.replace(NAMESPACE, "git")
    running.put(ALLOWED_SIGNERS, line)
    before = running.files()
    assert update(running, make_bundle(tmp_path, ann)) == 1
    assert "which may not sign this bundle" in running.said[-1]
    assert is_untouched(running, before)


@needs_ssh_keygen
def test_a_key_that_is_no_longer_trusted_signs_no_update(
    trusting: StandIn, ann: Path, tmp_path: Path
) -> None:
    trusting.put(ALLOWED_SIGNERS, "# " + trusting.text(ALLOWED_SIGNERS))
    assert update(trusting, make_bundle(tmp_path, ann)) == 1
    assert "which this table does not trust" in trusting.said[-1]


@needs_ssh_keygen
def test_without_ssh_keygen_it_says_what_to_install(
    trusting: StandIn, ann: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_bundle(tmp_path, ann)
    before = trusting.files()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert update(trusting, file) == 1
    assert "sudo apt install openssh-client" in trusting.said[-1]
    assert is_untouched(trusting, before)


@needs_ssh_keygen
def test_too_little_room_is_told_before_the_bundle_is_read(
    trusting: StandIn, ann: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_bundle(tmp_path, ann)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    before = trusting.files()
    assert update(trusting, file) == 1
    assert "There is too little room for /var/tmp" in trusting.said[-1]
    assert is_untouched(trusting, before)


def test_only_root_may_update(running: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert run_update(Path("update.tar"), computer=running.computer) == 1
    assert running.said == ["Only root may change the system. Run: sudo tapmat update update.tar"]


def test_what_is_not_installed_is_not_updated(running: StandIn) -> None:
    running.install("--remove")
    assert run_update(Path("update.tar"), computer=running.computer) == 1
    assert "tapmat is not installed on this computer. Install it first" in running.said[-1]


def test_two_installers_never_run_at_once(running: StandIn) -> None:
    before = running.files()
    with running.computer.lock(HOME):
        assert running.upgrade() == 1
    assert "Another installer is running on this computer." in running.said[-1]
    assert is_untouched(running, before)
    assert running.install() == 0


@pytest.mark.parametrize(
    ("older", "newer"),
    [("0.1.0", "0.1.1"), ("0.9.0", "0.10.0"), ("1.0.0rc1", "1.0.0"), ("1.0.0rc1", "1.0.0rc2")],
)
def test_versions_are_in_order(older: str, newer: str) -> None:
    assert _order(older) < _order(newer)


# --- keys ----------------------------------------------------------------------------------------


@pytest.mark.long
@needs_ssh_keygen
def test_a_key_is_trusted_after_its_fingerprint_was_shown(
    running: StandIn, ann: Path, tmp_path: Path
) -> None:
    file = ann.with_name("ann.pub")
    assert run_update(None, key=file, computer=running.computer) == 0
    shown = subprocess.run(("ssh-keygen", "-l", "-f", file), capture_output=True, text=True)  # noqa: PLW1510
    assert running.said[0] == f"The key of ann@laptop: {shown.stdout.split()[1]}"
    assert update(running, make_bundle(tmp_path, ann)) == 0, running.said


@needs_ssh_keygen
def test_trusting_a_key_can_be_declined(running: StandIn, ann: Path) -> None:
    running.says_yes = False
    before = running.files()
    assert run_update(None, key=ann.with_name("ann.pub"), computer=running.computer) == 1
    assert running.said[-1] == "Nothing was changed."
    assert running.files() == before


@pytest.mark.long
@needs_ssh_keygen
def test_several_keys_are_trusted_side_by_side(trusting: StandIn, tmp_path: Path) -> None:
    eve, trusted = make_key(tmp_path, "eve"), TrustedKeys(trusting.computer)
    trusting.put(ALLOWED_SIGNERS, trusting.text(ALLOWED_SIGNERS).rstrip())
    for _ in range(2):
        trusted.trust(public(eve))
    assert trusted.names == ("ann@laptop", "eve@laptop")
    assert update(trusting, make_bundle(tmp_path, eve)) == 0, trusting.said


@needs_ssh_keygen
def test_a_private_key_is_no_public_one(trusting: StandIn, ann: Path) -> None:
    before = trusting.files()
    assert run_update(None, key=ann, computer=trusting.computer) == 1
    assert f"{ann} is not an SSH public key. Name the file that ends in .pub" in trusting.said[-1]
    assert trusting.files() == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !!! ann",
        "ssh-rsa AAAAC3NzaC1lZDI1NTE5 ann",
        "a b\nc d",
        "\xff",
    ],
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(SetUpFault, match="is not an SSH public key"):
        PublicKey.parse(text, Path("key.pub"))


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        ("ann@laptop", "ann@laptop"),
        ('Ann\'s "old" laptop, #1', "Ann-s-old-laptop-1"),
        ("*", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_a_key_is_named_by_its_comment(comment: str, name: str) -> None:
    key = PublicKey.parse(f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 {comment}\n", Path("key.pub"))
    assert key.name == name


@pytest.mark.long
@needs_ssh_keygen
def test_the_first_signed_bundle_makes_its_key_a_trusted_one(
    running: StandIn, ann: Path, tmp_path: Path
) -> None:
    """The person who runs its installer as root trusts it anyway."""
    file = make_bundle(tmp_path, ann)
    assert running.upgrade("--bundle", str(file)) == 0, running.said
    assert TrustedKeys(running.computer).names == ("ann@laptop",)
    assert any(public(ann).fingerprint in line for line in running.said)
    eve = make_bundle(tmp_path, make_key(tmp_path, "eve"), "0.3.0")
    assert running.upgrade("--bundle", str(eve)) == 0, running.said
    assert TrustedKeys(running.computer).names == ("ann@laptop",)


@needs_ssh_keygen
def test_a_key_without_its_public_half_signs_no_bundle(ann: Path, tmp_path: Path) -> None:
    ann.with_name("ann.pub").unlink()
    with pytest.raises(SetUpFault, match=r"There is no .*ann\.pub, .*ssh-keygen -y -f"):
        make_bundle(tmp_path, ann)


@needs_ssh_keygen
def test_what_is_no_private_key_signs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("no key", encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(SetUpFault, match="cannot be signed with"):
        sign(b"contents", file)


# --- the trial of a new version ------------------------------------------------------------------


@pytest.fixture
def on_trial(running: StandIn) -> StandIn:
    """A Pi whose table runs a new version that has written to the state folder."""
    running.upgrade()
    running.put(JOURNAL, "played on")
    return running


def fail(pi: StandIn, environment: dict[str, str] | None = None) -> int:
    """Do what systemd does when the table's service has failed; return the exit code."""
    pi.is_running = pi.counts_down = False
    pi.said.clear()
    return trial.main(CRASHED if environment is None else environment, pi.computer)


def test_an_update_begins_a_trial(on_trial: StandIn) -> None:
    assert on_trial.text(TRIAL) == "0.2.0-0123456789ab\n"
    assert on_trial.counts_down
    assert any("This version is on trial" in line for line in on_trial.said)


def test_a_first_installation_is_not_on_trial(running: StandIn) -> None:
    assert not (running.root / TRIAL).exists()
    assert not running.counts_down


def test_an_update_of_a_table_that_waits_for_its_buses_is_on_trial_after_the_reboot(
    running: StandIn,
) -> None:
    (running.root / "dev/i2c-1").unlink()
    assert running.upgrade() == 0
    assert (running.root / TRIAL).exists()
    assert not running.counts_down


def test_an_update_that_fails_at_once_is_not_on_trial(running: StandIn) -> None:
    running.fails["start tapmat.service"] = 1
    assert running.upgrade() == 1
    assert not (running.root / TRIAL).exists()


def test_a_version_that_fails_on_trial_gives_way_and_the_plays_stay(on_trial: StandIn) -> None:
    assert fail(on_trial) == 0
    assert (on_trial.release, on_trial.is_running) == ("0.1.0-0123456789ab", True)
    assert on_trial.text(JOURNAL) == "played on"
    assert not (on_trial.root / KEPT).exists()
    assert on_trial.said[0].startswith(
        "The update 0.2.0-0123456789ab failed (exit-code, exited, 1), so 0.1.0-0123456789ab runs"
    )
    assert "/dev/spidev0.0 is not there" in on_trial.said[0]  # from the log
    assert on_trial.commands[-1] == "systemctl start --no-block tapmat.service"


def test_plays_that_the_version_before_cannot_read_are_put_aside(on_trial: StandIn) -> None:
    on_trial.fails["0.1.0-0123456789ab/bin/tapmat doctor --sim --quick"] = 1
    assert fail(on_trial) == 0
    assert on_trial.release == "0.1.0-0123456789ab"
    assert on_trial.text(JOURNAL) == "old form"
    assert on_trial.text(f"{KEPT}/journal.sqlite") == "played on"
    assert on_trial.install("--rollback") == 0
    assert on_trial.text(JOURNAL) == "played on"


def test_the_version_before_judges_a_copy_of_the_state(on_trial: StandIn) -> None:
    fail(on_trial)
    (judged,) = [line for line in on_trial.commands if "/0.1.0-0123456789ab/bin/tapmat" in line][1:]
    assert judged.endswith(f"--state {on_trial.root}/var/lib/tapmat.copying")
    assert not (on_trial.root / "var/lib/tapmat.copying").exists()


def test_a_version_gives_way_only_once(on_trial: StandIn) -> None:
    assert fail(on_trial) == 0
    before = on_trial.files()
    assert fail(on_trial) == 1
    assert on_trial.release == "0.1.0-0123456789ab"
    assert on_trial.files() == before
    assert not on_trial.is_running


def test_a_version_that_has_passed_its_trial_stays(on_trial: StandIn) -> None:
    (on_trial.root / TRIAL).unlink()  # as tapmat-trial.service does
    assert fail(on_trial) == 1
    assert on_trial.release == "0.2.0-0123456789ab"


@pytest.mark.parametrize(
    "result",
    [{"MONITOR_EXIT_STATUS": "2"}, {"MONITOR_SERVICE_RESULT": "start-limit-hit"}],
    ids=["table.toml is broken", "restarted too often by hand"],
)
def test_what_a_person_has_done_is_not_the_fault_of_the_version(
    on_trial: StandIn, result: dict[str, str]
) -> None:
    assert fail(on_trial, CRASHED | result) == 1
    assert "The new version is not at fault" in on_trial.said[0]
    assert on_trial.release == "0.2.0-0123456789ab"
    assert (on_trial.root / TRIAL).exists()


def test_a_trial_ends_when_its_user_goes_back(on_trial: StandIn) -> None:
    assert on_trial.install("--rollback") == 0
    assert not (on_trial.root / TRIAL).exists()


def test_a_return_that_cannot_be_made_leaves_the_version_in_use(on_trial: StandIn) -> None:
    with on_trial.computer.lock(HOME):
        assert fail(on_trial) == 1
    assert "The previous version cannot be used: Another installer is running" in on_trial.said[-1]
    assert on_trial.release == "0.2.0-0123456789ab"


def test_units_that_the_version_before_does_not_have_are_removed(
    running: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tmp_path / "newer"
    shutil.copytree(PI, newer)
    text = "# Does something new. Written by install-pi.\n"
    (newer / "tapmat-more.timer").write_text(text, encoding="utf-8")
    monkeypatch.setattr(stand_in_pi, "PI", newer)
    running.put("etc/systemd/system/tapmat-own.timer", "# Written by Ann.\n")
    running.upgrade()
    assert running.text("etc/systemd/system/tapmat-more.timer") == text
    assert fail(running) == 0
    assert not (running.root / "etc/systemd/system/tapmat-more.timer").exists()
    running.install("--remove")
    left = [file.name for file in (running.root / "etc/systemd/system").iterdir()]
    assert left == ["tapmat-own.timer"]


def test_the_status_says_what_happened(on_trial: StandIn) -> None:
    on_trial.said.clear()
    assert run_update(None, computer=on_trial.computer) == 0
    assert on_trial.said == [
        "In use: 0.2.0-0123456789ab (on trial)",
        "Previous version: 0.1.0-0123456789ab",
        "Keys trusted for updates: nothing",
    ]
    fail(on_trial)
    on_trial.said.clear()
    run_update(None, computer=on_trial.computer)
    assert on_trial.said[0] == "In use: 0.1.0-0123456789ab"
    assert on_trial.said[3].startswith("The update 0.2.0-0123456789ab failed")
    on_trial.version = 3
    on_trial.install()
    on_trial.said.clear()
    run_update(None, computer=on_trial.computer)
    assert len(on_trial.said) == 3


def test_without_an_installation_there_is_no_status(running: StandIn) -> None:
    (running.root / CURRENT).unlink()
    with pytest.raises(SetUpFault, match="tapmat is not installed on this computer"):
        Updates(running.computer).print_status()


# --- handing over to the bundle's installer ------------------------------------------------------


def test_the_installer_runs_where_nobody_has_put_a_module(tmp_path: Path) -> None:
    """Python looks for modules in the working directory first, which may be a memory stick."""
    file = tmp_path / "folder"
    code = f"import os; open({str(file)!r}, 'w').write(os.getcwd()); raise SystemExit(7)"
    assert computer.hand_over((sys.executable, "-c", code)) == 7
    assert file.read_text(encoding="utf-8") == "/"


def test_a_kill_is_passed_on_to_the_installer() -> None:
    before = signal.getsignal(signal.SIGTERM)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
    code = computer.hand_over((sys.executable, "-c", "import time; time.sleep(60)"))
    assert code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before
