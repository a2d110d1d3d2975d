"""Tests of the pin libraries that are borrowed from Debian."""

import sysconfig
from pathlib import Path

import pytest

from fakepi.kernel.libraries import borrow_libraries
from fakepi.kernel.running import _is_python


def test_libraries_for_this_python_are_borrowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakepi.kernel.libraries.find_spec", lambda name: None)
    debian, own = tmp_path / "debian", str(sysconfig.get_config_var("EXT_SUFFIX"))
    debian.mkdir()
    for name in (f"spidev{own}", "lgpio.py", "_lgpio.cpython-39-sparc64-linux-gnu.so", "other.py"):
        (debian / name).touch()
    assert borrow_libraries(tmp_path / "libraries", debian) == ["lgpio"]
    borrowed = {path.name for path in (tmp_path / "libraries").iterdir()}
    assert borrowed == {f"spidev{own}", "lgpio.py"}


def test_libraries_that_python_has_are_not_borrowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakepi.kernel.libraries.find_spec", lambda name: object())
    assert borrow_libraries(tmp_path / "libraries") == []
    assert not list((tmp_path / "libraries").iterdir())


@pytest.mark.parametrize(
    ("program", "is_python"),
    [
        ("python3", True),
        ("/usr/bin/python3.13", True),
        ("./script", True),
        ("sh", False),
        ("none", False),
    ],
)
def test_only_python_programs_hear_of_missing_libraries(
    program: str, is_python: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note goes to a program that the kernel would start with Python."""
    monkeypatch.chdir(tmp_path)
    Path("script").write_text("#!/usr/bin/env python3\n")
    Path("none").write_bytes(bytes(range(256)))
    assert _is_python(program) is is_python
