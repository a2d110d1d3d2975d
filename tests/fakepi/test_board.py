"""Tests of FakePi: parts on buses and pins, faults, programs."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from fakepi import PI_ZERO_2, Classic1K, Desfire, ExactPhysics, FakePi, Ntag213, Ultralight
from fakepi.board import TracedSpi
from fakepi.mfrc522 import Reg
from fakepi.picc import Picc
from tests.fakepi.pcd import Pcd

VERSION = [Reg.VERSION << 1 | 0x80, 0]
UID = "04:A1:B2:C3:D4:E5:F6"


def version(device: TracedSpi) -> int:
    return device.xfer2(VERSION)[1]


def ask(pi: FakePi) -> int:
    """Send a REQA with the first reader, and return the number of bytes in the FIFO after 5 ms."""
    device = pi.spi(0, 0)

    def write(register: int, value: int) -> None:
        device.xfer2([register << 1, value])

    write(Reg.TX_ASK, 0x40)
    write(Reg.TX_CONTROL, 0x83)
    pi.clock.advance(0.01)
    write(Reg.FIFO_LEVEL, 0x80)
    write(Reg.FIFO_DATA, 0x26)
    write(Reg.COMMAND, 0x0C)
    write(Reg.BIT_FRAMING, 0x87)
    pi.clock.advance(0.005)
    level = device.xfer2([Reg.FIFO_LEVEL << 1 | 0x80, 0])[1]
    write(Reg.COMMAND, 0x00)
    return level


def test_a_tag_answers_while_it_lies_on_the_reader() -> None:
    pi = FakePi()
    tag = Ntag213(UID)
    assert ask(pi) == 0
    pi.field.lay(tag)
    assert ask(pi) == 2
    pi.field.lift(tag)
    assert ask(pi) == 0


@pytest.mark.parametrize("uid", ["04:A1", "04-A1-B2-C3-D4-E5-F6-07", "04:A1:B2:C3:D4:E5:XX"])
def test_a_uid_that_no_such_tag_has_is_refused(uid: str) -> None:
    with pytest.raises(ValueError, match="UID"):
        Ntag213(uid)


def test_readers_with_select_pins_share_a_chip_select() -> None:
    readers = [
        {"chip": "mfrc522", "select": 22, "profile": "nxp-91"},
        {"chip": "mfrc522", "select": 23},
    ]
    pi = FakePi({"spi": {"0.0": readers}})
    for number in (22, 23):
        pi.pins[number].make_output(1)
    assert version(pi.spi(0, 0)) == 0x00
    pi.pins[22].write(0)
    assert version(pi.spi(0, 0)) == 0x91
    assert list(pi.fields) == ["0.0/22", "0.0/23"]


def test_the_reset_pin_resets_the_chip_and_is_pulled_up() -> None:
    pi = FakePi()
    assert version(pi.spi(0, 0)) == 0x92
    pi.pins[25].make_output(0)
    assert version(pi.spi(0, 0)) == 0x00


def test_an_interrupt_reaches_its_pin() -> None:
    pi = FakePi()
    pi.field.lay(Ntag213(UID))
    levels: list[int] = []
    pi.pins[24].watch(levels.append)
    pi.spi(0, 0).xfer2([Reg.COM_I_EN << 1, 0xA0])  # RxIEn; IRQ is active low
    assert levels == []
    ask(pi)
    assert levels == [0]


@pytest.mark.parametrize("where", [(0, 1), (1, 0)])
def test_where_nothing_is_wired_there_is_nothing(where: tuple[int, int]) -> None:
    with pytest.raises(LookupError, match="no chip is wired to SPI"):
        FakePi().spi(*where)


def test_a_pi_without_parts_says_so() -> None:
    pi = FakePi({})
    with pytest.raises(LookupError, match="no reader"):
        _ = pi.field
    with pytest.raises(LookupError, match="no display"):
        _ = pi.oled
    with pytest.raises(LookupError, match="no chip is wired to I2C bus 1, address 0x3C"):
        pi.i2c(1, 0x3C)
    with pytest.raises(LookupError, match="nothing is wired to I2C bus 0"):
        pi.i2c(0)


def test_the_display_is_a_picture_and_a_text() -> None:
    pi = FakePi()
    assert not pi.oled.is_lit
    bus = pi.i2c(1)
    bus.try_lock()
    bus.writeto(0x3C, bytes((0x00, 0x8D, 0x14, 0x20, 0x00, 0xA1, 0xC8, 0xAF)))
    bus.writeto(0x3C, bytes((0x40, 0x01, *bytes(1023))))
    assert pi.oled.is_lit
    assert pi.oled.image.size == (128, 64)
    assert pi.oled.image.getbbox() == (0, 0, 1, 1)
    lines = pi.oled.text().splitlines()
    assert (len(lines), len(lines[1])) == (18, 66)
    assert lines[1][1] == "\u2801"
    assert set("".join(lines[1:-1])) == {"|", "\u2800", "\u2801"}


def test_a_pn532_and_a_strip_can_be_wired() -> None:
    pi = FakePi({"i2c": {"1.0x24": "pn532"}, "spi": {"0.1": {"chip": "ws2812", "count": 3}}})
    assert pi.i2c(1, 0x24).present
    assert list(pi.fields) == ["1.0x24"]
    assert pi.strips["0.1"].colours == ((0, 0, 0),) * 3


def test_an_encoder_turns_and_a_worn_button_bounces() -> None:
    wiring = {"pins": {"5": {"part": "encoder", "b": 6}, "17": {"part": "button", "bounces": True}}}
    pi = FakePi(wiring, seed=1)
    for number in (5, 6, 17):
        pi.pins[number].make_input("up")
    edges: list[int] = []
    for number in (5, 6):
        pi.pins[number].watch(edges.append)
    pi.encoders[5].turn(1)
    pi.clock.advance(0.1)
    assert len(edges) >= 4
    presses: list[int] = []
    pi.pins[17].watch(presses.append)
    for _ in range(10):
        pi.pins[17].press()
        pi.clock.advance(0.1)
        pi.pins[17].release()
        pi.clock.advance(0.1)
    assert len(presses) > 20
    assert presses[-1] == 1


def test_a_button_to_3v3_drives_the_pin_high() -> None:
    pi = FakePi({"pins": {"17": {"part": "button", "to": "3V3"}}})
    pi.pins[17].press()
    assert pi.pins[17].level == 1
    pi.pins[17].release()
    assert pi.pins[17].level == 0


@pytest.mark.parametrize(
    ("fault", "broken", "repaired"),
    [
        ("miso-low", 0x00, 0x92),
        ("miso-high", 0xFF, 0x92),
        ("unplugged", 0x00, 0x92),
        ("brownout", 0x92, 0x92),
    ],
)
def test_a_fault_breaks_the_reader_until_it_is_repaired(
    fault: str, broken: int, repaired: int
) -> None:
    pi = FakePi()
    pi.fault(fault, None if fault == "unplugged" else "0.0")
    pi.clock.advance(0.001)
    assert version(pi.spi(0, 0)) == broken
    pi.repair(fault)
    pi.clock.advance(0.001)
    assert version(pi.spi(0, 0)) == repaired


def test_a_brown_out_loses_the_settings_and_the_field() -> None:
    pi = FakePi()
    pi.spi(0, 0).xfer2([Reg.TX_CONTROL << 1, 0x83])
    assert pi.field.is_on
    pi.fault("brownout", "0.0")
    assert not pi.field.is_on


@pytest.mark.parametrize("fault", ["deaf", "hot", "noise"])
def test_a_tag_is_not_read_as_usual_during_a_fault(fault: str) -> None:
    pi = FakePi()
    pi.field.lay(Classic1K("A1:B2:C3:D4"))
    assert ask(pi) == 2
    pi.fault(fault)
    if fault == "noise":
        assert pi.field.noise is not FakePi().field.noise
    else:
        assert ask(pi) < 2


def test_a_held_bus_acknowledges_everything_and_reads_zeros() -> None:
    pi = FakePi()
    bus = pi.i2c(1)
    bus.try_lock()
    pi.fault("sda-held")
    read = bytearray(b"\xff")
    bus.readfrom_into(0x55, read)
    assert read == b"\x00"
    pi.repair("sda-held")
    with pytest.raises(OSError, match="acknowledged"):
        bus.readfrom_into(0x55, read)


def test_a_fault_with_a_wrong_name_is_refused() -> None:
    pi = FakePi()
    with pytest.raises(ValueError, match=r'no fault "brown-out"\. Did you mean "brownout"'):
        pi.fault("brown-out")
    with pytest.raises(LookupError, match=r'no part "0\.1"\. Parts that can: 0\.0$'):
        pi.fault("deaf", "0.1")
    with pytest.raises(LookupError, match=r"1\.0x3C cannot have it\. Parts that can: 0\.0$"):
        pi.fault("deaf", "1.0x3C")


def test_a_fault_of_all_parts_leaves_out_those_that_cannot_have_it() -> None:
    pi = FakePi({"spi": {"0.0": "mfrc522"}, "i2c": {"1.0x24": "pn532"}})
    pi.field.lay(Classic1K("A1:B2:C3:D4"))
    assert ask(pi) == 2
    pi.fault("deaf")
    pi.clock.advance(0.1)
    assert ask(pi) == 0


def test_a_part_may_be_named_in_small_letters() -> None:
    pi = FakePi()
    assert pi.displays["1.0x3c"] is pi.displays["1.0x3C"]
    pi.fault("unplugged", "1.0x3c")
    assert not pi.i2c(1, 0x3C).present
    assert pi.trace.last().endswith("fault     unplugged 1.0x3C")


def test_an_unknown_part_says_what_there_is() -> None:
    pi = FakePi()
    with pytest.raises(KeyError, match=r'no display "3C"; there is: "1\.0x3C"\''):
        pi.displays["3C"]
    with pytest.raises(KeyError, match=r'no reader "1\.0"; there is: "0\.0"\''):
        pi.fields["1.0"]
    with pytest.raises(KeyError, match=r'no LED strip "0\.1"; there is: none\''):
        pi.strips["0.1"]


def test_a_wiring_that_replaces_the_default_says_so() -> None:
    pi = FakePi({"pins": {20: "button"}}, wired_by="the marker of this test")
    note = r"the marker of this test replaces the whole default wiring, and has only \[pins\]"
    acts: tuple[Callable[[], object], ...] = (
        lambda: pi.spi(0, 0),
        lambda: pi.field,
        lambda: pi.oled,
        lambda: pi.displays["1.0x3C"],
        lambda: pi.uart("serial0"),
        lambda: pi.i2c(0),
    )
    for act in acts:
        with pytest.raises(LookupError, match=note):
            act()
    with pytest.raises(LookupError, match=r"SPI 0\.1$"):
        FakePi().spi(0, 1)


def test_a_pn532_has_no_faults_of_the_mfrc522() -> None:
    pi = FakePi({"i2c": {"1.0x24": "pn532"}})
    for fault in ("deaf", "hot", "miso-low"):
        with pytest.raises(LookupError, match="no part of the wiring can have it"):
            pi.fault(fault)
        with pytest.raises(LookupError, match=r"1\.0x24 cannot have it"):
            pi.fault(fault, "1.0x24")


def test_a_program_runs_until_ctrl_c(tmp_path: Path) -> None:
    pi = FakePi()
    program = tmp_path / "endless.py"
    program.write_text("import builtins\nwhile True:\n    builtins.fakepi_clock.advance(0.1)\n")
    import builtins

    builtins.fakepi_clock = pi.clock  # type: ignore[attr-defined]
    try:
        assert pi.run(program, seconds=1) == {}
    finally:
        del builtins.fakepi_clock  # type: ignore[attr-defined]
    assert pi.clock.now() == pytest.approx(1, abs=0.11)


def test_a_program_that_ends_returns_its_names_and_gets_no_ctrl_c(tmp_path: Path) -> None:
    pi = FakePi()
    program = tmp_path / "short.py"
    program.write_text("answer = 42\n")
    assert pi.run(program, seconds=1)["answer"] == 42
    pi.clock.advance(2)


WAKE_UP = b"\x55" + bytes(6)
GET_FIRMWARE = WAKE_UP + bytes.fromhex("0000FF02FED4022A00")


def test_a_pn532_answers_at_its_uart() -> None:
    pi = FakePi({"uart": {"ttyS0": "pn532"}})
    uart = pi.uart("ttyS0")
    assert uart.write(GET_FIRMWARE) == len(GET_FIRMWARE)
    answer = uart.read(19) or b""
    assert answer[:6] == bytes.fromhex("0000FF00FF00")  # the acknowledgement
    assert answer[11:17] == bytes.fromhex("D50332010607")
    assert list(pi.fields) == ["ttyS0"]
    assert "uart ttyS0" in str(pi.trace)
    with pytest.raises(LookupError, match="nothing is wired to the UART serial0"):
        pi.uart("serial0")
    with pytest.raises(LookupError, match=r"ttyS0 cannot have it\. Parts that can: none"):
        pi.fault("miso-low", "ttyS0")
    pi.fault("unplugged")
    uart.write(GET_FIRMWARE)
    assert uart.read(19) is None


def test_a_uart_at_the_wrong_rate_hears_nothing() -> None:
    pi = FakePi({"uart": {"ttyS0": "pn532"}})
    uart = pi.uart("ttyS0")
    uart.baud = 9600
    uart.write(GET_FIRMWARE)
    assert uart.read(19) is None
    uart.baud = 115_200
    uart.write(GET_FIRMWARE)
    assert len(uart.read(19) or b"") == 19


def test_a_picture_without_pillow_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"fakepi\.oled\.image needs Pillow: pip install pillow"):
        _ = FakePi().oled.image


def test_an_encoder_that_is_not_wired_is_named() -> None:
    with pytest.raises(KeyError, match="no encoder is wired at GPIO5"):
        FakePi().encoders[5].turn(1)


@pytest.mark.parametrize("tag", [Desfire, Ntag213, Ultralight])
def test_a_tag_takes_its_uid_as_people_write_it(tag: Callable[[str], Picc]) -> None:
    pi = FakePi()
    pi.field.lay(tag("04:A1:B2:C3:D4:E5:F6"))
    assert pi.field.piccs[0].uid == bytes.fromhex("04A1B2C3D4E5F6")
    with pytest.raises(ValueError, match="7-byte UID, not 4 bytes"):
        tag("04:A1:B2:C3")


# Physics and the computer


def wake_ms(pi: FakePi) -> float:
    """Return the time from a new tag to its first answer, in steps of about 0.7 ms."""
    pcd = Pcd()
    pcd.clock, pcd.bus = pi.clock, pi.spi(0, 0)
    pcd.start()
    begin = pi.clock.now()
    pi.field.lay(Ntag213("04:A1:B2:C3:D4:E5:F6"))
    while pcd.call().is_silence:
        assert pi.clock.now() < begin + 0.05
    return (pi.clock.now() - begin) * 1000


def test_the_seed_decides_when_a_tag_wakes() -> None:
    times = [wake_ms(FakePi(seed=seed)) for seed in range(20)]
    assert times == [wake_ms(FakePi(seed=seed)) for seed in range(20)]
    assert min(times) < 1.5 < max(times)


def test_the_physics_can_be_chosen() -> None:
    exact = [wake_ms(FakePi(physics=ExactPhysics(20_000_000), seed=seed)) for seed in range(3)]
    assert len(set(exact)) == 1
    assert 20 < exact[0] < 22


def work_us(pi: FakePi) -> tuple[float, float, float]:
    """Return the time of a transfer of two bytes, a sleep of 1 ms, and a call for a pin."""
    times = []
    for work in (
        partial(pi.spi(0, 0).xfer2, VERSION),
        partial(pi.clock.sleep, 0.001),
        pi.clock.spend_pin_call,
    ):
        begin = pi.clock.now_ns
        work()
        times.append((pi.clock.now_ns - begin) / 1000)
    return times[0], times[1], times[2]


def test_without_a_host_work_takes_exactly_its_time() -> None:
    assert {work_us(FakePi(seed=seed)) for seed in range(20)} == {(38, 1000, 10)}


def test_a_host_has_its_jitter() -> None:
    seen = [work_us(FakePi(host=PI_ZERO_2, seed=seed)) for seed in range(50)]
    assert seen == [work_us(FakePi(host=PI_ZERO_2, seed=seed)) for seed in range(50)]
    transfer, sleep, pin = (sorted(times) for times in zip(*seen, strict=True))
    assert 80 < transfer[25] < 120
    assert 1070 < sleep[25] < 1110
    assert 60 < pin[25] < 100
    assert all(len(set(times)) == 50 for times in (transfer, sleep, pin))


def test_a_display_that_is_unplugged_in_a_transfer_fails_it() -> None:
    pi = FakePi()
    bus = pi.i2c(1)
    bus.try_lock()
    bus.writeto(0x3C, b"\x00\x8d\x14\xaf")
    pi.clock.call_after(0.01, lambda: pi.fault("unplugged", "1.0x3C"))
    with pytest.raises(OSError, match="0x3C no longer acknowledges"):
        bus.writeto(0x3C, b"\x40" + bytes(1024))
    cut = round((0.01 - 10 * 2.5e-6) / (9 * 2.5e-6) + 0.5)
    assert pi.trace.lines()[-2].endswith(
        "i2c 1.0x3C 1024 data bytes REFUSED: [Errno 121] I2C address 0x3C no longer acknowledges "
        f"(cut at byte {cut} of 1025)"
    )
    assert pi.trace.lines()[-1].endswith("fault     unplugged 1.0x3C")


def test_what_a_data_sheet_does_not_define_is_listed_by_part() -> None:
    pi = FakePi({"spi": {"0.0": {"chip": "mfrc522", "undefined": "record"}}})
    assert pi.undefined_bytes == {}
    pi.spi(0, 0).xfer2([0x00, 0x55])
    found = "register 00h is reserved (MFRC522 data sheet, table 20)"
    assert pi.undefined_bytes == {"the reader 0.0": [found]}
    with pytest.raises(ValueError, match="register 00h is reserved"):
        FakePi().spi(0, 0).xfer2([0x00, 0x55])


def test_a_uid_that_is_a_number_is_explained() -> None:
    with pytest.raises(TypeError, match=r'a UID is a string, not a number\. Write "DE:AD:BE:EF"'):
        Classic1K(0xDEADBEEF)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match='Write "00:00:00:00:00:00:12"'):
        Ntag213(0x12)  # type: ignore[arg-type]
