"""This computer's address in the network at home.

Sources: Linux, netdevice(7), SIOCGIFCONF. Other ways need Netlink, which the companion's service is
not allowed to use.
"""

import socket
import struct
import sys
from ipaddress import IPv4Address

ANYWHERE = "192.0.2.1", 9  # no packet is sent there
SIOCGIFCONF = 0x8912
MOST_INTERFACES = 64
IFREQ = 40 if sys.maxsize > 2**32 else 32  # bytes of one entry; the address is at 20


def own_address() -> str:
    """Return the IPv4 address at which other computers reach this one; empty if there is none.

    It is the address from which this computer would reach the internet. If it has no route to the
    internet, like a Pi that is itself the access point, it is the first address that is not a
    loopback one.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unsent:
        try:
            unsent.connect(ANYWHERE)
            return str(unsent.getsockname()[0])
        except OSError:
            return next(iter(_interface_addresses(unsent)), "")


def _interface_addresses(any_socket: socket.socket) -> list[str]:
    if sys.platform != "linux":
        return []
    import array
    import fcntl

    entries = array.array("B", bytes(MOST_INTERFACES * IFREQ))
    request = struct.pack("iP", len(entries), entries.buffer_info()[0])
    try:
        size, _ = struct.unpack("iP", fcntl.ioctl(any_socket, SIOCGIFCONF, request))
    except OSError:
        return []
    found = (IPv4Address(bytes(entries[at + 20 : at + 24])) for at in range(0, size, IFREQ))
    return [str(address) for address in found if not address.is_loopback]
