"""The robots of Cramel.

Forty-nine tiles are face down in a square. The current player turns over one tile after the other,
and may *stop* to win all complete sets among the open tiles; all other tiles are turned face down
again. The dots on a tile say how many tiles of its kind make a set. A Bloom ends the turn, and so
does a Cramel together with a tile of another kind: then the player wins nothing.
"""
