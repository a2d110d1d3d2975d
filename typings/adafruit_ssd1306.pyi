# What the project uses of adafruit-circuitpython-ssd1306 2.12.24, which has no type hints.

from types import TracebackType
from typing import Any, Protocol

from adafruit_framebuf import FrameBuffer

SET_CONTRAST: int
SET_ENTIRE_ON: int
SET_NORM_INV: int
SET_DISP: int
SET_MEM_ADDR: int
SET_COL_ADDR: int
SET_PAGE_ADDR: int
SET_DISP_START_LINE: int
SET_SEG_REMAP: int
SET_MUX_RATIO: int
SET_IREF_SELECT: int
SET_COM_OUT_DIR: int
SET_DISP_OFFSET: int
SET_COM_PIN_CFG: int
SET_DISP_CLK_DIV: int
SET_PRECHARGE: int
SET_VCOM_DESEL: int
SET_CHARGE_PUMP: int

class _I2CDevice(Protocol):
    def readinto(self, buf: bytearray, *, start: int = ..., end: int | None = ...) -> None: ...
    def write(self, buf: bytes, *, start: int = ..., end: int | None = ...) -> None: ...
    def __enter__(self) -> _I2CDevice: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool: ...

class _SSD1306(FrameBuffer):
    pages: int
    page_addressing: bool
    @property
    def power(self) -> bool: ...
    def init_display(self) -> None: ...
    def poweroff(self) -> None: ...
    def poweron(self) -> None: ...
    def contrast(self, contrast: int) -> None: ...
    def invert(self, invert: bool) -> None: ...
    def rotate(self, rotate: bool) -> None: ...
    def write_cmd(self, cmd: int) -> None: ...
    def show(self) -> None: ...

class SSD1306_I2C(_SSD1306):  # noqa: N801, the library's name
    addr: int
    buffer: bytearray
    i2c_device: _I2CDevice
    def __init__(
        self,
        width: int,
        height: int,
        i2c: Any,
        *,
        addr: int = ...,
        external_vcc: bool = ...,
        reset: Any = ...,
        page_addressing: bool = ...,
    ) -> None: ...
