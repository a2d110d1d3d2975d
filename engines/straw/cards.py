"""The kinds of card in Straw.

May import: the standard library and engines.common.
May be imported by: firmware, sim, tests. Never by hardware or by another game.
Source: engines/straw/RULES.md, quoted below as "RULES 5.2" and so on; deck.toml has the weights.
"""

from engines.common.pieces import Deck

COPY, LAMP, REVERSE, STRAW = "copy", "lamp", "reverse", "straw"
SPECIAL = frozenset({COPY, LAMP, REVERSE, STRAW})
WEIGHT_PREFIX, CARPET_PREFIX = "weight-", "carpet-"

LAMP_LOW, LAMP_HIGH, LAMP_START = 1, 10, 5  # RULES 5.4


def is_carpet(kind: str) -> bool:
    """Return True if *kind* is a Flying Carpet, which lightens the camel (RULES 5.2)."""
    return kind.startswith(CARPET_PREFIX)


def check_kinds(deck: Deck) -> None:
    """Check that Straw has a rule for every kind of card in *deck*.

    Raises:
        ValueError: there is no rule for one of the kinds.
    """
    for kind in deck.by_name:
        if kind not in SPECIAL and not kind.startswith((WEIGHT_PREFIX, CARPET_PREFIX)):
            raise ValueError(f'Straw has no card "{kind}"')
