"""The doctor of an installed table finds staged faults of a booted system: ``make test-boot``.

All faults are staged one after the other on one machine, and mended again.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.boot.conftest import Lab
from tests.boot.doctor_stages import STAGES
from tests.boot.patient import BootedPatient
from tests.doctor_faults import ELSEWHERE, ON_DEBIAN, Findings, mismatches
from tests.doctor_stages import staged

QUICK = ("--quick",)


def examine(patient: BootedPatient, *, is_quick: bool) -> Findings:
    """Return the doctor's findings on *patient*."""
    return patient.findings(*(QUICK if is_quick else ()))


def test_every_stage_is_a_fault_of_the_list() -> None:
    assert sorted(STAGES) == sorted(fault.name for fault in ON_DEBIAN)


@pytest.mark.parametrize("is_quick", [True, False], ids=["quick", "slow"])
def test_the_doctor_of_a_booted_table_finds_each_fault(
    lab: Lab, tmp_path: Path, is_quick: bool
) -> None:
    machine = lab.installed()
    machine.boot()
    machine.wait_until("the table runs", lambda: machine.state() == "active")
    patient = BootedPatient(machine, tmp_path)
    healthy = examine(patient, is_quick=is_quick)
    skipped = {finding["part"] for finding in healthy if finding["verdict"] != "OK"}
    assert skipped - ELSEWHERE == {"speech" if is_quick else "by hand"}, healthy
    faults = [fault for fault in ON_DEBIAN if fault.is_quick == is_quick]
    assert not [fault.name for fault in faults if not mismatches(fault, healthy, healthy)]
    wrong: list[str] = []
    for fault in faults:
        with staged(STAGES[fault.name], patient):
            wrong += mismatches(fault, examine(patient, is_quick=is_quick), healthy)
    after = examine(patient, is_quick=is_quick)
    wrong += [
        f"at the end: {part}" for part in Counter(map(key, after)) - Counter(map(key, healthy))
    ]
    if wrong:
        pytest.fail("\n".join(wrong))


def key(finding: Mapping[str, str]) -> tuple[str, str]:
    return finding["part"], finding["verdict"]
