"""A fake Raspberry Pi for tests: emulated chips, written from their data sheets alone.

Start with the pytest fixture ``fakepi`` or with `fakepi.board.FakePi`. The chips are the readers
MFRC522 and PN532, ISO 14443A tags, the displays SSD1306, SSD1309 and SH1106, and WS2812 LEDs.

A *tag* (PICC in the standards) is an RFID chip with its antenna, in a card or a sticker; its *UID*
is its serial number. A *reader* (PCD) radiates an RF *field*, which powers tags, and exchanges
*frames* of bits with them. If several tags answer at once, their bits collide; *anticollision* then
finds the UIDs bit by bit. Long UIDs are sent in parts, one at each *cascade level*. SELECT picks
one tag, which then accepts commands. NAK is its negative answer. ACK is a positive answer. REQA
asks all new tags to answer, WUPA also those that were halted. Names that end in ``_fc`` count
periods of the 13.56 MHz carrier, and names that end in ``_etu`` count bit times of 128 periods.

It may import the standard library alone.
"""

from fakepi.board import FakePi
from fakepi.desfire import Desfire
from fakepi.host import PI_3, PI_5, PI_ZERO_2
from fakepi.physics import ExactPhysics, HonestPhysics
from fakepi.tags import Classic1K, Ntag213, Ntag215, Ntag216
from fakepi.type2 import Ultralight

__all__ = [
    "PI_3",
    "PI_5",
    "PI_ZERO_2",
    "Classic1K",
    "Desfire",
    "ExactPhysics",
    "FakePi",
    "HonestPhysics",
    "Ntag213",
    "Ntag215",
    "Ntag216",
    "Ultralight",
]
