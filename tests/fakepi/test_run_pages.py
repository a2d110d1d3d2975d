"""The commands of run.md and bridge.md print what these pages say.

Blocks marked ``sh`` are run, in order, in one folder per page; a ``text`` block after one is its
output. Blocks marked ``console`` install packages, or run until a person ends them.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fakepi.circuit import Circuit
from fakepi.clock import VirtualClock
from fakepi.wiring import read_wiring
from tests.fakepi.programs import EXAMPLES, LIMIT_S, ROOT, environment, fakepi

DOCS = ROOT / "sim" / "fakepi" / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the kind and the text of each block of *page*."""
    return BLOCK.findall((DOCS / page).read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples, and with ``fakepi`` in ``bin``."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "fakepi"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fakepi "$@"\n')
    command.chmod(0o755)
    return tmp_path


@pytest.mark.long
@pytest.mark.parametrize(("page", "runs"), [("run.md", 2), ("bridge.md", 2)])
def test_the_commands_print_what_the_page_says(folder: Path, page: str, runs: int) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no cc: apt install build-essential")
    if page == "run.md" and (refused := fakepi("run", "--", "true")).returncode == 2:
        pytest.skip(refused.stderr)
    path = f"{folder / 'bin'}:{environment()['PATH']}"
    found = [*blocks(page), ("", "")]
    done = 0
    for (kind, text), (next_kind, output) in pairwise(found):
        if kind != "sh":
            continue
        process = subprocess.run(
            ("sh", "-e", "-c", text),
            check=False,
            cwd=folder,
            env=environment(PATH=path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
        )
        assert process.returncode == 0, process.stdout
        if next_kind == "text":
            assert process.stdout == output
        done += 1
    assert done == runs


def test_a_program_finds_the_bridge_of_another_terminal(folder: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no cc: apt install build-essential")
    found = blocks("bridge.md")
    build = next(text for kind, text in found if kind == "sh").splitlines()[0]
    output = next(text for kind, text in found if kind == "text")
    bridge, program = (text for kind, text in found if kind == "console")
    path = f"{folder / 'bin'}:{environment()['PATH']}"
    settings: dict[str, Any] = {"cwd": folder, "env": environment(PATH=path)}
    subprocess.run(("sh", "-c", build), check=True, **settings)
    with subprocess.Popen(
        ("sh", "-c", f"exec {bridge}"), stdout=subprocess.PIPE, text=True, **settings
    ) as running:
        try:
            assert running.stdout is not None
            assert running.stdout.readline() == "Answering on fakepi.sock. Press Ctrl-C to stop.\n"
            done = subprocess.run(
                ("sh", "-c", program),
                check=False,
                stdout=subprocess.PIPE,
                text=True,
                timeout=LIMIT_S,
                **settings,
            )
        finally:
            running.terminate()
    assert (done.stdout, done.returncode) == (output, 0)


def test_the_wiring_of_the_page_can_be_built() -> None:
    wirings = [text for kind, text in blocks("run.md") if kind == "toml"]
    assert len(wirings) == 1
    wired = Circuit(read_wiring(tomllib.loads(wirings[0])), VirtualClock())
    assert (list(wired.fields), list(wired.displays)) == (["0.0"], ["1.0x3C"])


@pytest.mark.parametrize("page", ["run.md", "bridge.md"])
def test_links_lead_to_files(page: str) -> None:
    links = LINK.findall((DOCS / page).read_text())
    assert links
    assert [link for link in links if not (DOCS / link).exists()] == []


def test_every_function_of_the_header_is_on_the_page() -> None:
    header = (ROOT / "sim/fakepi/src/fakepi/c/fakepi.h").read_text()
    names = set(re.findall(r"static inline \w+ (fakepi_\w+)\(", header)) - {"fakepi_call"}
    page = (DOCS / "bridge.md").read_text()
    assert len(names) == 11
    assert {name for name in names if f"`{name}(" not in page} == set()
