"""QR codes for the display.

May import: the standard library and segno.
May be imported by: firmware.

Source: ISO/IEC 18004:2015; a version 3 code with error correction level L has 29 x 29 modules, and
holds 53 bytes.
"""

from functools import lru_cache

MOST_BYTES = 53  # in a code of this size
MODULES = 29  # in each row and column


@lru_cache(maxsize=4)
def qr_rows(text: str) -> tuple[bytes, ...]:
    """Return the QR code of *text*, in ASCII: its rows of ``MODULES`` bytes, 1 if dark.

    The first call imports segno, which takes a while on a small computer. So a thread that need not
    hurry should call this before the code is drawn.

    Raises:
        ValueError: *text* has more than ``MOST_BYTES`` bytes, or is not ASCII.
    """
    import segno

    data = text.encode("ascii")
    if len(data) > MOST_BYTES:
        raise ValueError(f"{len(data)} bytes do not fit into a QR code of {MOST_BYTES} bytes")
    code = segno.make_qr(data, version=3, error="l", mode="byte", boost_error=False)
    return tuple(map(bytes, code.matrix))
