# What the project uses of adafruit-circuitpython-framebuf 1.6.12, which has no type hints.

from PIL import Image

MVLSB: int

class FrameBuffer:
    width: int
    height: int
    def __init__(
        self,
        buf: memoryview,
        width: int,
        height: int,
        buf_format: int = ...,
        stride: int | None = ...,
    ) -> None: ...
    def fill(self, color: int) -> None: ...
    def pixel(self, x: int, y: int, color: int | None = ...) -> int | None: ...
    def image(self, img: Image.Image) -> None: ...
