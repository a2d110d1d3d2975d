"""A function that runs a Python program as ``python program.py`` would, with virtual time.

May import: the standard library.
"""

import _thread
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, Protocol

STANDSTILL_S = 30.0  # of real time without virtual time; importing a large library takes less
END_S = 10.0  # of virtual time, for a program's own handler of Ctrl-C to end it
ENDS = (signal.SIGINT, signal.SIGTERM)
LOOKS = 10  # at the clock, in this time
DEBUGGERS = frozenset(("bdb", "pdb", "pydevd", "_pydevd_bundle"))


class CtrlC(KeyboardInterrupt):
    """The Ctrl-C that fakepi presses. If a person presses it, that is a plain KeyboardInterrupt."""


class StandstillError(RuntimeError):
    """A program waits for something other than virtual time, which therefore stands still."""


class ProgramClock(Protocol):
    """The clock of a program's chips; ``replaces_time`` is True if ``time.sleep`` uses it too."""

    replaces_time: bool

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the clock was made."""
        ...

    def now(self) -> float:
        """Return the seconds since the clock was made."""
        ...

    def call_after(self, seconds: float, act: Any) -> None:
        """Call *act* when *seconds* have passed."""
        ...


def run_program(
    program: Path, arguments: Sequence[str], clock: ProgramClock, seconds: float
) -> dict[str, Any]:
    """Run *program*, and press Ctrl-C after *seconds* of its time, virtual or real.

    Returns:
        The program's global names, or none if Ctrl-C or ``sys.exit`` ended it.

    Raises:
        subprocess.CalledProcessError: the program ended with an exit code other than 0.
        RuntimeError: the program has its own handler of SIGINT, and ran on after Ctrl-C.
        StandstillError: the program waits in real time.
    """
    key = _CtrlCKey(program.name, clock)
    clock.call_after(seconds, key.press)
    watchdog = _Watchdog(program.name, clock, seconds)
    try:
        with key, watchdog, _as_main(program, arguments):
            return runpy.run_path(str(program), run_name="__main__")
    except KeyboardInterrupt as pressed:
        if isinstance(pressed, CtrlC) or watchdog.has_pressed:
            return {}
        raise
    except SystemExit as ended:
        code = _exit_code(ended)
        if code and not key.is_pressed and not watchdog.has_pressed:
            command = [str(program), *arguments]
            raise subprocess.CalledProcessError(code, command) from ended
        return {}


def _exit_code(ended: SystemExit) -> int:
    """Return the exit code, as Python does.

    If the argument of ``sys.exit`` is not a number, print it, and return 1.
    """
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    print(ended.code, file=sys.stderr)
    return 1


@contextmanager
def _as_main(program: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Set ``sys.argv`` and ``sys.path`` as Python does; forget the program's modules afterwards."""
    argv, path, before = sys.argv, sys.path, set(sys.modules)
    folder = program.resolve().parent
    sys.argv, sys.path = [str(program), *arguments], [str(folder), *path]
    try:
        yield
    finally:
        sys.argv, sys.path = argv, path
        new = set(sys.modules) - before
        own = {name for name in new if _is_in(folder, sys.modules[name])}
        forget(name for name in new if name.partition(".")[0] in own)


def _is_in(folder: Path, module: ModuleType) -> bool:
    """Return True if *module* is a file or a package directly in *folder*."""
    file = getattr(module, "__file__", None)
    if file is None:
        return False
    path = Path(file)
    return (path.parent.parent if path.stem == "__init__" else path.parent) == folder


def forget(names: Iterable[str]) -> None:
    """Remove the modules *names* from ``sys.modules``, so that they are imported again."""
    for name in list(names):
        module = sys.modules.pop(name)
        parent, _, child = name.rpartition(".")
        package = sys.modules.get(parent)
        # "from package import child" asks the package before it asks sys.modules.
        if package is not None and vars(package).get(child) is module:
            delattr(package, child)


class _CtrlCKey:
    """A block that can press Ctrl-C for the program *name*. It restores the signal handlers."""

    def __init__(self, name: str, clock: ProgramClock) -> None:
        self.is_pressed = False
        self._name, self._clock = name, clock
        self._is_over = self._was_too_slow = False
        self._before = {number: signal.getsignal(number) for number in ENDS}

    def press(self) -> None:
        """Call the program's own handler of SIGINT, or raise CtrlC if it has none."""
        if self._is_over:
            return
        self.is_pressed = True
        handler = signal.getsignal(signal.SIGINT)
        if handler == self._before[signal.SIGINT]:
            raise CtrlC
        self._clock.call_after(END_S, self._give_up)
        if callable(handler):
            handler(signal.SIGINT, sys._getframe())

    def _give_up(self) -> None:
        if not self._is_over:
            self._was_too_slow = True
            raise CtrlC

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """End the use of the key.

        Raises:
            RuntimeError: the program ran on after its own handler of Ctrl-C.
        """
        self._is_over = True
        for number, handler in self._before.items():
            if signal.getsignal(number) != handler:
                signal.signal(number, handler)
        if self._was_too_slow:
            raise RuntimeError(
                f"{self._name} was still running {END_S:g} s after Ctrl-C. Its SIGINT handler must "
                "end the program."
            ) from error


class _Watchdog:
    """A block in which the program *name* is interrupted if virtual time stands still too long.

    Where ``time.sleep`` takes real time, it presses Ctrl-C after *seconds* instead.
    """

    def __init__(self, name: str, clock: ProgramClock, seconds: float) -> None:
        self.has_pressed = False
        self._name, self._clock, self._seconds = name, clock, seconds
        self._limit_s = STANDSTILL_S
        self._has_barked = False
        self._stop = threading.Event()
        self._owner = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, name="fakepi watchdog", daemon=True)

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():  # no other can be interrupted
            self._thread.start()

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """End the watch.

        Raises:
            StandstillError: it interrupted the program, even if the program then ended normally.
        """
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._has_barked:
            raise StandstillError(
                f"{self._name} has waited {self._limit_s:g} s of real time, and virtual time "
                f"stands still at {self._clock.now():.3f} s. Virtual time passes while the program "
                "uses a bus or a pin, sleeps (time.sleep, signal.pause), or waits for an event."
            ) from error

    def _watch(self) -> None:
        if not self._clock.replaces_time:
            if not self._stop.wait(self._seconds):
                self.has_pressed = True
                _interrupt(self._owner)
            return
        seen_ns, looks = self._clock.now_ns, 0
        while not self._stop.wait(self._limit_s / LOOKS):
            is_still = self._clock.now_ns == seen_ns and not self._is_debugged()
            seen_ns, looks = self._clock.now_ns, looks + 1 if is_still else 0
            if looks >= LOOKS:
                self._has_barked = True
                _interrupt(self._owner)
                return

    def _is_debugged(self) -> bool:
        """Return True while the program is stopped in a debugger."""
        frame: FrameType | None = sys._current_frames().get(self._owner)
        while frame is not None:
            if frame.f_globals.get("__name__", "").partition(".")[0] in DEBUGGERS:
                return True
            frame = frame.f_back
        return False


def _interrupt(thread: int) -> None:
    """Send SIGINT to the main *thread*; where possible, this interrupts a waiting call too."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:
        _thread.interrupt_main()
