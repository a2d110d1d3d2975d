"""The pin libraries of a Raspberry Pi: ``spidev`` and ``lgpio``.

There is no wheel of spidev, and none of lgpio for Python 3.13. Debian's packages replace them: a
library of the same Python version works in any virtual environment. If a library is not there
either, a module takes its place, and explains how to install it when a program imports it.

May import: the standard library.
"""

import sysconfig
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

DEBIAN = Path("/usr/lib/python3/dist-packages")
# The program may run with another Python, which has the library: then it gets that one.
EXPLANATION = """\
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

spec = PathFinder.find_spec("{library}", [path for path in sys.path if path != {folder!r}])
if spec is None:
    raise ModuleNotFoundError(
        "No module named '{library}'. Install it: pip install {library} (needs a C compiler), or "
        "for Debian's Python: sudo apt install python3-{library}",
        name="{library}",
    )
sys.modules["{library}"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["{library}"])
"""
MODULES: Mapping[str, tuple[str, ...]] = {"spidev": ("spidev",), "lgpio": ("lgpio", "_lgpio")}


def borrow_libraries(folder: Path, debian: Path = DEBIAN) -> Sequence[str]:
    """Link the libraries that this Python lacks from *debian* into *folder*, for ``PYTHONPATH``.

    Returns:
        The names of libraries that are missing there too, or were built for another Python.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for library, modules in MODULES.items():
        if find_spec(library) is not None:
            continue
        files = [file for module in modules for file in _files(module, debian)]
        if len(files) < len(modules):
            missing.append(library)
            text = EXPLANATION.format(library=library, folder=str(folder))
            (folder / f"{library}.py").write_text(text, encoding="utf-8")
            continue
        for file in files:
            (folder / file.name).symlink_to(file)
    return missing


def _files(module: str, folder: Path) -> Sequence[Path]:
    endings = (str(sysconfig.get_config_var("EXT_SUFFIX")), ".py")
    return [file for ending in endings if (file := folder / f"{module}{ending}").is_file()]
