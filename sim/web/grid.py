"""A game's map in the form that pages receive."""

from io import BytesIO
from typing import Any

from engines.common.contract import Game, PlaceChoice
from engines.common.errors import NotExpectedNow, RulesError
from engines.common.grid import Cell, Grid, Place
from firmware.journal.journal import GameRecord
from firmware.show.maps import overview
from firmware.show.view import GridView
from sim.deal.transitions import initial_state, transitions_of


def grid_data(grid: GridView) -> dict[str, Any]:
    """Return *grid* as JSON values. Each place is a list of its column and row."""
    board, cursor = grid.board, grid.cursor
    return {
        "cells": [_cell(cell) for cell in board.cells],
        "focus": None if board.focus is None else _at(board.focus),
        "cursor": None if cursor is None else _at(cursor.place),
        "places": [_at(place) for place in grid.places],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "at": _at(cell.place),
        "icon": list(cell.icon),
        "mark": cell.mark,
        "tally": cell.tally,
        "paths": cell.paths,
        "piece": None if cell.piece is None else str(cell.piece),
        "lit": cell.is_lit,
    }


def _at(place: Place) -> list[int]:
    return [place.column, place.row]


def refusal_at(game: Game[Any], record: GameRecord, place: Place) -> RulesError | None:
    """Return the error with which the rules refuse *place*.

    Return None if the rules accept it or do not ask for a place now. The controls only offer legal
    places, so the referee itself never refuses one.
    """
    _, transitions = transitions_of(game, record)
    state = transitions[-1].step.state if transitions else initial_state(game, record.start)
    try:
        game.step(state, PlaceChoice(place))
    except NotExpectedNow:
        return None
    except RulesError as error:
        return error
    return None


def picture_of(grid: Grid) -> bytes:
    """Return the whole map as PNG data, drawn in the display's style."""
    png = BytesIO()
    overview(grid).save(png, "PNG")
    return png.getvalue()
