"""What can go wrong with a part. A fault is a state of the table, never a crash.

Room: hardware.
"""


class HardwareFault(Exception):
    """A part does not do what its port promises; the text says which and what to check.

    *kind* is one word for counting; each subclass lists its own under ``KINDS``.
    """

    KINDS: tuple[str, ...] = ()

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        assert kind in self.KINDS, f"{kind!r} is none of {self.KINDS}"
        self.kind = kind


class ReaderFault(HardwareFault):
    """The reader chip does not do its work: "no tag" would be a guess.

    ``silent``: no chip answers; ``settings-lost``: its registers fell back (a brown-out) or
    changed; ``stuck``: it ends no exchange; ``bus``: the SPI device itself refuses.
    """

    KINDS = ("silent", "settings-lost", "stuck", "bus")


class DisplayFault(HardwareFault):
    """Nothing is known of what the display shows.

    ``lost``: it does not acknowledge; ``dark``: it does, but had no power meanwhile and is off.
    """

    KINDS = ("lost", "dark")


class MissingPart(HardwareFault):
    """The table needs a *part* that is not on this machine; *remedy* says what to do."""

    KINDS = ("missing",)

    def __init__(self, part: str, found: str, remedy: str) -> None:
        super().__init__("missing", f"{part}: {found}. {remedy}")
        self.part, self.found, self.remedy = part, found, remedy


class SpeechFault(Exception):
    """Words cannot be made into a sound, or a sound cannot be heard; the text says why.

    The table plays on in silence, or says it another way, so this is counted nowhere.
    """


class TooSlow(SpeechFault):
    """A sound was not made in time to be said; it may be made ahead."""
