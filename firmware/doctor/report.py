"""The report of ``tapmat doctor --report``: plain text that a maker can send to the project.

It lists the hardware and software of a table, and the doctor's findings. It has no personal
data: no remedies, host name, players, UIDs or Wi-Fi, and no path outside the system's own folders.

Sources: Raspberry Pi documentation, "config.txt" and "Revision codes".
"""

import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, entry_points, metadata, requires, version
from pathlib import Path

from firmware.config.table_config import TableConfig
from firmware.doctor.computer import Computer
from firmware.doctor.findings import DoctorReport, Finding
from firmware.doctor.printing import counts_text
from hardware.chip_names import LAMPS, READERS

CONFIG = "boot/firmware/config.txt"
# The keys of config.txt that can affect a table. All other lines are left out.
CONFIG_KEYS = (
    "arm_64bit", "arm_freq", "core_freq", "core_freq_min", "dtoverlay", "dtparam", "enable_uart",
    "force_turbo", "gpio", "kernel", "max_usb_current", "over_voltage", "usb_max_current_enable",
)  # fmt: skip
REVISION = "proc/device-tree/system/linux,revision"
MODULES = ("gpio", "i2c", "pinctrl", "snd", "spi")  # kernel modules with these beginnings matter
GROUPS = ("audio", "gpio", "i2c", "spi", "video")
NODES = ("dev/gpiochip*", "dev/i2c-*", "dev/spidev*", "dev/vcio")
PIN_LIBRARY = "lgpio"  # on a Pi, Debian installs it
SYSTEM_FOLDERS = ("boot", "dev", "etc/tapmat", "opt/tapmat", "proc", "sys", "usr", "var/lib/tapmat")
PATH = re.compile(r"(?<![\w.<>])/[^\s,;:()]*")
PRIVATE = "<path>"
ADDRESS = re.compile(r"\b\d{1,3}(\.\d{1,3}){3}\b|\b[\w-]+\.local\b")
TRACKER = "the issue tracker of the project that you got tapmat from"


def report_text(
    report: DoctorReport, config: TableConfig, computer: Computer, state: Path | None
) -> str:
    """Return *report* with the facts of *computer*, as text for other people.

    *state* is the state folder that the user named. Its path and the paths in *config* do not
    appear.
    """
    secrets = _secrets(config, computer, state)
    sections = {
        "software": _software(computer),
        "hardware": _hardware(computer),
        "config.txt": _boot_lines(computer),
        "devices": _devices(computer),
        "table": _table(config),
        "findings": _findings(report.findings, secrets),
        "counts in this check": _counts(report.run),
        "counts in the journal": _counts(report.journal),
    }
    lines = ["tapmat report, form 1", ""]
    for title, facts in sections.items():
        lines += [f"[{title}]", *(facts or ("none",)), ""]
    lines += [
        f"Please send this text to {_tracker()}.",
        "tapmat has removed all personal data that it knows. Read the text before you send it.",
    ]
    return "\n".join(lines) + "\n"


def _software(computer: Computer) -> list[str]:
    system = computer.system.get("PRETTY_NAME", "unknown")
    release = Path(computer.link("opt/tapmat/current")).name or "not installed by install-pi"
    return [
        f"tapmat: {_version('tapmat')}, release: {release}",
        f"python: {computer.python}",
        *(f"{name}: {_version(name)}" for name in _libraries()),
        f"system: {system}",
        f"kernel: {platform.release()} {platform.machine()}",
    ]


def _libraries() -> list[str]:
    """Return the libraries of tapmat, and the packages with added drivers and their libraries."""
    offers = (offer for group in (READERS, LAMPS) for offer in entry_points(group=group))
    added = {offer.dist.name for offer in offers if offer.dist is not None}
    needed = {PIN_LIBRARY, *added}
    for package in ("tapmat", *added):
        with suppress(PackageNotFoundError):
            needed |= {re.split(r"[^\w.-]", line)[0] for line in requires(package) or ()}
    return sorted(needed)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed as a package"


def _hardware(computer: Computer) -> list[str]:
    revision = computer.bytes(REVISION)
    return [
        f"board: {computer.model or 'not a Raspberry Pi'}",
        f"revision: {f'{int.from_bytes(revision):x}' if revision else 'unknown'}",
    ]


def _boot_lines(computer: Computer) -> list[str]:
    """Return the relevant sections and lines of config.txt, without comments."""
    lines = (line.partition("#")[0].strip() for line in computer.text(CONFIG).splitlines())
    return [line for line in lines if line.startswith("[") or line.split("=")[0] in CONFIG_KEYS]


def _devices(computer: Computer) -> list[str]:
    loaded = (line.split(" ")[0] for line in computer.text("proc/modules").splitlines())
    modules = sorted(name for name in loaded if name.startswith(MODULES))
    groups = sorted({*_group_names(os.getgroups())} & {*GROUPS}) if hasattr(os, "getgroups") else []
    speed = computer.bytes("sys/bus/i2c/devices/i2c-1/of_node/clock-frequency")
    return [
        f"modules: {' '.join(modules) or 'none'}",
        f"groups of this user: {' '.join(groups) or 'none of ' + ' '.join(GROUPS)}",
        *(_node(path) for pattern in NODES for path in sorted(computer.root.glob(pattern))),
        f"I2C clock: {f'{int.from_bytes(speed)} Hz' if speed else 'unknown'}",
    ]


def _group_names(numbers: Iterable[int]) -> Iterator[str]:
    import grp  # not on Windows

    for number in numbers:
        try:
            yield grp.getgrgid(number).gr_name
        except KeyError:
            continue


def _node(path: Path) -> str:
    found = path.stat()
    group = next(_group_names([found.st_gid]), "")
    shown = group if group in (*GROUPS, "root") else "another group"
    return f"/dev/{path.name}: mode {found.st_mode & 0o777:o}, group {shown}"


def _table(config: TableConfig) -> list[str]:
    display = config.display
    screen = "none" if display is None else f"{display.chip} {'{}x{}'.format(*display.size)}"
    return [
        *(
            f"reader {reader.spot}: {reader.chip}, SPI {reader.spi}, {reader.spi_mhz} MHz, "
            f"reset pin: {reader.reset_pin}, select pin: {reader.select_pin}"
            for reader in config.readers
        ),
        *(f"lamps: {part.chip}, SPI {part.spi}" for part in (config.strip,) if part is not None),
        f"fields in turn: {config.fields.in_turn}",
        f"display: {screen}",
        f"voice: {config.voice}",
    ]


def _findings(findings: Sequence[Finding], secrets: Sequence[str]) -> list[str]:
    """Return a line for each finding, without the texts in *secrets*.

    The findings about clips are replaced by "left out", because they name people's files.
    """
    return [
        f"{finding.verdict.value:4} {finding.part}: "
        + ("left out" if finding.part == "clips" else _without_secrets(finding.found, secrets))
        for finding in findings
    ]


def _secrets(config: TableConfig, computer: Computer, state: Path | None) -> Sequence[str]:
    """Return paths that must not appear in the report, longest first.

    ``_without_secrets`` finds other paths by itself, but not those that contain spaces.
    """
    private = [Path.home(), Path.cwd(), config.file, config.file.parent, computer.prefix]
    private += [] if state is None else [state]
    private += config.decks.values()
    paths = {str(path) for path in private} | {*computer.environment.values()}
    wanted = (path for path in paths if path.startswith("/") and path not in ("/", "/usr"))
    return sorted((path for path in wanted if not _is_public(path)), key=len, reverse=True)


def _without_secrets(text: str, paths: Sequence[str]) -> str:
    """Return *text* on one line, without IPv4 addresses, names in the network and private paths.

    ``<path>`` replaces each path outside the system's folders, and each of *paths*.
    """
    text = ADDRESS.sub("<address>", text)
    for path in paths:
        text = text.replace(path, PRIVATE)
    text = PATH.sub(_public_path, text.replace("\n", " "))
    return re.sub(rf"{PRIVATE}(/[^\s,;:()]*)?", PRIVATE, text)


def _public_path(match: "re.Match[str]") -> str:
    return match[0] if _is_public(match[0]) else PRIVATE


def _is_public(path: str) -> bool:
    """Return True if *path* is in one of the system's own folders.

    /dev/shm does not count, because it has people's files.
    """
    return not f"{path}/".startswith("/dev/shm/") and any(
        f"{path}/".startswith(f"/{folder}/") for folder in SYSTEM_FOLDERS
    )


def _counts(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [f"{part}: {counts_text(counted)}" for part, counted in counts.items() if counted]


def _tracker() -> str:
    """Return the URL of the issue tracker in the package's metadata, or ``TRACKER`` without one."""
    try:
        urls = metadata("tapmat").get_all("Project-URL") or []
    except PackageNotFoundError:
        urls = []
    named = (url.partition(", ") for url in urls)
    return next((url for label, _, url in named if label.lower() == "issues"), TRACKER)
