"""The doctor's findings: each names a part, a verdict, what was found and a remedy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Self

from firmware.common.errors import FileFault
from hardware.errors import MissingPart

Counts = Mapping[str, Mapping[str, int]]  # number of events, by part and kind


class Verdict(Enum):
    """The result of a check, in order from best to worst."""

    OK = "OK"
    SKIP = "SKIP"  # it was not checked, so it may work or not; the text says why
    WARN = "WARN"  # it works, but somebody should look at it
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check of *part*. *remedy* is empty if there is nothing to do."""

    part: str
    verdict: Verdict
    found: str
    remedy: str = ""

    @classmethod
    def of(cls, part: str, verdict: Verdict, text: object) -> Self:
        """Return a finding about *part* from *text*: what was found, then "; ", then the remedy."""
        found, _, remedy = str(text).partition("; ")
        return cls(part, verdict, found, remedy)

    def for_user(self, user: str) -> Self:
        """Return this finding with the name *user* in place of $USER in the remedy.

        The doctor of an installed table runs as the service's user. In the shell in which somebody
        types the remedy, $USER is another user.
        """
        return replace(self, remedy=self.remedy.replace("$USER", user))

    @classmethod
    def from_file_fault(cls, part: str, error: FileFault) -> Self:
        """Return the FAIL finding for *error*, which is about a file."""
        place = f"{error.file}: {error.key}" if error.key else error.file
        return cls(part, Verdict.FAIL, f"{place} {error.found}", error.remedy)

    @classmethod
    def from_missing_part(cls, missing: MissingPart) -> Self:
        """Return the FAIL finding for a part that this computer does not have."""
        return cls(missing.part, Verdict.FAIL, missing.found, missing.remedy)


def worst_verdict(findings: Iterable[Finding]) -> Verdict:
    """Return the worst verdict of *findings*; OK if there are none."""
    order = list(Verdict)
    return max((finding.verdict for finding in findings), key=order.index, default=Verdict.OK)


@dataclass
class DoctorReport:
    """All findings, and the numbers of faults and recoveries of each part.

    *run* has the numbers of this examination, and *journal* has the recorded ones.
    """

    findings: list[Finding] = field(default_factory=list)
    run: dict[str, Mapping[str, int]] = field(default_factory=dict)
    journal: Counts = field(default_factory=dict)
    lacks_part: bool = False  # True if table.toml names a part that this computer does not have
    shown: int = 0  # number of findings, from the first, that a person has seen already

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all findings."""
        return worst_verdict(self.findings)
