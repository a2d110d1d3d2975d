"""The stickers of the emulated decks, and the UID (serial number) of each.

A UID is a hash of the game and piece, so the same piece has the same sticker in every run.
"""

from hashlib import blake2b

from engines.common.pieces import Piece
from firmware.boxes.decks import COMMAND_CARDS
from firmware.boxes.register import Registered, TagRegister
from firmware.config.table_config import TableConfig
from firmware.runtime.controller import decks_of

NXP = 0x04  # the manufacturer's code, the first byte of an NTAG's UID
CASCADE_TAG = 0x88  # not allowed as the first UID byte of a cascade level


def uid_of(game: str, piece: Piece) -> bytes:
    """Return the 7-byte UID of the sticker on *piece* of the deck of *game*."""
    uid = bytearray((NXP, *blake2b(f"{game} {piece}".encode(), digest_size=6).digest()))
    if uid[3] == CASCADE_TAG:
        uid[3] ^= 0x01
    return bytes(uid)


def enrol_decks(register: TagRegister, config: TableConfig) -> None:
    """Enrol the stickers of every deck and of the command cards in *register*.

    Pieces and stickers that are already enrolled stay as they are.

    Raises:
        RegisterError, DeckError: the register or a deck cannot be used.
    """
    used = register.uids()
    for deck in (COMMAND_CARDS, *decks_of(config).values()):
        known = register.pieces(deck.game)
        new = ((uid_of(deck.game, piece), piece) for piece in deck.pieces() if piece not in known)
        register.bind_all(
            (uid, Registered(deck.game, piece)) for uid, piece in new if uid not in used
        )


def stranger_uid() -> bytes:
    """Return the UID of a sticker that is never enrolled."""
    return uid_of("stranger", Piece("stranger"))
