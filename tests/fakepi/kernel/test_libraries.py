"""Tests of the pin libraries that are borrowed from Debian."""

import os
import subprocess
import sys
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
    assert not (tmp_path / "libraries" / "lgpio.py").is_symlink()


def test_libraries_that_python_has_are_not_borrowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakepi.kernel.libraries.find_spec", lambda name: object())
    assert borrow_libraries(tmp_path / "libraries") == []
    assert not list((tmp_path / "libraries").iterdir())


def python(code: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(folder) for folder in folders)
    return subprocess.run(
        (sys.executable, "-S", "-c", code),
        check=False,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a Python that has no library, on a computer without Debian's packages."""
    monkeypatch.setattr("fakepi.kernel.libraries.find_spec", lambda name: None)
    assert borrow_libraries(tmp_path / "libraries", tmp_path) == ["spidev", "lgpio"]
    return tmp_path / "libraries"


def test_an_import_that_fails_says_what_to_install(lacking: Path) -> None:
    done = python("import lgpio", lacking)
    assert "No module named 'lgpio'. Install it: pip install lgpio" in done.stderr
    assert "sudo apt install python3-lgpio" in done.stderr
    quiet = python("try: import lgpio\nexcept ModuleNotFoundError as e: print(e.name)", lacking)
    assert (quiet.stdout, quiet.stderr) == ("lgpio\n", "")


def test_another_python_that_has_the_library_gets_it(lacking: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "lgpio.py").write_text("VERSION = 2\n")
    done = python("import lgpio; print(lgpio.VERSION, lgpio.__file__)", lacking, own)
    assert (done.stdout, done.stderr) == (f"2 {own / 'lgpio.py'}\n", "")
