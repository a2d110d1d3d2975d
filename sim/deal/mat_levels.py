"""The levels as players in the mat's seats at a real table.

The firmware finds ``choose_for_mat`` by the entry points ``tapmat.players``. A level gets a scene
that is made from the row of its seat and from what everybody knows. The places of other pieces are
those of any shuffle, and none of them is in the scene.
"""

from engines.common.contract import Input, Tap, TapAsk, View
from firmware.table.mat_player import MatKnowledge
from sim.deal.layout import Known, known_of, texts_of
from sim.deal.layouts import layout_of
from sim.deal.layouts.board import BoardTiles
from sim.deal.layouts.hands import Cards
from sim.players.levels import choose, styles_of
from sim.robots.contract import Give
from sim.robots.scene import HandsScene, Scene

ANY_SHUFFLE = 0


def choose_for_mat(known: MatKnowledge) -> Input | None:
    """Return what the level of the mat's strength does now, or None if it has no answer.

    A piece to give away is returned as its tap. Equal knowledge gives equal acts: the seed is made
    from the number of the game, the number of inputs and the seat.
    """
    game, level = known.game.name, known.strength.value
    scene = scene_of(known) if level in styles_of(game) else None
    if scene is None:
        return None
    act = choose(game, scene, level, known.moment)
    if act is None or act.seat != known.seat:
        return None
    return Tap(act.by_hand.piece) if isinstance(act.by_hand, Give) else act.given


def scene_of(known: MatKnowledge) -> Scene | None:
    """Return the table as the mat's seat knows it; None in a game in which it has no row."""
    layout = layout_of(known.game.name)
    assert layout is not None, "each game with levels has a layout"
    places = layout.arrange(known.game, known.record, ANY_SHUFFLE, {})
    shared = _common_fields(known, known.game.view(known.state))
    match places:
        case Cards(laid=laid):
            return HandsScene(
                **shared,
                hand=texts_of(known.row),
                drawn=texts_of(known.drawn),
                untold=texts_of(known.row) if known.is_giver else (),
                laid=texts_of(laid),
                layer=_last_tap_seat(known),
            )
        case BoardTiles(waiting=waiting):
            is_own = waiting is not None and waiting not in (*known.row, *places.apart)
            places.hands[known.seat] = [*known.row, *([waiting] if waiting and is_own else [])]
            return places.scene(shared)
    return None


def _common_fields(known: MatKnowledge, view: View) -> Known:
    """Return the fields of all scenes."""
    start = known.record.start
    asks = (ask for ask in known.game.asks(known.state) if isinstance(ask, TapAsk))
    awaited = sorted({seat for ask in asks for seat in ask.seats})
    return {
        **known_of(known.record, view, known.seat),
        "headline": view.headline if isinstance(view.headline, str) else "",
        "active": awaited if view.turn is None else (view.turn,),
        "people": [seat for seat in range(len(start.names)) if seat not in start.mats],
    }


def _last_tap_seat(known: MatKnowledge) -> int | None:
    """Return the seat that the last tap names; the taps of the mat name its own."""
    taps = (given for given in reversed(known.record.inputs) if isinstance(given, Tap))
    return next((given.seat for given in taps), None)
