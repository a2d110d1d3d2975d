"""The commands that come from the broker, as acts for the table's socket (docs/outlet.md)."""

from math import isfinite
from typing import Any, Final

from firmware.mqtt.house_state import Json, settings_in

LONGEST_VALUE: Final = 40  # bytes
SAFE_TO_UNPLUG: Final = "safe-to-unplug"
PRESSED: Final = frozenset({"say-again", "take-back", SAFE_TO_UNPLUG})
VOLUME: Final = "volume"


def act_in(command: str, payload: bytes, host: Json) -> Any:
    """Return the act for the table; None if the command is unknown, or its value is impossible.

    *host* is the host's private state, which has the possible values of the settings.
    """
    if command in PRESSED:
        return command
    setting = settings_in(host).get(command)
    if setting is None or len(payload) > LONGEST_VALUE:
        return None
    wanted = payload.decode("ascii", "replace").strip()
    values = [value for value, _text in setting["values"]]
    value = _nearest(wanted, values) if command == VOLUME else wanted
    return {"setting": command, "value": value} if value in values else None


def _nearest(wanted: str, values: list[str]) -> str | None:
    """Return the number in *values* that is nearest to *wanted*; None if that is no number."""
    try:
        number = float(wanted)
    except ValueError:
        return None
    if not isfinite(number):
        return None
    return min(values, key=lambda value: abs(int(value) - number))
