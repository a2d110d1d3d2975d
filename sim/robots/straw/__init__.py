"""The robots of Straw.

Players load cards on a camel, one each turn. The load may not exceed 50: the player who breaks the
camel's back scores nothing, and the others score the cards in their hands. A Carpet lightens the
load. The player of a Lamp chooses its weight. A Copy acts as the card before it, and a Reverse
turns the direction of play. Straw may be played only at a load of exactly 50; it ends the round,
and only its player scores. A game has several rounds.
"""
