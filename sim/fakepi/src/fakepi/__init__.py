"""A fake Raspberry Pi for tests: emulated chips, written from their data sheets alone.

Start with `fakepi.board.FakePi` or the pytest fixture ``fakepi``. The chips are MFRC522, ISO 14443A
tags, SSD1306 and SH1106.

A *tag* (PICC in the standards) is the RFID chip in a card's sticker; its *UID* is its serial
number. A *reader* (PCD) radiates an RF *field*, which powers tags, and exchanges *frames* of bits
with them. If several tags answer at once, their bits collide; *anticollision* then finds the UIDs
bit by bit. Long UIDs are sent in parts, one at each *cascade level*. SELECT picks one tag, which
then accepts commands. NAK is its negative answer. Names that end in ``_fc`` count periods of the
13.56 MHz carrier, and names that end in ``_etu`` count bit times of 128 periods.

This package knows no driver, no table and no game. It may import only the standard library.
"""

from fakepi.board import FakePi
from fakepi.tags import Classic1K, Ntag213, Ntag215, Ntag216

__all__ = ["Classic1K", "FakePi", "Ntag213", "Ntag215", "Ntag216"]
