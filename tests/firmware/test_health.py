"""The health of a part: which remedy is tried when, and that each fault and recovery is counted."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.clock import VirtualClock
from firmware.runtime.health import (
    COUNTS_EVERY_S,
    FAULTS,
    NEWS_EVERY_S,
    OFTEN,
    OFTEN_S,
    PULSE_EVERY,
    RECOVERIES,
    REPORT_AFTER_S,
    RETRY_S,
    SETTLED_POLLS,
    SOON_S,
    Health,
    Ledger,
    PartState,
    Remedy,
    attempt,
    poll,
)
from hardware.errors import DisplayFault, ReaderFault
from hardware.ports import Remark, Sighting

SILENT = ReaderFault("silent", "check its wires")
LOST_SETTINGS = ReaderFault("settings-lost", "check 3.3 V")
POLL_S, RE_INIT_S, PULSE_S = 0.001, 0.006, 0.056  # seconds, about as on a real reader


class ScriptedReader:
    """A fake reader that follows a script: at each operation a fault to raise, or None.

    Each operation takes its real time on a virtual clock.
    """

    has_reset_wire = True
    identity = "a script"
    remarks: tuple[Remark, ...] = ()

    def __init__(self, clock: VirtualClock, script: Iterator[ReaderFault | None]) -> None:
        self.clock, self.script = clock, script
        self.acts: list[str] = []

    def poll(self) -> Sighting:
        self._act("poll", POLL_S)
        return Sighting()

    def restart(self, *, by_wire: bool = False) -> None:
        self._act("pulse", PULSE_S) if by_wire else self._act("re-init", RE_INIT_S)

    def close(self) -> None:
        """Do nothing."""

    def _act(self, name: str, takes_s: float) -> None:
        self.acts.append(name)
        self.clock.sleep(takes_s)
        if fault := next(self.script, None):
            raise fault


class Bench:
    """A scripted reader and its health record, on a virtual clock."""

    def __init__(self, *script: ReaderFault | None, has_reset_wire: bool = True) -> None:
        self.clock = VirtualClock()
        self.reader = ScriptedReader(self.clock, iter(script))
        self.health = Health("reader play", has_reset_wire=has_reset_wire)

    def poll(self, times: int = 1) -> list[str]:
        """Poll the reader this many times, if it is due; return the reader's operations."""
        self.reader.acts.clear()
        for _ in range(times):
            if self.health.is_due(self.clock.now()):
                poll(self.health, self.reader, self.clock)
        return self.reader.acts

    @property
    def state(self) -> PartState:
        return self.health.state(self.clock.now())

    @property
    def counted(self) -> dict[str, int]:
        """The counts of the part's faults and remedies by kind, without its polls."""
        return {kind: n for kind, n in self.health.counts.items() if kind != "polls"}


# --- remedies ------------------------------------------------------------------------------------


def test_a_part_that_works_is_used_and_nothing_else() -> None:
    bench = Bench()
    assert bench.poll(3) == ["poll"] * 3
    assert (bench.state, bench.health.counts) == (PartState.ONLINE, {"polls": 3})


def test_a_fault_is_met_with_a_re_init_and_the_use_is_made_good() -> None:
    bench = Bench(None, LOST_SETTINGS)
    assert bench.poll(2) == ["poll", "poll", "re-init", "poll"]
    assert bench.clock.now() == pytest.approx(3 * POLL_S + RE_INIT_S)
    assert bench.state is PartState.ONLINE
    assert bench.counted == {"settings-lost": 1, "re-init": 1}
    assert bench.health.counts["polls"] == 2
    assert bench.poll() == ["poll"]


@pytest.mark.parametrize(
    ("script", "acts"),
    [
        ((SILENT, SILENT), ["poll", "re-init", "pulse", "poll"]),
        ((SILENT, None, SILENT), ["poll", "re-init", "poll", "pulse", "poll"]),
    ],
    ids=["the-re-init-fails", "the-next-poll-fails"],
)
def test_where_a_re_init_does_not_help_a_pulse_follows_at_once(
    script: tuple[ReaderFault | None, ...], acts: list[str]
) -> None:
    bench = Bench(*script)
    assert bench.poll() == acts
    assert bench.counted == {"silent": 1, "reset-pulse": 1}  # one fault, however many tries
    assert bench.state is PartState.ONLINE


@pytest.mark.parametrize(
    ("good_polls", "remedy"), [(SETTLED_POLLS - 1, "pulse"), (SETTLED_POLLS, "re-init")]
)
def test_a_fault_that_comes_back_soon_is_met_with_more(good_polls: int, remedy: str) -> None:
    """If a fault returns within ``SETTLED_POLLS`` good polls, the next remedy is tried.

    The poll that succeeds after the re-init counts as the first good one.
    """
    bench = Bench(SILENT, None, *[None] * good_polls, SILENT)
    bench.poll(good_polls)
    assert bench.poll() == ["poll", remedy, "poll"]
    assert bench.health.counts["silent"] == 2
    assert sum(bench.health.counts[kind] for kind in RECOVERIES) == 2


def test_once_a_part_has_settled_the_next_fault_begins_at_the_first_remedy() -> None:
    bench = Bench(SILENT, SILENT, None, *[None] * SETTLED_POLLS, SILENT)
    bench.poll(SETTLED_POLLS)
    assert bench.poll() == ["poll", "re-init", "poll"]


def test_where_nothing_helps_the_part_is_offline() -> None:
    bench = Bench(*[SILENT] * 3)
    assert bench.poll() == ["poll", "re-init", "pulse"]
    assert bench.state is PartState.OFFLINE
    assert bench.counted == {"silent": 1, "offline": 1}
    assert bench.health.fault is SILENT


def test_without_a_reset_wire_there_is_no_pulse() -> None:
    bench = Bench(*[SILENT] * 2, has_reset_wire=False)
    assert bench.poll() == ["poll", "re-init"]
    assert bench.state is PartState.OFFLINE


def test_an_offline_part_is_tried_soon_then_every_half_second_and_comes_back() -> None:
    bench = Bench(*[SILENT] * 3, *[SILENT] * (len(SOON_S) + 1), None)
    bench.poll()
    assert bench.clock.now() == pytest.approx(POLL_S + RE_INIT_S + PULSE_S)
    for wait_s in (*SOON_S, RETRY_S):
        went_s = bench.clock.now()
        assert not bench.health.is_due(went_s + wait_s - 1e-6)
        assert bench.health.is_due(went_s + wait_s)
        assert bench.poll() == []
        bench.clock.sleep(wait_s + 1e-6)
        assert bench.poll() == ["re-init"]
        assert bench.health.is_offline
    bench.clock.sleep(RETRY_S)
    assert bench.poll() == ["re-init", "poll"]
    assert bench.state is PartState.ONLINE
    assert bench.counted == {"silent": 1, "offline": 1, "back": 1}


def test_a_part_is_lost_when_it_has_been_offline_for_a_while() -> None:
    bench = Bench(*[SILENT] * 3, None)
    bench.poll()
    went_s = bench.clock.now()
    assert not bench.health.is_reportable(went_s + REPORT_AFTER_S - 1e-6)
    assert bench.health.is_reportable(went_s + REPORT_AFTER_S)
    bench.clock.sleep(REPORT_AFTER_S)
    bench.poll()
    assert not bench.health.is_reportable(bench.clock.now())


def test_a_part_is_back_only_when_it_was_used_not_when_it_was_set_up() -> None:
    bench = Bench(*[SILENT] * 3, None, SILENT, None, None)
    bench.poll()
    bench.clock.sleep(RETRY_S)
    assert bench.poll() == ["re-init", "poll"]
    assert bench.state is PartState.OFFLINE
    assert bench.counted == {"silent": 1, "offline": 1}


def test_some_tries_pulse_the_wire() -> None:
    """Only some tries use the reset wire: readers that share it may be working."""
    bench = Bench(*[SILENT] * 100)
    bench.poll()
    tries = []
    for _ in range(2 * PULSE_EVERY):
        bench.clock.sleep(RETRY_S)
        tries += bench.poll()
    assert Counter(tries) == {"re-init": 2 * PULSE_EVERY - 2, "pulse": 2}


def test_a_fault_soon_after_the_part_was_back_is_met_with_the_last_remedy() -> None:
    bench = Bench(*[SILENT] * 3, None, None, SILENT)
    bench.poll()
    bench.clock.sleep(RETRY_S)
    assert bench.poll(2) == ["re-init", "poll", "poll", "pulse", "poll"]
    assert bench.state is PartState.ONLINE
    assert bench.counted == {"silent": 2, "offline": 1, "back": 1, "reset-pulse": 1}


@pytest.mark.parametrize("has_reset_wire", [False, True])
def test_what_a_remedy_mends_each_time_is_never_offline(has_reset_wire: bool) -> None:
    """A part that a remedy repairs each time stays in use, however often the fault returns.

    Otherwise a weak supply would cost the plays between two faults.
    """
    bench = Bench(*[SILENT, None, None] * 50, has_reset_wire=has_reset_wire)
    bench.poll(100)
    assert bench.health.counts["silent"] == 50
    assert bench.health.counts["offline"] == 0
    assert bench.state is PartState.DEGRADED


def test_a_fault_is_counted_under_its_own_kind() -> None:
    for kind in ReaderFault.KINDS:
        bench = Bench(ReaderFault(kind, "check it"))
        bench.poll()
        assert bench.counted == {kind: 1, "re-init": 1}
    health, clock = Health("display", settles_after=1), VirtualClock()
    script = iter([DisplayFault("dark", "it was off"), None, None])

    def check() -> bool:
        if fault := next(script):
            raise fault
        return True

    assert attempt(health, check, lambda _by_wire: None, clock)
    assert health.counts == {"dark": 1, "re-init": 1}


def test_a_garbled_poll_is_counted_and_is_no_fault() -> None:
    bench = Bench()
    sighting = Sighting(is_garbled=True)
    bench.reader.poll = lambda: sighting  # type: ignore[method-assign]
    assert poll(bench.health, bench.reader, bench.clock) is sighting
    assert bench.health.counts == {"polls": 1, "garbled": 1}


# --- degraded ------------------------------------------------------------------------------------


def mended(bench: Bench) -> None:
    """Cause one fault that a re-init ends, and poll until the part has settled."""
    bench.reader.script = iter([SILENT])
    bench.poll(SETTLED_POLLS + 1)


def test_a_part_that_is_mended_again_and_again_is_degraded_for_a_while() -> None:
    bench = Bench()
    for times in range(1, OFTEN):
        mended(bench)
        assert (bench.state, bench.health.counts["degraded"]) == (PartState.ONLINE, 0), times
    mended(bench)
    assert (bench.state, bench.health.counts["degraded"]) == (PartState.DEGRADED, 1)
    mended(bench)
    assert bench.health.counts["degraded"] == 1  # still degraded, so not counted again
    bench.clock.sleep(OFTEN_S)
    assert bench.state is PartState.ONLINE


def test_a_part_that_is_mended_now_and_then_is_not() -> None:
    bench = Bench()
    for _ in range(3 * OFTEN):
        mended(bench)
        assert bench.state is PartState.ONLINE
        bench.clock.sleep(OFTEN_S / (OFTEN - 1))
    assert bench.health.counts["degraded"] == 0


# --- counts add up -------------------------------------------------------------------------------


faults = st.sampled_from([ReaderFault(kind, "check it") for kind in ReaderFault.KINDS])


@given(
    st.lists(st.none() | faults, max_size=300),
    st.lists(st.sampled_from((0.0, 0.01, RETRY_S)), min_size=200, max_size=200),
    st.booleans(),
)
def test_every_fault_and_every_recovery_is_counted(
    script: list[ReaderFault | None], pauses: list[float], has_reset_wire: bool
) -> None:
    bench = Bench(*script, has_reset_wire=has_reset_wire)
    health = bench.health
    for pause_s in pauses:
        bench.poll()
        counts = health.counts
        recovered = sum(counts[kind] for kind in RECOVERIES)
        assert sum(counts[kind] for kind in FAULTS) == recovered + health.is_offline
        assert counts["offline"] == counts["back"] + health.is_offline
        assert (health.remedy is not None) == health.is_offline
        bench.clock.sleep(pause_s)


def test_only_what_has_a_reset_wire_counts_pulses() -> None:
    assert [remedy.value for remedy in Remedy] == ["re-init", "reset-pulse"]
    bench = Bench(SILENT, SILENT, has_reset_wire=False)
    bench.poll()
    bench.clock.sleep(RETRY_S * 100)
    bench.poll()
    assert bench.counted == {"silent": 1, "offline": 1, "back": 1}


# --- what is written to the journal --------------------------------------------------------------


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Health("reader play"))


def write(ledger: Ledger, now_s: float) -> None:
    """Write every new count, at time *now_s*."""
    fresh = dict(ledger.unwritten)
    ledger.note_attempt(now_s)
    ledger.note_written(fresh)


def test_polls_alone_are_not_written(ledger: Ledger) -> None:
    ledger.health.counts.update(polls=1000)
    assert not ledger.is_due(1e6)
    assert ledger.unwritten == {"polls": 1000}


def test_only_what_came_since_is_written(ledger: Ledger) -> None:
    ledger.health.counts.update({"polls": 1000, "silent": 1, "re-init": 1})
    assert ledger.is_due(0.0)
    write(ledger, 0.0)
    assert ledger.unwritten == {}
    ledger.health.counts.update({"polls": 50, "silent": 2})
    assert ledger.unwritten == {"polls": 50, "silent": 2}


@pytest.mark.parametrize("kind", ["offline", "back", "degraded"])
def test_news_are_written_soon_but_not_without_end(ledger: Ledger, kind: str) -> None:
    write(ledger, 100.0)
    ledger.health.counts.update({kind: 1})
    assert not ledger.is_due(100.0 + NEWS_EVERY_S - 0.01)
    assert ledger.is_due(100.0 + NEWS_EVERY_S)


@pytest.mark.parametrize("kind", ["silent", "garbled", "re-init", "dark"])
def test_other_counts_are_written_once_a_minute(ledger: Ledger, kind: str) -> None:
    write(ledger, 100.0)
    ledger.health.counts.update({kind: 1})
    assert not ledger.is_due(100.0 + COUNTS_EVERY_S - 0.01)
    assert ledger.is_due(100.0 + COUNTS_EVERY_S)


def test_a_try_that_failed_is_made_again_later_with_everything(ledger: Ledger) -> None:
    ledger.health.counts.update({"offline": 1})
    ledger.note_attempt(100.0)
    ledger.health.counts.update({"back": 1})
    assert not ledger.is_due(100.0 + NEWS_EVERY_S - 0.01)
    assert ledger.is_due(100.0 + NEWS_EVERY_S)
    assert ledger.unwritten == {"offline": 1, "back": 1}
