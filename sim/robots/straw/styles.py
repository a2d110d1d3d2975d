"""The styles of Straw: functions that select the legal plays that a player likes best.

A style uses only the current player's hand and the cards on the camel.
"""

from collections.abc import Callable, Mapping
from random import Random

from sim.robots.straw.books import LIMIT, StrawBooks, kind_of, printed_number

Play = tuple[str, int | None]  # a card, and the number chosen for a Lamp
Liking = Callable[
    [StrawBooks, list[Play], Random], list[Play]
]  # returns the liked ones of the given plays; an empty list if no play is better than others


def likes_anything(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return all plays."""
    return plays


def likes_safety(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the plays after which the load is lightest, without Straw if another card is possible.

    With this style, rounds last until the draw pile runs out.
    """
    safe = [play for play in plays if kind_of(play[0]) != "straw"] or plays
    lightest = min(books.weight_with(*play) for play in safe)
    return [play for play in safe if books.weight_with(*play) == lightest]


def likes_to_break(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the plays after which the load is heaviest."""
    heaviest = max(books.weight_with(*play) for play in plays)
    return [play for play in plays if books.weight_with(*play) == heaviest]


def likes_specials(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the plays of cards that are not weights: specials and carpets."""
    return [play for play in plays if printed_number(play[0]) <= 0]


def likes_exactly_50(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the plays of Straw; else those that bring the load to 50; else those nearer to it.

    Nearer means a load from the present one to 49.
    """
    straw = [play for play in plays if kind_of(play[0]) == "straw"]
    full = [play for play in plays if books.weight_with(*play) == LIMIT]
    near = [play for play in plays if books.weight <= books.weight_with(*play) < LIMIT]
    return straw or full or near


def likes_points(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the plays of the cards with the lowest printed number, to keep high ones."""
    least = min(printed_number(card) for card, _ in plays)
    return [play for play in plays if printed_number(play[0]) == least]


def likes_to_win(books: StrawBooks, plays: list[Play], chance: Random) -> list[Play]:
    """Return the best plays: those that do not break the camel's back and keep the most points.

    While the load is under 40, cards with a printed number of 0 or less are saved for later. Of the
    plays that bring the load above 38, those that come closer to 50 are better. Straw is the best
    play if the cards left in the hand are worth more than 0. If not, it is better only than plays
    that break the camel's back.
    """
    held = sum(map(printed_number, books.hand))

    def worth(play: Play) -> float:
        card, _ = play
        after = books.weight_with(*play)
        kept = held - printed_number(card)
        if kind_of(card) == "straw":
            return 100 + kept if kept > 0 else -200
        if after > LIMIT:
            return -1000 + kept
        room = LIMIT - after
        # The less room is left, the sooner another player breaks the back and this hand scores.
        is_way_out = printed_number(card) <= 0
        closes = 12 - min(room, 12)
        return kept + closes - (6 if is_way_out and books.weight < LIMIT - 10 else 0)

    best = max(map(worth, plays))
    return [play for play in plays if worth(play) == best]


def likes_something_else_each_time(
    books: StrawBooks, plays: list[Play], chance: Random
) -> list[Play]:
    """Return the plays liked by a style that is drawn at random for each call."""
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
    """Return every way to play *card*: once, or with each number from 1 to 10 for a Lamp."""
    if books.asks_a_number(card):
        return [(card, number) for number in range(1, 11)]
    return [(card, None)]


def choose_play(liking: Liking, books: StrawBooks, plays: list[Play], chance: Random) -> Play:
    """Return one of *plays* that *liking* likes, or any of them if it likes none."""
    return chance.choice(liking(books, plays, chance) or plays)
