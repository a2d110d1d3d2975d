"""``fakepi``, or ``python -m fakepi``: run programs in any language with emulated chips.

May import: the standard library and fakepi.
"""

import argparse
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fakepi.bridge import HAS_SOCKETS, NO_SOCKETS, BridgeServer
from fakepi.circuit import CannotDoThat, Circuit
from fakepi.clock import VirtualClock
from fakepi.kernel.ctrl_c import leave_ctrl_c_to_the_program
from fakepi.kernel.exit_codes import KILLED, exit_code, explain_start
from fakepi.kernel.support import NodesUnsupported, check_support
from fakepi.physics import ExactPhysics, HonestPhysics, Physics
from fakepi.window import BrowserWindow
from fakepi.wiring import FILE_NAME, USUAL, Wiring, WiringError, load_wiring, read_wiring

if TYPE_CHECKING:
    from fakepi.kernel.devices import PiDevices

WRONG = 2  # the exit code for mistakes on the command line
PHYSICS: Mapping[str, Callable[[int], Physics]] = {
    "honest": HonestPhysics,
    "exact": lambda _seed: ExactPhysics(),
}
INCLUDE = Path(__file__).with_name("c")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the command line, and return the exit code."""
    options = _options(arguments)
    try:
        code: int = options.act(options)
    except (WiringError, CannotDoThat, NodesUnsupported) as wrong:
        print(wrong, file=sys.stderr)
        return WRONG
    except KeyboardInterrupt:  # before the program has started
        return KILLED + signal.SIGINT
    return code


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fakepi", description="A fake Raspberry Pi for tests.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    wired = argparse.ArgumentParser(add_help=False)
    wired.add_argument("--wiring", type=Path, metavar="FILE", help="default: fakepi.toml, if any")
    wired.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="UID[@READER]",
        help="lay this tag on a reader (default: the first reader)",
    )
    wired.add_argument("--seed", type=int, default=0, help="decides how tags differ (default: 0)")
    wired.add_argument(
        "--physics", choices=PHYSICS, default="honest", help="exact: all tags behave the same"
    )
    run = commands.add_parser(
        "run", parents=[wired], help="run an unmodified program with the device nodes of a Pi"
    )
    run.add_argument(
        "--window",
        type=int,
        metavar="PORT",
        help="serve a page with displays and tags; 0: a free port",
    )
    run.add_argument(
        "--trace", type=Path, metavar="FILE", help="write the traffic to this file at the end"
    )
    run.add_argument("command", nargs="+", help="the program and its arguments, after --")
    run.set_defaults(act=_run)
    bridge = commands.add_parser(
        "bridge", parents=[wired], help="answer C programs that include fakepi.h"
    )
    bridge.add_argument("--socket", metavar="PATH", help="the path of the new socket")
    bridge.add_argument("command", nargs="*", help="a program to run with the socket, after --")
    bridge.set_defaults(act=_bridge)
    include = commands.add_parser("include", help="print the folder of fakepi.h, for cc -I")
    include.set_defaults(act=_include)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        example = "fakepi run -- python program.py"
        parser.error(f"unknown: {' '.join(unknown)}. Put -- before the program: {example}")
    return options


def _wiring(options: argparse.Namespace) -> Wiring:
    """Return the wiring that the command line asks for.

    Raises:
        WiringError: it cannot be built.
    """
    usual = Path(FILE_NAME)
    path = options.wiring or (usual if usual.exists() else None)
    if path is None:
        return read_wiring(USUAL)
    try:
        wiring = load_wiring(path)
    except OSError as error:
        raise WiringError(f"{path}: {error.strerror}. Give the path of a wiring file.") from error
    if wiring.uart:
        raise WiringError(f"{path}: [uart] is for Python tests only. Wire the chip to SPI or I2C.")
    return wiring


def _circuit(wiring: Wiring, options: argparse.Namespace, clock: VirtualClock) -> Circuit:
    """Return the circuit with the tags of *options* on its readers. Raises CannotDoThat."""
    physics = PHYSICS[options.physics](options.seed)
    circuit = Circuit(wiring, clock, seed=options.seed, physics=physics)
    for tag in options.tag:
        uid, _, reader = tag.partition("@")
        circuit.lay(uid, reader)
    return circuit


def _run(options: argparse.Namespace) -> int:
    make_circuit = partial(_circuit, _wiring(options), options)
    make_circuit(VirtualClock())  # mistakes first, on every system
    if options.trace is not None:
        try:
            options.trace.touch()
        except OSError as failed:
            print(f"{options.trace}: {failed.strerror}. Give another file.", file=sys.stderr)
            return WRONG
    check_support()
    # The rest exists on Linux only.
    from fakepi.kernel.clock import FollowingClock
    from fakepi.kernel.devices import PiDevices

    time = FollowingClock()
    circuit = make_circuit(time)
    circuit.follow_interrupts()
    with TemporaryDirectory() as folder:
        devices = PiDevices(Path(folder, "pi"), time, circuit.pins)
        for spi in circuit.spi:
            devices.add_spi(spi, partial(circuit.open_spi, spi))
        for number, bus in circuit.i2c.items():
            devices.add_i2c(number, bus)
        code = _run_in_window(devices, circuit, options)
    if options.trace is not None:
        options.trace.write_text("\n".join((*circuit.trace.lines(), "")), encoding="utf-8")
    return code


def _run_in_window(devices: "PiDevices", circuit: Circuit, options: argparse.Namespace) -> int:
    """Run the program, with a window if the options ask for one; return the exit code."""
    from fakepi.kernel.running import run_program

    if options.window is None:
        return run_program(devices, options.command)
    try:
        window = BrowserWindow(circuit, devices.lock, options.window)
    except OSError as failed:
        print(f"Port {options.window}: {failed.strerror}. Use another one.", file=sys.stderr)
        return WRONG
    with window:
        print(f"Display and tags: {window.url}", file=sys.stderr)
        return run_program(devices, options.command)


def _bridge(options: argparse.Namespace) -> int:
    make_circuit = partial(_circuit, _wiring(options), options)
    make_circuit(VirtualClock())  # mistakes first
    if not HAS_SOCKETS:
        print(NO_SOCKETS, file=sys.stderr)
        return WRONG
    if options.socket is None and not options.command:
        print(
            "Give the path of a socket (--socket PATH) or a program (-- PROGRAM).", file=sys.stderr
        )
        return WRONG
    with TemporaryDirectory() as folder:
        path = options.socket or f"{folder}/fakepi"
        try:
            server = BridgeServer(path, make_circuit)
        except OSError as failed:
            print(
                f"{path}: {failed.strerror}. Give the path of a new file in an existing folder.",
                file=sys.stderr,
            )
            return WRONG
        try:
            return _serve(server, path, options.command)
        finally:
            server.server_close()
            Path(path).unlink(missing_ok=True)


def _serve(server: BridgeServer, path: str, command: list[str]) -> int:
    """Answer until *command* ends, or without one until Ctrl-C; return the exit code."""
    if not command:
        print(f"Answering on {path}. Press Ctrl-C to stop.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with leave_ctrl_c_to_the_program():
            code = subprocess.call(command, env={**os.environ, "FAKEPI_SOCKET": path})
    except OSError as failed:
        return explain_start(command[0], failed)
    finally:
        server.shutdown()
    return exit_code(code)


def _include(options: argparse.Namespace) -> int:
    print(INCLUDE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
