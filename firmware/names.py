"""Players' names: what can be one, spelt at the table or written in ``table.toml``.

Room: firmware. A name is one line of letters the screens can show, short enough for the scores.
"""

from firmware.screen_text import legible

NAME_LENGTH = 10  # letters; what a line of scores has room for
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÄÇÈÉÊËÍÎÏÑÓÔÖŐÙÚÛÜŰŒß -'0123456789")  # to spell with


def is_name(text: str) -> bool:
    """Whether *text* can be a player's name: 1 to 10 letters of the fonts, no blank at an end."""
    return 1 <= len(text) <= NAME_LENGTH and legible(text) == text
