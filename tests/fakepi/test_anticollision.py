"""Tests that a reader which follows ISO/IEC 14443-3 finds every tag of any set in the field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.mfrc522 import CollPos
from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.picc import Picc, PiccState
from tests.fakepi.pcd import WUPA, Pcd

COLLPOS = pytest.mark.parametrize("collpos", ["frame", "absolute"])
# 88h is the cascade tag: byte 0 of a UID may not have this value, nor byte 3 of a 10-byte UID.
UID4 = st.binary(min_size=4, max_size=4).filter(lambda uid: uid[0] != 0x88)
UID7 = st.binary(min_size=7, max_size=7).filter(lambda uid: uid[0] != 0x88)
UID10 = st.binary(min_size=10, max_size=10).filter(lambda uid: 0x88 not in (uid[0], uid[3]))


def on_the_antenna(uids: list[bytes], collpos: CollPos) -> Pcd:
    pcd = Pcd(collpos)
    for uid in uids:
        pcd.field.enter(Picc(uid, atqa=0x0044, sak=0x00))
    return pcd.start()


@COLLPOS
@given(uids=st.lists(UID4 | UID7 | UID10, unique=True, max_size=6))
def test_every_tag_is_found_once(collpos: CollPos, uids: list[bytes]) -> None:
    pcd = on_the_antenna(uids, collpos)
    assert sorted(pcd.inventory()) == sorted(uids)
    assert all(picc.state is PiccState.HALT for picc in pcd.field.piccs)


@COLLPOS
@given(uids=st.sets(st.integers(0, 31), min_size=1))
def test_neighbours_are_told_apart(collpos: CollPos, uids: set[int]) -> None:
    """UIDs that differ only in their last bits collide late."""
    piccs = [b"\x04\xa2\x3b\x15\x80\x00" + bytes((last << 3,)) for last in uids]
    assert sorted(on_the_antenna(piccs, collpos).inventory()) == sorted(piccs)


@COLLPOS
def test_wupa_wakes_the_halted(collpos: CollPos) -> None:
    """The second WUPA sends the selected tag back to HALT and wakes the other one."""
    pcd = on_the_antenna([b"\x01\x02\x03\x04", b"\x01\x02\x03\x05"], collpos)
    first = pcd.inventory()
    assert pcd.call().is_silence
    assert {pcd.find(WUPA), pcd.find(WUPA)} == set(first)


def test_tags_of_different_kinds_collide_in_their_atqa() -> None:
    pcd = Pcd()
    pcd.field.enter(MifareClassic1K(b"\x12\x34\x56\x78"))
    pcd.field.enter(Ntag(bytes.fromhex("04112233445566")))
    pcd.start()
    reply = pcd.call()
    assert reply.errors == 0x08
    assert reply.coll & 0x1F == 7, "the seventh bit: 0004h against 0044h"
    assert pcd.call().is_silence, "a second REQA throws both back to IDLE"
    assert sorted(pcd.inventory()) == [bytes.fromhex("04112233445566"), b"\x12\x34\x56\x78"]
