"""The doctor: looks at everything a table needs; one line a check, with a verdict and what to do.

Room: firmware. A check is a function that yields findings. The parts are looked at as the loop
looks at them, through the same drivers and the same remedies, so what the loop would mend in
silence is told here. Nothing is written to the state folder.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware import screens
from firmware.config import TableConfig
from firmware.controller import JOURNAL
from firmware.errors import FileFault, FolderInUse, JournalError, StateFolderError
from firmware.health import DEGRADED, FAULTS, GARBLED, OFFLINE, RECOVERIES, Health, attempt, poll
from firmware.journal import health_in, hold
from firmware.loop import TURN_S
from firmware.state_folder import state_folder
from firmware.view import TableView
from firmware.wiring import open_parts
from hardware.errors import MissingPart
from hardware.ports import Board, Clock, Display, Remark, TagReader

POLLS = 50  # of each reader
GARBLED_POLLS = 5  # of them, above which something disturbs the field
MISSED_POLLS = 15  # of them, above which a tag is read badly: three in ten, as plays still bear
END_THAT_ONE = "End that one, then run: tapmat doctor"

RECENT = timedelta(days=7)
OFTEN_BEHIND = {  # what to look for, by the kind of fault
    "silent": "Check its SPI wires and 3.3 V",
    "settings-lost": "Its 3.3 V dips: a stronger supply, or 10 uF at the board",
    "stuck": "Try another board",
    "bus": "Check that nothing else uses its SPI device",
    "lost": "Check its four wires",
    "dark": "Its power comes and goes: check VCC and GND",
}

Counts = Mapping[str, Mapping[str, int]]  # by part, by kind


class Verdict(Enum):
    """How a check came out, the best first."""

    OK = "OK"
    WARN = "WARN"  # it works, but somebody should look at it
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check *found* of *part*, and the *remedy* if something is to be done."""

    part: str
    verdict: Verdict
    found: str
    remedy: str = ""

    @classmethod
    def of(cls, part: str, verdict: Verdict, text: object) -> "Finding":
        """A part's own *text*, which says what it is and, behind a semicolon, what to do."""
        found, _, remedy = str(text).partition("; ")
        return cls(part, verdict, found, remedy)


@dataclass
class Report:
    """Every finding; what was counted of each part in this run, and what the journal holds."""

    findings: list[Finding]
    run: dict[str, Mapping[str, int]] = field(default_factory=dict)
    journal: Counts = field(default_factory=dict)
    lacks_part: bool = False  # that table.toml names and this computer does not have

    @property
    def verdict(self) -> Verdict:
        """The worst of all."""
        order = list(Verdict)
        return max((finding.verdict for finding in self.findings), key=order.index)


def examine(
    config: TableConfig, folder: Path | None, open_board: Callable[[TableConfig], Board]
) -> Report:
    """Check the table of *config* over the state folder *folder*.

    *open_board* opens the computer, or an emulated one. Parts that another tapmat is using are not
    touched.
    """
    report = Report([_table_of(config)])
    try:
        folder = state_folder(folder)
    except StateFolderError as error:
        report.findings.append(_failed("state folder", error))
        return report
    try:
        report.journal = health_in(folder / JOURNAL)
        recent = health_in(folder / JOURNAL, since=datetime.now(UTC) - RECENT)
        report.findings += _troubled(recent)
    except JournalError as error:
        report.findings.append(_failed("journal", error))
    try:
        with closing(hold(folder / JOURNAL)):
            report.findings.append(Finding("state folder", Verdict.OK, str(folder)))
            _examine_parts(report, config, open_board)
    except FolderInUse:
        found = f"{folder} is in use by another tapmat, so the parts were not touched"
        report.findings.append(Finding("state folder", Verdict.WARN, found, END_THAT_ONE))
    except JournalError as error:
        report.findings.append(_failed("state folder", error))
    return report


def _table_of(config: TableConfig) -> Finding:
    spots = ", ".join(reader.spot for reader in config.readers)
    return Finding("table", Verdict.OK, f"{config.file}: readers on {spots}")


def _troubled(counts: Counts) -> Iterator[Finding]:
    """A warning for each part that the journal tells trouble of, and what is most often behind it.

    *counts* are of the last ``RECENT``: what was mended by hands long ago warns of nothing.
    """
    for part, counted in counts.items():
        told = [
            f"{kind} {counted[kind]} times" for kind in (DEGRADED, OFFLINE) if counted.get(kind)
        ]
        faults = {kind: counted[kind] for kind in FAULTS if counted.get(kind)}
        if told and faults:
            worst = max(faults, key=faults.__getitem__)
            found = f"in the last {RECENT.days} days it was {' and '.join(told)}, mostly {worst}"
            yield Finding(part, Verdict.WARN, found, OFTEN_BEHIND[worst])


def _failed(part: str, error: FileFault) -> Finding:
    place = f"{error.file}: {error.key}" if error.key else error.file
    return Finding(part, Verdict.FAIL, f"{place} {error.found}", error.remedy)


# --- the parts -----------------------------------------------------------------------------------


def _examine_parts(
    report: Report, config: TableConfig, open_board: Callable[[TableConfig], Board]
) -> None:
    try:
        with ExitStack() as opened:
            board = opened.enter_context(closing(open_board(config)))
            parts = opened.enter_context(closing(open_parts(config, board)))
            for spot, reader in parts.readers.items():
                health = Health(f"reader {spot}", has_reset_wire=reader.has_reset_wire)
                report.findings += _reader(health, reader, board.clock)
                report.run[health.part] = dict(health.counts)
            if parts.display is not None:
                health = Health("display", settles_after=1)
                report.findings += _display(health, parts.display, board.clock)
                report.run[health.part] = dict(health.counts)
    except MissingPart as missing:
        report.lacks_part = True
        finding = Finding(missing.part, Verdict.FAIL, missing.found, missing.remedy)
        report.findings.append(finding)


def _reader(health: Health, reader: TagReader, clock: Clock) -> Iterator[Finding]:
    """Set a reader up anew, and poll it as the loop does."""

    def restart(by_wire: bool) -> None:
        reader.restart(by_wire=by_wire)

    def set_up() -> str:
        reader.restart()
        return reader.identity

    identity = attempt(health, set_up, restart, clock)
    if identity is None:
        yield Finding.of(health.part, Verdict.FAIL, health.fault)
        return
    yield Finding(health.part, Verdict.OK, identity)
    seen: dict[bytes, int] = {}
    for _ in range(POLLS):
        began_s = clock.now()
        sighting = poll(health, reader, clock)
        if sighting is None:
            yield Finding.of(health.part, Verdict.FAIL, health.fault)
            return
        for uid in sighting.uids:
            seen[uid] = seen.get(uid, 0) + 1
        clock.sleep(TURN_S - (clock.now() - began_s))
    yield from _remarks(health.part, reader.remarks)
    yield from _mended(health)
    yield _polled(health, seen)


def _polled(health: Health, seen: Mapping[bytes, int]) -> Finding:
    """What the polls saw; tags that lie there tell how well they are read."""
    garbled = health.counts[GARBLED]
    worst = POLLS - min(seen.values(), default=POLLS)
    tags = f"{len(seen)} seen, missed {worst} times at worst" if seen else "none seen"
    found = f"{POLLS} polls, {garbled} garbled; tags: {tags}"
    if garbled > GARBLED_POLLS:
        remedy = "Take phones, bank cards and metal off the spot, and look again"
        return Finding(health.part, Verdict.WARN, found, remedy)
    if worst > MISSED_POLLS:
        remedy = "Bring the antenna nearer to the cards, with no metal between"
        return Finding(health.part, Verdict.WARN, found, remedy)
    return Finding(health.part, Verdict.OK, found)


def _display(health: Health, display: Display, clock: Clock) -> Iterator[Finding]:
    """Set the display up anew, show something, and ask whether it does."""
    picture = screens.draw(TableView(phase="idle", title="tapmat", hint="doctor"), display.size)

    def set_up() -> str:
        display.restart()
        display.show(picture)
        display.check()
        return display.identity

    identity = attempt(health, set_up, lambda _by_wire: display.restart(), clock)
    if identity is None:
        yield Finding.of(health.part, Verdict.FAIL, health.fault)
        return
    yield Finding(health.part, Verdict.OK, identity)
    yield from _remarks(health.part, display.remarks)
    yield from _mended(health)


def _remarks(part: str, remarks: tuple[Remark, ...]) -> Iterator[Finding]:
    return (Finding.of(part, Verdict.WARN, remark.text) for remark in remarks)


def _mended(health: Health) -> Iterator[Finding]:
    """A warning if the part had to be mended, which the loop would have done in silence."""
    faults = sum(health.counts[kind] for kind in FAULTS)
    if faults:
        text = f"had to be mended {faults} times just now, last because {health.fault}"
        yield Finding.of(health.part, Verdict.WARN, text)


# --- printing ------------------------------------------------------------------------------------

COLOURS = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "red"}


def print_json(report: Report, out: TextIO) -> None:
    """Print *report* for programs."""
    findings = [{**asdict(f), "verdict": f.verdict.value} for f in report.findings]
    shape: dict[str, Any] = {
        "verdict": report.verdict.value,
        "findings": findings,
        "counts": {"run": report.run, "journal": report.journal},
    }
    print(json.dumps(shape, ensure_ascii=False), file=out)


def print_table(report: Report, out: TextIO) -> None:
    """Print *report* for people."""
    console = Console(file=out, highlight=False)
    checks = Grid.grid(padding=(0, 2))
    for finding in report.findings:
        stop = ". " if finding.remedy[:1].isupper() else "; "
        text = stop.join(filter(None, (finding.found, finding.remedy)))
        verdict = Text(finding.verdict.value, style=COLOURS[finding.verdict])
        checks.add_row(verdict, Text(finding.part), Text(text))
    console.print(checks)
    parts = dict.fromkeys((*report.run, *report.journal))
    if parts:
        counts = Grid("part", "counted just now", "in the journal", title="Counts")
        for part in parts:
            both = (report.run, report.journal)
            counts.add_row(part, *(_counted(counted.get(part, {})) for counted in both))
        console.print(counts)


def _counted(counts: Mapping[str, int]) -> str:
    """Counts as text: polls first, then faults, recoveries and the rest."""
    order = ("polls", GARBLED, *FAULTS, *RECOVERIES)
    known = [kind for kind in order if kind in counts]
    others = sorted(set(counts) - set(known))
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in (*known, *others))
