"""Tests of frames, CRC_A and air times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakepi.iso14443 import (
    ANSWER_DELAY_FC,
    ETU_FC,
    Frame,
    crc_a,
    crc_ccitt,
    fc_to_ns,
    ns_to_fc,
    pcd_frame_etu,
    picc_frame_etu,
)


@pytest.mark.parametrize(
    ("data", "crc"),
    [("0000", "A01E"), ("1234", "26CF"), ("5000", "57CD"), ("3000", "02A8")],
)
def test_crc_a_is_that_of_the_standards_examples(data: str, crc: str) -> None:
    """The first two examples are from annex B; HLTA and READ of page 0 are commonly known."""
    assert crc_a(bytes.fromhex(data)) == bytes.fromhex(crc)


@given(st.binary(), st.binary(), st.integers(0, 0xFFFF))
def test_a_crc_goes_on_where_it_stopped(front: bytes, back: bytes, preset: int) -> None:
    assert crc_ccitt(back, crc_ccitt(front, preset)) == crc_ccitt(front + back, preset)


@given(st.binary(min_size=1))
def test_a_payload_comes_back_from_its_frame(data: bytes) -> None:
    frame = Frame.with_crc(data)
    assert frame.payload() == data
    for bit in range(frame.length):
        assert Frame(frame.bits ^ 1 << bit, frame.length).payload() is None


@pytest.mark.parametrize(("length", "why"), [(7, "short"), (16, "no room for data"), (25, "bits")])
def test_a_frame_without_whole_bytes_and_crc_has_no_payload(length: int, why: str) -> None:
    assert Frame(0, length).payload() is None, why


@pytest.mark.parametrize(
    ("step", "sent_bits", "received_bits", "total_us"),
    [
        ("REQA -> ATQA", 7, 16, 355.5),
        ("ANTICOLLISION -> UID and BCC", 16, 40, 714.2),
        ("SELECT -> SAK", 72, 24, 1138.9),
        ("READ -> 16 bytes", 32, 144, 1988.5),
    ],
)
def test_an_exchange_takes_as_long_as_the_standard_says(
    step: str, sent_bits: int, received_bits: int, total_us: float
) -> None:
    etu = pcd_frame_etu(sent_bits) + picc_frame_etu(received_bits)
    assert fc_to_ns(etu * ETU_FC + ANSWER_DELAY_FC) / 1000 == pytest.approx(total_us, abs=0.1), step


@given(st.integers(0, 10**9))
def test_carrier_periods_survive_the_way_to_nanoseconds_and_back(periods: int) -> None:
    assert abs(ns_to_fc(fc_to_ns(periods)) - periods) <= 1
    assert abs(fc_to_ns(periods) - periods * 1e9 / 13.56e6) < 1 + periods * 1e-7
