"""Tests of the unmodified ``tapmat doctor`` on an emulated Pi: it finds each staged fault."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

import pytest

from tests.doctor_faults import COMPUTER, ON_PI, SKIP, TIMED, StagedFault, mismatches
from tests.doctor_stages import staged
from tests.effort import some
from tests.sim.nodes.doctor_stages import STAGES
from tests.sim.nodes.patient import DoctorServer, PiPatient

QUICK = ("--quick",)
Healthy = Mapping[bool, Sequence[Mapping[str, str]]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoctorServer]:
    with PiPatient(tmp_path_factory.mktemp("pi")).switched_on() as server:
        yield server


@pytest.fixture(scope="module")
def healthy(server: DoctorServer) -> Healthy:
    """The findings without a fault, of a quick examination (True) and of a whole one (False)."""
    return {True: server.findings(*QUICK), False: server.findings()}


def test_every_stage_is_a_fault_of_the_list() -> None:
    assert sorted(STAGES) == sorted(fault.name for fault in ON_PI)


@pytest.mark.long
def test_faults_of_the_computer_are_found_with_their_remedy(server: DoctorServer) -> None:
    """This run's share of them; ``make test-nodes`` has all."""
    healthy = server.findings(*QUICK)
    assert_healthy(healthy, {"speech"}, TIMED)
    wrong: list[str] = []
    for fault in Random(1).sample(COMPUTER, some(len(COMPUTER))):
        with staged(STAGES[fault.name], server.patient):
            wrong += mismatches(fault, server.findings(*QUICK), healthy, TIMED)
    assert not wrong


@pytest.mark.real_time
def test_a_pi_in_order_is_called_so(healthy: Healthy) -> None:
    assert_healthy(healthy[True], {"speech"})
    assert_healthy(healthy[False], {"by hand"})


@pytest.mark.real_time
def test_no_fault_is_found_that_is_not_staged(healthy: Healthy) -> None:
    for fault in ON_PI:
        assert mismatches(fault, healthy[fault.is_quick], healthy[fault.is_quick]), fault.name


@pytest.mark.real_time
@pytest.mark.parametrize("fault", ON_PI, ids=lambda fault: fault.name)
def test_a_fault_is_found_with_its_remedy(
    server: DoctorServer, healthy: Healthy, fault: StagedFault
) -> None:
    with staged(STAGES[fault.name], server.patient):
        findings = server.findings(*(QUICK if fault.is_quick else ()))
    assert not mismatches(fault, findings, healthy[fault.is_quick])


def assert_healthy(
    findings: Sequence[Mapping[str, str]], skipped: set[str], ignored: frozenset[str] = frozenset()
) -> None:
    """Check that everything was found to be OK, and only *skipped* was not checked."""
    others = [f for f in findings if f["verdict"] != "OK" and f["part"] not in ignored]
    assert {finding["part"] for finding in others} == skipped, others
    assert {finding["verdict"] for finding in others} == {SKIP}
