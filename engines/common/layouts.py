"""Layouts of a game's pieces on the virtual table, and the counts and phases that each one needs.

May import: the standard library.
May be imported by: every game, sim, tests.

A game names its layout in ``Game.layout``. The virtual table shows the mat in a web browser. It
deals and moves the pieces of such a game by ``View.counts`` and, for a ship, by ``View.phase``.
Each layout has a section here with the keys of its counts. A game may have more counts than its
layout needs.
"""

HANDS, SPREAD, BOARD, SHIP = "hands", "spread", "board", "ship"

# --- hands: each player holds some cards, the others are in a draw pile ---------------------------

DRAW_PILE = "draw-pile"  # cards left to draw
DISCARD = "discard"  # optional: cards on the discard pile; a drop means that they were reshuffled
ROUND = "round"  # optional: the round's number; a change means a new shuffle and deal


def hand(seat: int) -> str:
    """Return the key in ``View.counts`` of the number of pieces in *seat*'s hand.

    The board layout uses it too.
    """
    return f"hand-{seat + 1}"


# --- spread: all tiles are face down in rows and columns ------------------------------------------
# Each kind has a count under its own name too: the number of its tiles still on the table.

OPEN = "open"  # tiles turned over in this turn; 0 ends the turn
MAY_MOVE = "may-move"  # 1 if the player may move the last tile to a free place, else 0


def won_by(seat: int) -> str:
    """Return the key in ``View.counts`` of the number of tiles that *seat* has won."""
    return f"won-{seat + 1}"


# --- board: a map grows tile by tile; each player holds some tiles --------------------------------
# The view has a grid. A kind with a count under its own name is beside the board, never in a pile.

PILE = "pile"  # tiles left to draw
ON_BOARD = "board"  # tiles on the board
ASIDE = "removed"  # tiles put aside during the game
OUT = "out"  # tiles that stay in the box, face down


def front(seat: int) -> str:
    """Return the key in ``View.counts`` of the number of tiles in front of *seat*: 0 or 1."""
    return f"front-{seat + 1}"


# --- ship: cargo is loaded into areas, and falls --------------------------------------------------
# While somebody loads, the view has a grid; the mark of each cell is the number of its area.

ABOARD = "ship"  # pieces on the ship
GONE = "removed"  # pieces that have left the game
CAPTAIN = "captain"  # the captain's seat, from 1


def cards(seat: int) -> str:
    """Return the key in ``View.counts`` of the number of cards in *seat*'s hand."""
    return f"cards-{seat + 1}"


def stock(seat: int) -> str:
    """Return the key in ``View.counts`` of the number of pieces in front of *seat*."""
    return f"stock-{seat + 1}"


def least_in(area: int) -> str:
    """Return the key in ``View.counts`` of the smallest number of pieces that may be in *area*."""
    return f"area-{area}"


def most_in(area: int) -> str:
    """Return the key in ``View.counts`` of the largest number of pieces that may be in *area*."""
    return f"most-{area}"


# The phase in which people judge if a player has said thank you.
THANKS = "thanks"

# The phases of the ship layout.
COLOURS = "colours"  # each player shows a colour
ORDER = "order"  # of players with the same number, the captain says who comes first
LOOK = "look"  # is there a piece in the area to load?
LOAD = "load"  # a piece is loaded
PIECE = "piece"  # with tagged cargo: the piece is tapped before it is loaded
FALLEN = "fallen"  # players enter the number of pieces that fell
CAUGHT = "caught"  # players enter how many of these were caught
WHICH = "which"  # was the caught piece the one just placed?
WHICH_FELL = "which-fell"  # was the fallen piece the one just placed?
TAP_CAUGHT = "tap-caught"  # players tap each piece that was caught
TAP_LOST = "tap-lost"  # players tap each fallen piece that was not caught
FALLING = (FALLEN, CAUGHT, WHICH, WHICH_FELL, TAP_CAUGHT, TAP_LOST)
REPORTING = (TAP_CAUGHT, TAP_LOST)  # the phases in which players tap the fallen pieces
TAGGED = "tagged-cargo"  # the optional house rule that cargo has tags
