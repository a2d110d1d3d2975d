"""Photos of the emulated display, as a phone would take them, and what a phone reads in them."""

from random import Random

import zxingcpp
from PIL import Image, ImageFilter

DARK, LIT = 12, 230  # the greys of the display's pixels
RIM = 20  # display pixels of dark glass around it


def photo(
    pixels: Image.Image, scale: float, *, degrees: float, blur: float, noise: float, seed: int = 26
) -> Image.Image:
    """Return a grey photo of *pixels* (mode "1").

    *scale* is in photo pixels per display pixel; *blur* is a radius and *noise* a standard
    deviation, in display pixels and in greys.
    """
    chance = Random(seed)
    glass = Image.new("L", (pixels.width + 2 * RIM, pixels.height + 2 * RIM), DARK)
    glass.paste(pixels.convert("L").point(lambda lit: LIT if lit else DARK), (RIM, RIM))
    big = glass.resize((round(glass.width * scale), round(glass.height * scale)))
    turned = big.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=DARK)
    soft = turned.filter(ImageFilter.GaussianBlur(blur * scale))
    greys = bytes(min(255, max(0, round(grey + chance.gauss(0, noise)))) for grey in soft.tobytes())
    return Image.frombytes("L", soft.size, greys)


def codes_in(picture: Image.Image) -> list[str]:
    """Return the texts of the QR codes in *picture*, if they are dark on light.

    The decoder is another project's.
    """
    return [found.text for found in zxingcpp.read_barcodes(picture, try_invert=False)]
