"""Joining by the QR code: the secret, the address that the table shows, and the page's request."""

import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from firmware.companion import server as companion_server
from firmware.companion.joining import LIFETIME_S, MOST_BYTES, JoinSecret, join_url
from firmware.companion.network import own_address
from firmware.companion.network_name import NetworkName
from firmware.show import qr
from firmware.show.view import JoinAddress
from firmware.table.events import AddressChanged
from firmware.web.pairing import WRONG_PER_CODE
from tests.firmware.companion.table import Phone, QuietTable, serving, until
from tests.sim.web import aside

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")

HOME = "192.168.1.7"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[QuietTable]:
    with closing(QuietTable(tmp_path)) as made:
        yield made


@pytest.fixture(autouse=True)
def home() -> Iterator[None]:
    """Put the companion into a network at home, and treat every page as on another computer."""

    async def keep(_name: NetworkName, _address: str) -> None:
        """Leave the network of this computer alone."""

    with (
        patch.object(NetworkName, "keep", keep),
        patch.object(companion_server, "LOOPBACK", ()),
        patch.object(companion_server, "own_address", lambda: HOME),
        patch.object(companion_server, "OFFER_EVERY_S", 0.01),
    ):
        yield


def offered(table: QuietTable) -> JoinAddress | None:
    events = [event for event in table.take() if isinstance(event, AddressChanged)]
    return events[-1].address if events else None


# --- the secret -----------------------------------------------------------------------------------


def test_a_secret_has_128_bits_and_only_itself_passes() -> None:
    secret = JoinSecret(lambda: 0.0)
    assert len(secret.text) == 22
    assert secret.check(secret.text)
    for other in ("", secret.text[:-1], secret.text + "A", "é", "\ud800", JoinSecret().text):
        assert not secret.check(other)


def test_a_secret_expires_and_a_renewed_one_is_another() -> None:
    now_s = [100.0]
    secret = JoinSecret(lambda: now_s[0])
    first = secret.text
    now_s[0] += LIFETIME_S - 1
    assert secret.check(first)
    now_s[0] += 1
    assert not secret.check(first)
    second = secret.text
    assert second != first
    secret.renew()
    assert not secret.check(second)


def test_the_longest_address_fits_and_others_have_no_qr_code() -> None:
    secret = "x" * 22
    longest = join_url("255.255.255.255", 65535, secret)
    assert len(longest) == MOST_BYTES == qr.MOST_BYTES
    assert join_url("255.255.255.255", 65535, secret + "x") == ""
    assert join_url("fe80::1", 8738, secret) == ""
    assert join_url("tapmat.local", 8738, secret) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="SIOCGIFCONF is Linux's")
def test_without_a_way_to_the_internet_it_is_the_address_of_an_interface() -> None:
    class Cut(socket.socket):
        def connect(self, address: object) -> None:
            raise OSError("Network is unreachable")

    found = own_address()
    with patch.object(socket, "socket", Cut):
        cut_off = own_address()
    assert not cut_off.startswith("127.")
    assert bool(cut_off) >= bool(found), "an address with a route belongs to an interface"
    if cut_off:
        socket.create_server((cut_off, 0)).close()


# --- what the table is told -----------------------------------------------------------------------


def test_the_table_learns_the_address_and_every_change(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path, port=8738) as phone:
            await until(lambda: offered(table))
            guard, secret = phone.server.guard, phone.server.secret
            url = f"http://{HOME}:8738/j#{secret.text}"
            assert offered(table) == JoinAddress(url, guard.code, f"{HOME}:8738")
            first = guard.code
            for _ in range(WRONG_PER_CODE):
                wrong = "000000" if guard.code != "000000" else "000001"
                assert (await phone.join({"code": wrong}))[0] == 403
                phone.now_s += 100.0
            assert guard.code != first
            await until(lambda: (offered(table) or JoinAddress("", "", "")).code == guard.code)
            phone.now_s += LIFETIME_S
            await until(lambda: secret.text in (offered(table) or JoinAddress("", "", "")).url)
            with patch.object(companion_server, "own_address", lambda: "10.0.0.2"):
                await until(lambda: (offered(table) or JoinAddress("", "", "")).place[:2] == "10")
        await until(lambda: offered(table) is None)

    aside.run(look())


def test_a_table_that_starts_later_learns_it_too(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path, port=8738):
            await until(lambda: offered(table))
            table.close()
            again = QuietTable(tmp_path)
            try:
                await until(lambda: offered(again))
            finally:
                again.close()

    aside.run(look())


def test_a_name_in_the_network_is_shown_and_is_the_companions(
    tmp_path: Path, table: QuietTable
) -> None:
    async def look() -> None:
        async with serving(tmp_path, port=8738) as phone:
            assert await phone.status("/", Host="tapmat-2.local:8738") == 403
            phone.server.name.text = "tapmat-2.local"
            await until(lambda: "tapmat-2.local:8738" in str(offered(table)))
            assert f"http://{HOME}:8738/j#" in str(offered(table)), "the QR code needs no name"
            assert await phone.status("/", Host="tapmat-2.local:8738") == 200
            assert await phone.status("/", Host="tapmat.local:8738") == 403

    aside.run(look())


@pytest.mark.parametrize(("port", "address"), [(0, HOME), (8738, "")])
def test_an_address_that_phones_cannot_reach_is_not_offered(
    tmp_path: Path, table: QuietTable, port: int, address: str
) -> None:
    async def look() -> None:
        with patch.object(companion_server, "own_address", lambda: address):
            async with serving(tmp_path, port=port) as phone:
                await until(lambda: phone.server._link.state)
                await phone.join({})
                await until(table.take)  # the code came, and no address before it
                assert offered(table) is None

    aside.run(look())


# --- what the page sends --------------------------------------------------------------------------


async def enter(phone: Phone, secret: str) -> tuple[int, str]:
    """Send *secret* as the page does; return the status and the cookie."""
    url, sent = f"{phone.origin}/join", {"Origin": phone.origin}
    async with phone.session.post(url, json={"secret": secret}, headers=sent) as answer:
        cookie = answer.cookies.get(companion_server.COOKIE)
        phone.session.cookie_jar.clear()
        return answer.status, "" if cookie is None else cookie.value


def test_the_secret_lets_a_page_in_and_an_old_one_does_not(
    tmp_path: Path, table: QuietTable
) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            assert await phone.status("/j") == 200
            assert await phone.status() == 401
            old = phone.server.secret.text
            status, key = await enter(phone, old)
            assert (status, await phone.status(Cookie=f"tapmat-viewer={key}")) == (200, 200)
            phone.server.secret.renew()
            assert await enter(phone, old) == (403, "")
            assert await enter(phone, "") == (403, "")
            assert (await phone.join({"secret": phone.server.secret.text, "code": "1"}))[0] == 400
            assert (await phone.join({"secret": 1}))[0] == 400
            sent = {"Origin": "http://evil.example"}
            body = {"secret": phone.server.secret.text}
            assert (await phone.join(body, **sent))[0] == 403

    aside.run(look())


def test_nothing_that_the_companion_sends_has_the_secret(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path, port=8738) as phone:
            await until(lambda: offered(table))
            cookie = {
                "Cookie": f"tapmat-viewer={(await enter(phone, phone.server.secret.text))[1]}"
            }
            for path in ("/", "/j", "/overlay", "/state", "/static/board.js"):
                async with phone.session.get(f"{phone.origin}{path}", headers=cookie) as answer:
                    assert answer.status == 200
                    assert phone.server.secret.text not in await answer.text()

    aside.run(look())
