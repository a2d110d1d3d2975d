"""What the doctor finds: a verdict, what it is about, and what to do.

Room: firmware/doctor. Pure values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Self

from firmware.errors import FileFault
from hardware.errors import MissingPart

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
    def of(cls, part: str, verdict: Verdict, text: object) -> Self:
        """A part's own *text*, which says what it is and, behind a semicolon, what to do."""
        found, _, remedy = str(text).partition("; ")
        return cls(part, verdict, found, remedy)

    @classmethod
    def failed(cls, part: str, error: FileFault) -> Self:
        """What *error* says of a file."""
        place = f"{error.file}: {error.key}" if error.key else error.file
        return cls(part, Verdict.FAIL, f"{place} {error.found}", error.remedy)

    @classmethod
    def missing(cls, missing: MissingPart) -> Self:
        """What *missing* says of a part."""
        return cls(missing.part, Verdict.FAIL, missing.found, missing.remedy)


@dataclass
class Report:
    """Every finding; what was counted of each part in this run, and what the journal holds."""

    findings: list[Finding] = field(default_factory=list)
    run: dict[str, Mapping[str, int]] = field(default_factory=dict)
    journal: Counts = field(default_factory=dict)
    lacks_part: bool = False  # that table.toml names and this computer does not have
    shown: int = 0  # the first so many findings were shown to a person already

    @property
    def verdict(self) -> Verdict:
        """The worst of all."""
        order = list(Verdict)
        verdicts = (finding.verdict for finding in self.findings)
        return max(verdicts, key=order.index, default=Verdict.OK)
