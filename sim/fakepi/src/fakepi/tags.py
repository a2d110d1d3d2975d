"""Tags by their usual names, with UIDs as people write them: ``Ntag213("04:A1:B2:C3:D4:E5:F6")``.

May import: the standard library and fakepi.
"""

from fakepi.mifare_classic import MifareClassic1K
from fakepi.ntag import Ntag
from fakepi.picc import uid_bytes


class Ntag213(Ntag):
    """An NTAG213 sticker, with a 7-byte UID and 144 bytes for the user, from ``memory[16]`` on."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), 213)


class Ntag215(Ntag):
    """An NTAG215 sticker, with a 7-byte UID and 504 bytes for the user, from ``memory[16]`` on."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), 215)


class Ntag216(Ntag):
    """An NTAG216 sticker, with a 7-byte UID and 888 bytes for the user, from ``memory[16]`` on."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), 216)


class Classic1K(MifareClassic1K):
    """A MIFARE Classic 1K card as delivered: 4-byte UID, all keys FFh.

    ``memory`` has its 64 blocks of 16 bytes: block 4 is ``memory[64:80]``.
    """

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 4))
