"""The status of each table: whether it is connected, and why it calls for help.

A table publishes it on ``tapmat/<table>/status``, and the broker keeps it for programs that come
later. If a table's connection breaks, the broker publishes the status "away" for it.
"""

import json
from dataclasses import asdict, dataclass

from firmware.hall.messages import BadHallMessage, object_in

LONGEST_FAULT = 200  # characters


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of a table. *fault* is a sentence about parts that do not work, or empty.

    *calls* is True if somebody at the table calls for help.
    """

    online: bool = False
    fault: str = ""
    calls: bool = False


AWAY = TableStatus()


def status_text(status: TableStatus) -> str:
    """Return *status* as JSON."""
    return json.dumps({"v": 1, **asdict(status)}, ensure_ascii=False)


def status_of(payload: bytes) -> TableStatus:
    """Return the status in *payload*.

    Raises:
        BadHallMessage: it is not a status.
    """
    match object_in(payload):
        case {"online": bool(online), "fault": str(fault), "calls": bool(calls)}:
            return TableStatus(online, fault[:LONGEST_FAULT], calls)
    raise BadHallMessage("the message is not a status")
