"""A game's map as pages are told of it.

Room: sim/web.
"""

from typing import Any

from engines.common.grid import Cell, Place
from firmware.view import GridView


def grid_shown(grid: GridView) -> dict[str, Any]:
    """*grid* as JSON values; a place is its column and row."""
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
