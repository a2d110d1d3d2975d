"""The topics of a table, all below ``tapmat/<id>``; docs/home-assistant.md lists them."""

from dataclasses import dataclass

HOME_ASSISTANT_STATUS = "homeassistant/status"  # Home Assistant says there that it has started


@dataclass(frozen=True, slots=True)
class TableTopics:
    """The topics of the table *id*."""

    id: str

    @property
    def base(self) -> str:
        """The beginning of all topics."""
        return f"tapmat/{self.id}"

    @property
    def available(self) -> str:
        """The topic of the retained word ``online`` or ``offline``."""
        return f"{self.base}/available"

    @property
    def state(self) -> str:
        """The topic of the retained state."""
        return f"{self.base}/state"

    @property
    def last_winner(self) -> str:
        """The topic of the retained names of the last winners."""
        return f"{self.base}/last_winner"

    @property
    def play(self) -> str:
        """The topic of the events of a game."""
        return f"{self.base}/play"

    @property
    def card(self) -> str:
        """The topic of accepted pieces."""
        return f"{self.base}/card"

    def command(self, name: str) -> str:
        """Return the topic of the command *name*; ``+`` stands for all commands."""
        return f"{self.base}/do/{name}"

    @property
    def device(self) -> str:
        """The topic of the retained description for Home Assistant."""
        return f"homeassistant/device/{self.id}/config"
