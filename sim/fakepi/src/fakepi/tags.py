"""Tags by their usual names, with UIDs as people write them: ``Ntag213("04:A1:B2:C3:D4:E5:F6")``.

May import: the standard library and fakepi.
"""

from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag


def uid_bytes(uid: str | bytes, length: int) -> bytes:
    """Return *uid* as bytes.

    Args:
        uid: bytes, or hexadecimal digits with or without colons, dashes or spaces.
        length: the number of bytes that the tag has: 4 or 7.

    Raises:
        ValueError: the UID has another length or other characters.
    """
    digits = uid.translate({ord(sign): None for sign in ":- "}) if isinstance(uid, str) else ""
    try:
        found = bytes.fromhex(digits) if isinstance(uid, str) else bytes(uid)
    except ValueError as wrong:
        raise ValueError(f'the UID "{uid!s}" is not hexadecimal. Write "04:A1:B2:C3"') from wrong
    if len(found) != length:
        raise ValueError(f"the UID {uid!r} has {len(found)} bytes; this tag has {length}")
    return found


class Ntag213(Ntag):
    """An NTAG213 sticker: 7-byte UID, 144 bytes for the user."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), 213)


class Ntag215(Ntag):
    """An NTAG215 sticker: 7-byte UID, 504 bytes for the user."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), 215)


class Ntag216(Ntag):
    """An NTAG216 sticker: 7-byte UID, 888 bytes for the user."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), 216)


class Classic1K(MifareClassic1K):
    """A MIFARE Classic 1K card as delivered: 4-byte UID, all keys FFh."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 4))
