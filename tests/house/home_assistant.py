"""A real Home Assistant, as its first user sets it up through its interface."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.ports import free_port

ROOT = Path(os.environ.get("TAPMAT_HOUSE_ROOT", "/none"))
PROJECT = Path(__file__).parents[2]
BLUEPRINTS = PROJECT / "docs" / "blueprints"
PATIENCE_S = 60.0
ABOUT_US = re.compile(r"tapmat|components\.mqtt(?!\.client)|blueprint|automation", re.IGNORECASE)
TROUBLE = re.compile(r" (WARNING|ERROR|CRITICAL) ")
LAMPS = 4
CONFIGURATION = """\
homeassistant:
  name: Home
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
onboarding:
frontend:
automation: !include automations.yaml
input_text:
  told:
    max: 255
input_boolean:
{booleans}
template:
{lights}
"""
LIGHT = """\
  - light:
      - name: Seat {n}
        unique_id: seat_{n}
        state: "{{{{ is_state('input_boolean.lamp_{n}', 'on') }}}}"
        turn_on: {{action: input_boolean.turn_on, target: {{entity_id: input_boolean.lamp_{n}}}}}
        turn_off: {{action: input_boolean.turn_off, target: {{entity_id: input_boolean.lamp_{n}}}}}
"""


def until(happened: Callable[[], object], what: str = "it") -> None:
    """Wait in real time; raise an error if it never happens."""
    end_s = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end_s, f"{what} never happens"
        time.sleep(0.1)


class HomeAssistant:
    """Home Assistant with the state in the folder *name* of its system."""

    def __init__(self, name: str, automations: str = "[]") -> None:
        self.port = free_port()
        self.folder = ROOT / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self._name, self._token = name, ""
        self.tokens: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        numbers = range(1, LAMPS + 1)
        self._write(
            "configuration.yaml",
            CONFIGURATION.format(
                port=self.port,
                booleans="\n".join(f"  lamp_{n}:" for n in numbers),
                lights="".join(LIGHT.format(n=n) for n in numbers),
            ),
        )
        self._write("automations.yaml", automations)
        for file in BLUEPRINTS.glob("*.yaml"):
            self._write(f"blueprints/automation/tapmat/{file.name}", file.read_text("utf-8"))

    @property
    def log(self) -> str:
        """The log since the last start."""
        return (self.folder / "home-assistant.log").read_text(encoding="utf-8")

    @property
    def complaints(self) -> list[str]:
        """The warnings and errors about the table in the log since the last start."""
        lines = [line for line in self.log.splitlines() if TROUBLE.search(line)]
        return [line for line in lines if ABOUT_US.search(line)]

    def begin(self) -> None:
        """Start the program; ``is_running`` says when it has started."""
        self._process = subprocess.Popen(
            ["chroot", str(ROOT), "/ha/bin/hass", "-c", f"/{self._name}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self) -> None:
        """Start the program, and wait until it has started."""
        self.begin()
        until(self.is_running, "Home Assistant's start")

    def stop(self) -> None:
        """End the program as its service manager does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(PATIENCE_S)
            self._process = None

    def is_running(self) -> bool:
        """Return True if it has started, as far as it tells a user."""
        try:
            if not self._token:
                return bool(self.call("/api/onboarding"))
            return bool(self.call("/api/config")["state"] == "RUNNING")
        except OSError:
            return False

    def set_up(self, broker_port: int) -> None:
        """Make the first user, and add the broker as that user does."""
        client = f"http://127.0.0.1:{self.port}/"
        user = {"name": "Ann", "username": "ann", "password": "of the judge", "language": "en"}
        code = self.call("/api/onboarding/users", {"client_id": client, **user})["auth_code"]
        form = {"grant_type": "authorization_code", "code": code, "client_id": client}
        self.tokens = self.call("/auth/token", form, is_form=True)
        self._token = self.tokens["access_token"]
        for step, asked in (
            ("core_config", {}),
            ("analytics", {}),
            ("integration", {"redirect_uri": client}),
        ):
            self.call(f"/api/onboarding/{step}", {"client_id": client, **asked})
        flows = "/api/config/config_entries/flow"
        flow = self.call(flows, {"handler": "mqtt"})["flow_id"]
        done = self.call(f"{flows}/{flow}", {"broker": "127.0.0.1", "port": broker_port})
        assert done["type"] == "create_entry", done

    def states(self) -> dict[str, dict[str, Any]]:
        """Return the state of each entity, by its name."""
        return {each["entity_id"]: each for each in self.call("/api/states")}

    def state(self, entity: str) -> str | None:
        """Return the state of *entity*; None if there is no such entity."""
        found = self.states().get(entity)
        return None if found is None else str(found["state"])

    def render(self, template: str) -> str:
        """Return what Home Assistant makes of *template*."""
        return str(self.call("/api/template", {"template": template}))

    def do(self, action: str, **data: Any) -> None:
        """Do *action*, such as ``button.press``, as a user does."""
        domain, _, name = action.partition(".")
        self.call(f"/api/services/{domain}/{name}", data)

    def call(self, path: str, data: dict[str, Any] | None = None, *, is_form: bool = False) -> Any:
        """Return the answer to a request: GET without *data*, else POST.

        Raises:
            OSError: there is no answer, or a refusal.
        """
        kind, body = "application/json", None
        if data is not None:
            body = (urllib.parse.urlencode(data) if is_form else json.dumps(data)).encode()
            kind = "application/x-www-form-urlencoded" if is_form else kind
        headers = {"Content-Type": kind}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        address = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(address, body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            said = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"
        return json.loads(said or b"null") if is_json else said.decode()

    def _write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
