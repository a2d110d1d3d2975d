"""Who knows the key: a stand-in for Crypto1 between the emulated reader chip and the emulated tag.

Room: sim/chips. Pure functions.
May import: the standard library and sim.chips.
Source: MF1S50YYX_V1 data sheet, section 10.1: three passes, a nonce of the tag, a nonce and an
answer of the reader, an answer of the tag.

The cipher stream itself is not modelled. Where the real chips encipher with the key's stream, these
compute a keyed digest: the passes have the real lengths and fail for a wrong key or UID as they do
on the air, and all that follows carries the session they agreed on, so an outsider hears noise.
"""

from dataclasses import dataclass
from hashlib import blake2s

KEY_BYTES, NONCE_BYTES = 6, 4


@dataclass(frozen=True, slots=True)
class Passes:
    """What both sides compute from the key they believe in and the two nonces."""

    reader_answer: bytes
    tag_answer: bytes
    session: bytes


def passes(key: bytes, uid: bytes, tag_nonce: bytes, reader_nonce: bytes) -> Passes:
    """The second and third pass and the session, for *key* (6 bytes) and a 4-byte *uid*."""
    digest = blake2s(uid + tag_nonce + reader_nonce, key=key, digest_size=3 * NONCE_BYTES).digest()
    return Passes(digest[:4], digest[4:8], digest[8:])
