"""The stickers of the emulated decks: which UID each piece's tag has.

Room: sim. A UID follows from the piece, so that two runs, and two machines, have the same deck.
"""

from hashlib import blake2b
from pathlib import Path

from engines.common.pieces import Piece
from firmware.config import TableConfig
from firmware.controller import REGISTER, decks_of
from firmware.decks import COMMAND_CARDS
from firmware.register import Registered, TagRegister
from firmware.state_folder import state_folder

NXP = 0x04  # the manufacturer's code an NTAG's UID begins with
CASCADE_TAG = 0x88  # which no byte may be that opens a cascade level


def uid_of(game: str, piece: Piece) -> bytes:
    """The 7-byte UID of the sticker on *piece* of *game*'s deck."""
    uid = bytearray((NXP, *blake2b(f"{game} {piece}".encode(), digest_size=6).digest()))
    if uid[3] == CASCADE_TAG:
        uid[3] ^= 0x01
    return bytes(uid)


def enrol_decks(folder: Path, config: TableConfig) -> None:
    """Put every deck's stickers, and the command cards', in the tag register of *folder*.

    This stands for the evening on which an owner enrolled them; what is there already stays.

    Raises:
        StoreError, DeckError: the register or a deck cannot be used.
    """
    register = TagRegister(state_folder(folder) / REGISTER)
    try:
        for deck in (COMMAND_CARDS, *decks_of(config).values()):
            known = set(register.pieces(deck.game))
            new = (piece for piece in deck.pieces() if piece not in known)
            register.bind_all(
                (uid_of(deck.game, piece), Registered(deck.game, piece)) for piece in new
            )
    finally:
        register.close()


def stranger_uid() -> bytes:
    """The UID of a sticker that nobody enrolled."""
    return uid_of("stranger", Piece("stranger"))
