"""Printing of the doctor's report, as text for people and as JSON for programs."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware.doctor.findings import DoctorReport, Finding, Verdict
from firmware.runtime.health import FAULTS, GARBLED, RECOVERIES

# Each colour has its own background, because plain green is hard to read on a white terminal.
COLOURS = {
    Verdict.OK: "black on green",
    Verdict.SKIP: "",
    Verdict.WARN: "black on yellow",
    Verdict.FAIL: "bold white on red",
}

SUMMARIES = {
    Verdict.WARN: "It works; see the lines marked WARN.",
    Verdict.FAIL: "See the lines marked FAIL.",
}


def print_json(report: DoctorReport, out: TextIO) -> None:
    """Print *report* as JSON."""
    findings = [{**asdict(f), "verdict": f.verdict.value} for f in report.findings]
    shape: dict[str, Any] = {
        "verdict": report.verdict.value,
        "findings": findings,
        "counts": {"run": report.run, "journal": report.journal},
    }
    print(json.dumps(shape, ensure_ascii=False), file=out)


def print_findings(findings: Sequence[Finding], out: TextIO) -> None:
    """Print *findings* as text, one finding a line."""
    checks = Grid.grid(padding=(0, 2))
    for _ in ("verdict", "part", "text"):
        checks.add_column(overflow="fold")  # a long path is not cut off
    for finding in findings:
        stop = ". " if finding.remedy[:1].isupper() else "; "
        text = stop.join(filter(None, (finding.found, finding.remedy)))
        verdict = Text(finding.verdict.value, style=COLOURS[finding.verdict])
        checks.add_row(verdict, Text(finding.part), Text(text))
    Console(file=out, highlight=False).print(checks)


def print_report(report: DoctorReport, out: TextIO, first: int = 0) -> None:
    """Print *report* as text: its findings, beginning with index *first*, and a table of counts."""
    print_findings(report.findings[first:], out)
    both = (report.run, report.journal)
    parts = [
        part
        for part in dict.fromkeys((*report.run, *report.journal))
        if any(counted.get(part) for counted in both)
    ]
    if parts:
        heads = ("part", "in this check", "in the journal")
        counts = Grid(*heads, title="Counts")
        for part in parts:
            counts.add_row(part, *(counts_text(counted.get(part, {})) for counted in both))
        Console(file=out, highlight=False).print(counts)


def print_verdict(report: DoctorReport, out: TextIO) -> None:
    """Print one line: the worst verdict of *report* and the number of each verdict."""
    counts = Counter(finding.verdict for finding in report.findings)
    words = ((Verdict.FAIL, "failed"), (Verdict.WARN, "warned"), (Verdict.SKIP, "skipped"))
    counted = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words if counts[verdict])
    verdict, text = Verdict.OK, "No problem was found."
    if report.verdict in SUMMARIES:
        verdict, text = report.verdict, SUMMARIES[report.verdict]
    line = Text.assemble("Verdict: ", (verdict.value, COLOURS[verdict]))
    line.append(f" ({counted}). {text}" if counted else f". {text}")
    Console(file=out, highlight=False).print(line)


def as_text(report: DoctorReport) -> str:
    """Return the whole *report* as text without colours."""
    out = StringIO()
    print_report(report, out)
    print_verdict(report, out)
    return out.getvalue()


def counts_text(counts: Mapping[str, int]) -> str:
    """Return *counts* as text: polls first, then faults, recoveries and the rest."""
    order = ("polls", GARBLED, *FAULTS, *RECOVERIES)
    known = [kind for kind in order if kind in counts]
    others = sorted(set(counts) - set(known))
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in (*known, *others))
