"""Three nodes of nats-server, of which one is always down."""

import json
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware.hall.settings import HallSettings
from tests.firmware.hall.servers import Server
from tests.ports import free_port

NODES_NAME = "hall-nodes.test"  # has the addresses of all nodes
HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
HEALTHY_S = 60.0  # the longest that a node may take until it has all that the others have


def knowing_the_nodes(folder: Path) -> Sequence[str]:
    """Return a prefix for commands, which then find the nodes by their common name, as by DNS."""
    hosts = folder / "hosts"
    hosts.write_text("".join(f"{host} {NODES_NAME}\n" for host in HOSTS), encoding="utf-8")
    own = f'mount --bind {hosts} /etc/hosts && exec "$@"'
    return ("unshare", "--mount", "sh", "-c", own, "sh")


class NatsCluster:
    """The nodes of the hall *hall*. ``kill`` starts the one that is down, and kills another."""

    def __init__(self, hall: HallSettings) -> None:
        self._routes, self._monitors = (
            [f"{host}:{free_port()}" for host in HOSTS] for _ in range(2)
        )
        self._nodes = [self._node(hall, number) for number in range(len(HOSTS))]
        self.down = 0
        for node in self._nodes:
            node.start()
        for number in range(len(HOSTS)):
            self._wait_until_healthy(number)
        self._nodes[self.down].kill()

    def kill(self) -> None:
        """Start the node that is down, wait until it has caught up, and kill the next one."""
        self._nodes[self.down].start()
        self._wait_until_healthy(self.down)
        self.down = (self.down + 1) % len(HOSTS)
        self._nodes[self.down].kill()

    def start(self) -> None:
        """Do nothing: one node stays down."""

    def has_ended(self) -> bool:
        """Return False: two nodes run."""
        return False

    def cpu_s(self) -> float:
        """Return the processor time of the nodes that run."""
        return sum(node.cpu_s() for node in self._nodes)

    def close(self) -> None:
        """End all nodes."""
        for node in self._nodes:
            node.close()

    def _node(self, hall: HallSettings, number: int) -> Server:
        folder, host = hall.folder, HOSTS[number]
        routes = ", ".join(f"nats://{route}" for route in self._routes)
        text = (folder / "nats.conf").read_text("utf-8")
        for old, new in {
            "server_name: hall": f"server_name: hall-{number}",
            "127.0.0.1:4222": f"{host}:{free_port()}",
            "nats.pid": f"nats-{number}.pid",
            f"{folder}/nats": f"{folder}/nats-{number}",
            "0.0.0.0": host,
        }.items():
            assert old in text, f"nats.conf has no {old}"
            text = text.replace(old, new)
        text += f'http: "{self._monitors[number]}"\n'
        text += f'cluster {{ name: hall, listen: "{self._routes[number]}", routes: [{routes}] }}\n'
        config = folder / f"nats-{number}.conf"
        config.write_text(text, encoding="utf-8")
        log = folder / f"nats-{number}.log"
        return Server(["nats-server", "-c", str(config)], hall.broker.port, log, host=host)

    def _wait_until_healthy(self, number: int) -> None:
        until_s = time.monotonic() + HEALTHY_S
        found: Any = None
        while time.monotonic() < until_s:
            with suppress(OSError, ValueError):
                address = f"http://{self._monitors[number]}/healthz"
                with urllib.request.urlopen(address, timeout=5) as answer:
                    found = json.load(answer)
                if found.get("status") == "ok":
                    return
            time.sleep(0.2)
        raise AssertionError(f"Node {number} does not catch up: {found}")
