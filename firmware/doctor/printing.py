"""The report, for people and for programs.

Room: firmware/doctor.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from gettext import gettext as _
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from firmware.doctor.findings import Finding, Report, Verdict
from firmware.health import FAULTS, GARBLED, RECOVERIES

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


def print_findings(findings: Sequence[Finding], out: TextIO) -> None:
    """Print *findings* for people, one a line."""
    checks = Grid.grid(padding=(0, 2))
    for finding in findings:
        stop = ". " if finding.remedy[:1].isupper() else "; "
        text = stop.join(filter(None, (finding.found, finding.remedy)))
        verdict = Text(finding.verdict.value, style=COLOURS[finding.verdict])
        checks.add_row(verdict, Text(finding.part), Text(text))
    Console(file=out, highlight=False).print(checks)


def print_table(report: Report, out: TextIO, first: int = 0) -> None:
    """Print *report* for people; of its findings those from the *first* on."""
    print_findings(report.findings[first:], out)
    both = (report.run, report.journal)
    parts = [
        part
        for part in dict.fromkeys((*report.run, *report.journal))
        if any(counted.get(part) for counted in both)
    ]
    if parts:
        heads = (_("part"), _("counted just now"), _("in the journal"))
        counts = Grid(*heads, title=_("Counts"))
        for part in parts:
            counts.add_row(part, *(_counted(counted.get(part, {})) for counted in both))
        Console(file=out, highlight=False).print(counts)


def _counted(counts: Mapping[str, int]) -> str:
    """Counts as text: polls first, then faults, recoveries and the rest."""
    order = ("polls", GARBLED, *FAULTS, *RECOVERIES)
    known = [kind for kind in order if kind in counts]
    others = sorted(set(counts) - set(known))
    return ", ".join(f"{kind} {counts[kind]:,}" for kind in (*known, *others))
