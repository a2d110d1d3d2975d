"""The phone desk: it sends private messages to phones, and checks what each phone may do.

A phone says what it wants in a sealed message (``firmware.companion.sealing``). The desk looks up
the roles of its key, checks them against ``roles.MAY``, and asks the table.
"""

import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from firmware.companion.phone_book import KnownPhone, PhoneBook
from firmware.companion.roles import MAY, Role
from firmware.companion.table_link import TableLink
from firmware.companion.watch_link import WatchLink

if TYPE_CHECKING:  # loaded with the first phone: most companions serve a television only
    from firmware.companion.sealing import SealedSession, Sealer

ASK_AGAIN_S = 10.0  # after a question to which the people at the table said no
MOST_SESSIONS = 6  # streams with one key
MOMENTS = range(1 << 31)
BOX = re.compile(r"[a-z0-9-]{1,100}")  # the table disconnects a companion that sends other text
LONGEST_NAME = 40  # characters; the table takes no longer one
MOST_ACTING = 10  # acts that wait for the table; its inbox has room for twenty

Send = Callable[[str, Any], None]  # sends a message of a kind to the phone's stream


class Refused(Exception):
    """The request of a phone is refused. *code* names the text that the page shows, or is empty."""

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.code = code


class PhoneDesk:
    """The part of the companion that answers the phones of one table.

    Args:
        book: the list of the phones that may act as a player or as the host.
        link: the connection to the table.
        watch: the watch link.
        clock: returns the time in seconds.
    """

    def __init__(
        self,
        book: PhoneBook,
        link: TableLink,
        watch: WatchLink,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._book, self._link, self._watch, self._clock = book, link, watch, clock
        self._sealer: Sealer | None = None
        self._sessions: dict[SealedSession, Send] = {}
        self._states: dict[str | None, Any] = {}  # the newest private states
        self._is_asking = False  # a question waits for the people at the table
        self._again_s: dict[str, float] = {}  # when each viewer may ask again
        self._acting = 0

    # --- streams ---

    def open(self, key: str, viewer: str, send: Send) -> "SealedSession":
        """Begin a session with the phone that has the public *key* and the viewer number *viewer*.

        *send* puts a message into the phone's stream.

        Raises:
            Refused: *key* is not a valid key, or the phone has too many streams.
        """
        from firmware.companion.sealing import BadSeal, Sealer

        if self._sealer is None:
            self._sealer = Sealer()
        if sum(session.key == key for session in self._sessions) >= MOST_SESSIONS:
            raise Refused
        try:
            session = self._sealer.session(key, viewer)
        except BadSeal as wrong:
            raise Refused from wrong
        self._sessions[session] = send
        send("key", self._sealer.public)
        self._greet(session)
        self._update_wanted()
        return session

    def close(self, session: "SealedSession") -> None:
        """End *session*. Messages that are sealed for it are refused from now on."""
        self._sessions.pop(session, None)
        self._update_wanted()

    def hear(self, player: str | None, state: Any) -> None:
        """Store the private *state* of *player*, or of the host (None), and send it to the phones.

        None as the *state* deletes the stored one.
        """
        if state is None:
            self._states.pop(player, None)
        else:
            self._states[player] = state
        for session in self._sessions:
            phone = self._phone_of(session)
            if player is None and phone.may("see-parts"):
                self._send(session, "host", state)
            elif player is not None and phone.player == player and phone.may("see-hand"):
                self._send(session, "mine", state)

    def remove_viewer(self, viewer: str) -> None:
        """Remove all phones of *viewer*, a browser that was removed."""
        for phone in self._book.phones:
            if phone.viewer == viewer:
                self._book.remove(phone.key)
        self._greet_all()

    def forget(self) -> None:
        """Forget all private states. Called when the table has been switched off."""
        for player in list(self._states):
            self.hear(player, None)

    def _phone_of(self, session: "SealedSession") -> KnownPhone:
        return self._book.phone(session.key, session.viewer)

    def _send(self, session: "SealedSession", kind: str, value: Any) -> None:
        self._sessions[session]("sealed", session.seal(kind, value))

    def _greet(self, session: "SealedSession", removed: str = "") -> None:
        """Send the phone of *session* its own roles, and everything that these roles may see.

        *removed* is the key of a phone that the host has just removed.
        """
        phone = self._phone_of(session)
        you = {
            "player": phone.player,
            "isHost": phone.is_host,
            "isRemoved": phone.key == removed,
            "taken": sorted({each.player for each in self._book.phones if each.player}),
        }
        self._send(session, "you", you)
        can_see = phone.may("see-hand")
        self._send(session, "mine", self._states.get(phone.player) if can_see else None)
        if phone.may("see-parts"):
            self._send(session, "host", self._states.get(None))
        if phone.may("see-phones"):
            self._send(session, "phones", self._phones_data())
        if phone.may("end-link"):
            self._send(session, "watching", self._watch.url)

    def _phones_data(self) -> list[dict[str, Any]]:
        return [
            {"key": each.key, "player": each.player, "isHost": each.is_host}
            for each in self._book.phones
        ]

    def _greet_all(self, removed: str = "") -> None:
        for session in list(self._sessions):
            self._greet(session, removed)
        self._update_wanted()

    def _update_wanted(self) -> None:
        """Ask the table for the private states of the players whose phones are connected."""
        here = [self._phone_of(session) for session in self._sessions]
        wanted = {phone.player for phone in here if phone.player}
        self._link.want(wanted | {None} if any(phone.is_host for phone in here) else wanted)

    # --- acts ---

    async def receive(self, key: str, viewer: str, sealed: str) -> str:
        """Decrypt and handle *sealed*, a message from a phone; return the sealed reply.

        *key* and *viewer* are the phone's public key and viewer number.

        Raises:
            Refused: the message is not from an open session of this phone.
        """
        session, number, message = self._open(key, viewer, sealed)
        try:
            if not session.allowance.take():
                raise Refused("busy")
            if message.get("do") == "results":  # takes seconds, and must not block acts
                return session.seal_reply(number, await self._results(session))
            if message.get("do") == "here":  # sent by itself, and must not block acts either
                return session.seal_reply(number, await self._pass_on_here(session))
            return session.seal_reply(number, await self._do_alone(session, message))
        except Refused as why:
            return session.seal_reply(number, {"code": why.code})

    async def _do_alone(
        self, session: "SealedSession", message: Mapping[str, Any]
    ) -> dict[str, Any]:
        if session.is_acting or self._acting >= MOST_ACTING:
            raise Refused("busy")
        session.is_acting = True
        self._acting += 1
        try:
            return await self._do(session, message)
        finally:
            session.is_acting = False
            self._acting -= 1

    async def _pass_on_here(self, session: "SealedSession") -> dict[str, Any]:
        """Tell the table that the phone of *session* is on."""
        phone = self._refuse_unless("here", session)
        await self._link.act("here", phone.player, 0)
        return {}

    async def _results(self, session: "SealedSession") -> dict[str, Any]:
        self._refuse_unless("results", session)
        results = await self._link.results()
        if results is None:
            raise Refused("lost")
        self._refuse_unless("results", session)  # the host may have been removed meanwhile
        return {"results": results}

    def _open(
        self, key: str, viewer: str, sealed: str
    ) -> "tuple[SealedSession, int, dict[str, Any]]":
        own = [each for each in self._sessions if (each.key, each.viewer) == (key, viewer)]
        if not own:
            raise Refused
        from firmware.companion.sealing import BadSeal, unseal

        try:
            message = unseal(sealed, own[0].box)  # all sessions of a phone have one key
        except BadSeal as wrong:
            raise Refused from wrong
        for session in own:
            with suppress(BadSeal):
                return session, session.accept(message), message
        raise Refused

    async def _do(self, session: "SealedSession", message: Mapping[str, Any]) -> dict[str, Any]:
        """Do what *message* asks for; return the content of the reply.

        Raises:
            Refused: the phone may not do that.
        """
        match message.get("do"), message:
            case "sit", {"player": str(player)}:
                self._refuse_unless("sit", session)
                if message.get("instead") is not True and self._has_other(session, player):
                    raise Refused("taken")
                return await self._ask(session, player)
            case "host", _:
                self._refuse_unless("host", session)
                return await self._ask(session, None)
            case "leave", _:
                return self._remove("leave", session, session.key)
            case "remove", {"key": str(key)}:
                return self._remove("remove", session, key)
            case "share-link" | "end-link" as act, _:
                return self._change_link(act, session)
            case "act", {"act": act, "moment": int(moment)}:
                return await self._act(session, act, moment)
        raise Refused("wrong")

    def _has_other(self, session: "SealedSession", player: str) -> bool:
        """Return True if *player* has a phone other than that of *session*."""
        return any(each.player == player and each.key != session.key for each in self._book.phones)

    def _refuse_unless(self, act: str, session: "SealedSession") -> KnownPhone:
        """Check that the phone of *session* may do *act*; return the phone.

        Raises:
            Refused: its roles do not allow *act*.
        """
        phone = self._phone_of(session)
        if not phone.may(act):
            raise Refused("not-yours")
        return phone

    def _remove(self, act: str, session: "SealedSession", key: str) -> dict[str, Any]:
        self._refuse_unless(act, session)
        self._book.remove(key)
        self._greet_all(removed=key)
        return {}

    def end_link(self) -> None:
        """Take the watch link back, and tell the phones."""
        self._watch.take_back()
        self._greet_all()

    def _change_link(self, act: str, session: "SealedSession") -> dict[str, Any]:
        self._refuse_unless(act, session)
        if act == "end-link":
            self.end_link()
            return {}
        if not self._watch.make():
            raise Refused("no-network")
        self._greet_all()
        return {}

    async def _act(self, session: "SealedSession", act: Any, moment: int) -> dict[str, Any]:
        name = _name_of(act)
        phone = self._refuse_unless(name, session)
        is_seat = Role.SEAT in phone.roles and Role.SEAT in MAY[name]
        state = self._states.get(phone.player if is_seat else None)
        if (
            state is None
            or not _is_offered(name, act, state)
            or type(moment) is not int
            or moment not in MOMENTS
        ):
            raise Refused("late")
        is_done, text = await self._link.act(act, phone.player if is_seat else None, moment)
        return {} if is_done else {"text": text} if text else {"code": "lost"}

    async def _ask(self, session: "SealedSession", player: str | None) -> dict[str, Any]:
        """Ask the people at the table if the phone may be *player*'s, or the host's (None).

        If they agree, store that, and return the empty reply.

        Raises:
            Refused: the people did not agree, or cannot be asked now.
        """
        state = self._link.state
        if state is None:
            raise Refused("off")
        if player is not None and (
            player not in state.get("names", ()) or len(player) > LONGEST_NAME
        ):
            raise Refused("wrong")
        if self._is_asking:
            raise Refused("busy")
        if self._clock() < self._again_s.get(session.viewer, 0.0):
            raise Refused("too-soon")
        code = f"{secrets.randbelow(100):02}"
        self._is_asking = True
        try:
            self._send(session, "asked", code)
            is_yes, why = await self._link.people_agree_to_phone(code, player)
        finally:
            self._is_asking = False
        if not is_yes:
            self._again_s[session.viewer] = self._clock() + ASK_AGAIN_S
            raise Refused("refused" if why == "refused" else "unanswered")
        if player is None:
            self._book.make_host(session.key, session.viewer)
        else:
            self._book.sit(session.key, session.viewer, player)
        self._greet_all()
        return {}


def _is_offered(name: str, act: Any, state: Mapping[str, Any]) -> bool:
    """Return True if the private *state* lists *act*, whose name is *name*, as possible.

    Other acts are not passed on to the table.
    """
    match name:
        case "answer":
            return any(act == given for given, _ in state["answers"])
        case "setting":
            offered = {
                each["name"]: [value for value, _ in each["values"]] for each in state["settings"]
            }
            return set(act) == {"setting", "value"} and act["value"] in offered.get(
                act["setting"], ()
            )
        case "seat-robot":
            lists = {
                each["name"]: [value for value, _ in each["values"]] for each in state["robots"]
            }
            return set(act) == {"robot", "seat"} and act["robot"] in lists.get(f"{act['seat']}", ())
        case "enrol":
            return _is_sticker_act_offered(act, state["stickers"]["box"])
        case "start-game":
            games = (each["game"] for each in state["games"] if not each["why_not"])
            return act["start"] in games
        case "next-round":
            return bool(state["next_round"])
        case "rematch":
            return bool(state["can_rematch"])
        case "free-hand-reader":
            return bool(state["hand_reader_of"])
    return True


def _is_sticker_act_offered(act: Mapping[str, Any], box: Mapping[str, Any] | None) -> bool:
    """Return True if *act* presses or chooses what the open *box* offers, or opens a box.

    If a box cannot be opened, the table says why.
    """
    step, value = act.get("step"), act.get("value")
    if len(act) != 3 or type(step) is not int or step not in MOMENTS or not isinstance(value, str):
        return False
    match act["stickers"]:
        case "open":
            return BOX.fullmatch(value) is not None
        case "press" if box is not None:
            return value in [button for button, _ in box["buttons"]]
        case "choose" if box is not None:
            return value in [item for item, _ in box["items"]]
    return False


def _name_of(act: Any) -> str:
    """Return the name of *act*, which a phone has sent: a key of ``roles.MAY``."""
    match act:
        case str():
            return act
        case {"setting": _}:
            return "setting"
        case {"start": _}:
            return "start-game"
        case {"robot": _}:
            return "seat-robot"
        case {"stickers": _}:
            return "enrol"
    return "answer"
