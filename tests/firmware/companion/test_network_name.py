"""The name in the network: found by a client that shares no code with the library, and never taken.

Each test runs in a new network namespace, with two interfaces that are connected.
"""

import shutil
import subprocess
import sys

import pytest

NETWORK = """
set -e
ip link set lo up
ip link add v0 type veth peer name v1
ip addr add 10.9.0.5/24 dev v0
ip link set v0 up
ip link set v1 up
ip route add default dev v0
"""
PRELUDE = """
import asyncio, socket, struct
from firmware.companion import network_name
from firmware.companion.network import own_address
from firmware.companion.network_name import CHECK_EVERY_S, NetworkName
from zeroconf import InterfaceChoice, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

assert own_address() == "10.9.0.5"
now_s = 0.0

def resolve(name):
    \"\"\"Ask for *name* as a one-shot client does (RFC 6762, 5.1); return the addresses.\"\"\"
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    question = struct.pack("!6H", 7, 0, 1, 0, 0, 0) + labels + bytes([0, 0, 1, 0, 1])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.9.0.5"))
        client.settimeout(1.5)
        client.sendto(question, ("224.0.0.251", 5353))
        found = set()
        try:
            while True:
                answer = client.recv(1500)
                for at in range(12, len(answer) - 3):
                    if answer[at - 2 : at] == bytes([0, 4]):  # the length of an IPv4 address
                        found.add(socket.inet_ntoa(answer[at : at + 4]))
        except TimeoutError:
            return found

async def asked(name):
    return await asyncio.to_thread(resolve, name)

async def other_computer(address, label="tapmat"):
    other = AsyncZeroconf(interfaces=InterfaceChoice.Default, ip_version=IPVersion.V4Only)
    service = ServiceInfo(
        "_http._tcp.local.", f"other {address}._http._tcp.local.", port=80,
        addresses=[socket.inet_aton(address)], server=f"{label}.local.",
    )
    await (await other.async_register_service(service))
    return other

"""


def in_a_network(program: str) -> None:
    """Run the body of an asynchronous function there."""
    body = "".join(f"    {line}\n" for line in program.strip().splitlines())
    text = f"{PRELUDE}async def main():\n    global now_s\n{body}\nasyncio.run(main())\n"
    command = ["unshare", "--net", "--map-root-user", "sh", "-c", f'{NETWORK}exec "$0" -c "$1"']
    done = subprocess.run(
        [*command, sys.executable, text], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def has_namespaces() -> bool:
    if not (shutil.which("unshare") and shutil.which("ip")):
        return False
    made = ["unshare", "--net", "--map-root-user", "sh", "-c", NETWORK]
    return subprocess.run(made, check=False, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(
    not has_namespaces(), reason="needs iproute2, and the right to make network namespaces"
)


@pytest.mark.long  # multicast DNS waits in real time
def test_another_program_finds_the_name_until_the_companion_ends() -> None:
    in_a_network("""
name = NetworkName(8738)
await name.keep(own_address())
assert name.text == "tapmat.local", name.text
assert await asked("tapmat.local") == {"10.9.0.5"}
assert await asked("tapmat-2.local") == set()
await name.close()
assert name.text == ""
assert await asked("tapmat.local") == set()
""")


@pytest.mark.long  # multicast DNS waits in real time
def test_a_taken_name_gets_a_number_which_is_the_one_that_is_shown() -> None:
    in_a_network("""
first, second = await other_computer("10.9.0.99"), await other_computer("10.9.0.98", "tapmat-2")
name = NetworkName(8738)
await name.keep(own_address())
assert name.text == "tapmat-3.local", name.text
assert await asked("tapmat-3.local") == {"10.9.0.5"}
await name.close(); await first.async_close(); await second.async_close()
""")


@pytest.mark.long  # multicast DNS waits in real time
def test_the_computers_own_name_is_not_taken() -> None:
    in_a_network("""
same = await other_computer(own_address())  # as avahi on a Pi with the host name tapmat
name = NetworkName(8738)
await name.keep(own_address())
assert name.text == "tapmat.local", name.text
await name.close(); await same.async_close()
""")


@pytest.mark.long  # multicast DNS waits in real time
def test_of_two_with_one_name_the_higher_address_takes_another() -> None:
    in_a_network("""
name = NetworkName(8738, lambda: now_s)
await name.keep(own_address())
higher = await other_computer("10.9.0.99")
now_s += CHECK_EVERY_S
await name.keep(own_address())
assert name.text == "tapmat.local", "the other one yields"
lower = await other_computer("10.9.0.4")
await name.keep(own_address())
assert name.text == "tapmat.local", "it is not checked yet"
now_s += CHECK_EVERY_S
await name.keep(own_address())
assert name.text == "tapmat-2.local", name.text
await name.close(); await higher.async_close(); await lower.async_close()
""")


def test_without_a_network_there_is_no_name_and_no_error() -> None:
    program = (
        "import asyncio\nfrom firmware.companion.network_name import NetworkName\n"
        "name = NetworkName(8738)\nasyncio.run(name.keep('10.9.0.5'))\nassert name.text == ''"
    )
    command = ["unshare", "--net", "--map-root-user", sys.executable, "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
