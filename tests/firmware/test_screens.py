"""Screens: pictures that a person has approved, and properties of the picture of any view."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from engines.common.contract import Direction, Message, PressAsk, Seat
from engines.common.errors import Fact
from engines.common.grid import Cell, Grid, Place
from engines.common.pieces import Piece
from firmware.boxes.decks import COMMAND_CARDS, load_deck
from firmware.boxes.games import game_names, games
from firmware.show.names import LETTERS
from firmware.show.screens import SIZES, draw, pages
from firmware.show.text import (
    DIGITS,
    FACES,
    UNKNOWN,
    cells,
    find_text,
    fit_text,
    legible,
    shorten,
)
from firmware.show.view import GridView, JoinAddress, ListView, Notice, Progress, TableView
from firmware.voice.words import words_of
from tests.conftest import Golden
from tests.engines.camargue_table import CamargueTable
from tests.firmware.grids import begun, board, laid, places, ship, tile

THREE = ("Ann", "Ben", "Cem")
SIX = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay")
LONGEST = ("Erzsébetke", "Őszülőfűző")  # ten letters, the most that a name can have

IDLE = TableView(phase="idle", title="tapmat", hint="Lay a card of a game, or press OK.")
PREPARING = TableView(
    phase="preparing",
    title="Straw",
    hint="OK opens a line.",
    names=THREE,
    choices=ListView(
        "Straw",
        (
            "Start",
            "Players: 3",
            "Player 1: Ann",
            "Player 2: Ben",
            "Player 3: Cem",
            "Dealer: Cem",
            "Floor at zero: off",
            "Cannot play: loses the round",
            "Copy of a Copy: on",
        ),
        0,
    ),
    action="next",
)
PLAY = TableView(
    phase="play",
    title="Straw",
    headline="21",
    caption="on the camel",
    hint="Lay a card, then draw one.",
    names=THREE,
    scores=(12, -4, 30),
    turn=Seat(1),
    direction=Direction.CLOCKWISE,
)
SIX_PLAY = replace(
    PLAY,
    headline="-4",
    names=SIX,
    scores=(12, -4, 30, 8, 17, 22),
    turn=Seat(3),
    direction=Direction.COUNTER_CLOCKWISE,
    action="can't play",
)
AT_50 = replace(PLAY, headline="50", hint="At 50: Straw may go on now.", action="can't play")
SCORING = replace(
    PLAY,
    phase="scoring",
    headline="7",
    caption="in the hand",
    hint="Lay your hand, 3 cards to go.",
    direction=None,
    action="hand done",
)
BROKEN = replace(  # no card of a hand was counted yet
    SCORING, headline="52", caption="Ann broke", hint="Lay your hand, 4 cards to go."
)
ROUND_OVER = replace(
    SCORING,
    phase="round-over",
    headline="41",
    caption="best total",
    hint="Shuffle, deal 4 each, then press OK.",
    scores=(41, 23, 8),
    turn=Seat(2),
    action="",
)
OVER = replace(
    ROUND_OVER,
    phase="over",
    caption="wins with",
    hint="The game is over.",
    turn=None,
    winners=(Seat(0),),
)
SPELLING = replace(
    PREPARING,
    choices=ListView("Ágne_", ("done", "delete", *LETTERS), LETTERS.index("S") + 2),
)
LAMP = replace(
    PLAY,
    phase="lamp",
    choices=ListView(
        "Choose the Lamp's weight, 1 to 10.", tuple(str(weight) for weight in range(1, 11)), 4
    ),
)
STACK = replace(
    PLAY,
    choices=ListView("Two cards at once. Which lay there first?", ("the 7", "the Lamp"), 0),
    action="next",
)


def preparing_at(cursor: int) -> TableView:
    """Return the view of the list for preparing a game, with its cursor at line *cursor*."""
    assert PREPARING.choices is not None
    return replace(PREPARING, choices=replace(PREPARING.choices, cursor=cursor))


def noticed(happened: str, do: str = "", code: str = "refused") -> TableView:
    """Return the view of a game of Straw that a notice covers."""
    return replace(PLAY, notice=Notice(happened, do, code))


# --- Cramel ---

FIVE = SIX[:5]
CRAMEL_WORDS = words_of("en", "engines.cramel")


def cramel(code: str, names: tuple[str, ...] = THREE, /, **facts: Fact) -> str:
    """Return Cramel's English text of *code*."""
    return CRAMEL_WORDS.say(Message(code, facts), names)


def tiles(**counts: int) -> tuple[Piece, ...]:
    """Return this many tiles of each kind: ``tiles(ring_box=4)``."""
    return tuple(Piece(kind.replace("_", "-")) for kind, n in counts.items() for _ in range(n))


def cramel_turn(headline: int, code: str, **facts: Fact) -> TableView:
    """Return a view of Ben's turn: stopping would score *headline* tiles, *code* is the hint."""
    return replace(CRAMEL, headline=str(headline), hint=cramel(code, **facts), action="stop")


def cramel_between(code: str, names: tuple[str, ...] = THREE, /, **facts: Fact) -> TableView:
    """Return the view between Ann's turn and Ben's first tile; *code* is the hint."""
    scores = (9, 4, 12, 0, 7)[: len(names)]
    return replace(CRAMEL, hint=cramel(code, names, **facts), names=names, scores=scores)


def cramel_notice(code: str, **facts: Fact) -> TableView:
    """Return a view of Ben's turn with the refusal *code*."""
    happened, do = (cramel(f"{code}.{part}", **facts) for part in ("happened", "do"))
    return replace(CRAMEL, notice=Notice(happened, do, code))


CRAMEL = TableView(
    phase="play",
    title=cramel("title"),
    headline="0",
    caption=cramel("if-you-stop"),
    hint=cramel("turn-a-tile"),
    names=THREE,
    scores=(9, 4, 12),
    turn=Seat(1),
    direction=Direction.CLOCKWISE,
)
CRAMEL_OVER = replace(
    CRAMEL,
    phase="over",
    headline="29",
    caption=cramel("winner.caption"),
    hint=cramel("game-over"),
    scores=(29, 12, 8),
    turn=None,
    direction=None,
    winners=(Seat(0),),
)
CRAMEL_SCREENS: dict[str, TableView] = {
    "cramel-begin": replace(CRAMEL, scores=(0, 0, 0), turn=Seat(0)),
    "cramel-open": cramel_turn(0, "open", pieces=tiles(jane=1, ring_box=2)),
    "cramel-open-many": cramel_turn(0, "open-many", n=5, kinds=4),
    "cramel-sets": cramel_turn(4, "sets", pieces=tiles(helena=2, roby=2)),
    "cramel-sets-longest": cramel_turn(12, "sets", pieces=tiles(helena=4, ring_box=8)),
    "cramel-sets-many": cramel_turn(13, "sets-many", n=13, kinds=5),
    "cramel-only-cramels": cramel_turn(3, "only-cramels"),
    "cramel-takes": cramel_between("takes.hint", seat=0, n=6),
    "cramel-takes-all": cramel_between("takes-all.hint", seat=0, n=4),
    "cramel-takes-longest-name": cramel_between("takes.hint", LONGEST, seat=0, n=12),
    "cramel-takes-none": cramel_between("takes-none.hint"),
    "cramel-bloom": cramel_between("bloom.hint"),
    "cramel-bloom-may-move": cramel_between("bloom-may-move.hint"),
    "cramel-mixed": cramel_between("mixed.hint"),
    "cramel-five": cramel_between("turn-a-tile", FIVE),
    "cramel-none-left": cramel_notice("none-left", piece=Piece("ring-box")),
    "cramel-already-open": cramel_notice("already-played", piece=Piece("helena")),
    "cramel-nothing-turned": cramel_notice("nothing-turned", seat=1),
    "cramel-undo": replace(
        CRAMEL,
        notice=Notice(
            "Taken back.",
            cramel("give-back", seat=0, pieces=tiles(helena=2, el_el=3, ring_box=4, roby=1))
            + " "
            + cramel("turn-up", pieces=tiles(jane=1)),
        ),
    ),
    "cramel-winner": CRAMEL_OVER,
    "cramel-winner-by-cramels": replace(
        CRAMEL_OVER, headline="18", caption=cramel("winner-by-cramels.caption"), scores=(18, 10, 18)
    ),
    "cramel-winner-of-five": replace(
        CRAMEL_OVER, names=FIVE, headline="14", scores=(9, 14, 12, 6, 8), winners=(Seat(1),)
    ),
    "cramel-shared-win": replace(
        CRAMEL_OVER,
        headline="18",
        caption=cramel("shared-win.caption"),
        scores=(18, 10, 18),
        winners=(Seat(0), Seat(2)),
    ),
}

# --- Ciao! ---

CIAO_WORDS = words_of("en", "engines.ciao")


def ciao(code: str, names: tuple[str, ...] = THREE, /, **facts: Fact) -> str:
    """Return Ciao!'s English text of *code*."""
    return CIAO_WORDS.say(Message(code, facts), names)


def ciao_top(card: str, action: str = "draw", hint: str = "lay-a-card", **facts: Fact) -> TableView:
    """Return a view of Ben's turn with *card* (such as ``rock-green``) on top of the pile."""
    symbol, _, colour = card.partition("-")
    caption = ciao(f"colour.{colour}") if colour else ciao("to-beat")
    return replace(
        CIAO,
        headline=ciao(f"headline.{symbol}"),
        caption=caption,
        hint=ciao(hint, **facts),
        action=ciao(f"label.{action}", **facts),
    )


def ciao_owed(n: int) -> TableView:
    """Return a view of Ben's turn when he owes *n* cards."""
    return replace(
        CIAO,
        headline=str(n),
        caption=ciao("cards-owed"),
        hint=ciao("answer", n=n),
        action=ciao("label.take", n=n),
    )


def ciao_list(hint: str, *items: str, **facts: Fact) -> TableView:
    """Return a view with the question *hint* and its answers."""
    return replace(CIAO, choices=ListView(ciao(hint, **facts), items, 0), action="")


def ciao_foul(code: str, n: int, **facts: Fact) -> TableView:
    """Return the view after Ann's foul *code*, which costs *n* cards."""
    then = f"{ciao('penalty', seat=0, n=n)} {ciao('turn', seat=1)}"
    return replace(CIAO, notice=Notice(ciao(code, seat=0, **facts), then))


def ciao_refused(code: str, **facts: Fact) -> TableView:
    """Return a view of Ben's turn with the refusal *code*."""
    happened, do = (ciao(f"{code}.{part}", **facts) for part in ("happened", "do"))
    return replace(CIAO, notice=Notice(happened, do, code))


CIAO = TableView(
    phase="play",
    title=ciao("title"),
    headline=ciao("headline.rock"),
    caption=ciao("colour.green"),
    hint=ciao("lay-a-card"),
    names=THREE,
    scores=(5, 7, 3),
    turn=Seat(1),
    direction=Direction.CLOCKWISE,
    action=ciao("label.draw"),
)
CIAO_RACE = replace(ciao_top("paper-red", "nobody", "race.hint", seat=0), phase="race", turn=None)
CIAO_OVER = replace(
    CIAO,
    phase="over",
    headline="0",
    caption=ciao("cards-left"),
    hint=ciao("game-over"),
    scores=(0, 7, 3),
    turn=None,
    direction=None,
    winners=(Seat(0),),
    action="",
)
CIAO_SCREENS: dict[str, TableView] = {
    "ciao-begin": replace(
        CIAO,
        headline=ciao("headline.any"),
        caption=ciao("headline.any.caption"),
        hint=ciao("lay-any"),
        scores=(7, 7, 7),
        turn=Seat(0),
    ),
    "ciao-rock-green": ciao_top("rock-green"),
    "ciao-paper-yellow": ciao_top("paper-yellow"),
    "ciao-scissors-yellow": ciao_top("scissors-yellow"),
    "ciao-scissors-red-six": replace(
        ciao_top("scissors-red"),
        names=SIX,
        scores=(5, 7, 13, 1, 4, 12),
        direction=Direction.COUNTER_CLOCKWISE,
    ),
    "ciao-symbols-only": ciao_top("scissors"),
    "ciao-drawn": ciao_top("rock-red", "pass", "play-drawn-card"),
    "ciao-drawn-reshuffled": ciao_top("paper-green", "pass", "reshuffled-and-drawn"),
    "ciao-no-pile": ciao_top("rock-red", "pass", "lay-or-pass"),
    "ciao-owed": ciao_owed(6),
    "ciao-owed-much": ciao_owed(12),
    "ciao-owed-must-beat": ciao_top("scissors-yellow", "take", "answer-and-beat", n=12),
    "ciao-after-a-foul": ciao_top("paper-red", "draw", "penalty.hint", seat=0, n=3),
    "ciao-after-a-debt": ciao_top("rock-yellow", "draw", "draws.hint", seat=0, n=6),
    "ciao-swap-now": ciao_top("rock-yellow", "draw", "swaps.hint", seat=0, other_seat=2),
    "ciao-swap-longest-names": replace(
        ciao_top("scissors-yellow"),
        names=LONGEST,
        scores=(12, 14),
        hint=ciao("swaps.hint", LONGEST, seat=0, other_seat=1),
    ),
    "ciao-race": CIAO_RACE,
    "ciao-race-longest-name": replace(
        CIAO_RACE, names=LONGEST, scores=(2, 14), hint=ciao("race.hint", LONGEST, seat=0)
    ),
    "ciao-racer": ciao_list("whose-card", "Ben", "Cem"),
    "ciao-symbol": ciao_list(
        "name-symbol", *(ciao(f"choice.{s}") for s in ("rock", "paper", "scissors")), seat=0
    ),
    "ciao-again": ciao_list(
        "again-or-reverse", ciao("choice.again"), ciao("choice.reverse"), seat=0
    ),
    "ciao-to-whom": ciao_list("to-whom", "Ben", "Cem", seat=0),
    "ciao-with-whom": ciao_list("with-whom", "Ben", "Cem", seat=0),
    "ciao-thanks": ciao_list(
        "say-thanks.hint", ciao("choice.thanked"), ciao("choice.forgot"), seat=1
    ),
    "ciao-special": ciao_list(
        "name-special.hint",
        *(ciao(f"choice.special-{s}") for s in ("none", "again", "speed", "plus3", "give", "swap")),
    ),
    "ciao-wrong-card": ciao_foul("wrong-card", 3, piece=Piece("paper-red"), card="scissors-yellow"),
    "ciao-wrong-obstacle": ciao_foul("wrong-obstacle", 3),
    "ciao-wrong-answer": ciao_foul("wrong-answer", 9),
    "ciao-on-the-discards": ciao_refused(
        "already-played", piece=Piece("scissors-yellow-plus3"), place="discards"
    ),
    "ciao-not-in-the-race": ciao_refused("not-in-the-race", seat=0),
    "ciao-left-out": ciao_refused("left-out", piece=Piece("scissors-yellow-plus3")),
    "ciao-undo-swap": replace(
        CIAO, notice=Notice("Taken back.", ciao("swap-back", seat=0, other_seat=2))
    ),
    "ciao-counting": replace(
        CIAO,
        phase="scoring",
        headline="130",
        caption=ciao("in-the-hand"),
        hint=ciao("lay-your-hand", n=4),
        scores=(0, 120, 45),
        direction=None,
        action=ciao("label.hand-done"),
    ),
    "ciao-round-won": replace(
        CIAO,
        phase="scoring",
        headline="0",
        caption=ciao("out.caption", seat=0),
        hint=ciao("lay-your-hand", n=7),
        scores=(0, 120, 45),
        direction=None,
        action=ciao("label.hand-done"),
    ),
    "ciao-round-over": replace(
        CIAO,
        phase="round-over",
        headline="45",
        caption=ciao("best-total"),
        hint=ciao("deal-next", cards=7),
        scores=(50, 120, 45),
        turn=Seat(0),
        direction=None,
        action="",
    ),
    "ciao-winner": CIAO_OVER,
    "ciao-winner-of-rounds": replace(
        CIAO_OVER, headline="210", caption=ciao("wins-with"), scores=(210, 480, 310)
    ),
    "ciao-shared-win": replace(
        CIAO_OVER, headline="3", scores=(3, 7, 3), winners=(Seat(0), Seat(2))
    ),
    "ciao-part-lost": replace(CIAO, fault="No answer: play"),
}

# --- Camargue: real boards and the game's own texts ---

CAMARGUE_WORDS = words_of("en", "engines.camargue")


def camargue(code: str, /, **facts: Fact) -> str:
    """Return Camargue's English text of *code*."""
    return CAMARGUE_WORDS.say(Message(code, facts), THREE)


def camargue_shown(table: CamargueTable) -> TableView:
    """Return the view of *table* with its map, but without a cursor or a list."""
    view, press = table.view, [ask for ask in table.asks if isinstance(ask, PressAsk)]
    return TableView(
        phase=view.phase,
        title=camargue("title"),
        headline=str(view.headline),
        caption=camargue(view.caption.code, **view.caption.facts),
        hint=camargue(view.hint.code, **view.hint.facts),
        names=THREE,
        scores=view.scores,
        turn=view.turn,
        direction=view.direction,
        winners=view.winners,
        grid=None if view.grid is None else GridView(view.grid),
        action=camargue(f"label.{press[0].label}") if press else "",
    )


def camargue_at(table: CamargueTable, tile: str, column: int, row: int) -> TableView:
    """Return the view of *table* with the cursor on this place for *tile*."""
    before = table.state
    table.tap(tile)
    shown, offers = camargue_shown(table), table.place_ask.offers
    table.state = before
    assert shown.grid is not None, "Camargue has a map"
    offer = next(offer for offer in offers if offer.place == Place(column, row))
    values = tuple(str(offer.place) for offer in offers)
    return replace(
        shown,
        headline=str(offer.headline),
        caption=camargue(offer.caption.code, **offer.caption.facts),
        grid=replace(shown.grid, places=tuple(offer.place for offer in offers), cursor=offer.cell),
        choices=ListView(shown.hint, values, values.index(str(offer.place)), values),
        action="next",
    )


def camargue_board() -> CamargueTable:
    """Return a game with eleven tiles on all sides of the first one."""
    table = CamargueTable(3).score(112, 96, 87)
    return table.lay(
        forest_ew=(1, 0), forest_nesw=(2, 0), water_ns=(2, -1), water_esw=(2, -2),
        grain_ns=(0, 1), grain_nes=(0, 2), grain_nesw=(1, 2), village_ew=(-1, 0),
        village_nesw=(-2, 0), lavender_nesw=(0, -1),
    )  # fmt: skip


def camargue_list(table: CamargueTable, *items: str, values: tuple[str, ...]) -> TableView:
    """Return the view of *table* with a list of answers and the cursor on the first one."""
    shown = camargue_shown(table)
    return replace(shown, choices=ListView(shown.hint, items, 0, values), action="next")


def camargue_notice(happened: str, do: str, code: str = "refused") -> TableView:
    """Return the view of the board with a notice over it."""
    notice = Notice(happened, do, code, "")
    return replace(camargue_shown(camargue_board()), notice=notice)


def camargue_helped() -> CamargueTable:
    """Return a game in which the other players may copy the points of the last tile."""
    table = camargue_board()
    table.play("forest-nsw", 3, 0)
    return table


def camargue_asked(*answers: int) -> CamargueTable:
    """Return that game after a helper was tapped and its questions got *answers*, seat numbers."""
    table = camargue_helped()
    table.tap("helper-forest-water")
    for seat in answers:
        table.choose(seat)
    return table


def camargue_closed() -> CamargueTable:
    """Return a game whose player claims that no tile fits, and has shown one of three tiles."""
    table = CamargueTable(3).lay(
        forest_es=(0, -1), grain_sw=(1, -1), village_nw=(1, 0), water_nw=(0, 1),
        lavender_ne=(-1, 1), grain_es=(-1, 0),
    )  # fmt: skip
    table.action()
    table.tap("forest-ne")
    return table


def camargue_emergency() -> CamargueTable:
    """Return that game with all three tiles shown: the player must take an emergency tile."""
    table = camargue_closed()
    table.tap("water-nesw", "village-ew")
    return table


def camargue_own_turn() -> CamargueTable:
    """Return a game in which Ben has copied points and must first put a helper aside."""
    table = camargue_asked(1)
    table.choose("copy")
    return table


def camargue_over() -> CamargueTable:
    """Return a game whose last tile was placed."""
    table = camargue_board().hold(1, 0, 0, pile=0)
    table.play("forest-nsw", 3, 0)
    return table


CAMARGUE_SCREENS: dict[str, TableView] = {
    "camargue-begin": camargue_shown(CamargueTable(3)),
    "camargue-first": camargue_at(CamargueTable(3), "forest-ew", 1, 0),
    "camargue-middle": camargue_at(camargue_board(), "water-nw", 1, -1),
    "camargue-right": camargue_at(camargue_board(), "forest-nsw", 3, 0),
    "camargue-left": camargue_at(camargue_board(), "village-es", -3, 0),
    "camargue-below": camargue_at(camargue_board(), "forest-ne", 1, 3),
    "camargue-top": camargue_at(camargue_board(), "water-sw", 3, -2),
    "camargue-helpers": camargue_shown(camargue_helped()),
    "camargue-whose": camargue_list(camargue_asked(), "Ben", "Cem", values=("Ben", "Cem")),
    "camargue-copy-or-turn": camargue_list(
        camargue_asked(1),
        camargue("choice.turn"),
        camargue("choice.copy"),
        values=("turn", "copy"),
    ),
    "camargue-put-aside": camargue_shown(camargue_own_turn()),
    "camargue-claim": camargue_shown(camargue_closed()),
    "camargue-take-emergency": camargue_shown(camargue_emergency()),
    "camargue-emergency": camargue_at(camargue_emergency(), "emergency", 2, 0),
    "camargue-cuts-path": camargue_notice(
        camargue("cuts-path.happened", side="n"), camargue("cuts-path.do")
    ),
    "camargue-fits": camargue_notice(
        camargue("fits-left-down", piece=Piece("lavender-nesw"), columns=12, rows=10),
        camargue("must-place", seat=1),
        "",
    ),
    "camargue-scores": camargue_notice("Scores", "Ann 1012  Ben 996  Cem 87", ""),
    "camargue-winner": camargue_shown(camargue_over()),
}

# --- Riff Raff ---

RIFF_RAFF_WORDS = words_of("en", "engines.riff_raff")
FOUR = ("Ann", "Ben", "Cem", "Dora")


def riff(code: str, names: tuple[str, ...] = FOUR, /, **facts: Fact) -> str:
    """Return Riff Raff's English text of *code*."""
    return RIFF_RAFF_WORDS.say(Message(code, facts), names)


def riff_list(code: str, items: tuple[str, ...], cursor: int = 0, **facts: Fact) -> ListView:
    """Return a list of *items* to choose from, under the question *code*."""
    return ListView(riff(code, **facts), items, cursor)


RIFF_RAFF = TableView(
    phase="load",
    title=riff("title"),
    headline="7",
    caption=riff("ok-it-holds"),
    hint=riff("load"),
    names=FOUR,
    scores=(5, 8, 6, 4),
    turn=Seat(3),
    grid=ship(7, a1="1", a3="2", a5="0-1", a7="1-2", a10="1"),
    action=riff("label.fell"),
)
REVEALING = replace(
    RIFF_RAFF,
    phase="reveal",
    headline="3",
    caption=riff("of-rounds", rounds=10),
    hint=riff("reveal", n=3),
    turn=None,
    awaited=(Seat(0), Seat(1), Seat(3)),
    grid=None,
    action="",
)
FELL = replace(RIFF_RAFF, phase="fallen", caption=riff("cargo-fell"), action="")
NUMBERS = tuple(map(str, range(7)))
RIFF_RAFF_SCREENS: dict[str, TableView] = {
    "riff-raff-colours": replace(
        REVEALING,
        phase="colours",
        headline=riff("headline.colours"),
        caption=riff("of-cards"),
        hint=riff("show-colour.hint"),
        turn=Seat(0),
        scores=(8, 8, 8, 8),
    ),
    "riff-raff-reveal": REVEALING,
    "riff-raff-reveal-last": replace(
        REVEALING,
        headline="10",
        caption=riff("of-rounds-again", rounds=10),
        hint=riff("reveal-last", LONGEST, seat=Seat(1)),
        names=LONGEST,
        scores=(16, 12),
        turn=Seat(1),
    ),
    "riff-raff-captain": replace(
        REVEALING,
        phase="captain",
        turn=Seat(2),
        choices=riff_list("name-captain", ("Ann", "Ben"), 1, seat=Seat(2)),
    ),
    "riff-raff-order": replace(
        REVEALING,
        phase="order",
        turn=Seat(1),
        choices=riff_list("who-is-next.hint", ("Ann", "Cem", "Dora"), seat=Seat(1)),
    ),
    "riff-raff-look": replace(
        RIFF_RAFF, phase="look", choices=riff_list("look", ("Yes", "No"), area=7), action=""
    ),
    "riff-raff-announce": replace(
        RIFF_RAFF,
        phase="announce",
        choices=riff_list("announce", (riff("choice.one"), riff("choice.two")), 1),
        action="",
    ),
    "riff-raff-load": RIFF_RAFF,
    "riff-raff-load-second": replace(RIFF_RAFF, caption=riff("piece-of", number=2, pieces=2)),
    "riff-raff-load-empty-ship": replace(
        RIFF_RAFF, headline="10", names=LONGEST, scores=(16, 16), turn=Seat(0), grid=ship(10)
    ),
    "riff-raff-load-full-ship": replace(
        RIFF_RAFF,
        headline="4",
        grid=ship(4, a1="0-9", a2="2+", a3="10", a4="1", a5="0+", a9="3", a10="2"),
    ),
    "riff-raff-piece": replace(
        RIFF_RAFF,
        phase="piece",
        caption=riff("area-to-load"),
        hint=riff("tap-piece"),
        action="",
    ),
    "riff-raff-fallen": replace(FELL, choices=riff_list("how-many.hint", NUMBERS[1:], 2)),
    "riff-raff-caught-one": replace(
        FELL, phase="caught", choices=riff_list("how-many-caught.hint", NUMBERS[:2], n=1)
    ),
    "riff-raff-caught": replace(
        FELL, phase="caught", choices=riff_list("how-many-caught.hint", NUMBERS, 4, n=6)
    ),
    "riff-raff-which": replace(
        FELL,
        phase="which",
        choices=riff_list("which-one", (riff("choice.placed"), riff("choice.other"))),
    ),
    "riff-raff-tap-caught": replace(FELL, phase="tap-caught", hint=riff("tap-caught", n=0)),
    "riff-raff-tap-lost": replace(FELL, phase="tap-lost", hint=riff("tap-lost-more", n=2)),
    "riff-raff-only-one-piece": noticed(
        riff("only-one-piece.happened", why="deck", area=4, seat=Seat(3)),
        riff("only-one-piece.do"),
    ),
    "riff-raff-over": replace(
        REVEALING,
        phase="over",
        headline="0",
        caption=riff("pieces-left", n=0),
        hint=riff("game-over"),
        scores=(5, 0, 6, 4),
        winners=(Seat(1),),
        awaited=(),
    ),
}

# --- maps: loading a ship, and placing tiles on a board ---

LOADING = TableView(
    phase="load",
    title="Ship",
    headline="7",
    caption="piece 1 of 2",
    hint="OK when it holds.",
    names=THREE,
    scores=(9, 12, 7),
    turn=Seat(1),
    grid=ship(7, a1="3", a2="12", a3="0", a4="4", a5="2", a6="0-2", a7="0-1", a8="1"),
    action="cargo fell",
)
PLACING = TableView(
    phase="place",
    title="Board",
    headline="18",
    caption="6 x 3",
    hint="Turn to its place, then OK.",
    names=THREE,
    scores=(112, 96, 87),
    turn=Seat(0),
    grid=board(tile(3, 1, "wave", "sw")),
    choices=ListView("Turn to its place, then OK.", ("3,-2", "3,1"), 1, ("3,-2", "3,1")),
    action="next",
)
LAID = replace(
    PLACING,
    headline="12",
    caption="Ann scored",
    hint="Lay a tile, or a helper.",
    turn=Seat(1),
    grid=laid(),
    choices=None,
    action="",
)
MAP_SCREENS: dict[str, TableView] = {
    "map-ship": LOADING,
    "map-ship-ten": replace(
        LOADING,
        headline="10",
        names=LONGEST,
        grid=ship(10, a9="0-1", a10="1-2", a4="10"),
        action="fell",
    ),
    "map-ship-empty": replace(LOADING, headline="4", caption="area to load", grid=ship(4)),
    "map-ship-hint": replace(LOADING, hint="Ann, put one of them back.", action=""),
    "map-ship-long-hint": replace(
        LOADING, hint="Ann, lay down every piece that was caught.", action=""
    ),
    "map-ship-nobodys-turn": replace(
        LOADING, headline="", caption="cargo", hint="All: lay a card.", turn=None, action=""
    ),
    "map-ship-part-lost": replace(LOADING, fault="No answer: reader play"),
    "map-begin": replace(
        PLACING, headline="1", caption="1 x 1", grid=begun(tile(1, 0, "tree", "esw"))
    ),
    "map-begin-unknown": replace(
        PLACING, headline="1", caption="1 x 1", grid=begun(Cell(Place(0, 1)))
    ),
    "map-middle": replace(PLACING, grid=board(tile(0, -1, "heart", "ns"))),
    "map-edge": PLACING,
    "map-corner": replace(
        PLACING, headline="64", names=LONGEST, grid=board(tile(-2, 1, "house", "ne"))
    ),
    "map-action": replace(PLACING, action="nothing fits"),
    "map-mark": replace(
        PLACING,
        grid=GridView(
            Grid((Cell(Place(0, 0), mark="!", paths="new"),)),
            places("1,0 -1,0"),
            tile(-1, 0, "tree", "ew"),
        ),
    ),
    "map-laid": LAID,
    "map-part-lost": replace(PLACING, fault="No answer: reader play"),
}

# --- all screens ---

# --- enrolling stickers ---

TABLE_WORDS = words_of("en")


def enrol(code: str, **facts: Fact) -> str:
    """Return the table's English text of *code*."""
    return TABLE_WORDS.say(Message(code, facts))


def enrol_notice(code: str, do: str = "", **facts: Fact) -> TableView:
    """Return the view of enrolling with the notice *code*."""
    notice = Notice(enrol(f"{code}.happened", **facts), enrol(do or f"{code}.do", **facts), code)
    return replace(ENROLLING, notice=notice)


LONGEST_CARD = "the green Again scissors"
ENROLLING = TableView(
    phase="enrolling",
    title="Straw",
    headline="the 7",
    caption=enrol("enrol.copy-of", copy=2, count=4),
    hint=enrol("enrol.hint"),
    action=enrol("label.skip"),
    progress=Progress(25, 64),
)
ENROL_SCREENS: dict[str, TableView] = {
    "enrol": ENROLLING,
    "enrol-first": replace(
        ENROLLING, headline="the green rock", caption="1 of 7", progress=Progress(0, 108)
    ),
    "enrol-longest": replace(
        ENROLLING, headline=LONGEST_CARD, caption="", progress=Progress(99, 108)
    ),
    "enrol-new-sticker": replace(
        ENROLLING,
        caption=enrol("enrol.copy-new", copy="2 of 4"),
        hint=enrol("enrol.hint-new"),
        progress=Progress(64, 64),
    ),
    "enrol-new-only": replace(
        ENROLLING,
        headline="the Straw",
        caption="",
        hint=enrol("enrol.hint-new"),
        progress=Progress(64, 64),
    ),
    "enrol-rename": replace(ENROLLING, action=enrol("label.rename")),
    "enrol-all": replace(
        ENROLLING,
        headline=enrol("enrol.all"),
        caption="",
        hint=enrol("enrol.all.hint"),
        action=enrol("label.change"),
        progress=Progress(64, 64),
    ),
    "enrol-left": replace(
        ENROLLING,
        headline=enrol("enrol.left", n=12),
        caption="",
        hint=enrol("enrol.left.hint"),
        action=enrol("label.go-on"),
        progress=Progress(96, 108),
    ),
    "enrol-one-too-many": replace(ENROLLING, progress=Progress(65, 64)),
    "enrol-kinds": replace(
        ENROLLING,
        choices=ListView(
            enrol("enrol.which"),
            (enrol("enrol.leave"), "the 6: 4/4", "the 7: 1/4", "the 8: 0/4", "the Lamp: 0/5"),
            2,
        ),
        action=enrol("label.next"),
    ),
    "enrol-lost": replace(
        ENROLLING,
        choices=ListView(
            enrol("enrol.lost", piece=LONGEST_CARD),
            (*(enrol("enrol.copy", copy=n) for n in (1, 3)), enrol("enrol.one-more")),
            1,
        ),
        action=enrol("label.next"),
    ),
    "enrol-boxes": TableView(
        phase="enrolling",
        choices=ListView(
            enrol("choose-box"),
            (
                "Ciao!: 108/108",
                f"{enrol('box-of', title='Ciao!', number=2)}: 17/108",
                "Cramel: 0/49",
                "Command cards: 20/20",
            ),
            1,
        ),
        action=enrol("label.next"),
    ),
    "enrol-taken": enrol_notice("tag-taken", "tag-taken.rename", piece=LONGEST_CARD),
    "enrol-elsewhere": enrol_notice(
        "tag-elsewhere", "tag-taken.rename", piece=LONGEST_CARD, title="Ciao!, box 2"
    ),
    "enrol-two": enrol_notice("two-at-once"),
    "enrol-random": enrol_notice("random-uid"),
    "enrol-again": enrol_notice("lay-again"),
    "enrol-full": enrol_notice("kind-full", piece=LONGEST_CARD),
    "enrol-which": enrol_notice("which-copy"),
    "enrol-nothing": enrol_notice("nothing-asked"),
    "enrol-unreadable": replace(
        ENROLLING, notice=Notice(enrol("unreadable", spot="seat-3"), enrol("enrol.unreadable"))
    ),
    "enrol-stranger": replace(enrol_notice("unknown-tag"), progress=None),
}


JOIN_URL = "http://255.255.255.255:65535/j#aB3_-xYz90aB3_-xYz90kk"
JOIN = replace(PLAY, join=JoinAddress(JOIN_URL, "123456", "tapmat.local:8738"))
JOIN_SCREENS: dict[str, TableView] = {
    "join": JOIN,
    "join-second-name": replace(JOIN, join=JoinAddress(JOIN_URL, "000111", "tapmat-2.local:8738")),
    "join-address": replace(JOIN, join=JoinAddress(JOIN_URL, "987654", "192.168.178.123:8738")),
    "join-longest": replace(JOIN, join=JoinAddress(JOIN_URL, "888888", "255.255.255.255:65535")),
    "join-without-qr-code": replace(JOIN, join=JoinAddress("", "123456", "tapmat.local:8738")),
    "join-part-lost": replace(JOIN, fault="No answer: reader play"),
}


SCREENS: dict[str, TableView] = {
    **JOIN_SCREENS,
    **CRAMEL_SCREENS,
    **CIAO_SCREENS,
    **RIFF_RAFF_SCREENS,
    **MAP_SCREENS,
    **ENROL_SCREENS,
    **CAMARGUE_SCREENS,
    "idle": IDLE,
    "idle-list": replace(
        IDLE,
        choices=ListView("Choose a game:", ("Straw", "Ciao!", "Riff Raff"), 0),
        action="next",
    ),
    "preparing-start": PREPARING,
    "preparing-name": preparing_at(3),
    "preparing-long-rule": preparing_at(7),
    "preparing-end": preparing_at(8),
    "editing-players": replace(
        PREPARING, choices=ListView("Players", ("2", "3", "4", "5", "6"), 1)
    ),
    "editing-rule": replace(
        PREPARING, choices=ListView("Cannot play", ("loses the round", "passes"), 0)
    ),
    "spelling": SPELLING,
    "play-empty-camel": replace(
        PLAY, headline="0", names=THREE[:2], scores=(0, 0), turn=Seat(0), action="can't play"
    ),
    "play": PLAY,
    "play-six": SIX_PLAY,
    "play-at-50": AT_50,
    "play-longest-names": replace(
        PLAY, names=LONGEST, scores=(112, -14), headline="-12", action="can't play"
    ),
    "play-long-hint": replace(
        PLAY,
        hint="Leg eine Karte oder sag, dass du nicht kannst, und zieh dann eine neue.",
        action="kann nicht spielen",
    ),
    "play-thousands": replace(PLAY, headline="1024", caption="points"),
    "lamp": LAMP,
    "lamp-ten": replace(LAMP, choices=replace(LAMP.choices, cursor=9)) if LAMP.choices else LAMP,
    "stack": STACK,
    "refusal": noticed(
        "The camel carries 21. Straw goes on only at 50.", "Take it back and play another card."
    ),
    "refusal-longest": noticed(
        "You cannot lay the carpet 1 twice: it is on the camel already.",
        "Take it back and lay another card.",
    ),
    "undo": noticed("Taken back.", "Take the 7 back. Ben, put the card you drew back.", ""),
    "scores": noticed("Scores", "Ann 12  Ben -4  Cem 30", ""),
    "broken": BROKEN,
    "broken-longest-names": replace(
        BROKEN, names=LONGEST, scores=(112, -14), caption=f"{LONGEST[0]} broke"
    ),
    "scoring": SCORING,
    "round-over": ROUND_OVER,
    "round-over-six": replace(ROUND_OVER, names=SIX, scores=(41, -23, 8, 107, 17, 22)),
    "winner": OVER,
    "winner-of-six": replace(
        OVER, names=SIX, scores=(41, 23, 8, 17, -3, 22), winners=(Seat(3),), headline="107"
    ),
    "winner-longest-name": replace(
        OVER, names=LONGEST, scores=(112, -14), headline="112", winners=(Seat(0),)
    ),
    "shared-win": replace(OVER, caption="win with", scores=(41, 41, 8), winners=(Seat(0), Seat(1))),
    "part-lost": replace(AT_50, fault="No answer: play"),
    "part-lost-idle": replace(IDLE, fault="No answer: play"),
    "part-lost-list": replace(preparing_at(3), fault="No answer: play"),
    "part-lost-lamp": replace(LAMP, fault="No answer: play"),
    "part-lost-notice": replace(
        noticed("There is nothing to undo."), fault="No answer: seat-1, seat-2, seat-3"
    ),
}

GROUPS = ("camargue", "ciao", "cramel", "enrol", "join", "map", "part-lost", "play", "riff-raff")


def group_of(name: str) -> str:
    """Return the name of the contact sheet that has the approved picture of the screen *name*."""
    return next((group for group in GROUPS if name.startswith(group)), "others")


LOW = (128, 32)
HIGH = (128, 64)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SCREENS)
def test_screen_draws_its_approved_picture(
    name: str, size: tuple[int, int], golden: Golden
) -> None:
    for number, page in enumerate(pages(SCREENS[name], size), start=1):
        further = f"-page-{number}" if number > 1 else ""
        sheet = f"{group_of(name)}-{size[0]}x{size[1]}"
        golden.check(sheet, f"{name}{further}", page)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("headline", ["0", "7", "21", "50", "-4", "107", "-12", "1024"])
def test_the_number_people_look_for_is_32_rows_high(headline: str, size: tuple[int, int]) -> None:
    """Every digit of a headline is 32 pixels high: its first and last row have lit pixels."""
    alone = TableView(phase="play", headline=headline)
    top, bottom = draw(alone, size).getbbox()[1::2]  # type: ignore[index] # something is lit
    assert bottom - top == 32


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["play", "play-six", "scoring", "round-over", "part-lost"])
def test_the_number_and_the_name_of_the_turn_can_be_found(name: str, size: tuple[int, int]) -> None:
    """The headline and the player's name are shown uncut, beside any other texts."""
    view = SCREENS[name]
    picture = draw(view, size)
    assert find_text(picture, view.headline)
    assert view.turn is not None
    assert find_text(picture, view.names[view.turn])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ["", *game_names()])
def test_every_card_that_is_asked_for_stands_on_the_screen_whole(
    game: str, size: tuple[int, int]
) -> None:
    """The name of each card, the progress and the action are on the screen, for every game."""
    package = games()[game].package if game else None
    deck = load_deck(games()[game]) if game else COMMAND_CARDS
    words = words_of("en", package)
    for kind in deck.kinds:
        code = f"kind.{kind.name}" if words.has(f"kind.{kind.name}") else f"piece.{kind.name}"
        name = words.say(Message(code))
        for copy in ("", f"{kind.count} of {kind.count}"):
            far = Progress(deck.total, deck.total)
            view = replace(ENROLLING, headline=name, caption=copy, progress=far)
            picture = draw(view, size)
            for word in (*legible(name).split(), copy, "skip"):
                assert not word or find_text(picture, word), (name, word)
            assert find_text(picture, f"{deck.total}/{deck.total}") or find_text(picture, view.hint)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [n for n, view in ENROL_SCREENS.items() if view.notice])
def test_what_is_wrong_with_a_sticker_is_told_to_the_last_word(
    name: str, size: tuple[int, int]
) -> None:
    notice = ENROL_SCREENS[name].notice
    assert notice is not None
    picture = draw(ENROL_SCREENS[name], size)
    for word in f"{notice.happened} {notice.do}".split():
        assert find_text(picture, word), word


WORDED = [
    name
    for name, view in CIAO_SCREENS.items()
    if not view.notice and not view.choices and not view.headline.isdigit()
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", WORDED)
def test_a_headline_that_is_a_word_stands_whole_beside_its_caption(
    name: str, size: tuple[int, int]
) -> None:
    """A headline that is a word and its caption are on every display, beside any other texts."""
    view = CIAO_SCREENS[name]
    picture = draw(view, size)
    assert find_text(picture, view.headline)
    assert find_text(picture, view.caption)
    assert view.turn is None or find_text(picture, view.names[view.turn])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("word", ["KŐ", "PAPÍR", "CISEAUX", "TIJERAS", "SCHERE", "SCISSORS"])
@pytest.mark.parametrize("colour", ["piros", "amarillo", "grün", "jaune", "sárga", "yellow"])
def test_words_of_other_languages_fit_too(word: str, colour: str, size: tuple[int, int]) -> None:
    picture = draw(replace(CIAO, headline=word, caption=colour), size)
    assert find_text(picture, word)
    assert find_text(picture, colour)
    assert size == LOW or find_text(picture, CIAO.hint)


def test_a_word_too_long_for_the_display_leaves_the_rest_where_it_was() -> None:
    """Letters beyond the edge are not drawn; turn and action stay below the word."""
    picture = draw(replace(CIAO, headline="MASSZIRT" * 4, caption="zöldeskék" * 2), HIGH)
    assert find_text(picture, "MASSZIRT")
    assert find_text(picture, "Ben")
    assert find_text(picture, "draw")


def test_what_must_be_read_first_covers_the_rest() -> None:
    """A notice hides the list, a list hides the game, and a game hides how to begin."""
    view = replace(STACK, notice=Notice("Taken back."))
    assert find_text(draw(view, HIGH), "Taken back.")
    assert not find_text(draw(view, HIGH), "the Lamp")
    assert find_text(draw(STACK, HIGH), "the Lamp")
    assert not find_text(draw(STACK, HIGH), "on the camel")
    assert not find_text(draw(PLAY, HIGH), "Straw")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_a_lost_part_shows_on_every_screen(name: str, size: tuple[int, int]) -> None:
    """The bottom line names the lost part on every screen."""
    picture = draw(replace(SCREENS[name], fault="No answer"), size)
    assert find_text(picture, "No")
    assert find_text(picture, "answer")


@pytest.mark.parametrize("cursor", range(9))
def test_the_item_under_the_cursor_is_always_in_the_window(cursor: int) -> None:
    view = preparing_at(cursor)
    assert view.choices is not None
    label = view.choices.items[cursor].split()[0]
    assert all(find_text(draw(view, size), label) for size in SIZES)


def test_a_line_that_is_too_long_keeps_its_value() -> None:
    """A house rule away from the cursor has its label cut, not its value."""
    items = ("Start", "A player who is stuck passes: off")
    view = replace(PREPARING, choices=ListView("Straw", items, 0))
    assert find_text(draw(view, HIGH), "…: off")


def test_a_question_or_notice_covers_the_map() -> None:
    """An open list or a notice is shown instead of the map, which then has no cursor."""
    assert PLACING.grid is not None
    menu = ListView("Menu", ("Say again", "Scores"), 0)
    opened = replace(PLACING, grid=replace(PLACING.grid, cursor=None, places=()), choices=menu)
    without = replace(opened, grid=None)
    for size in SIZES:
        assert draw(opened, size).tobytes() == draw(without, size).tobytes()
        noticed_of = replace(PLACING, notice=Notice("Taken back."))
        assert (
            draw(noticed_of, size).tobytes() == draw(replace(noticed_of, grid=None), size).tobytes()
        )


@pytest.mark.parametrize("name", MAP_SCREENS)
def test_headline_and_turn_stand_whole_beside_the_map(name: str) -> None:
    """Headline and turn are shown uncut on every display; the high one shows the map too."""
    view = MAP_SCREENS[name]
    for size in SIZES:
        picture = draw(view, size)
        assert not view.headline or find_text(picture, view.headline)
        assert view.turn is None or find_text(picture, view.names[view.turn])
    assert draw(view, HIGH).tobytes() != draw(replace(view, grid=None), HIGH).tobytes()


@pytest.mark.parametrize("area", range(1, 11))
def test_every_area_of_the_ship_can_be_read(area: int) -> None:
    """Each area's number and count can be read, even if the area is lit."""
    tallies = {f"a{number}": f"{number}-{number}" for number in range(1, 9)}
    picture = draw(replace(LOADING, grid=ship(area, **tallies)), HIGH)
    assert find_text(picture.crop((0, 0, 65, 64)), str(area))
    assert all(find_text(picture.crop((0, 0, 65, 64)), tally) for tally in tallies.values())


def test_a_low_display_shows_a_map_only_while_a_place_is_chosen() -> None:
    for view in (LOADING, LAID):
        assert draw(view, LOW).tobytes() == draw(replace(view, grid=None), LOW).tobytes()
    assert draw(PLACING, LOW).tobytes() != draw(replace(PLACING, grid=None), LOW).tobytes()


def test_a_notice_is_shown_whole_on_as_many_pages_as_it_needs() -> None:
    """The first pages say what happened; what to do has its own page."""
    view = noticed("What happened is a long story. " * 4, "Take it back and play another card.")
    *story, last = pages(view, LOW)
    assert len(story) == 2
    assert find_text(story[0], "What happened")
    assert find_text(story[1], "story.")
    assert find_text(last, "another card.")
    assert len(pages(view, HIGH)) == 1


@pytest.mark.parametrize("size", SIZES)
def test_what_has_no_room_beside_the_number_is_shown_by_turns(size: tuple[int, int]) -> None:
    """The number is at the same place on both pages: one has the caption, the next what to do."""
    view = replace(SCREENS["round-over"], headline="-12", action="")
    first, second = pages(view, size)
    assert find_text(first, view.caption)
    assert not find_text(second, view.caption)
    assert find_text(second, "OK.")
    number = (0, 0, 3 * DIGITS.width, size[1] // 2)
    assert first.crop(number).tobytes() == second.crop(number).tobytes()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["broken", "broken-longest-names"])
def test_who_broke_the_camel_is_on_the_screen(name: str, size: tuple[int, int]) -> None:
    """The name of the player who broke the camel is shown uncut, even with ten letters."""
    assert find_text(draw(SCREENS[name], size), SCREENS[name].caption)


def test_the_large_5_is_no_s() -> None:
    """The 5 has a corner at its top left, which an S (and a 6) lacks."""
    five, six = (cells(digit, DIGITS) for digit in "56")
    assert five.getpixel((1, 0))
    assert five.getpixel((0, 1))
    assert not six.getpixel((1, 0))


def test_scores_without_room_are_left_out() -> None:
    """Scores that do not fit beside the action are left out, because cut numbers would be wrong."""
    names = ("Johannes 1", "Johannes 2", "Johannes 3")
    view = replace(AT_50, names=names, scores=(1112, 1113, 1114))
    assert not find_text(draw(view, HIGH), "111")


def test_each_direction_has_its_own_arrow() -> None:
    """The arrows of the two directions of play are mirror images, easy to tell apart."""
    other = replace(PLAY, direction=Direction.COUNTER_CLOCKWISE)
    assert draw(PLAY, HIGH).tobytes() != draw(other, HIGH).tobytes()


def test_a_display_without_layout_is_refused() -> None:
    with pytest.raises(ValueError, match=r"64 x 48 .* 128 x 64, 128 x 32"):
        draw(IDLE, (64, 48))


# --- letters -------------------------------------------------------------------------------------


SIX_LANGUAGES = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;!?'\"()-\u2013\u2019«»„“”…"
    "àâæçèéêëîïôœùûüÿÀÂÆÇÈÉÊËÎÏÔŒÙÛÜŸäöüßÄÖÜìíòóúÌÍÒÓÚáñÁÑ¿¡őűŐŰ▶"
)


@pytest.mark.parametrize("letter", sorted(set(SIX_LANGUAGES) - {UNKNOWN}))
def test_the_fonts_have_the_letters_of_six_languages(letter: str) -> None:
    assert legible(f"x{letter}x") == f"x{letter}x"


def test_what_the_fonts_lack_is_shown_as_a_question_mark() -> None:
    """Emoji and lone accents become "?", and a letter followed by an accent becomes one letter."""
    assert legible("Zoé🐪!") == "Zoé?!"
    assert legible("Zoe\u0301") == "Zoé"
    assert legible("two\nlines\tand\x00") == "two lines and?"


def test_text_is_set_in_the_first_face_that_holds_it() -> None:
    """The first font in which a text fits is used; if none, it is cut with an ellipsis."""
    small, *_, title, _ = FACES
    assert fit_text("camel", (title, small), 80, 32) == (title, ["camel"])
    assert fit_text("camels", (title, small), 80, 32) == (small, ["camels"])
    assert fit_text("camels and straw", (small,), 30, 16) == (small, ["camels", "and s…"])
    assert shorten("camels", 6) == "camels"
    assert shorten("camels", 5) == "came…"


@pytest.mark.parametrize("face", FACES)
def test_a_text_is_found_at_every_place(face: object) -> None:
    """Texts are found light on dark or dark on light, anywhere and in any font."""
    letters = next(cells("-42", known) for known in FACES if known is face)
    picture = Image.new("1", (128, 64))
    assert not find_text(picture, "-42")
    picture.paste(letters, (13, 9))
    assert find_text(picture, "-42")
    assert not find_text(picture, "43")
    assert find_text(picture.point(lambda lit: 0 if lit else 255), "-42")


def test_nothing_is_not_found() -> None:
    assert not find_text(draw(PLAY, HIGH), "")


# --- what holds for every view -------------------------------------------------------------------


texts = st.text(
    alphabet=st.sampled_from(SIX_LANGUAGES + "🐪👍🏽\n\u0301漢"), max_size=60
) | st.text(max_size=60)
figures = st.integers(-9999, 99999).map(str)


@st.composite
def list_views(draws: st.DrawFn) -> ListView:
    """Draw a list of strings or numbers, with the cursor on one of them."""
    items = draws(st.lists(draws(st.sampled_from((texts, figures))), max_size=12))
    cursor = draws(st.integers(0, max(0, len(items) - 1)))
    return ListView(draws(texts), tuple(items), cursor)


PLACES = st.builds(Place, st.integers(-9, 9), st.integers(-9, 9))
CELLS = st.builds(
    Cell,
    PLACES,
    icon=st.lists(st.text("#.", max_size=7), max_size=7).map(tuple),
    mark=st.just("") | st.text(max_size=3),
    tally=st.just("") | st.text(max_size=4),
    paths=st.sampled_from(("", "n", "es", "nesw")),
    is_lit=st.booleans(),
)
GRIDS = st.builds(
    GridView,
    st.builds(Grid, st.lists(CELLS, max_size=20).map(tuple), st.none() | PLACES),
    st.lists(PLACES, max_size=12).map(tuple),
    st.none() | CELLS,
)


@st.composite
def table_views(draws: st.DrawFn) -> TableView:
    """Draw a view with random parts."""
    names = draws(st.lists(texts, max_size=6))
    seats = st.integers(0, max(0, len(names) - 1)).map(Seat)
    return TableView(
        phase="play",
        title=draws(texts),
        headline=draws(figures | texts),
        caption=draws(texts),
        hint=draws(texts),
        names=tuple(names),
        scores=tuple(draws(st.lists(st.integers(-999, 9999), max_size=6))),
        turn=draws(st.none() | seats),
        direction=draws(st.none() | st.sampled_from(Direction)),
        winners=tuple(draws(st.lists(seats, max_size=3))),
        choices=draws(st.none() | list_views()),
        grid=draws(st.none() | GRIDS),
        action=draws(st.just("") | texts),
        notice=draws(st.none() | st.builds(Notice, texts, texts)),
        fault=draws(st.just("") | texts),
    )


@settings(deadline=None)  # the first picture loads the fonts
@given(view=table_views(), size=st.sampled_from(SIZES))
def test_every_view_can_be_drawn(view: TableView, size: tuple[int, int]) -> None:
    """A view with any texts and numbers becomes a picture in black and white."""
    picture = draw(view, size)
    assert picture.mode == "1"
    assert picture.size == size


def test_an_item_without_words_can_be_chosen() -> None:
    """An empty item under the cursor is drawn as an empty bar, as high as a line."""
    view = replace(PREPARING, choices=ListView("", ("", "Start"), 0), action="")
    assert find_text(draw(view, HIGH), "Start")


# --- headlines that are numbers ------------------------------------------------------------------

PLAIN = TableView(
    "play", "Straw", "0", "on the camel", "Lay a card.", THREE, (1, 2, 3), Seat(1),
    direction=Direction.CLOCKWISE, action="can't play",
)  # fmt: skip
MAP = Grid((Cell(Place(0, 0)),))
AROUND: dict[str, TableView] = {
    "play": PLAIN,
    "nothing for action": replace(PLAIN, action=""),
    "a lost part": replace(PLAIN, fault="No answer: reader play"),
    "a map": replace(PLAIN, grid=GridView(MAP)),
    "a place on a map": replace(PLAIN, grid=GridView(MAP, (Place(1, 0),), Cell(Place(1, 0)))),
    "the winner": replace(PLAIN, winners=(Seat(0),)),
}


def shows_figures(picture: Image.Image, number: str) -> bool:
    """Return True if *number* is drawn somewhere in figures of 32 rows."""
    written = cells(number, DIGITS)
    box = written.getbbox()
    assert box is not None
    figures = written.crop(box).tobytes()
    wide, tall = box[2] - box[0], box[3] - box[1]
    return any(
        picture.crop((left, top, left + wide, top + tall)).tobytes() == figures
        for left in range(picture.width)
        for top in range(-box[1], picture.height)
    )


def test_a_figure_is_32_rows_high() -> None:
    assert [cells(figure, DIGITS).getbbox()[3] for figure in "0123456789"] == [32] * 10  # type: ignore[index]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("number", ["0", "42", "-7", "137", "-24"])
def test_a_number_that_is_the_headline_can_be_read_at_arms_length(
    size: tuple[int, int], around: str, number: str
) -> None:
    assert shows_figures(draw(replace(AROUND[around], headline=number), size), number)
