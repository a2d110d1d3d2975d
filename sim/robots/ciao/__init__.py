"""The robots of Ciao!.

The current player lays a card that beats the top card of the discards: paper, rock or scissors, or
the same symbol in a stronger colour. A player without such a card draws one. The first player
without cards wins the round. A joker beats any card, an obstacle none. A wrong card is a foul that
costs three more cards.

Some cards have a special. After *speed* there is a *race*: of the other players, the first to lay a
fitting card has played. After *+3*, the next player owes (must draw) three cards, a *debt* that
another +3 passes on and a joker ends. The others are *again* (another turn, or a reversed
direction), *give* (a card to another player, the *receiver*, who must say thank you) and *swap*
(two hands).
"""
