"""Installation of the drop-in modules during a block, such as a test.

May import: the standard library and fakepi.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any, Protocol

from fakepi.board import FakePi
from fakepi.dropins import gpiod_module
from fakepi.dropins.blinka_pin import BlinkaPin
from fakepi.dropins.i2c import I2cMessage, PureIoSmbus, SmbusHandle
from fakepi.dropins.lgpio_module import LgpioModule
from fakepi.dropins.program_time import event_wait, signal_pause, time_functions
from fakepi.dropins.rpi_gpio import RpiGpio
from fakepi.dropins.serial_module import SerialError, SerialPort
from fakepi.dropins.spi import PureIoSpi, SpidevHandle
from fakepi.program import forget

BLINKA_PIN = "adafruit_blinka.microcontroller.generic_linux.raspberry_pi_pin"
# Blinka finds out once on which board it runs, so it is imported again for each fake Pi.
BLINKA = frozenset(
    ("adafruit_blinka", "analogio", "board", "busio", "digitalio", "microcontroller", "pwmio")
)
# What libraries ask to find out on which board they run.
ENVIRONMENT = {
    "GPIOZERO_PIN_FACTORY": "fakepi",
    "RPI_LGPIO_REVISION": "c03111",
    "RPI_LGPIO_CHIP": "0",
    "BLINKA_FORCEBOARD": "RASPBERRY_PI_4B",
    "BLINKA_FORCECHIP": "BCM2XXX",
}


class Patch(Protocol):
    """An object that makes changes and can undo them, such as pytest's ``MonkeyPatch``."""

    def setitem(self, dic: Any, name: Any, value: Any) -> None:
        """Set an item of a mapping."""
        ...

    def delitem(self, dic: Any, name: Any, raising: bool = True) -> None:
        """Delete an item of a mapping."""
        ...

    def setattr(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute."""
        ...

    def setenv(self, name: str, value: str) -> None:
        """Set an environment variable."""
        ...


def modules(pi: FakePi) -> dict[str, ModuleType]:
    """Return the drop-in modules of *pi*, by name."""
    smbus = {"SMBus": _bind(SmbusHandle, "SMBus", pi), "i2c_msg": I2cMessage}
    gpio = _module("RPi.GPIO", _public(RpiGpio(pi)))
    rpi = _module("RPi", {"GPIO": gpio, "__path__": []})
    pure_io_smbus = _module("Adafruit_PureIO.smbus", {"SMBus": _bind(PureIoSmbus, "SMBus", pi)})
    pure_io_spi = _module("Adafruit_PureIO.spi", {"SPI": _bind(PureIoSpi, "SPI", pi)})
    serial = {"Serial": _bind(SerialPort, "Serial", pi), "SerialException": SerialError}
    pure_io = {"smbus": pure_io_smbus, "spi": pure_io_spi, "__path__": []}
    return {
        **_gpiod(pi),
        "spidev": _module("spidev", {"SpiDev": _bind(SpidevHandle, "SpiDev", pi)}),
        "smbus2": _module("smbus2", smbus),
        "smbus": _module("smbus", {"SMBus": smbus["SMBus"]}),
        "RPi": rpi,
        "RPi.GPIO": gpio,
        "serial": _module("serial", serial),
        "lgpio": _module("lgpio", _public(LgpioModule(pi))),
        "Adafruit_PureIO": _module("Adafruit_PureIO", pure_io),
        "Adafruit_PureIO.smbus": pure_io_smbus,
        "Adafruit_PureIO.spi": pure_io_spi,
        BLINKA_PIN: _module(BLINKA_PIN, {"Pin": _bind(BlinkaPin, "Pin", pi)}),
    }


def _gpiod(pi: FakePi) -> dict[str, ModuleType]:
    """Return the package ``gpiod`` and its modules, which are also its attributes."""
    contents = gpiod_module.submodules(pi)
    package = _module("gpiod", contents.pop(""))
    parts = {name: _module(f"gpiod.{name}", values) for name, values in contents.items()}
    vars(package).update(parts)
    return {"gpiod": package, **{f"gpiod.{name}": part for name, part in parts.items()}}


@contextmanager
def drop_in(
    pi: FakePi, patch: Patch, *, keep: Collection[str] = (), has_real_time: bool = False
) -> Iterator[None]:
    """Put the drop-in modules in place during the block.

    Some modules that the block imports use a drop-in, directly or through another module. They are
    removed from ``sys.modules`` at the end of the block, with all other modules of their packages,
    so that the next block imports them again. During the block, modules that use the real libraries
    are not in ``sys.modules``.

    Args:
        pi: the fake Pi behind the modules.
        patch: makes the changes to ``sys.modules``, ``time`` and the environment; the caller undoes
            them after the block.
        keep: names of modules that are not replaced: "RPi" to test rpi-lgpio itself, for example.
        has_real_time: True to leave ``time.sleep`` and the clocks alone.
    """
    made = {name: each for name, each in modules(pi).items() if name.split(".")[0] not in keep}
    hidden = [name for name in made if name in sys.modules]
    if hidden:
        real = {id(sys.modules[name]) for name in hidden}
        for name in {*_users(_hideable(sys.modules), real), *hidden} - {__name__}:
            patch.delitem(sys.modules, name, raising=False)
    for name in _blinka(sys.modules):
        patch.delitem(sys.modules, name)
    before = set(sys.modules)
    for name, module in made.items():
        patch.setitem(sys.modules, name, module)
    for variable, value in ENVIRONMENT.items():
        patch.setenv(variable, value)
    replaced = [] if has_real_time else _replace_time(pi, patch)
    _offer_pins_to_gpiozero(patch)
    try:
        yield
    finally:
        _release_gpiozero()
        marks = {id(each) for each in made.values()} | {id(each) for each in replaced}
        marks |= {id(v) for each in made.values() for v in vars(each).values() if callable(v)}
        new = {name: sys.modules[name] for name in set(sys.modules) - before - set(made)}
        forget({*_users(new, marks), *_blinka(new)})


def _hideable(loaded: Mapping[str, ModuleType]) -> dict[str, ModuleType]:
    """Return the modules in *loaded* that may be removed during the block.

    These are all modules except gpiozero's, of which only the pin factories may be removed. A
    loaded gpiozero stays, since the test has imported it; it gets the pins of the fake Pi.
    """
    return {
        name: each
        for name, each in list(loaded.items())
        if name.split(".")[0] != "gpiozero" or name.startswith("gpiozero.pins.")
    }


def _blinka(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.partition(".")[0] in BLINKA]


def _replace_time(pi: FakePi, patch: Patch) -> list[object]:
    functions = time_functions(pi.clock)
    for name, function in functions.items():
        patch.setattr(time, name, function)
    wait, pause = event_wait(pi.clock), signal_pause(pi.clock)
    patch.setattr(threading.Event, "wait", wait)
    if hasattr(signal, "pause"):  # not on Windows
        patch.setattr(signal, "pause", pause)
    patch.setattr(pi.clock, "replaces_time", True)
    return [*functions.values(), wait, pause]


def _users(loaded: Mapping[str, ModuleType], marks: set[int]) -> set[str]:
    """Return the names of the modules that use certain objects, directly or by another module.

    *marks* has the ``id()`` of each object.

    A package comes with all its modules: an import binds a module to its package only once.
    """
    modules = {name: each for name, each in list(loaded.items()) if hasattr(each, "__dict__")}
    by_value: dict[int | str, set[str]] = {}  # by an object's id, or by the module it is from
    for name, module in modules.items():
        for value in list(vars(module).values()):
            if not isinstance(value, str | int | dict | list | tuple):
                by_value.setdefault(id(value), set()).add(name)
                if isinstance(home := getattr(value, "__module__", None), str):
                    by_value.setdefault(home, set()).add(name)
    users: set[str] = set()
    new = set().union(*(by_value.get(mark, ()) for mark in marks))
    while new:
        users |= new
        keys = [key for name in new for key in (name, id(modules[name]))]
        new = set().union(*(by_value.get(key, ()) for key in keys)) - users
    return users | {
        name for name in modules if any(package in users for package in _packages(name))
    }


def _packages(name: str) -> Iterator[str]:
    """Yield the names of the packages that the module *name* is in."""
    while name := name.rpartition(".")[0]:
        yield name


def _offer_pins_to_gpiozero(patch: Patch) -> None:
    """Give the fake Pi's pins to a gpiozero that is loaded; a new one reads the environment."""
    gpiozero = sys.modules.get("gpiozero")
    if gpiozero is None:
        return
    for name in ("gpiozero.pins.lgpio", "fakepi.dropins.gpiozero_pins"):
        patch.delitem(sys.modules, name, raising=False)

    def make_factory() -> Any:
        from fakepi.dropins.gpiozero_pins import FakePiFactory

        return FakePiFactory()

    patch.setattr(gpiozero.Device, "pin_factory", None)
    patch.setattr(gpiozero.Device, "_default_pin_factory", staticmethod(make_factory))


def _release_gpiozero() -> None:
    gpiozero = sys.modules.get("gpiozero")
    if gpiozero is None or (factory := gpiozero.Device.pin_factory) is None:
        return
    # A device that is still alive, such as that of a failed test, would hold its pins: gpiozero
    # keeps the reservations of all its factories in one place.
    for reservers in list(factory._reservations.values()):
        for device in [reserver() for reserver in reservers]:
            if device is not None:
                device.close()
    factory.close()
    gpiozero.Device.pin_factory = None


def _bind(base: type, name: str, pi: FakePi) -> type:
    return type(name, (base,), {"_pi": pi, "__slots__": (), "__doc__": base.__doc__})


def _public(functions: object) -> dict[str, Any]:
    return {name: getattr(functions, name) for name in dir(functions) if not name.startswith("_")}


def _module(name: str, values: dict[str, Any]) -> ModuleType:
    made = ModuleType(name, f"Drop-in for {name} (fakepi).")
    vars(made).update(values)
    return made


class Undo:
    """A `Patch` without pytest, for programs: leave the ``with`` block to undo all changes."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> "Undo":
        """Return the patch."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Undo all changes, the last one first."""
        self._stack.close()

    def setitem(self, dic: Any, name: Any, value: Any) -> None:
        """Set an item of a mapping."""
        self._keep(dic, name)
        dic[name] = value

    def delitem(self, dic: Any, name: Any, raising: bool = True) -> None:
        """Delete an item of a mapping."""
        self._keep(dic, name)
        if raising:
            del dic[name]
        else:
            dic.pop(name, None)

    def setattr(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute."""
        self._stack.callback(setattr, target, name, vars(target)[name])
        setattr(target, name, value)

    def setenv(self, name: str, value: str) -> None:
        """Set an environment variable."""
        self.setitem(os.environ, name, value)

    def _keep(self, dic: Any, name: Any) -> None:
        if name in dic:
            self._stack.callback(dic.__setitem__, name, dic[name])
        else:
            self._stack.callback(dic.pop, name, None)
