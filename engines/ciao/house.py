"""The house rules of Ciao!.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/ciao/RULES.md, section 10.
"""

from dataclasses import dataclass

from engines.common.contract import Amount, Option, Selection, Switch

FULL, SYMBOLS_ONLY, WITH_SPECIALS, WITH_COLOURS = "full", "symbols", "specials", "colours"
RESHUFFLE, PLAY_ON = "reshuffle", "play-on"

OPTIONS: tuple[Option, ...] = (
    Switch("scoring", default=False),  # RULES 7.3
    Amount("rounds", default=5, low=1, high=20),  # RULES 7.7
    Selection(
        "variant", default=FULL, names=(FULL, SYMBOLS_ONLY, WITH_SPECIALS, WITH_COLOURS)
    ),  # RULES 9.1
    Switch("name-specials", default=False),  # RULES 6.2
    Switch("only-drawn-card", default=True),  # RULES 3.4
    Selection("empty-pile", default=RESHUFFLE, names=(RESHUFFLE, PLAY_ON)),  # RULES 3.7
    Switch("first-card-special", default=True),  # RULES 2.4
    Switch("again-must-beat", default=True),  # RULES 6.3
    Switch("reverse-goes-out", default=True),  # RULES 6.3
    Switch("reverse-of-two", default=False),  # RULES 6.3
    Switch("race-penalty", default=True),  # RULES 8.4
    Switch("race-out", default=True),  # RULES 8.4
    Switch("race-winner-special", default=True),  # RULES 6.5
    Switch("plus3-must-beat", default=False),  # RULES 6.6
    Switch("give-goes-out", default=True),  # RULES 6.7
    Switch("swap-goes-out", default=True),  # RULES 6.8
    Switch("clockwise-each-round", default=True),  # RULES 7.8
)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The chosen value of each of OPTIONS."""

    scoring: bool
    rounds: int
    variant: str
    name_specials: bool
    only_drawn_card: bool
    empty_pile: str
    first_card_special: bool
    again_must_beat: bool
    reverse_goes_out: bool
    reverse_of_two: bool
    race_penalty: bool
    race_out: bool
    race_winner_special: bool
    plus3_must_beat: bool
    give_goes_out: bool
    swap_goes_out: bool
    clockwise_each_round: bool

    @property
    def is_for_children(self) -> bool:
        """True if the game is one of the variants for small children (RULES 9.1)."""
        return self.variant != FULL

    @property
    def has_obstacles(self) -> bool:
        """True if the obstacles are in the deck (RULES 9.1)."""
        return not self.is_for_children

    @property
    def has_specials(self) -> bool:
        """True if the special cards are in the deck (RULES 9.1)."""
        return self.variant != SYMBOLS_ONLY

    @property
    def has_named_specials(self) -> bool:
        """True if players name the specials of plain cards (RULES 6.2)."""
        return self.name_specials and self.has_specials

    @property
    def has_colours(self) -> bool:
        """True if a stronger colour beats a weaker one (RULES 9.1)."""
        return self.variant in (FULL, WITH_COLOURS)
