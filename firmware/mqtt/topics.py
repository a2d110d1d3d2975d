"""The topics of a table, all below ``tapmat/<id>``; docs/home-assistant.md lists them."""

from dataclasses import dataclass

HOME_ASSISTANT_STATUS = "homeassistant/status"  # where Home Assistant says that it has started


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
        """Where ``online`` or ``offline`` is retained."""
        return f"{self.base}/available"

    @property
    def state(self) -> str:
        """Where the state is retained."""
        return f"{self.base}/state"

    @property
    def last_winner(self) -> str:
        """Where the names of the winners of the last finished game are retained."""
        return f"{self.base}/last_winner"

    @property
    def play(self) -> str:
        """Where the events of a game are published."""
        return f"{self.base}/play"

    @property
    def card(self) -> str:
        """Where each accepted piece is published."""
        return f"{self.base}/card"

    def command(self, name: str) -> str:
        """Return the topic of the command *name*; ``+`` stands for all commands."""
        return f"{self.base}/do/{name}"

    @property
    def device(self) -> str:
        """Where the description for Home Assistant is retained."""
        return f"homeassistant/device/{self.id}/config"
