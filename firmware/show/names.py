"""The rules for players' names, which are spelt at the table or written in ``table.toml``.

A name is one line of letters that the screens can show, short enough for a line of scores.
The fonts are loaded only for letters that cannot be spelt at the table, because the installer
checks ``table.toml`` before Pillow is installed.
"""

NAME_LENGTH = 10  # letters, limited by the line of scores
LETTERS = tuple(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÄÇÈÉÊËÍÎÏÑÓÔÖŐÙÚÛÜŰŒß -'0123456789"
)  # for spelling at the table
PLAIN = frozenset(LETTERS) | {letter.lower() for letter in LETTERS}  # all fonts have these letters


def capital_of(letter: str) -> str:
    """Return the item for *letter* in ``LETTERS``, if there is one."""
    return letter if letter == "ß" else letter.upper()


def letter_after(text: str, capital: str) -> str:
    """Return the letter that the table writes after *text*: a *capital* at the start of a word."""
    return capital if not text or text[-1] in " -'" else capital.lower()


def as_spelt(name: str) -> str:
    """Return *name* as the table writes it when it is spelt there, letter by letter."""
    text = ""
    for letter in name:
        text += letter_after(text, capital_of(letter))
    return text.strip()


def is_name(text: str) -> bool:
    """Return True if *text* is 1 to 10 letters of the fonts, with single spaces only inside."""
    if not 1 <= len(text) <= NAME_LENGTH or " ".join(text.split()) != text:
        return False
    return PLAIN.issuperset(text) or _is_legible(text)


def _is_legible(text: str) -> bool:
    from firmware.show.text import legible

    return legible(text) == text
