"""Code that all games share: the engine contract, pieces and decks, and refusals.

Values only; no clock, no chance, no files, no chips.
This room may import the standard library only. Everybody may import it.
"""
