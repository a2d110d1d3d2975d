"""The robots of Camargue.

Players place landscape tiles on a growing board, so that paths continue. A tile scores the size of
its area of one landscape times the number of its edges that touch other tiles. With a *helper*
tile, a player can *copy* the points that another player has just scored. After that, the helper
lies in *front* of its player until it is put *aside*. Or the player *discards* it for ten points. A
player who holds neither a helper nor a fitting tile *claims* so, shows the whole hand, and places
an *emergency* tile.
"""
