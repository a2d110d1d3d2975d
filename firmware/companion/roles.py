"""The roles of pages, and the acts that each role may do; docs/companion.md shows this table."""

from collections.abc import Mapping
from enum import Enum


class Role(Enum):
    """The role of a page. One phone may be a seat and a host at the same time."""

    BOARD = "board"
    GUEST = "guest"  # a phone that belongs to no player and no host
    SEAT = "seat"  # the phone of one player
    HOST = "host"


PHONES = frozenset({Role.GUEST, Role.SEAT, Role.HOST})
SEAT, HOST = frozenset({Role.SEAT}), frozenset({Role.HOST})

MAY: Mapping[str, frozenset[Role]] = {
    "see-public": frozenset(Role),
    "see-hand": SEAT,
    "see-phones": HOST,
    "sit": PHONES,
    "host": PHONES,
    "leave": SEAT | HOST,
    "answer": SEAT,
    "take-back": SEAT | HOST,
    "say-again": SEAT | HOST,
    "listen": SEAT,
    "stop-listening": SEAT,
    "here": SEAT,
    "what-can-i-play": SEAT,
    "where-are-we": SEAT,
    "start-game": HOST,
    "next-round": HOST,
    "rematch": HOST,
    "end-game": HOST,
    "results": HOST,
    "free-hand-reader": HOST,
    "seat-robot": HOST,
    "setting": HOST,
    "enrol": HOST,
    "see-parts": HOST,
    "share-link": HOST,
    "end-link": HOST,
    "remove": HOST,
}
