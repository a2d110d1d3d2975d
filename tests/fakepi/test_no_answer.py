"""Tests of the trace: why a frame on the air has no answer."""

from collections.abc import Callable

import pytest

from fakepi import Classic1K, ExactPhysics, FakePi, Ntag213
from fakepi.board import TracedField
from fakepi.iso14443 import HLTA, REQA, WUPA, Frame
from fakepi.mfrc522 import Reg

ANTICOLLISION = Frame.of(bytes((0x93, 0x20)))
UID = "04:A1:B2:C3:D4:E5:F6"


def dark(field: TracedField) -> None:
    field.lay(Ntag213(UID))
    field.exchange(REQA)


def empty(field: TracedField) -> None:
    field.switch(True)
    field.exchange(REQA)


def asleep(field: TracedField) -> None:
    field.switch(True)
    field.lay(Ntag213(UID))
    field.exchange(REQA)


def awake(field: TracedField, *tags: Ntag213 | Classic1K, strength: float = 1.0) -> None:
    for tag in tags or (Ntag213(UID),):
        field.lay(tag, strength=strength)
    field.switch(True)
    field._clock.advance_ns(2_000_000)


def half_selected(field: TracedField) -> None:
    awake(field)
    field.exchange(REQA)
    field.exchange(ANTICOLLISION)
    field.exchange(REQA)


def halted(field: TracedField) -> None:
    card = Classic1K("DE:AD:BE:EF")
    awake(field, card)
    field.exchange(REQA)
    field.exchange(Frame.with_crc(bytes.fromhex("9370DEADBEEF22")))
    field.exchange(Frame.with_crc(HLTA))
    field.exchange(REQA)


def halting(field: TracedField) -> None:
    halted(field)
    field.exchange(WUPA)
    field.exchange(Frame.with_crc(bytes.fromhex("9370DEADBEEF22")))
    field.exchange(Frame.with_crc(HLTA))


def not_called(field: TracedField) -> None:
    awake(field)
    field.exchange(ANTICOLLISION)


def unheard(field: TracedField) -> None:
    awake(field)
    field.miss = lambda _tag: True
    field.exchange(REQA)


def several(field: TracedField) -> None:
    awake(field, *(Ntag213(f"0{number}" + UID[2:]) for number in range(4)))
    field.exchange(ANTICOLLISION)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (dark, "the field is off"),
        (empty, "no tag in the field"),
        (asleep, "04:A1.. wakes at 1.000 ms"),
        (half_selected, "04:A1.. was READY, now IDLE"),
        (halted, "DE:AD.. is halted"),
        (halting, "DE:AD.. was ACTIVE, now HALT"),
        (not_called, "04:A1.. is IDLE"),
        (unheard, "04:A1.. answered, but the reader did not receive it"),
        (several, "00:A1.. is IDLE; 01:A1.. is IDLE; and 2 more"),
    ],
)
def test_the_trace_says_why_nothing_is_heard(
    act: Callable[[TracedField], None], reason: str
) -> None:
    pi = FakePi(physics=ExactPhysics())
    act(pi.field)
    assert pi.trace.lines()[-1].endswith(f" -> no answer: {reason}")


def test_a_tag_that_gets_too_little_power_is_named() -> None:
    pi = FakePi()
    awake(pi.field, strength=0.01)
    pi.field.exchange(REQA)
    assert pi.trace.lines()[-1].endswith("no answer: 04:A1.. gets too little power")


def test_an_answer_has_no_reason() -> None:
    pi = FakePi(physics=ExactPhysics())
    awake(pi.field)
    pi.field.exchange(REQA)
    assert pi.trace.lines()[-1].endswith("REQA -> 44 00")


@pytest.mark.parametrize(
    ("register", "value", "reason"),
    [
        (Reg.TX_ASK, 0x00, "tags receive 100 % ASK only (bit 6 of TxASKReg)"),
        (Reg.MF_RX, 0x10, "frames without parity are not emulated (bit 4 of MfRxReg)"),
        (Reg.TX_MODE, 0x10, "tags receive 106 kbit/s only (bits 6 to 4 of TxModeReg)"),
    ],
)
def test_a_frame_that_no_tag_can_hear_is_in_the_trace(
    register: int, value: int, reason: str
) -> None:
    pi = FakePi(physics=ExactPhysics())
    pi.field.lay(Ntag213(UID))
    settings = {Reg.TX_CONTROL: 0x83, Reg.TX_ASK: 0x40, register: value}
    send = ((Reg.FIFO_DATA, 0x26), (Reg.COMMAND, 0x0C), (Reg.BIT_FRAMING, 0x87))
    for number, setting in settings.items():
        pi.spi(0, 0).xfer2([number << 1, setting])
    pi.clock.advance(0.01)
    for number, setting in send:
        pi.spi(0, 0).xfer2([number << 1, setting])
    assert pi.trace.lines()[-1].endswith(f"air 0.0   REQA -> no answer: {reason}")
