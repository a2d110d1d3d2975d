"""The installed Firefox, driven by Playwright over WebDriver BiDi, the W3C protocol.

Playwright always sends a command that Firefox ESR 153 does not know. So it starts this module in
place of Firefox: the module starts Firefox, passes all messages on, and answers that command
itself.
"""

import asyncio
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp import ClientSession, ClientWebSocketResponse, web
from playwright.sync_api import Browser, Playwright

ROOT = Path(__file__).parents[3]
NAMES = ("firefox-esr", "firefox")
NO_FIREFOX = f"no Firefox to open the page in (none of {', '.join(NAMES)}): apt install firefox-esr"
# The command would only say what this preference says: show less motion.
UNKNOWN_COMMAND = "emulation.setMediaFeaturesOverride"
PREFERENCES: dict[str, str | float | bool] = {"ui.prefersReducedMotion": 1}
LISTENS = "WebDriver BiDi listening on "  # Firefox writes it and an address to stderr
SESSION = "/session"  # the path of the address that Playwright connects to
ANY_SIZE = 0  # of messages: pictures of pages are long


def firefox_path() -> str | None:
    """Return the path of Firefox on this computer, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def firefox(playwright: Playwright) -> Iterator[Browser]:
    """Yield a headless Firefox."""
    with TemporaryDirectory() as folder:
        script = Path(folder) / "firefox"
        command = f'cd "{ROOT}" && exec "{sys.executable}" -m {__name__} "$@"'
        script.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        script.chmod(0o700)
        browser = playwright.firefox.launch(
            channel="moz-firefox",  # an unmodified Firefox, not a build of Playwright's
            executable_path=script,
            firefox_user_prefs=PREFERENCES,
        )
        try:
            yield browser
        finally:
            browser.close()


# --- the module in place of Firefox ---------------------------------------------------------------


async def run(arguments: list[str]) -> int:
    """Start Firefox with *arguments*, relay its messages and return its exit code."""
    path = firefox_path()
    assert path is not None, NO_FIREFOX
    process = await asyncio.create_subprocess_exec(path, *arguments, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    async for line in process.stderr:
        text = line.decode().rstrip()
        if text.startswith(LISTENS):
            text = LISTENS + await start_relay(text.removeprefix(LISTENS))
        print(text, file=sys.stderr, flush=True)
    return await process.wait()


async def start_relay(address: str) -> str:
    """Relay between clients and the Firefox at *address*; return the address for clients."""

    async def relay(request: web.Request) -> web.WebSocketResponse:
        client = web.WebSocketResponse(max_msg_size=ANY_SIZE)
        await client.prepare(request)
        async with (
            ClientSession() as http,
            http.ws_connect(address + SESSION, max_msg_size=ANY_SIZE) as browser,
            asyncio.TaskGroup() as both,
        ):
            both.create_task(pass_commands(client, browser))
            both.create_task(pass_answers(browser, client))
        return client

    app = web.Application()
    app.router.add_get(SESSION, relay)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return f"ws://127.0.0.1:{runner.addresses[0][1]}"


async def pass_commands(client: web.WebSocketResponse, browser: ClientWebSocketResponse) -> None:
    """Pass commands on to Firefox until the client leaves; answer the one it does not know."""
    async for message in client:
        command = message.json()
        if command["method"] == UNKNOWN_COMMAND:
            await client.send_json({"type": "success", "id": command["id"], "result": {}})
        else:
            await browser.send_str(message.data)
    await browser.close()


async def pass_answers(browser: ClientWebSocketResponse, client: web.WebSocketResponse) -> None:
    """Pass answers and events on to the client until Firefox leaves."""
    async for message in browser:
        await client.send_str(message.data)
    await client.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1:])))
