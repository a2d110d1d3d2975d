"""A player at the guest's table, who taps cards, presses buttons and looks at the display."""

from tests.cuts.game import SPOT, Act, Game
from tests.cuts.guest import Guest

# The table shows the game before it looks at its reader; a card that lies there by then is no play.
LOOKED_S = 1.0
LIFTED_S = 0.4  # after a card is lifted, until the next act


class Player:
    """A player of *game* at the table of *guest*."""

    def __init__(self, guest: Guest, game: Game) -> None:
        self._guest = guest
        self._game = game

    def wait_for_table(self, acts: int) -> None:
        """Wait until the table shows the game after *acts* acts, and has looked at its reader."""
        stays = self._game.moments[acts].pictures[-1]
        what = f"the table shows the game after {acts} acts"
        self._guest.wait_until(what, lambda: self._guest.shown == stays)
        self._guest.run_for(LOOKED_S)

    def begin(self, act: Act) -> None:
        """Lay the card, or press and release the button; do not wait for what is shown."""
        if act.tag is None:
            self._guest.order(f"press {act.what}", f"release {act.what}")
        else:
            self._guest.order(f"lay {act.tag} {SPOT}")

    def play(self, number: int) -> None:
        """Do act *number*, counted from 1, and wait until the table shows it."""
        act, before = self._game.acts[number - 1], len(self._guest.pictures)
        self.begin(act)
        self._guest.wait_until(
            f"act {number} ({act}) is shown", lambda: self.has_shown(number, before)
        )
        if act.tag is not None:
            self._guest.order(f"lift {act.tag} {SPOT}")
        self._guest.run_for(LIFTED_S)

    def has_shown(self, number: int, before: int) -> bool:
        """Return True if a picture after the first *before* shows act *number*."""
        pictures = self._guest.pictures
        later = [pictures[n] for n in sorted(pictures)[before:]]
        return any(self._game.shows(picture, number) for picture in later)
