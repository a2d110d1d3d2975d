"""The traffic with a PN532 in words: the names of its commands, and what it answers.

May import: the standard library and fakepi. Source: PN532 user manual, UM0701-02 rev 02, 6.2
(frames and host links) and 7 (commands).
"""

from collections.abc import Callable, Mapping

from fakepi.iso14443 import bits_reversed
from fakepi.pn532 import (
    ACK,
    CHIP_TO_HOST,
    HOST_TO_CHIP,
    NACK,
    OK,
    FrameFinder,
    Pn532Spi,
)
from fakepi.trace import TAG_COMMANDS, decode_bytes, decode_i2c

COMMANDS: Mapping[int, str] = {
    0x00: "Diagnose",
    0x02: "GetFirmwareVersion",
    0x04: "GetGeneralStatus",
    0x06: "ReadRegister",
    0x08: "WriteRegister",
    0x0C: "ReadGPIO",
    0x0E: "WriteGPIO",
    0x10: "SetSerialBaudRate",
    0x12: "SetParameters",
    0x14: "SAMConfiguration",
    0x16: "PowerDown",
    0x32: "RFConfiguration",
    0x40: "InDataExchange",
    0x42: "InCommunicateThru",
    0x44: "InDeselect",
    0x46: "InJumpForPSL",
    0x4A: "InListPassiveTarget",
    0x4E: "InPSL",
    0x50: "InATR",
    0x52: "InRelease",
    0x54: "InSelect",
    0x56: "InJumpForDEP",
    0x58: "RFRegulationTest",
    0x60: "InAutoPoll",
    0x86: "TgGetData",
    0x88: "TgGetInitiatorCommand",
    0x8A: "TgGetTargetStatus",
    0x8C: "TgInitAsTarget",
    0x8E: "TgSetData",
    0x90: "TgResponseToInitiator",
    0x92: "TgSetGeneralBytes",
    0x94: "TgSetMetaData",
}
ERRORS: Mapping[int, str] = {
    0x00: "OK",
    0x01: "time out",
    0x02: "wrong CRC",
    0x03: "wrong parity",
    0x13: "wrong format",
    0x14: "authentication failed",
    0x27: "wrong context",
}
SYNTAX_ERROR = 0x7F


def decode_pn532_i2c(sent: bytes, received: bytes) -> str:
    """Return the words for an I2C transfer, whose reads begin with a status byte (UM, 6.2.4)."""
    if sent or not received:
        return _frames(sent) or decode_i2c(sent, received)
    if not received[0] & 0x01:
        return "busy"
    if len(received) == 1:
        return "ready"
    return _frames(received[1:]) or f"ready, {decode_bytes(sent, received[1:])}"


def decode_pn532_spi(sent: bytes, received: bytes) -> str:
    """Return the words for an SPI transfer: an operation and its bytes, low bit first (6.2.5)."""
    host, chip = bits_reversed(sent), bits_reversed(received)
    operation = host[0] if host else None
    if operation == Pn532Spi.DATA_WRITE:
        words = _frames(host[1:])
    elif operation == Pn532Spi.STATUS_READ and len(chip) > 1:
        words = "ready" if chip[1] & 0x01 else "busy"
    elif operation == Pn532Spi.DATA_READ:
        words = _frames(chip[1:])
    else:
        words = ""
    return words or decode_bytes(sent, received)


def decode_pn532_uart(sent: bytes, received: bytes) -> str:
    """Return the words for UART bytes. Either *sent* or *received* is empty."""
    return _frames(sent or received) or decode_bytes(sent, received)


def _frames(data: bytes) -> str:
    """Return the words for the frames in *data*, or "" if none is complete."""
    finder = FrameFinder()
    frames = (finder.feed(byte) for byte in data)
    return ", ".join(_frame_words(frame) for frame in frames if frame is not None)


def _frame_words(frame: bytes) -> str:
    if frame is ACK or frame is NACK:
        return "ACK" if frame is ACK else "NACK"
    if len(frame) > 1 and frame[0] == HOST_TO_CHIP:
        words = REQUESTS.get(frame[1], _hex)(frame[2:])
        return f"{_command_name(frame[1])} {words}".strip()
    if len(frame) > 1 and frame[0] == CHIP_TO_HOST:
        command = frame[1] - 1
        words = ANSWERS.get(command, _hex)(frame[2:])
        return f"{_command_name(command)}: {words or 'done'}"
    return "syntax error" if frame[0] == SYNTAX_ERROR else f"frame {_hex(frame)}"


def _command_name(command: int) -> str:
    return COMMANDS.get(command, f"command {command:02X}h")


def _hex(data: bytes) -> str:
    return data.hex(" ").upper()


def _tag_command(data: bytes) -> str:
    if len(data) > 1 and data[0] in TAG_COMMANDS:
        return f"{TAG_COMMANDS[data[0]]} {data[1]}: {_hex(data)}"
    return _hex(data)


def _data_exchange(data: bytes) -> str:
    return f"target {data[0]}, {_tag_command(data[1:])}" if data else ""


def _firmware(data: bytes) -> str:
    return f"version {data[1]}.{data[2]} ({_hex(data)})" if len(data) == 4 else _hex(data)


def _status(data: bytes) -> str:
    """Return the words for *data*: a status byte (UM, 7.1) and the data after it."""
    if not data:
        return ""
    code = data[0] & 0x3F
    words = ERRORS.get(code, f"error {code:02X}h")
    return f"{words}, {_hex(data[1:])}" if data[1:] and code == OK else words


def _targets(data: bytes) -> str:
    """Return the words for a list of targets of Type A: number, ATQA, SAK, UID (UM, 7.3.5)."""
    if not data or not data[0]:
        return "no target"
    rest, words = data[1:], []
    while len(rest) >= 5 and len(rest) >= 5 + rest[4]:
        uid = rest[5 : 5 + rest[4]].hex(":").upper()
        words.append(f"target {rest[0]} with UID {uid}, ATQA {_hex(rest[1:3])}, SAK {rest[3]:02X}h")
        rest = rest[5 + rest[4] :]
    return "; ".join(words) or _hex(data)


REQUESTS: Mapping[int, Callable[[bytes], str]] = {0x40: _data_exchange, 0x42: _tag_command}
ANSWERS: Mapping[int, Callable[[bytes], str]] = {
    0x02: _firmware,
    0x4A: _targets,
    **dict.fromkeys((0x16, 0x40, 0x42, 0x44, 0x52, 0x54), _status),
}
