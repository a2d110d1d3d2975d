"""A stand-in for Crypto1, used by the emulated reader chip and the emulated tag.

Pure functions.
May import: the standard library and fakepi.
Source: MF1S50YYX_V1 data sheet, section 10.1. An authentication has three passes: the tag sends a
nonce (a random number), the reader sends a nonce and an answer, and the tag sends an answer.

The cipher itself is not modelled; a keyed digest takes its place. The messages of an authentication
(its *passes*) have the real lengths, and fail for a wrong key or UID. Every later frame carries the
*session*, a value that only the two chips can compute. A chip without it receives noise.
"""

from dataclasses import dataclass
from hashlib import blake2s

KEY_BYTES, NONCE_BYTES = 6, 4


@dataclass(frozen=True, slots=True)
class Passes:
    """The answers and the session value, which each side computes from its key and the nonces."""

    reader_answer: bytes
    tag_answer: bytes
    session: bytes


def passes(key: bytes, uid: bytes, tag_nonce: bytes, reader_nonce: bytes) -> Passes:
    """Return both answers and the session for a 6-byte *key*, a 4-byte *uid* and both nonces."""
    digest = blake2s(uid + tag_nonce + reader_nonce, key=key, digest_size=3 * NONCE_BYTES).digest()
    return Passes(digest[:4], digest[4:8], digest[8:])
