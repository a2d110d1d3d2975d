"""The house rules of Straw.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/straw/RULES.md, section 9.
"""

from dataclasses import dataclass

from engines.common.contract import Option, Selection, Switch
from engines.common.solo import solo_option

OPTIONS: tuple[Option, ...] = (
    Switch("floor-at-zero", default=False),  # RULES 3.4
    Switch("skip-empty-hands", default=True),  # RULES 3.6
    Switch("copier-breaks", default=True),  # RULES 4.3
    Switch("unbroken-scores", default=True),  # RULES 4.4
    Selection("cannot-play", default="loses-round", names=("loses-round", "passes")),  # RULES 4.5
    Switch("empty-camel-pass", default=True),  # RULES 4.6
    Switch("copy-takes-effective-card", default=True),  # RULES 5.7
    Switch("copied-reverse-turns", default=True),  # RULES 5.8
    Switch("copied-carpet-subtracts", default=True),  # RULES 5.9
    Switch("negative-totals", default=True),  # RULES 7.6
    Switch("clockwise-each-round", default=True),  # RULES 2.4
    Selection("ending", default="rounds", names=("rounds", "hundred")),  # RULES 8.1
    Switch("shared-win", default=True),  # RULES 8.3
    solo_option(36, 42, 50),  # RULES 8.4
)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The chosen value of each of OPTIONS."""

    floor_at_zero: bool
    skip_empty_hands: bool
    copier_breaks: bool
    unbroken_scores: bool
    cannot_play: str
    empty_camel_pass: bool
    copy_takes_effective_card: bool
    copied_reverse_turns: bool
    copied_carpet_subtracts: bool
    negative_totals: bool
    clockwise_each_round: bool
    ending: str
    shared_win: bool
    solo: str
