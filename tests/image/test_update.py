"""A newer version from a memory stick, on trial, and the way back to the version before.

These tests follow those of the table, whose game goes on. The stick is an emulated USB device.
"""

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from firmware.pi.bundle import pack
from firmware.pi.source import ProjectSource
from tests.image.machine import ImagePi
from tests.image.table import PLAYING, comes

BUNDLE = os.environ.get("TAPMAT_IMAGE_BUNDLE", "")  # from which the image was made
KEY = os.environ.get("TAPMAT_IMAGE_KEY", "")  # with which that bundle was signed, if it was
RELEASE = "readlink --canonicalize /opt/tapmat/current"
PLAY_COMMAND = "/opt/tapmat/current/lib/python3.13/site-packages/firmware/commands/play.py"
STICK_MB = 256


@pytest.fixture(scope="module")
def stick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory stick with a newer version, signed by two keys.

    ``unknown.tar`` is signed by a key that lies beside it, and ``update.tar`` by the image's own
    key, if it was made with one; otherwise by the same.
    """
    folder = tmp_path_factory.mktemp("stick")
    with tarfile.open(BUNDLE) as bundle:
        bundle.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    project = source / "pyproject.toml"
    project.write_text(project.read_text().replace('version = "0.1.0"', 'version = "0.2.0"'))
    key = folder / "key"
    run = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann@laptop", "-f", str(key))
    subprocess.run(run, check=True)
    wheels = sorted((source / "wheels").iterdir())
    unknown, update = folder / "unknown.tar", folder / "update.tar"
    pack(ProjectSource(source), wheels, unknown, key)
    pack(ProjectSource(source), wheels, update, Path(KEY) if KEY else key)
    made = folder / "stick.img"
    subprocess.run(("mkfs.vfat", "-C", str(made), str(STICK_MB * 1024)), check=True)
    for file in (unknown, update, key.with_suffix(".pub")):
        subprocess.run(("mcopy", "-i", str(made), str(file), "::"), check=True)
    return made


def fingerprint(stick: Path) -> str:
    """Return the fingerprint of the key beside the *stick*, as OpenSSH prints it."""
    command = ("ssh-keygen", "-l", "-f", str(stick.with_name("key.pub")))
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return said.split()[1]


def release(pi: ImagePi) -> str:
    return Path(pi.do(RELEASE).said.strip()).name


def test_a_signed_update_from_a_stick_runs_with_the_game(pi: ImagePi, stick: Path) -> None:
    comes(pi, PLAYING)
    pi.plug_stick(stick)
    mounted = pi.do("mkdir -p /run/stick && mount -o ro /dev/sda /run/stick && ls /run/stick")
    assert mounted.code == 0, mounted.said
    before = release(pi)
    unknown = pi.do("tapmat update --yes /run/stick/unknown.tar")
    assert unknown.code != 0
    assert f"It is signed with the key {fingerprint(stick)}" in unknown.said
    assert release(pi) == before
    if KEY:  # the image trusts it from the start
        assert (
            f"updates: {Path(f'{KEY}.pub').read_text().split()[2]}\n" in pi.do("tapmat update").said
        )
    else:
        trusted = pi.do("tapmat update --yes --trust /run/stick/key.pub")
        assert trusted.code == 0, trusted.said
    done = pi.do("tapmat update --yes /run/stick/update.tar")
    assert done.code == 0, done.said
    assert release(pi).startswith("0.2.0-")
    comes(pi, PLAYING)
    assert "(on trial)" in pi.do("tapmat update").said


def test_a_version_that_fails_on_trial_gives_way_to_the_one_before(pi: ImagePi) -> None:
    """Its program is broken in place, and so it crashes at each start."""
    broken = pi.do(f"echo 'raise SystemExit(9)' >> {PLAY_COMMAND}")
    assert broken.code == 0, broken.said
    pi.do("systemctl kill --signal KILL tapmat")
    assert pi.wait_until(lambda: release(pi).startswith("0.1.0-"))
    comes(pi, PLAYING)
    assert "0.2.0" in pi.do("tapmat update").said


def test_after_a_reboot_the_table_runs_the_version_before(pi: ImagePi) -> None:
    assert release(pi).startswith("0.1.0-")
    pi.close()
    pi.power_on()
    assert pi.do("systemctl is-active tapmat").said.strip() == "active"
    assert release(pi).startswith("0.1.0-")
