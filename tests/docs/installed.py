"""Installation of the package that a page shows, as by pip."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Page


@contextmanager
def installed(page: Page, folder: Path, package: str) -> Iterator[Path]:
    """Write the files of *page* into a project in *folder*, beside a folder ``tapmat``.

    While the context lasts, its *package* is found. Yields the project's folder.
    """
    (folder / "tapmat").mkdir()
    (folder / "tapmat" / "tests").symlink_to(ROOT / "tests")
    folder = folder / f"tapmat-{package}"
    for fence in page.fences:
        if fence.file:
            (folder / fence.file).parent.mkdir(exist_ok=True, parents=True)
            (folder / fence.file).write_text(fence.text, encoding="utf-8")
    (folder / package / "__init__.py").touch()
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    about = folder / f"tapmat_{package}-0.1.0.dist-info"
    about.mkdir()
    groups = project["entry-points"].items()
    lines = [f"[{name}]\n{key} = {value}" for name, all_ in groups for key, value in all_.items()]
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(metadata)
    (about / "entry_points.txt").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def run_commands(page: Page, folder: Path) -> dict[str, str]:
    """Run the commands of *page* beside the project *folder*, in the folder ``tapmat``.

    Returns what each printed, by its first word.
    """
    printed = {}
    for words in (words for fence in page.fences if fence.is_commands for words in fence.lines):
        ran = subprocess.run(
            [sys.executable, "-m", "firmware.commands.start", *words[1:]],
            cwd=folder.parent / "tapmat",
            env=os.environ
            | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "TAPMAT_STATE": str(folder / "state")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        printed[words[1]] = ran.stdout
    return printed
