"""Groups of kinds that have one name together, such as "weights" or "paper cards".

A game may have ``groups``. The table needs them to say in a few words which pieces can be played
now. A game without them gets the names of single kinds.

May import: the standard library and engines.common.
May be imported by: every game, firmware, tests.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from engines.common.contract import Message
from engines.common.errors import Fact
from engines.common.pieces import Kind


@dataclass(frozen=True, slots=True)
class Group:
    """The kinds for which *has* is true. The text ``group.<name>`` with *facts* names them.

    *least* is the smallest number of kinds that are named by their group. It is 1 if the name of
    a single kind does not say enough, because another kind has the same name.
    """

    name: str
    has: Callable[[Kind], bool]
    facts: Mapping[str, Fact] = field(default_factory=dict, hash=False)
    least: int = 2

    @property
    def title(self) -> Message:
        """The message that names the group."""
        return Message(f"group.{self.name}", self.facts)


def groups_of(game: object) -> tuple[Group, ...]:
    """Return the groups of *game*. A game need not have any."""
    groups = getattr(game, "groups", ())
    return groups if isinstance(groups, tuple) else ()


def family(*names: str) -> Callable[[Kind], bool]:
    """Return a condition that is true for kinds of the families *names*."""
    return lambda kind: kind.family in names


def with_traits(**traits: str) -> Callable[[Kind], bool]:
    """Return a condition that is true for kinds with all of *traits*."""
    return lambda kind: all(kind.traits.get(name) == value for name, value in traits.items())


def in_few_words(
    wanted: Set[str], indifferent: Set[str], kinds: Sequence[Kind], groups: Sequence[Group]
) -> tuple[Group | Kind, ...]:
    """Return groups and single kinds that together are *wanted*, as few as can be found easily.

    A group may also have kinds of *indifferent*, but no others. *wanted* and *indifferent* are
    names of *kinds*. Groups come in their order in *groups*, then kinds in their order in *kinds*.
    """
    fitting = [(group, {kind.name for kind in kinds if group.has(kind)}) for group in groups]
    fitting = [(group, names) for group, names in fitting if names <= wanted | indifferent]
    found: list[Group] = []
    left = set(wanted)
    while useful := [each for each in fitting if len(each[1] & left) >= each[0].least]:
        group, names = max(useful, key=lambda each: len(each[1] & left))
        found.append(group)
        left -= names
    return (*sorted(found, key=groups.index), *(kind for kind in kinds if kind.name in left))
