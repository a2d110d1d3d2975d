"""A short run of the inventory soak, ``python -m tests.hardware.soak_inventories``."""

from io import StringIO
from random import Random

import pytest

from hardware.drivers.mfrc522_reader import Mfrc522Reader
from hardware.ports import Sighting
from tests.hardware.soak_inventories import MOST_TAGS, RATES, run, soak, tags


def test_no_uid_is_ever_made_up() -> None:
    findings = soak(seed=0, lots=range(200))
    assert findings.wrong == {}
    assert all(tally.inventories == 200 for tally in findings.tallies.values())
    told = [findings.tallies[rate].uids for rate in RATES]
    assert told == sorted(told)
    assert told[0] > 50, "something was told even in the worst noise"
    assert findings.tallies[0.0].complete == 200


def test_no_uid_is_ever_made_up_of_honest_tags_either() -> None:
    findings = soak(seed=0, lots=range(100), is_honest=True)
    assert findings.wrong == {}
    assert 40 < findings.tallies[0.0].complete < 100, "the first polls miss slow and drowned tags"


def test_lots_are_what_they_are_said_to_be() -> None:
    lots = [list(tags(Random(seed))) for seed in range(200)]
    assert {len(lot) for lot in lots} == set(range(1, MOST_TAGS + 1))
    uids = [[picc.uid for picc in lot] for lot in lots]
    assert {len(uid) for lot in uids for uid in lot} == {4, 7}
    assert all(len(set(lot)) == len(lot) for lot in uids)
    alike = [lot for lot in uids if len({uid[:3] for uid in lot if len(uid) == 7}) < len(lot)]
    assert len(alike) > 50
    assert any(uid[0] == 0x08 for lot in uids for uid in lot)


class Inventing(Mfrc522Reader):
    """A faulty reader that adds a made-up UID when it finds ``MOST_TAGS`` tags."""

    def poll(self) -> Sighting:
        seen = super().poll()
        return Sighting((b"liar", *seen.uids)) if len(seen.uids) == MOST_TAGS else seen


def test_a_uid_that_is_made_up_is_told_with_how_to_see_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.hardware.soak_inventories.Mfrc522Reader", Inventing)
    out = StringIO()
    assert run(seed=0, lots=range(50), jobs=1, out=out) == 1
    index = int(out.getvalue().partition("--first ")[2].split()[0])
    assert "liar" in out.getvalue()
    again = StringIO()
    assert run(seed=0, lots=range(index, index + 1), jobs=1, out=again) == 1


def test_jobs_share_the_lots_and_come_to_the_same() -> None:
    alone, together = StringIO(), StringIO()
    assert run(seed=3, lots=range(20), jobs=1, out=alone) == 0
    assert run(seed=3, lots=range(20), jobs=2, out=together) == 0
    assert alone.getvalue().splitlines()[: len(RATES)] == together.getvalue().splitlines()
