"""The reasons why a reader receives no answer, in words for the trace.

May import: the standard library and fakepi.
"""

from collections.abc import Collection, Mapping

from fakepi.picc import Picc, PiccState

SHOWN_TAGS = 2
SHOWN_UID_BYTES = 2


def why_no_answer(
    states: Mapping[Picc, PiccState], answered: Collection[Picc], *, is_on: bool, now_ns: int
) -> str:
    """Return why no answer was received, such as "04:A1.. wakes at 1.350 ms".

    Args:
        states: the state of each tag in the field before the reader's frame.
        answered: the tags that answered the frame.
        is_on: True if the antenna radiates.
        now_ns: the time of the frame.
    """
    if not is_on:
        return "the field is off"
    if not states:
        return "no tag in the field"
    reasons = [
        f"{short_uid(picc)} {_reason(picc, before, picc in answered, now_ns)}"
        for picc, before in states.items()
    ]
    more = f"; and {len(reasons) - SHOWN_TAGS} more" if len(reasons) > SHOWN_TAGS else ""
    return "; ".join(reasons[:SHOWN_TAGS]) + more


def short_uid(picc: Picc) -> str:
    """Return the first bytes of the UID, such as "04:A1..", which tell the tags of a test apart."""
    return picc.uid[:SHOWN_UID_BYTES].hex(":").upper() + ".."


def _reason(picc: Picc, before: PiccState, has_answered: bool, now_ns: int) -> str:
    if before is PiccState.POWER_OFF:
        return "gets too little power"
    if picc.awake_ns > now_ns:
        return f"wakes at {picc.awake_ns / 1_000_000:.3f} ms"
    if has_answered:
        return "answered, but the reader did not receive it"
    if picc.state is not before:
        return f"was {before.name}, now {picc.state.name}"
    return "is halted" if before is PiccState.HALT else f"is {before.name}"
