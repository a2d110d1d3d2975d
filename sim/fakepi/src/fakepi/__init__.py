"""Emulated chips, from their data sheets alone: RFID readers and tags, displays, LEDs, contacts.

A *tag* (PICC in the standards) is the RFID chip in a card's sticker; its *UID* is its serial
number. A *reader* (PCD) radiates an RF *field*, which powers tags, and exchanges *frames* of bits
with them. If several tags answer at once, their bits collide; *anticollision* then finds the UIDs
bit by bit. Long UIDs are sent in parts, one at each *cascade level*. SELECT picks one tag, which
then accepts commands. NAK is its negative answer. Names that end in ``_fc`` count periods of the
13.56 MHz carrier, and names that end in ``_etu`` count bit times of 128 periods.

This room knows no driver, no table and no game; it may import the standard library only.
"""
