"""Import a library, but leave out the modules that it imports and tapmat does not need.

*Stand-ins*, empty or nearly empty modules, take their place.

May import: the standard library.
May be imported by: the ``*_library`` modules of hardware.drivers, tests.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def shadow_modules(stand_ins: Mapping[str, ModuleType]) -> Iterator[None]:
    """Let imports inside the ``with`` block find the modules in *stand_ins*, by full module name.

    Afterwards ``sys.modules`` has its old contents for these names, so other code can import the
    real modules.
    """
    before = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
