"""The phone book: stores which phones belong to a player or a host, also after a restart.

The file has only public keys, so a stolen copy is useless. An entry is valid only for the viewer
(the browser) that used the phone's key when the people at the table agreed.
"""

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from firmware.companion.private_file import read_private, write_private
from firmware.companion.roles import MAY, Role

MOST_PHONES = 40
MOST_PLAYERS = 11  # the table gives one client the states of twelve: these, and the host's
NAME = "phones.json"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KnownPhone:
    """A phone with the public *key*, in the browser with the number *viewer*.

    *player* is the name of its player, or empty. *is_host* is True if it has the role of a host.
    """

    key: str
    viewer: str
    player: str = ""
    is_host: bool = False

    @property
    def roles(self) -> frozenset[Role]:
        """The roles of this phone."""
        has = {Role.SEAT: bool(self.player), Role.HOST: self.is_host}
        return frozenset(role for role in has if has[role]) or frozenset({Role.GUEST})

    def may(self, act: str) -> bool:
        """Return True if one of the phone's roles allows *act*, a key of ``roles.MAY``."""
        return act in MAY and not MAY[act].isdisjoint(self.roles)


class PhoneBook:
    """The phones that have a role, stored in a file in *folder*; the newest is last."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._phones = {phone.key: phone for phone in self._read()}

    @property
    def phones(self) -> Sequence[KnownPhone]:
        """All phones that are a player's or the host's."""
        return tuple(self._phones.values())

    def phone(self, key: str, viewer: str) -> KnownPhone:
        """Return the phone with *key* and its roles.

        If *key* is unknown, or was registered by another viewer, the phone is a guest.
        """
        found = self._phones.get(key)
        return KnownPhone(key, viewer) if found is None or found.viewer != viewer else found

    def sit(self, key: str, viewer: str, player: str) -> None:
        """Make the phone with *key* and *viewer* the only phone of *player*."""
        for other in self.phones:
            if other.player == player:
                self._keep(replace(other, player=""))
        self._keep(replace(self.phone(key, viewer), player=player))
        players = [phone for phone in self.phones if phone.player]
        for oldest in players[: max(0, len(players) - MOST_PLAYERS)]:
            self._keep(replace(oldest, player=""))
        self._write()

    def make_host(self, key: str, viewer: str) -> None:
        """Give the phone with *key* and *viewer* the role of a host."""
        self._keep(replace(self.phone(key, viewer), is_host=True))
        for oldest in self.phones[: max(0, len(self._phones) - MOST_PHONES)]:
            del self._phones[oldest.key]
        self._write()

    def remove(self, key: str) -> None:
        """Remove the phone with *key*, which makes it a guest."""
        self._phones.pop(key, None)
        self._write()

    def _keep(self, phone: KnownPhone) -> None:
        self._phones.pop(phone.key, None)
        if phone.roles != {Role.GUEST}:
            self._phones[phone.key] = phone

    def _read(self) -> list[KnownPhone]:
        """Return the phones in the file; none if it is missing or damaged."""
        try:
            shapes = read_private(self._file)["phones"]
            return [_phone(shape) for shape in shapes][-MOST_PHONES:]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, LookupError) as fault:
            log.warning(
                "The list of phones cannot be read, so all must be registered again: %s: %s",
                self._file,
                fault,
            )
            return []

    def _write(self) -> None:
        try:
            write_private(self._file, {"v": 1, "phones": [asdict(phone) for phone in self.phones]})
        except OSError as fault:
            log.warning("The list of phones cannot be saved: %s: %s", self._file, fault)


def _phone(shape: object) -> KnownPhone:
    match shape:
        case {"key": str(key), "viewer": str(viewer), "player": str(player), "is_host": bool(host)}:
            return KnownPhone(key, viewer, player, host)
    raise ValueError(f"{shape!r} does not describe a phone")
