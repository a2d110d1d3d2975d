"""The table's name in the network at home: ``tapmat.local``, by multicast DNS (RFC 6762).

If another computer has that name, this one takes ``tapmat-2.local``, and so on. The name is checked
again from time to time, because two networks, or two tables, can meet later. If two then have the
same name, the one with the higher address takes another.
"""

import logging
from asyncio import sleep
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zeroconf import RecordUpdateListener
    from zeroconf.asyncio import AsyncZeroconf

LABEL = "tapmat"
MOST_TABLES = 9  # in one network
CHECK_EVERY_S = 60.0
PAUSES_S = (0.25, 0.25, 1.0)  # after each of three questions, as in RFC 6762, 8.1
SERVICE = "_http._tcp.local."

log = logging.getLogger(__name__)


class NetworkName:
    """The name of this computer in the network at home, announced for *port*.

    ``text`` is the name; it is empty while there is none.
    """

    def __init__(self, port: int, clock: Callable[[], float] = monotonic) -> None:
        self.text = ""
        self._port, self._clock = port, clock
        self._responder: AsyncZeroconf | None = None
        self._address = ""
        self._check_s = float("-inf")  # time of the next check

    async def keep(self, address: str) -> None:
        """Announce the name with the IPv4 *address*; choose another name if it is taken.

        Call this often. It does something only if the address has changed, or once a minute.
        """
        now_s = self._clock()
        if address == self._address and now_s < self._check_s:
            return
        self._check_s = now_s + CHECK_EVERY_S
        try:
            if address != self._address or self._responder is None:
                await self.close()
                self._responder, self._address = _open_responder(), address
                await self._responder.zeroconf.async_wait_for_start()
            if not self.text or await self._is_lost(self._responder):
                self.text = await self._claim(self._responder)
        except OSError as fault:  # for example, there is no network for multicast
            log.info("This table has no name in the network: %s", fault)
            await self.close()

    async def close(self) -> None:
        """Announce that the name is no longer used. Safe to call twice."""
        responder, self._responder, self.text, self._address = self._responder, None, "", ""
        if responder is not None:
            with suppress(OSError):
                await responder.async_unregister_all_services()
            await responder.async_close()

    async def _claim(self, responder: "AsyncZeroconf") -> str:
        """Announce the first name that is free, and return it; return "" if there is none."""
        from zeroconf import NonUniqueNameException, ServiceInfo

        await responder.async_unregister_all_services()
        for number in range(1, MOST_TABLES + 1):
            label = LABEL if number == 1 else f"{LABEL}-{number}"
            if await self._others(responder, label):
                continue
            service = ServiceInfo(
                SERVICE,
                f"{label}.{SERVICE}",
                addresses=[IPv4Address(self._address).packed],
                port=self._port,
                server=f"{label}.local.",
            )
            try:
                await (await responder.async_register_service(service))
            except NonUniqueNameException:
                continue
            return f"{label}.local"
        return ""

    async def _is_lost(self, responder: "AsyncZeroconf") -> bool:
        """Return True if another computer with a lower address has the same name."""
        others = await self._others(responder, self.text.removesuffix(".local"))
        return any(other < IPv4Address(self._address) for other in others)

    async def _others(self, responder: "AsyncZeroconf", label: str) -> set[IPv4Address]:
        """Ask the network for the name *label*; return the addresses of other computers with it."""
        from zeroconf import const
        from zeroconf._dns import DNSQuestion
        from zeroconf._protocol.outgoing import DNSOutgoing

        query = DNSOutgoing(const._FLAGS_QR_QUERY)
        question = DNSQuestion(f"{label}.local.", const._TYPE_A, const._CLASS_IN)
        query.add_question(question)
        heard: set[IPv4Address] = set()
        listener = _listener(question.name, heard)
        responder.zeroconf.async_add_listener(listener, None)
        try:
            for pause_s in PAUSES_S:
                responder.zeroconf.async_send(query)
                await sleep(pause_s)
        finally:
            responder.zeroconf.async_remove_listener(listener)
        return heard - {IPv4Address(self._address)}


def _listener(name: str, heard: set[IPv4Address]) -> "RecordUpdateListener":
    """Return a listener that adds each announced address of *name* to *heard*.

    It also gets addresses that zeroconf does not keep in its cache.
    """
    from zeroconf import RecordUpdate, RecordUpdateListener, Zeroconf, const
    from zeroconf._dns import DNSAddress

    class Listener(RecordUpdateListener):
        def async_update_records(
            self, _zeroconf: Zeroconf, _now: float, records: list[RecordUpdate]
        ) -> None:
            found = (update.new for update in records)
            heard.update(
                IPv4Address(record.address)
                for record in found
                if isinstance(record, DNSAddress)
                and (record.name.lower(), record.type) == (name, const._TYPE_A)
            )

    return Listener()


def _open_responder() -> "AsyncZeroconf":
    from zeroconf import InterfaceChoice, IPVersion
    from zeroconf.asyncio import AsyncZeroconf

    # The interface of the default route. To list interfaces, the service would need Netlink.
    return AsyncZeroconf(interfaces=InterfaceChoice.Default, ip_version=IPVersion.V4Only)
