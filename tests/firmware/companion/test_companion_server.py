"""The companion's server: who may look, what is sent, and everything that is refused."""

import asyncio
import json
import random
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from gzip import compress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from aiohttp import ClientResponse

from firmware.commands.viewers import NoCompanionError, list_viewers, remove_viewer
from firmware.companion import server as companion_server
from firmware.companion.page import CODES, SCRIPTS, STATIC, page_of, text_of
from firmware.companion.server import COOKIE, MOST_STREAMS, WATCHER
from firmware.outlet.events import PhaseChanged
from firmware.runtime import local_socket
from firmware.table.events import CodeRequested, JoinRequested
from firmware.voice.words import languages
from firmware.web import event_stream
from firmware.web.guard import HEADERS
from firmware.web.pairing import MOST_WRONG
from tests.effort import some
from tests.firmware.companion.table import PATIENCE_S, STRAW, Phone, QuietTable, serving, until
from tests.ports import free_port
from tests.sim.web import aside

KEY = "A" * 42 + "E="  # of a phone
MAY_ONLY_WATCH = "This page may only watch."

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python there has no Unix sockets")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[QuietTable]:
    with closing(QuietTable(tmp_path)) as made:
        yield made


@pytest.fixture
def afar() -> Iterator[None]:
    """Treat every page as one on another computer."""
    with patch.object(companion_server, "LOOPBACK", ()):
        yield


async def message(answer: ClientResponse, *wanted: str) -> tuple[str, Any]:
    """Return the next message of one of the *wanted* kinds."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            kind = (await answer.content.readline()).decode().removeprefix("event: ").strip()
            data = json.loads((await answer.content.readline()).decode().removeprefix("data: "))
            assert await answer.content.readline() == b"\n"
            if kind in wanted:
                return kind, data


def with_words(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    return answer[0], answer[1].get("error", "")


def other_than(code: str) -> str:
    return "000000" if code != "000000" else "000001"


# --- what is sent ---------------------------------------------------------------------------------


def test_a_page_gets_the_state_the_events_and_the_news_that_the_table_is_off(
    tmp_path: Path, table: QuietTable
) -> None:
    async def look() -> None:
        async with (
            serving(tmp_path) as phone,
            phone.session.get(f"{phone.origin}/events") as answer,
        ):
            assert answer.content_type == "text/event-stream"
            while (state := (await message(answer, "state"))[1]) is None:
                pass
            assert (state["v"], state["headline"], state["active"]) == (1, "21", [1])
            table.outlet.put(PhaseChanged("round-over"))
            table.outlet.state = replace(STRAW, headline="0")
            _, event = await message(answer, "event")
            assert (event["event"], event["phase"]) == ("phase", "round-over")
            assert (await message(answer, "state"))[1]["headline"] == "0"
            table.close()
            assert (await message(answer, "state"))[1] is None
            again = QuietTable(tmp_path)
            try:
                assert (await message(answer, "state"))[1]["headline"] == "21"
            finally:
                again.close()

    aside.run(look())


def test_a_stream_of_the_state_alone_has_no_events(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with (
            serving(tmp_path) as phone,
            phone.session.get(f"{phone.origin}/events?only=state") as answer,
        ):
            while (await message(answer, "state"))[1] is None:
                pass
            table.outlet.put(PhaseChanged("draw"))
            table.outlet.state = replace(STRAW, caption="after it")
            kind, state = await message(answer, "state", "event")
            while kind == "state" and state["caption"] != "after it":
                kind, state = await message(answer, "state", "event")
            assert kind == "state"

    aside.run(look())


def test_a_page_that_never_reads_is_disconnected_and_delays_no_other(
    tmp_path: Path, table: QuietTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "WRITE_S", 1000.0)
    monkeypatch.setattr(local_socket, "POLL_S", 0.001)  # many states, soon

    async def look() -> None:
        async with serving(tmp_path) as phone:
            with socket.create_connection(("127.0.0.1", phone.port)) as dead:
                dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                request = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{phone.port}\r\n\r\n"
                dead.sendall(request.encode())
                await until(lambda: len(phone.server._streams) == 1)
                async with phone.session.get(f"{phone.origin}/events") as answer:
                    for number in range(500):
                        if len(phone.server._streams) == 1:
                            break
                        table.outlet.state = replace(STRAW, caption=f"{number} " + "x" * 60_000)
                        state = None  # as long as the server has no connection to the table
                        while state is None or str(number) not in state["caption"]:
                            _, state = await message(answer, "state")
                    assert len(phone.server._streams) == 1, "the dead one is still there"

    aside.run(look())


def test_a_quiet_stream_shows_that_it_is_alive(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        with patch.object(event_stream, "BEAT_S", 0.01):
            async with (
                serving(tmp_path) as phone,
                phone.session.get(f"{phone.origin}/events") as answer,
            ):
                assert await message(answer, "beat")

    aside.run(look())


def test_too_many_streams_are_refused(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            phone.server._streams |= {
                type("Stream", (), {"send": lambda *_: None, "takes_events": True})()
                for _ in range(MOST_STREAMS)
            }
            assert await phone.status("/events") == 503
            assert await phone.status("/state") == 200

    aside.run(look())


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("view", ["board", "overlay", "phone"])
def test_a_page_has_its_language_its_words_and_nothing_from_outside(
    view: str, language: str
) -> None:
    html = page_of(view, language)
    assert f'<html lang="{language}" class="{view}">' in html
    for code in CODES:
        assert f"&quot;{code}&quot;" in html
        assert f"&quot;{code}&quot;: &quot;{code}&quot;" not in html, "it has no words"
    everything = [
        html,
        *(text_of(name) for name in SCRIPTS if not name.endswith(".png")),
    ]
    together = "".join(everything)
    assert "http://" not in together.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in together
    # One page is the board, a seat and the host, so that a phone can become each without a reload.
    assert sum(len(compress(text.encode())) for text in everything) < 50_000, "as it is sent"


def test_scripts_are_sent_without_comments_and_only_once(tmp_path: Path) -> None:
    """A line that only begins with a comment stays; a licence stays too."""
    for name in SCRIPTS:
        if name.endswith(".js") and not name.startswith("vendor/"):
            kept = [line for line in (STATIC / name).read_text("utf-8").splitlines() if line]
            sent = [line for line in text_of(name).splitlines() if line]
            gone = [line for line in kept if not {line, line.partition(" // ")[0]} & set(sent)]
            assert all(line.strip().startswith(("//", "/**", "*")) for line in gone), name
            assert not any(line.strip().startswith("//") for line in sent), name

    async def look() -> None:
        async with serving(tmp_path) as phone:
            address = f"{phone.origin}/static/board.js"
            async with phone.session.get(address) as answer:
                assert await answer.text() == text_of("board.js")
                tag = answer.headers["ETag"]
            async with phone.session.get(address, headers={"If-None-Match": tag}) as answer:
                assert (answer.status, await answer.read()) == (304, b"")

    aside.run(look())


def test_a_page_is_in_the_language_of_the_table(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            table.outlet.state = replace(STRAW, language="hu")
            await until(lambda: (phone.server._link.state or {}).get("language") == "hu")
            async with phone.session.get(f"{phone.origin}/") as answer:
                assert '<html lang="hu" ' in await answer.text()

    aside.run(look())


# --- who may look ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("afar")
def test_a_page_on_another_computer_needs_the_code_and_is_known_ever_after(
    tmp_path: Path, table: QuietTable
) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            assert await phone.status("/events") == await phone.status("/state") == 401
            assert await phone.status("/") == await phone.status("/static/board.js") == 200
            await until(lambda: phone.server._link.state)
            assert with_words(await phone.join({})) == (200, "")
            await until(table.take)
            assert table.requests == [CodeRequested(phone.server.guard.code)]
            body = {"code": phone.server.guard.code}
            sent = {"Origin": phone.origin}
            url = f"{phone.origin}/join"
            async with phone.session.post(url, json=body, headers=sent) as answer:
                cookie = answer.cookies[COOKIE]
            assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
            assert len(cookie.value) >= 40
            header = f"{COOKIE}={cookie.value}"
            assert await phone.status("/state", Cookie=header) == 200
            assert await phone.status("/state", Cookie=header[:-1]) == 401
        async with serving(tmp_path) as again:
            assert await again.status("/state", Cookie=header) == 200, "a new process knows it"

    aside.run(look())


@pytest.mark.usefixtures("afar")
def test_wrong_codes_are_answered_ever_more_slowly_and_then_people_decide(
    tmp_path: Path, table: QuietTable
) -> None:
    async def guess(phone: Phone) -> None:
        for _ in range(MOST_WRONG):
            wrong = {"code": other_than(phone.server.guard.code)}
            assert with_words(await phone.join(wrong)) == (403, "wrong")
            status, said = await phone.join({"code": phone.server.guard.code})
            assert (status, said["error"]) == (403, "too-soon")
            phone.now_s += said["wait_s"] + 1
            if phone.now_s > 3000:
                phone.server.guard._wrong_s.extend([phone.now_s] * MOST_WRONG)
                return

    async def ask(phone: Phone, button: str) -> tuple[int, str]:
        table.requests.clear()
        asking = asyncio.create_task(phone.join({"code": phone.server.guard.code}))
        await until(lambda: JoinRequested("127.0.0.1") in table.take())
        table.press(button)
        return with_words(await asking)

    async def look() -> None:
        async with serving(tmp_path) as phone:
            await until(lambda: phone.server._link.state)
            await guess(phone)
            assert phone.server.guard.is_guarded
            assert await ask(phone, "back") == (403, "refused")
            assert await ask(phone, "ok") == (200, "")
            table.close()
            await until(lambda: phone.server._link.state is None)
            again = await phone.join({"code": phone.server.guard.code})
            assert with_words(again) == (403, "refused"), "nobody can agree while the table is off"

    aside.run(look())


@pytest.mark.usefixtures("afar")
def test_the_display_is_not_covered_again_and_again(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            await until(lambda: phone.server._link.state)
            for _ in range(20):
                await phone.join({})
            await until(table.take)
            phone.now_s += companion_server.SHOW_EVERY_S
            await phone.join({})
            await until(lambda: len(table.take()) == 2)
            table.close()
            await until(lambda: phone.server._link.state is None)
            phone.now_s += companion_server.SHOW_EVERY_S
            assert with_words(await phone.join({})) == (403, "off")

    aside.run(look())


def test_a_removed_viewer_is_disconnected_and_must_join_again(
    tmp_path: Path, table: QuietTable, capsys: pytest.CaptureFixture[str]
) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            both = [phone.server._keys.new_key(name) for name in ("Ann", "Ben")]
            ann, ben = (phone.server._keys.number_of(key) for key in both)
            cookies = [{"Cookie": f"{COOKIE}={key}"} for key in both]
            async with (
                phone.session.get(f"{phone.origin}/events", headers=cookies[0]) as removed,
                phone.session.get(f"{phone.origin}/events", headers=cookies[1]) as stays,
            ):
                assert await asyncio.to_thread(list_viewers, None, phone.port) == 0
                assert await asyncio.to_thread(remove_viewer, None, phone.port, ann) == 0
                assert await asyncio.to_thread(remove_viewer, None, phone.port, ann) == 1
                async with asyncio.timeout(PATIENCE_S):
                    await removed.read()  # it ends
                table.outlet.put(PhaseChanged("round-over"))
                assert await message(stays, "event")
            said = capsys.readouterr().out
            assert f"{ann}  Ann\n{ben}  Ben\n" in said
            assert f"There is no viewer {ann}." in said
            with patch.object(companion_server, "LOOPBACK", ()):
                assert [await phone.status(**cookie) for cookie in cookies] == [401, 200]
                assert await phone.status("/viewers", **cookies[1]) == 403
                url, sent = f"{phone.origin}/viewers/{ben}/remove", {"Origin": phone.origin}
                async with phone.session.post(url, headers=sent | cookies[1]) as answer:
                    assert answer.status == 403
                assert await phone.status(**cookies[1]) == 200

    aside.run(look())


@pytest.mark.usefixtures("afar")
def test_a_page_that_opens_the_watch_link_sees_what_a_guest_may_and_can_do_nothing(
    tmp_path: Path,
    table: QuietTable,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(companion_server, "own_address", lambda: "192.0.2.7")

    async def look() -> None:
        async with serving(tmp_path, port=8738, keeps_cookies=True) as friend:
            watch = friend.server._watch
            assert watch.make()
            _, _, secret = watch.url.partition("#")
            assert with_words(await friend.join({"secret": secret[:-1] + "~"})) == (403, "wrong")
            assert await friend.status() == 401
            assert await friend.join({"secret": secret}) == (200, {})
            assert await friend.status() == 200
            events = f"{friend.origin}/events?only=state"
            async with (
                friend.session.get(events) as plain,
                friend.session.get(f"{events}&key={KEY}") as with_key,
            ):
                for answer in (plain, with_key):
                    kind, state = await message(answer, "state", "key", "sealed")
                    while state is None:
                        kind, state = await message(answer, "state", "key", "sealed")
                    assert (kind, state["headline"]) == ("state", "21")
                assert friend.server._desk._sessions == {}
                act = {"key": KEY, "sealed": "AA"}
                sent = {"Origin": friend.origin}
                async with friend.session.post(
                    f"{friend.origin}/act", json=act, headers=sent
                ) as answer:
                    assert (answer.status, await answer.text()) == (403, MAY_ONLY_WATCH)
                async with friend.session.get(f"{friend.origin}/phone") as answer:
                    assert 'data-asks="join"' in await answer.text(), "it asks for the digits"
                async with friend.session.get(f"{friend.origin}/") as answer:
                    assert 'data-asks=""' in await answer.text()
                assert len(friend.server._keys) == 0
                with patch.object(companion_server, "LOOPBACK", ("127.0.0.1",)):
                    assert await asyncio.to_thread(list_viewers, None, friend.port) == 0
                    assert await asyncio.to_thread(remove_viewer, None, friend.port, WATCHER) == 0
                async with asyncio.timeout(PATIENCE_S):
                    for answer in (plain, with_key):
                        await answer.read()  # it ends
            assert await friend.status() == 401
            assert with_words(await friend.join({"secret": secret})) == (403, "wrong")
            with patch.object(companion_server, "LOOPBACK", ("127.0.0.1",)):
                assert await asyncio.to_thread(remove_viewer, None, friend.port, WATCHER) == 1

    aside.run(look())
    said = capsys.readouterr().out
    assert said.startswith("watch  the link for watching, open pages: 2\n")
    assert "There is no viewer watch." in said


@pytest.mark.usefixtures("afar")
def test_the_watch_link_takes_nothing_from_a_page_that_has_joined(
    tmp_path: Path, table: QuietTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(companion_server, "own_address", lambda: "192.0.2.7")

    async def look() -> None:
        async with serving(tmp_path, port=8738, keeps_cookies=True) as phone:
            watch = phone.server._watch
            assert watch.make()
            secret = watch.url.partition("#")[2]
            assert await phone.join({"secret": phone.server.secret.text}) == (200, {})
            assert await phone.join({"secret": secret}) == (200, {})
            watch.take_back()
            assert await phone.status() == 200
            assert watch.make()
            phone.session.cookie_jar.clear()
            assert await phone.join({"secret": watch.url.partition("#")[2]}) == (200, {})
            assert len(phone.server._keys) == 1
            assert await phone.join({"secret": phone.server.secret.text}) == (200, {})
            watch.take_back()
            assert await phone.status() == 200, "the code on the display counts more"

    aside.run(look())


def test_without_a_companion_its_viewers_cannot_be_listed() -> None:
    with pytest.raises(NoCompanionError, match="No companion answers at port"):
        list_viewers(None, free_port())


# --- what is refused ------------------------------------------------------------------------------


def test_other_names_and_other_sites_are_refused(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            for path in ("/", "/events", "/state", "/overlay", "/static/board.js"):
                assert await phone.status(path, Host="evil.example") == 403
                assert await phone.status(path, Origin="http://evil.example") == 403
            assert (await phone.join({}, Origin="http://evil.example"))[0] == 403
            async with phone.session.post(f"{phone.origin}/join", json={}) as answer:
                assert answer.status == 403, "every browser sends an Origin with a POST"
            form = {"Origin": phone.origin, "Content-Type": "text/plain"}
            url = f"{phone.origin}/join"
            async with phone.session.post(url, data="{}", headers=form) as answer:
                assert answer.status == 415

    aside.run(look())


def test_every_answer_has_the_security_headers(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            for path in ("/", "/overlay", "/state", "/static/board.js", "/nowhere", "/events"):
                async with phone.session.get(f"{phone.origin}{path}") as answer:
                    assert {k: answer.headers[k] for k in HEADERS} == HEADERS, path
                    assert "aiohttp" not in answer.headers.get("Server", "")

    aside.run(look())


@pytest.mark.parametrize(
    ("body", "status"),
    [
        *(("", 400), ("{", 400), ("[]", 400), ("null", 400), ("[" * 1000, 400)),
        *(('{"code": 123456}', 400), ('{"code": "1", "more": 1}', 400), ("\ud800", 400)),
        ('{"code": "' + "1" * 5000 + '"}', 413),
    ],
)
def test_malformed_bodies_are_refused(
    tmp_path: Path, table: QuietTable, body: str, status: int
) -> None:
    async def look() -> None:
        async with serving(tmp_path) as phone:
            sent = {"Origin": phone.origin, "Content-Type": "application/json"}
            data = body.encode("utf-8", "surrogatepass")
            url = f"{phone.origin}/join"
            async with phone.session.post(url, data=data, headers=sent) as answer:
                assert answer.status == status

    aside.run(look())


def test_ten_thousand_malformed_requests_stop_no_stream(tmp_path: Path, table: QuietTable) -> None:
    chance = random.Random(24)

    def malformed(port: int) -> bytes:
        lines = [b"GET /events HTTP/1.1", f"Host: 127.0.0.1:{port}".encode(), b"Origin: x"]
        raw = bytearray(b"\r\n".join(lines) + b"\r\n\r\n")
        for _ in range(chance.randint(1, 6)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        return bytes(raw) + chance.randbytes(chance.choice((0, 10, 20_000)))

    async def attack(port: int) -> None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return
        writer.write(malformed(port))
        writer.write_eof()
        try:
            async with asyncio.timeout(PATIENCE_S):
                answer = await reader.read(12)
        except ConnectionError:
            answer = b""
        finally:
            writer.close()
        # A change may leave a request right, such as one of the header Origin's name.
        assert not answer or answer[9:] in (b"200", b"400", b"403", b"404", b"405")

    async def look() -> None:
        async with (
            serving(tmp_path) as phone,
            phone.session.get(f"{phone.origin}/events") as answer,
        ):
            for _ in range(some(1000)):
                await asyncio.gather(*(attack(phone.port) for _ in range(10)))
            table.outlet.put(PhaseChanged("still-here"))
            assert (await message(answer, "event"))[1]["phase"] == "still-here"

    aside.run(look())


def test_slow_requests_delay_nobody_and_are_cut_off(tmp_path: Path, table: QuietTable) -> None:
    async def look() -> None:
        async with serving(tmp_path, idle_s=0.5) as phone:
            slow = [await asyncio.open_connection("127.0.0.1", phone.port) for _ in range(50)]
            for _, writer in slow:
                writer.write(b"GET /state HTTP/1.1\r\nHost: ")
            assert await phone.status("/state") == 200
            async with asyncio.timeout(PATIENCE_S):
                for reader, writer in slow:
                    await reader.read()
                    writer.close()

    aside.run(look())
