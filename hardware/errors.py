"""What can go wrong with a part. A fault is a state of the table, never a crash.

Room: hardware.
"""


class HardwareFault(Exception):
    """A part does not do what its port promises; the text says which and what to check."""


class ReaderFault(HardwareFault):
    """The reader chip does not answer or has lost its settings: "no tag" would be a guess."""


class DisplayFault(HardwareFault):
    """The display does not acknowledge; nothing is known of what it shows."""


class MissingPart(HardwareFault):
    """The table needs a *part* that is not on this machine; *remedy* says what to do."""

    def __init__(self, part: str, found: str, remedy: str) -> None:
        super().__init__(f"{part}: {found}. {remedy}")
        self.part, self.found, self.remedy = part, found, remedy
