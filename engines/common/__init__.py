"""Code that all games share: the engine contract, pieces and decks, and refusals.

Values only; no clock, no chance, no files, no chips.
May import: the standard library.
May be imported by: everybody.
"""
