"""What all games share: the engine contract, pieces and decks, and what a refusal is.

Room: engines/common. Values only; no clock, no chance, no files, no chips.
May import: the standard library.
May be imported by: everybody.
"""
