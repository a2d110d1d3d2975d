"""The pin libraries of a Raspberry Pi: ``spidev`` and ``lgpio``.

There is no wheel of spidev, and none of lgpio for Python 3.13. Debian's packages replace them: a
library of the same Python version works in any virtual environment.

May import: the standard library.
"""

import sysconfig
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

DEBIAN = Path("/usr/lib/python3/dist-packages")
MODULES: Mapping[str, tuple[str, ...]] = {"spidev": ("spidev",), "lgpio": ("lgpio", "_lgpio")}


def borrow_libraries(folder: Path, debian: Path = DEBIAN) -> Sequence[str]:
    """Link the libraries that this Python lacks from *debian* into *folder*, for ``PYTHONPATH``.

    Returns:
        The names of those that are missing there too, or are made for another Python.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = []
    for library, modules in MODULES.items():
        if find_spec(library) is not None:
            continue
        files = [file for module in modules for file in _files(module, debian)]
        if len(files) < len(modules):
            missing.append(library)
        for file in files:
            (folder / file.name).symlink_to(file)
    return missing


def _files(module: str, folder: Path) -> Sequence[Path]:
    endings = (str(sysconfig.get_config_var("EXT_SUFFIX")), ".py")
    return [file for ending in endings if (file := folder / f"{module}{ending}").is_file()]
