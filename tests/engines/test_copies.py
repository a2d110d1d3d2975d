"""Changed copies of frozen dataclasses."""

import dataclasses

import pytest

from engines.common.copies import replace


@dataclasses.dataclass(frozen=True, slots=True)
class Older:
    """Fields that another class takes over."""

    one: int
    two: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Newer(Older):
    """Fields of two classes."""

    three: str = "c"


def test_a_copy_is_the_one_of_the_standard_library() -> None:
    value = Newer(1, ("b",))
    for changes in ({}, {"one": 2}, {"three": "d"}, {"two": ("x",), "three": ""}):
        assert replace(value, **changes) == dataclasses.replace(value, **changes)
    assert value == Newer(1, ("b",), "c"), "it is unchanged"


def test_a_field_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match="four"):
        replace(Newer(1), four=4)  # type: ignore[call-arg]


def test_a_field_that_is_not_given_by_position_is_an_error() -> None:
    @dataclasses.dataclass(frozen=True)
    class Named:
        one: int
        two: int = dataclasses.field(default=0, kw_only=True)

    with pytest.raises(AssertionError):
        replace(Named(1), one=2)
