"""Ask for a name by multicast DNS, and print the IPv4 addresses in the first answer.

``tests.image.house`` runs it inside the emulated Pi: ``python3 ask_name.py games.local``.
Source: RFC 6762, 5.1 (a simple query) and 6.7 (its answer); RFC 1035, 4.1.
"""

import socket
import struct
import sys

GROUP, PORT = "224.0.0.251", 5353
OWN = "10.77.0.1"  # of the computer that asks
TYPE_A, CLASS_IN = 1, 1
TRIES, PATIENCE_S = 10, 5.0


def main(name: str) -> int:
    """Ask for *name*, again if nobody answers; return 0 if somebody did."""
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    question = (
        struct.pack(">6H", 1, 0, 1, 0, 0, 0) + labels + struct.pack(">BHH", 0, TYPE_A, CLASS_IN)
    )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(OWN))
        line.settimeout(PATIENCE_S)
        for _ in range(TRIES):
            line.sendto(question, (GROUP, PORT))
            try:
                print(*addresses(line.recv(9000)))
                return 0
            except TimeoutError:
                pass
    return 1


def addresses(answer: bytes) -> list[str]:
    """Return the IPv4 addresses in *answer*, which repeats the question before its records."""
    questions, records = struct.unpack_from(">2H", answer, 4)
    at = 12
    for _ in range(questions):
        at = end_of_name(answer, at) + 4
    found = []
    for _ in range(records):
        at = end_of_name(answer, at)
        kind, _, _, size = struct.unpack_from(">HHIH", answer, at)
        at += 10
        if kind == TYPE_A:
            found.append(socket.inet_ntoa(answer[at : at + size]))
        at += size
    return found


def end_of_name(answer: bytes, at: int) -> int:
    """Return the place behind the name that begins at *at*."""
    while 0 < answer[at] < 0xC0:
        at += 1 + answer[at]
    return at + (2 if answer[at] else 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
