"""How robots play Straw: which of the plays that the rules allow they like.

Room: sim/robots. A style sees its own hand and the camel, as everybody does.
"""

from collections.abc import Callable, Mapping
from random import Random

from sim.robots.straw.books import LIMIT, StrawBooks, kind_of, printed

Play = tuple[str, int | None]  # a card, and the number where it asks for one
Liking = Callable[[StrawBooks, list[Play], Random], list[Play]]  # likes some; none: any


def likes_anything(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Lays whatever comes to hand."""
    return plays


def likes_safety(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Keeps the load light and Straw in the hand, so that the draw pile runs out."""
    safe = [play for play in plays if kind_of(play[0]) != "straw"] or plays
    lightest = min(books.weight_with(*play) for play in safe)
    return [play for play in safe if books.weight_with(*play) == lightest]


def likes_to_break(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Lays what weighs most."""
    heaviest = max(books.weight_with(*play) for play in plays)
    return [play for play in plays if books.weight_with(*play) == heaviest]


def likes_specials(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Lays anything that is no weight."""
    return [play for play in plays if printed(play[0]) <= 0]


def likes_exactly_50(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Lays Straw when it may; else brings the load to 50, or near it, and keeps the carpets."""
    straw = [play for play in plays if kind_of(play[0]) == "straw"]
    full = [play for play in plays if books.weight_with(*play) == LIMIT]
    near = [play for play in plays if books.weight <= books.weight_with(*play) < LIMIT]
    return straw or full or near


def likes_points(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Keeps what scores: lays the card that is worth least in the hand."""
    least = min(printed(card) for card, _ in plays)
    return [play for play in plays if printed(play[0]) == least]


def likes_to_win(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Never breaks the camel's back if that can be helped, and scores with what is kept.

    As long as the load is light, what scores nothing or less is the way out for later; of the
    weights the middle ones go first, and the heavy ones only while they are sure to be borne.
    Straw goes on at 50 when the hand is worth something.
    """
    held = sum(map(printed, books.hand))

    def worth(play: Play) -> float:
        card, _ = play
        after = books.weight_with(*play)
        kept = held - printed(card)
        if kind_of(card) == "straw":
            return 100 + kept if kept > 0 else -200
        if after > LIMIT:
            return -1000 + kept
        room = LIMIT - after
        # Others break it the sooner, the less room is left; then only what is kept counts.
        is_way_out = printed(card) <= 0
        closes = 12 - min(room, 12)
        return kept + closes - (6 if is_way_out and books.weight < LIMIT - 10 else 0)

    best = max(map(worth, plays))
    return [play for play in plays if worth(play) == best]


def likes_something_else_each_time(
    books: StrawBooks, plays: list[Play], chance: Random
) -> list[Play]:
    """Plays each card in another style."""
    return chance.choice(list(LIKINGS.values())[:-1])(books, plays, chance)


LIKINGS: Mapping[str, Liking] = {
    "random": likes_anything,
    "careful": likes_safety,
    "breaker": likes_to_break,
    "specials first": likes_specials,
    "exactly 50": likes_exactly_50,
    "greedy": likes_points,
    "good": likes_to_win,
    "mixed": likes_something_else_each_time,
}


def plays_of(books: StrawBooks, card: str) -> list[Play]:
    """Every way to play *card*."""
    if books.asks_a_number(card):
        return [(card, number) for number in range(1, 11)]
    return [(card, None)]


def liked(liking: Liking, books: StrawBooks, plays: list[Play], chance: Random) -> Play:
    """One of *plays* that this liking likes; any, where it likes none."""
    return chance.choice(liking(books, plays, chance) or plays)
