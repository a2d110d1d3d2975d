"""The MIFARE DESFire. A reader can find it and read its UID, but nothing more.

May import: the standard library and fakepi.
Source: NXP AN10833, MIFARE type identification procedure: ATQA 0344h, SAK 20h, a 7-byte UID.

Simplified: it does not answer RATS, with which ISO/IEC 14443-4 and its own commands begin.
"""

from fakepi.picc import Picc, uid_bytes


class Desfire(Picc):
    """A MIFARE DESFire with a 7-byte *uid*. It is found and selected, and refuses all commands."""

    def __init__(self, uid: str | bytes) -> None:
        super().__init__(uid_bytes(uid, 7), atqa=0x0344, sak=0x20)
