"""The emulated PN532 reader chip: frames on I2C, SPI or UART, and tags in its RF field.

A `Pn532` is the chip. The host reaches it through one port: `Pn532I2c`, `Pn532Spi` or `Pn532Uart`.
The host sends a command in a frame; the chip answers with an ACK frame, and then with a response.

May import: the standard library and fakepi.
Source: PN532 user manual, UM0701-02 rev 02, named "UM" below: 6.2 (frames and host links), 7.1
(error codes), 7.2 and 7.3 (commands). PN532/C1 data sheet, rev 3.6, for the power modes.

Simplified: the chip is an initiator for ISO/IEC 14443 Type A at 106 kbit/s only; other commands of
the manual raise NotImplementedError. It sends no RATS, so a tag of ISO/IEC 14443-4 is listed
without its ATS. It does not stretch the I2C clock. Leaving power-down needs no SAMConfiguration.
The times of ACK, response, wake-up and retry are assumptions; the manual gives limits only. Choices
where the manual says nothing: the search for targets begins with WUPA, because people see a
deselected MIFARE card listed again (libnfc issue 476); a frame with a wrong checksum is ignored; a
NAK is error 13h; a command byte that is not one of MIFARE goes to the tag as it is, with its CRC.
"""

from collections import deque
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from enum import IntFlag
from functools import partial, reduce
from operator import xor
from random import Random
from typing import NamedTuple, TypeAlias

from fakepi import crypto1
from fakepi.clock import NS_PER_S, VirtualClock
from fakepi.field import Received, RfField
from fakepi.iso14443 import (
    ETU_FC,
    HLTA,
    NVB_WHOLE,
    REQA,
    SAK_INCOMPLETE,
    SEL,
    WUPA,
    Frame,
    bits_reversed,
    fc_to_ns,
    pcd_frame_etu,
    picc_frame_etu,
)
from fakepi.spi import SpiChip

# Frames: UM, 6.2.1
ACK = bytes.fromhex("0000FF00FF00")
NACK = bytes.fromhex("0000FFFF0000")
SYNTAX_ERROR = bytes.fromhex("0000FF01FF7F8100")
START_CODE = b"\x00\xff"
HOST_TO_CHIP, CHIP_TO_HOST = 0xD4, 0xD5
NORMAL_BYTES = 255  # the most in a normal information frame; longer ones are extended

FIRMWARE = bytes.fromhex("32010607")  # PN532, version 1.6; ISO/IEC 14443 A and B, and 18092
I2C_ADDRESS = 0x24
UART_BAUD = 115_200
UART_BITS_PER_BYTE = 10

# Assumed times.
ACK_NS = 500_000
COMMAND_NS = 500_000  # from the ACK to the start of the work
WAKE_NS = 500_000  # the crystal's start; what the host sends meanwhile is lost
FIELD_ON_NS = 5_000_000  # the guard time before the first command. ISO/IEC 14443-3, 5.1
RETRY_NS = 5_000_000  # between two searches for a target
SILENCE_NS = 400_000  # after a frame of the anticollision
HALT_NS = 1_000_000  # silence acknowledges HLTA. ISO/IEC 14443-3, 6.4.3
WRITE_NS = 5_000_000  # silence acknowledges the operand of a value operation. MF1S50YYX_V1, 12.6
RETRY_TIMEOUT_CODE = 0x0A  # 51.2 ms. UM, 7.3.1, item 02h
INFINITE = 0xFF

# Error codes: UM, 7.1
OK, TIME_OUT, CRC_ERROR, PARITY_ERROR = 0x00, 0x01, 0x02, 0x03
WRONG_FORMAT, AUTHENTICATION_ERROR, WRONG_CONTEXT = 0x13, 0x14, 0x27

# MIFARE commands, as the host gives them to InDataExchange. UM, 7.3.8
AUTHENTICATIONS = (0x60, 0x61)
READ, WRITE_16, WRITE_4, TRANSFER = 0x30, 0xA0, 0xA2, 0xB0
VALUE_OPERATIONS = (0xC0, 0xC1, 0xC2)
TAG_ACK = Frame(0xA, 4)

# Commands of the manual that are not emulated. UM, 7.2 to 7.3
NOT_EMULATED = frozenset(bytes.fromhex("0006080C0E10464E50565860 86888A8C8E909294"))


class HostLink(IntFlag):
    """The host links, as bits of PowerDown's WakeUpEnable (UM, 7.2.11)."""

    I2C = 0x80
    SPI = 0x20
    UART = 0x10


class _OnAir(NamedTuple):
    """A frame for the tags, and the time in ns to wait for an answer."""

    frame: Frame
    timeout_ns: int = SILENCE_NS


# A command at work: it yields a frame, or nanoseconds to wait, and gets the tags' answer.
_Work: TypeAlias = Generator[_OnAir | int, Received | None, bytes]
_Search: TypeAlias = Generator[_OnAir | int, Received | None, "_Target | None"]


class _SyntaxError(Exception):
    """The chip does not understand a command, and answers with the error frame."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A tag that was selected."""

    uid: bytes
    atqa: bytes  # high byte first, as in the response
    sak: int

    def record(self, number: int) -> bytes:
        """Return the target's part of the response (UM, 7.3.5)."""
        return bytes((number, *self.atqa, self.sak, len(self.uid), *self.uid))


def information_frame(content: bytes) -> bytes:
    """Return the frame for *content* (TFI, data); an extended one above 255 bytes (UM, 6.2.1)."""
    if len(content) <= NORMAL_BYTES:
        header = bytes((len(content), -len(content) & 0xFF))
    else:
        length = len(content).to_bytes(2, "big")
        header = b"\xff\xff" + length + bytes((-sum(length) & 0xFF,))
    return b"\x00" + START_CODE + header + content + bytes((-sum(content) & 0xFF, 0x00))


class FrameFinder:
    """A parser of frames in the bytes that the host sends (UM, 6.2.1)."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def clear(self) -> None:
        """Drop the beginning of a frame."""
        self._bytes.clear()

    def feed(self, byte: int) -> bytes | None:
        """Return ACK, NACK, or the content of the frame that *byte* completes, else None."""
        self._bytes.append(byte)
        start = self._bytes.find(START_CODE)
        if start < 0:
            del self._bytes[:-1]
            return None
        found = self._parse(bytes(self._bytes[start + len(START_CODE) :]))
        if found is not None:
            self.clear()
        return found or None

    def _parse(self, body: bytes) -> bytes | None:
        """Return the frame in *body*, empty bytes if it is damaged, or None if it is incomplete."""
        if body[:2] == b"\x00\xff":
            return ACK
        if body[:2] == b"\xff\x00":
            return NACK
        first = 2 if body[:2] == b"\xff\xff" else 0  # where the length is: extended or normal
        header = 5 if first else 2
        if len(body) < header:
            return None
        if sum(body[first:header]) & 0xFF:
            return b""
        end = header + int.from_bytes(body[first : header - 1], "big")
        if len(body) <= end:
            return None
        return b"" if sum(body[header : end + 1]) & 0xFF else body[header:end]


class Pn532:
    """One PN532 with its antenna; connect it by a port.

    It starts asleep (libnfc issue 15; Adafruit-PN532 pull request 26). Traffic from the host wakes
    the chip; after PowerDown, only traffic on an enabled link does. Except on I2C, everything that
    the host sends in the first half millisecond is lost.

    Args:
        clock: the clock of the chip and of the frames on the air.
        field: the RF field of its antenna.
        firmware: the answer to GetFirmwareVersion: IC, Ver, Rev, Support.
        starts_asleep: False for a chip that is awake when it gets power.
        chance: draws the nonces of authentications.
    """

    def __init__(
        self,
        clock: VirtualClock,
        field: RfField,
        *,
        firmware: bytes = FIRMWARE,
        starts_asleep: bool = True,
        chance: Random | None = None,
    ) -> None:
        self.clock = clock
        self.field = field
        self._firmware = firmware
        self._chance = chance or Random(0)
        self._has_power = True
        self._is_released = True  # RSTPD_N is high
        self._work_number = 0
        self._starts_asleep = self._is_asleep = starts_asleep
        self._own_commands: Mapping[int, Callable[[bytes], bytes]] = {
            0x02: self._get_firmware_version,
            0x04: self._get_general_status,
            0x12: self._set_parameters,
            0x14: self._configure_sam,
            0x16: self._power_down,
            0x32: self._configure_rf,
        }
        self._radio_commands: Mapping[int, Callable[[bytes], _Work]] = {
            0x40: self._exchange_data,
            0x42: self._communicate_through,
            0x44: self._deselect,
            0x4A: self._list_passive_targets,
            0x52: self._release,
            0x54: self._select_target,
        }
        self._reset()

    # Power

    def power(self, is_on: bool) -> None:
        """Connect or cut the supply. All state is lost."""
        self._has_power = is_on
        self._reset()

    def reset_pin(self, level: bool) -> None:
        """Drive RSTPD_N. Low holds the chip in reset."""
        self._is_released = level
        self._reset()

    @property
    def irq_pin(self) -> bool:
        """The level of P70_IRQ: low while a frame is ready for the host."""
        return not self.is_ready

    def wakes_by(self, link: HostLink) -> bool:
        """Return True if the chip is awake, or if traffic on *link* wakes it."""
        is_on = self._has_power and self._is_released
        return is_on and (not self._is_asleep or bool(self._wakes_by & link))

    def wake(self, link: HostLink) -> None:
        """Let traffic on *link* wake the chip, if that was enabled (UM, 7.2.11)."""
        if self._is_asleep and self.wakes_by(link):
            self._is_asleep = False
            # On I2C the chip would hold the clock until it is awake, so no byte is lost.
            self._awake_ns = self.clock.now_ns + (0 if link is HostLink.I2C else WAKE_NS)

    def _reset(self) -> None:
        self._is_asleep = self._starts_asleep
        self._wakes_by = HostLink.I2C | HostLink.SPI | HostLink.UART
        self._awake_ns = 0
        self._goes_to_sleep = False
        self._finder = FrameFinder()
        self._outbox: deque[tuple[int, bytes]] = deque()
        self._last = b""
        self._targets: dict[int, _Target] = {}
        self._selected: _Target | None = None
        self._session: bytes | None = None
        self._activation_retries = INFINITE
        self._timeout_ns = _timeout_ns(RETRY_TIMEOUT_CODE)
        self._work_number += 1
        self.field.switch(False)

    # The host's side

    @property
    def is_ready(self) -> bool:
        """True if a frame is ready for the host."""
        return bool(self._outbox) and self._outbox[0][0] <= self.clock.now_ns

    @property
    def ready_ns(self) -> int:
        """The time at which the next frame was ready; call it only if one `is_ready`."""
        return self._outbox[0][0]

    def take(self) -> bytes:
        """Return the next frame for the host, which must be ready."""
        _, self._last = self._outbox.popleft()
        if self._goes_to_sleep and not self._outbox:
            self._goes_to_sleep = False
            self._is_asleep = True
        return self._last

    def begin_frame(self) -> None:
        """Drop the beginning of a frame that the host has not completed."""
        self._finder.clear()

    def hear(self, data: bytes) -> None:
        """Receive *data* from the host. Data are lost while the chip is asleep or waking."""
        if self._is_asleep or not self._has_power or not self._is_released:
            return
        for byte in data:
            if self.clock.now_ns < self._awake_ns:
                continue
            frame = self._finder.feed(byte)
            if frame is not None:
                self._obey(frame)

    def _obey(self, frame: bytes) -> None:
        """Handle a frame: ACK stops the current command, NACK asks for the last frame again."""
        now = self.clock.now_ns
        if frame is NACK:
            if self._last:
                self._outbox.appendleft((now, self._last))
            return
        self._work_number += 1  # a new command stops the one before. UM, 6.2.2.1
        self._goes_to_sleep = False
        self._outbox.clear()
        if frame is ACK:
            return
        self._outbox.append((now + ACK_NS, ACK))
        command = frame[1] if len(frame) > 1 and frame[0] == HOST_TO_CHIP else -1
        if command in NOT_EMULATED:
            raise NotImplementedError(f"PN532 command {command:02X}h is not emulated")
        work = self._execute(command, frame[2:])
        step = partial(self._continue, self._work_number, command, work, None)
        self.clock.call_at(now + ACK_NS + COMMAND_NS, step)

    def _execute(self, command: int, parameters: bytes) -> _Work:
        """Execute a command and return the data of its response."""
        if own := self._own_commands.get(command):
            return own(parameters)
        if radio := self._radio_commands.get(command):
            return (yield from radio(parameters))
        raise _SyntaxError

    def _continue(self, number: int, command: int, work: _Work, heard: Received | None) -> None:
        """Let *work* do its next step, unless another command has stopped it."""
        if number != self._work_number:
            return
        now = self.clock.now_ns
        try:
            step = work.send(heard)
        except StopIteration as end:
            content = bytes((CHIP_TO_HOST, command + 1)) + end.value
            self._outbox.append((now, information_frame(content)))
        except _SyntaxError:
            self._outbox.append((now, SYNTAX_ERROR))
        else:
            heard, duration_ns = (None, step) if isinstance(step, int) else self._transmit(step)
            self.clock.call_at(
                now + duration_ns, partial(self._continue, number, command, work, heard)
            )

    # Commands for the chip itself: UM, 7.2 and 7.3.1

    def _get_firmware_version(self, parameters: bytes) -> bytes:
        _expect(not parameters)
        return self._firmware

    def _get_general_status(self, parameters: bytes) -> bytes:
        """Return the last error (none), the field, and the targets at 106 kbit/s, MIFARE."""
        _expect(not parameters)
        targets = b"".join(bytes((number, 0x00, 0x00, 0x10)) for number in self._targets)
        return bytes((OK, self.field.is_on, len(self._targets))) + targets + b"\x00"

    def _set_parameters(self, parameters: bytes) -> bytes:
        _expect(len(parameters) == 1)
        return b""

    def _configure_sam(self, parameters: bytes) -> bytes:
        _expect(1 <= len(parameters) <= 3 and 1 <= parameters[0] <= 4)
        return b""

    def _power_down(self, parameters: bytes) -> bytes:
        _expect(1 <= len(parameters) <= 2)
        self._wakes_by = HostLink(parameters[0] & 0xB0)
        self._goes_to_sleep = True
        self._targets.clear()
        self._forget_selection()
        self.field.switch(False)
        return bytes((OK,))

    def _configure_rf(self, parameters: bytes) -> bytes:
        """Switch the field on or off, or set timeouts and retries. Ignore analog settings."""
        _expect(bool(parameters))
        item, data = parameters[0], parameters[1:]
        lengths = {0x01: 1, 0x02: 3, 0x04: 1, 0x05: 3, 0x0A: 11, 0x0B: 8, 0x0C: 3, 0x0D: 9}
        _expect(lengths.get(item) == len(data))
        if item == 0x01:
            self.field.switch(bool(data[0] & 0x01))
        elif item == 0x02:
            _expect(data[2] <= 0x10)
            self._timeout_ns = _timeout_ns(data[2])
        elif item == 0x05:
            self._activation_retries = data[2]
        return b""

    # Commands for the tags: UM, 7.3

    def _list_passive_targets(self, parameters: bytes) -> _Work:
        """Search until a tag is found, or until the retries are used up (UM, 7.3.5)."""
        _expect(len(parameters) >= 2 and 1 <= parameters[0] <= 2 and parameters[1] <= 0x04)
        if parameters[1]:
            raise NotImplementedError("the emulated PN532 lists Type A targets at 106 kbit/s only")
        most, wanted = parameters[0], _without_cascade_tags(parameters[2:])
        self._targets.clear()
        self._forget_selection()
        if not self.field.is_on:
            self.field.switch(True)
            yield FIELD_ON_NS
        retries = self._activation_retries
        while not (found := (yield from self._find(WUPA, wanted))) and retries:
            yield RETRY_NS
            retries -= retries != INFINITE
        while found:
            self._targets[len(self._targets) + 1] = found
            if len(self._targets) == most:
                break
            yield from self._halt()
            found = yield from self._find(REQA, b"")
        records = b"".join(target.record(number) for number, target in self._targets.items())
        return bytes((len(self._targets),)) + records

    def _exchange_data(self, parameters: bytes) -> _Work:
        """Carry out a MIFARE command on a target, or send the bytes to it (UM, 7.3.8)."""
        _expect(len(parameters) >= 2)
        target, data = self._targets.get(parameters[0]), parameters[1:]
        if target is None:
            return bytes((WRONG_CONTEXT,))
        if not (yield from self._reach(target)):
            return bytes((TIME_OUT,))
        if data[0] in AUTHENTICATIONS:
            return (yield from self._authenticate(data))
        if data[0] in (WRITE_16, *VALUE_OPERATIONS):
            return (yield from self._write_in_two_parts(data))
        heard = yield from self._send(data)
        return _acknowledgement(heard) if data[0] in (WRITE_4, TRANSFER) else _answer(heard)

    def _communicate_through(self, parameters: bytes) -> _Work:
        """Send bytes and their CRC to the selected tag (UM, 7.3.9)."""
        _expect(bool(parameters))
        return _answer((yield from self._send(parameters)))

    def _select_target(self, parameters: bytes) -> _Work:
        _expect(len(parameters) == 1)
        target = self._targets.get(parameters[0])
        if target is None:
            return bytes((WRONG_CONTEXT,))
        return bytes((OK if (yield from self._reach(target)) else TIME_OUT,))

    def _deselect(self, parameters: bytes) -> _Work:
        """Halt the selected tag, but keep its number (UM, 7.3.10)."""
        _expect(len(parameters) == 1)
        number = parameters[0]
        if number and number not in self._targets:
            return bytes((WRONG_CONTEXT,))
        if self._selected and (not number or self._targets[number] == self._selected):
            yield from self._halt()
        return bytes((OK,))

    def _release(self, parameters: bytes) -> _Work:
        """Deselect, and forget the target (UM, 7.3.11); 0 means all of them."""
        status = yield from self._deselect(parameters)
        if parameters[0]:
            self._targets.pop(parameters[0], None)
        else:
            self._targets.clear()
        return status

    # Tags

    def _transmit(self, step: _OnAir) -> tuple[Received | None, int]:
        """Send a frame; return the answer, or None, and the total time in ns."""
        frame, timeout_ns = step
        heard = self.field.exchange(frame)
        sent_ns = fc_to_ns(ETU_FC * pcd_frame_etu(frame.length))
        if heard is None:
            return None, sent_ns + timeout_ns
        return heard, sent_ns + fc_to_ns(heard.delay_fc + ETU_FC * picc_frame_etu(heard.length))

    def _send(self, data: bytes) -> Generator[_OnAir, Received | None, Received | None]:
        """Send *data* and their CRC to the selected tag, and return its answer."""
        frame = Frame.with_crc(data)._replace(session=self._session)
        return (yield _OnAir(frame, self._timeout_ns))

    def _forget_selection(self) -> None:
        self._selected = self._session = None

    def _halt(self) -> Generator[_OnAir, Received | None, None]:
        frame = Frame.with_crc(HLTA)._replace(session=self._session)
        yield _OnAir(frame, HALT_NS)
        self._forget_selection()

    def _reach(self, target: _Target) -> Generator[_OnAir | int, Received | None, bool]:
        """Select *target* if it is not selected; return False if it does not answer."""
        if self._selected == target:
            return True
        if self._selected:
            yield from self._halt()
        return (yield from self._find(WUPA, target.uid)) is not None

    def _find(self, call: Frame, wanted: bytes) -> _Search:
        """Send *call* (REQA or WUPA) and select a tag: any, or the one with the UID *wanted*."""
        self._forget_selection()
        heard = yield _OnAir(call)
        if heard is None or heard.length != 16:
            return None
        atqa = heard.bits.to_bytes(2, "big")
        known = _uid_parts(wanted)
        uid = b""
        for level, sel in enumerate(SEL):
            part = known[level] if level < len(known) else (yield from self._resolve(sel))
            heard = yield _OnAir(Frame.with_crc(bytes((sel, NVB_WHOLE)) + part))
            sak = _payload(heard)
            if len(part) != 5 or sak is None or len(sak) != 1:
                return None
            if not sak[0] & SAK_INCOMPLETE:
                self._selected = _Target(uid + part[:4], atqa, sak[0])
                return self._selected
            uid += part[1:4]
        return None

    def _resolve(self, sel: int) -> Generator[_OnAir, Received | None, bytes]:
        """Return the UID part and BCC of one tag; empty if none answers without an error.

        *sel* is the SEL code of the cascade level. At a collision, the tags with a 1 are chosen.
        """
        bits = known = 0
        while True:
            nvb = (2 + known // 8) << 4 | known % 8
            heard = yield _OnAir(Frame(sel | nvb << 8 | bits << 16, 16 + known))
            if heard is None or heard.has_wrong_parity or heard.length != 40 - known:
                return b""
            if not heard.collisions:
                part = (bits | heard.bits << known).to_bytes(5, "little")
                return part if not reduce(xor, part) else b""
            first = heard.collisions & -heard.collisions
            bits |= (heard.bits & first - 1 | first) << known
            known += first.bit_length()

    def _authenticate(self, data: bytes) -> _Work:
        """Run the three passes of MIFARE (see fakepi.crypto1); *data* ends with key and UID."""
        _expect(len(data) >= 12)
        key, uid = data[2:8], data[-crypto1.NONCE_BYTES :]
        first = yield from self._send(data[:2])
        self._session = None
        if first is None or first.length != 8 * crypto1.NONCE_BYTES:
            return bytes((AUTHENTICATION_ERROR,))
        tag_nonce = first.bits.to_bytes(4, "little")
        nonce = self._chance.randbytes(crypto1.NONCE_BYTES)
        expected = crypto1.passes(key, uid, tag_nonce, nonce)
        second = yield _OnAir(Frame.of(nonce + expected.reader_answer), self._timeout_ns)
        if second is None or second.bits != int.from_bytes(expected.tag_answer, "little"):
            return bytes((AUTHENTICATION_ERROR,))
        self._session = expected.session
        return bytes((OK,))

    def _write_in_two_parts(self, data: bytes) -> _Work:
        """Send command and block, then the data. No answer to a value operation means success."""
        command = data[0]
        _expect(len(data) == 2 + (16 if command == WRITE_16 else 4))
        status = _acknowledgement((yield from self._send(data[:2])))
        if status[0] != OK:
            return status
        if command == WRITE_16:
            return _acknowledgement((yield from self._send(data[2:])))
        frame = Frame.with_crc(data[2:])._replace(session=self._session)
        heard = yield _OnAir(frame, WRITE_NS)
        return bytes((OK if heard is None else WRONG_FORMAT,))


def _expect(is_right: bool) -> None:
    if not is_right:
        raise _SyntaxError


def _timeout_ns(code: int) -> int:
    """Return the timeout in ns for a *code* of RFConfiguration (UM, 7.3.1); 0 means no timeout."""
    return 100_000 << code - 1 if code else 1 << 62


def _uid_parts(uid: bytes) -> list[bytes]:
    """Return *uid* as its parts with BCC, one for each cascade level; none for an empty UID."""
    if not uid:
        return []
    groups = [b"\x88" + uid[at : at + 3] for at in range(0, len(uid) - 4, 3)] + [uid[-4:]]
    return [group + bytes((reduce(xor, group),)) for group in groups]


def _without_cascade_tags(data: bytes) -> bytes:
    """Return the UID in *data*, the InitiatorData of InListPassiveTarget (UM, 7.3.5)."""
    _expect(len(data) in (0, 4, 8, 12))
    parts = [data[at : at + 4] for at in range(0, len(data), 4)]
    return b"".join([*(part[1:] for part in parts[:-1]), *parts[-1:]])


def _payload(heard: Received | None) -> bytes | None:
    """Return the bytes before the CRC; None if there is no answer or it has an error."""
    return None if heard is None else _frame(heard).payload()


def _frame(heard: Received) -> Frame:
    return Frame(heard.bits, heard.length, has_wrong_parity=heard.has_wrong_parity)


def _answer(heard: Received | None) -> bytes:
    """Return a status byte and the tag's answer without its CRC; only the status after an error."""
    if heard is None:
        return bytes((TIME_OUT,))
    if heard.length % 8:
        return bytes((WRONG_FORMAT,))
    if heard.has_wrong_parity:
        return bytes((PARITY_ERROR,))
    payload = _payload(heard)
    return bytes((CRC_ERROR,)) if payload is None else bytes((OK,)) + payload


def _acknowledgement(heard: Received | None) -> bytes:
    """Return the status byte for an answer of the tag that must be its ACK."""
    if heard is None:
        return bytes((TIME_OUT,))
    is_ack = Frame(heard.bits, heard.length) == TAG_ACK
    return bytes((OK if is_ack else WRONG_FORMAT,))


# Ports


class Pn532I2c:
    """The I2C port of a `Pn532`; attach it to an `I2cBus` (UM, 6.2.4).

    Each read begins with a status byte, 01h if a frame is ready. A read of more than one byte
    consumes the frame, even if the frame is longer.
    """

    address = I2C_ADDRESS
    acknowledges_reads = True

    def __init__(self, chip: Pn532) -> None:
        self._chip = chip

    @property
    def present(self) -> bool:
        """True if the chip acknowledges its address."""
        return self._chip.wakes_by(HostLink.I2C)

    def write(self, data: bytes) -> None:
        """Receive the bytes of one write. The address alone wakes the chip."""
        self._chip.wake(HostLink.I2C)
        self._chip.begin_frame()
        self._chip.hear(data)

    def read(self, count: int) -> bytes:
        """Return *count* bytes: the status, then the frame, then zeros."""
        self._chip.wake(HostLink.I2C)
        if not self._chip.is_ready:
            return bytes(count)
        frame = self._chip.take() if count > 1 else b""
        return (b"\x01" + frame).ljust(count, b"\0")[:count]


class Pn532Spi(SpiChip):
    """The SPI port of a `Pn532`, mode 0, low bit first (UM, 6.2.5).

    The first byte of a transfer says what follows: 01h is a frame to the chip, 02h the status (01h
    if a frame is ready), and 03h that frame. A frame may be read in several transfers. The chip
    loads each byte when the previous byte has left, so the next byte already leaves while the 03h
    of the next transfer arrives. The manual does not say so; the library pn532pi relies on it.
    """

    DATA_WRITE, STATUS_READ, DATA_READ = 0x01, 0x02, 0x03

    def __init__(self, chip: Pn532) -> None:
        self._chip = chip
        self._rest = b""  # of the frame that the host is reading
        self._loaded = 0x00
        self._operation: int | None = None

    def select(self) -> None:
        """Begin a transfer: NSS falls, which wakes the chip."""
        self._operation = None
        self._chip.wake(HostLink.SPI)

    def shift_out(self) -> int:
        """Return the byte on MISO."""
        is_status = self._operation == self.STATUS_READ
        value = bool(self._rest) or self._chip.is_ready if is_status else self._loaded
        return bits_reversed(bytes((value,)))[0]

    def shift_in(self, value: int) -> None:
        """Receive the operation, or a byte of the host's frame."""
        byte = bits_reversed(bytes((value,)))
        if self._operation is None:
            self._begin(byte[0])
        elif self._operation == self.DATA_WRITE:
            self._chip.hear(byte)
        if self._operation == self.DATA_READ:
            self._loaded, self._rest = (self._rest or b"\0")[0], self._rest[1:]

    def _begin(self, operation: int) -> None:
        self._operation = operation
        if operation == self.DATA_WRITE:
            self._rest, self._loaded = b"", 0x00
            self._chip.begin_frame()
        elif operation == self.DATA_READ and not self._rest and self._chip.is_ready:
            self._rest = self._chip.take()


class Pn532Uart:
    """The UART port (HSU) of a `Pn532`, with the methods of ``busio.UART`` (UM, 6.2.3).

    Args:
        chip: the chip.
        timeout: the time in seconds that ``read`` waits for bytes.

    Attributes:
        baud: the rate of the host, in bits a second. At a rate other than the chip's, each side
            receives nothing; a real one would receive wrong bytes.
    """

    def __init__(self, chip: Pn532, timeout: float = 1.0) -> None:
        self.timeout = timeout
        self.baud = UART_BAUD
        self._chip = chip
        self._byte_ns = UART_BITS_PER_BYTE * NS_PER_S // UART_BAUD
        self._line: deque[tuple[int, int]] = deque()  # when a byte has arrived, and the byte
        self._free_ns = 0  # when the chip has sent its last byte

    @property
    def in_waiting(self) -> int:
        """The number of bytes that have arrived."""
        self._collect()
        return sum(at_ns <= self._chip.clock.now_ns for at_ns, _ in self._line)

    def write(self, data: bytes) -> int:
        """Send *data* to the chip. The first byte wakes it."""
        for byte in data:
            self._chip.clock.advance_ns(UART_BITS_PER_BYTE * NS_PER_S // self.baud)
            if self.baud != UART_BAUD:
                continue
            self._chip.wake(HostLink.UART)
            self._collect()  # what the chip had to say before a new command, it has said
            self._chip.hear(bytes((byte,)))
        return len(data)

    def read(self, count: int) -> bytes | None:
        """Return *count* bytes, fewer after the timeout, or None if none arrive."""
        clock = self._chip.clock
        end_ns = clock.now_ns + round(self.timeout * NS_PER_S)
        while self.in_waiting < count and clock.now_ns < end_ns:
            clock.advance_ns(self._byte_ns)
        taken = [self._line.popleft()[1] for _ in range(min(count, self.in_waiting))]
        return bytes(taken) or None

    def reset_input_buffer(self) -> None:
        """Drop the bytes that have arrived."""
        for _ in range(self.in_waiting):
            self._line.popleft()

    def _collect(self) -> None:
        """Put the bytes of the chip's next frames on the line, each with its time of arrival."""
        while self._chip.is_ready:
            at_ns = max(self._free_ns, self._chip.ready_ns)
            for byte in self._chip.take():
                at_ns += self._byte_ns
                self._line.append((at_ns, byte))
            self._free_ns = at_ns
