"""Faults of parts. The table reports a fault and continues; it does not crash."""

# What to do if the user may not open a device file.
JOIN_GROUP = "Join its group: sudo adduser $USER {group}, then log in again or reboot"


class HardwareFault(Exception):
    """A part does not work as its port promises. The text says what to check.

    *kind* is a code for counting faults. Each subclass lists its codes in ``KINDS``.
    """

    KINDS: tuple[str, ...] = ()

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        assert kind in self.KINDS, f"{kind!r} is not one of {self.KINDS}"
        self.kind = kind


class ReaderFault(HardwareFault):
    """The reader chip does not work, so the tags in its field are unknown.

    ``silent``: no chip answers. ``settings-lost``: its registers changed, for example because its
    supply voltage dropped (brown-out). ``stuck``: it does not finish sending a frame and waiting
    for the answer. ``bus``: the SPI device reports an error. ``hot``: it is too hot and has
    switched its antenna off. ``gain``: its receiver's gain cannot be set, as with some copies of a
    chip.
    """

    KINDS = ("silent", "settings-lost", "stuck", "bus", "hot", "gain")


class DisplayFault(HardwareFault):
    """The display does not work, so the picture on it is unknown.

    ``lost``: it does not acknowledge its address. ``dark``: it acknowledges, but lost power for a
    moment and is off. ``held``: a wire of the bus stays low, so no transfer is possible.
    """

    KINDS = ("lost", "dark", "held")


class LampFault(HardwareFault):
    """The lamps do not work, so their state is unknown.

    ``driver``: the driver of an LED strip raised an exception, which is the cause of this one.
    """

    KINDS = ("driver",)


class MissingPart(HardwareFault):
    """The table needs a *part* that this computer lacks.

    *found* says what is wrong, and *remedy* what to do.
    """

    KINDS = ("missing",)

    def __init__(self, part: str, found: str, remedy: str) -> None:
        super().__init__("missing", f"{part}: {found}. {remedy}")
        self.part, self.found, self.remedy = part, found, remedy


class SpeechFault(Exception):
    """Text cannot be turned into sound, or a sound cannot be played. The message says why.

    The table continues in silence or uses another source of sounds, so this fault is not counted.
    """


class TooSlow(SpeechFault):
    """A sound was not ready in time. It can still be prepared for later."""
