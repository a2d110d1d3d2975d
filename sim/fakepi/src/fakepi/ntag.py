"""The NTAG213, NTAG215 and NTAG216 tags, which are used as stickers on the cards.

May import: the standard library and fakepi.
Source: NTAG213/215/216 data sheet, rev 3.2: 8.5 (memory), 8.6 (counter), 8.8 (password), 9 and 10
(commands). UID and counter mirrors are not modelled, because the factory settings have them off.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fakepi.iso14443 import Frame
from fakepi.picc import CommandRefused, PiccAnswer
from fakepi.type2 import NAK_ARGUMENT, PAGE_BYTES, Type2, uid_pages

GET_VERSION, FAST_READ, READ_CNT, READ_SIG, PWD_AUTH = 0x60, 0x3A, 0x39, 0x3C, 0x1B
NFC_COUNTER = 0x02
NAK_AUTHENTICATION = Frame(0x4, 4)
SIGNATURE_BYTES = 32
USER_PAGE = 4
# AUTH0, the first protected page, in the first configuration page; ACCESS in the second.
AUTH0_BYTE, ACCESS_BYTE = 3, 0
PROT, CFGLCK, NFC_CNT_EN, NFC_CNT_PWD_PROT, AUTHLIM = 0x80, 0x40, 0x10, 0x08, 0x07


@dataclass(frozen=True, slots=True)
class Model:
    """The memory layout and version data of one NTAG21x model (sections 8.5 and 10.1)."""

    pages: int
    capability_container: bytes
    first_user_pages: bytes
    storage_size: int
    pages_per_lock_bit: int  # of the dynamic lock bytes, from page 16 on

    @property
    def lock_page(self) -> int:
        """The page of the dynamic lock bytes. The pages after it are CFG, PWD and PACK."""
        return self.pages - 5


_EMPTY_NDEF = bytes.fromhex("0300FE0000000000")
MODELS: Mapping[int, Model] = {
    213: Model(45, bytes.fromhex("E1101200"), bytes.fromhex("0103A00C340300FE"), 0x0F, 2),
    215: Model(135, bytes.fromhex("E1103E00"), _EMPTY_NDEF, 0x11, 16),
    216: Model(231, bytes.fromhex("E1106D00"), _EMPTY_NDEF, 0x13, 16),
}


def _factory_memory(uid: bytes, model: Model) -> bytes:
    front = uid_pages(uid) + model.capability_container + model.first_user_pages
    # Dynamic lock bytes; strong modulation and AUTH0; ACCESS; PWD; PACK.
    back = bytes.fromhex("000000BD 040000FF 00050000 FFFFFFFF 00000000")
    return front.ljust(model.lock_page * PAGE_BYTES, b"\0") + back


class Ntag(Type2):
    """An NTAG21x with factory settings, a 7-byte *uid*, and *model* 213, 215 or 216.

    *signature* is the answer to READ_SIG, and need not match NXP's key.
    """

    def __init__(
        self, uid: bytes, model: int = 213, *, signature: bytes = bytes(SIGNATURE_BYTES)
    ) -> None:
        if model not in MODELS:
            raise ValueError(f"there is no NTAG{model}; use one of {sorted(MODELS)}")
        if len(signature) != SIGNATURE_BYTES:
            raise ValueError(f"a signature has {SIGNATURE_BYTES} bytes, not {len(signature)}")
        self.model = MODELS[model]
        self.signature = signature
        self.counter = 0
        self._failed_passwords = 0
        super().__init__(uid, _factory_memory(uid, self.model))

    def commands(self) -> Mapping[int, Callable[[bytes], PiccAnswer]]:
        """Return the commands of all Type 2 tags and five of NTAG's own."""
        return {
            **super().commands(),
            GET_VERSION: self._get_version,
            FAST_READ: self._fast_read,
            READ_CNT: self._read_counter,
            READ_SIG: self._read_signature,
            PWD_AUTH: self._authenticate,
        }

    def power_up(self) -> None:
        """Start in the IDLE state. The next READ increments the counter (section 8.6)."""
        self._has_counted = False
        super().power_up()

    def forget(self) -> None:
        """End the authentication by password, because the tag is no longer selected."""
        self._is_authenticated = False
        super().forget()

    def visible(self) -> bytes:
        """Return the memory as READ shows it: zeros for the password and PACK (section 8.8.1).

        PACK is the tag's answer to the right password.
        """
        return bytes(self.memory[: -2 * PAGE_BYTES]) + bytes(2 * PAGE_BYTES)

    def check_readable(self, page: int) -> None:
        """Refuse a page that may not be read; otherwise increment the read counter if that is due.

        Raises:
            CommandRefused: the page does not exist or needs the password.
        """
        super().check_readable(page)
        if self._access & PROT and self._is_protected(page):
            raise CommandRefused(NAK_ARGUMENT)
        if self._access & NFC_CNT_EN and not self._has_counted:
            self._has_counted = True
            self.counter = min(self.counter + 1, 0xFFFFFF)

    def may_write(self, page: int) -> bool:
        """Return True if *page* may be written now: it is not locked, and no password is missing.

        Source: sections 8.5 and 8.8.
        """
        lock_page = self.model.lock_page
        if self._is_protected(page):
            return False
        if page in (lock_page + 1, lock_page + 2):
            return not self._access & CFGLCK
        if 16 <= page < lock_page:
            locks = int.from_bytes(self._page(lock_page)[:2], "little")
            return not locks >> (page - 16) // self.model.pages_per_lock_bit & 1
        return super().may_write(page)

    def store(self, page: int, data: bytes) -> None:
        """Write 4 bytes to *page*. Dynamic lock bits can be set if not frozen, never cleared."""
        if page == self.model.lock_page:
            data = _more_dynamic_locks(bytes(self._page(page)), data)
        super().store(page, data)

    @property
    def _access(self) -> int:
        return self._page(self.model.lock_page + 2)[ACCESS_BYTE]

    def _page(self, page: int) -> bytearray:
        return self.memory[page * PAGE_BYTES : (page + 1) * PAGE_BYTES]

    def _is_protected(self, page: int) -> bool:
        first = self._page(self.model.lock_page + 1)[AUTH0_BYTE]
        return page >= first and not self._is_authenticated

    def _get_version(self, arguments: bytes) -> PiccAnswer:
        _expect(not arguments)
        # Header, NXP, NTAG, 50 pF, version 1.0, size, ISO/IEC 14443-3. Table 28
        version = (0x00, 0x04, 0x04, 0x02, 0x01, 0x00, self.model.storage_size, 0x03)
        return PiccAnswer(Frame.with_crc(bytes(version)))

    def _fast_read(self, arguments: bytes) -> PiccAnswer:
        _expect(len(arguments) == 2 and arguments[0] <= arguments[1])
        first, last = arguments
        self.check_readable(first)
        self.check_readable(last)
        return PiccAnswer(
            Frame.with_crc(self.visible()[first * PAGE_BYTES : (last + 1) * PAGE_BYTES])
        )

    def _read_counter(self, arguments: bytes) -> PiccAnswer:
        _expect(arguments == bytes((NFC_COUNTER,)) and bool(self._access & NFC_CNT_EN))
        _expect(self._is_authenticated or not self._access & NFC_CNT_PWD_PROT)
        return PiccAnswer(Frame.with_crc(self.counter.to_bytes(3, "little")))

    def _read_signature(self, arguments: bytes) -> PiccAnswer:
        _expect(arguments == b"\0")
        return PiccAnswer(Frame.with_crc(self.signature))

    def _authenticate(self, arguments: bytes) -> PiccAnswer:
        _expect(len(arguments) == PAGE_BYTES)
        limit = self._access & AUTHLIM
        if limit and self._failed_passwords >= 1 << limit:
            raise CommandRefused(NAK_AUTHENTICATION)
        if arguments != self._page(self.model.lock_page + 3):
            self._failed_passwords += 1
            raise CommandRefused(NAK_ARGUMENT)
        self._failed_passwords = 0
        self._is_authenticated = True
        return PiccAnswer(Frame.with_crc(bytes(self._page(self.model.lock_page + 4)[:2])))


def _expect(is_right: bool) -> None:
    if not is_right:
        raise CommandRefused(NAK_ARGUMENT)


def _more_dynamic_locks(old: bytes, new: bytes) -> bytes:
    """Return the dynamic lock bytes *old* with the bits of *new* set, except frozen ones.

    Each bit of the third byte freezes two lock bits (section 8.5.3).
    """
    locks, wanted = int.from_bytes(old[:2], "little"), int.from_bytes(new[:2], "little")
    for frozen in range(8):
        if old[2] >> frozen & 1:
            wanted &= ~(0b11 << 2 * frozen)
    return (locks | wanted).to_bytes(2, "little") + bytes((old[2] | new[2], old[3]))
