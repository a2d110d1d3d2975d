"""Tests of the pin libraries that are borrowed from Debian."""

import sysconfig
from pathlib import Path

import pytest

from fakepi.kernel.libraries import borrow_libraries


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
