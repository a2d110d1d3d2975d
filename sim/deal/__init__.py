"""The virtual deck: deals a game's pieces on the virtual table, and seats robots.

A *page* is a browser that shows the virtual table. The *referee* is the table's program. It records
all inputs of a game in the *journal*, and counts the pieces at each place (``View.counts``). The
place of every piece follows from the seed of the shuffle, these inputs and these counts (decision
0007). A *layout* (``sim.deal.layouts``) arranges the pieces of a game (decision 0025).

The mat cannot sense some acts of people, such as choosing the card to give away. People do these
acts *by hand*, and each is saved as a *decision*. In *hot-seat*, all players share one page, which
shows only the hand of the player who acts. The *tag* of a piece is its name in a page, such as
``straw/weight-7#2``. While nothing is dealt, all pieces are in the page's *tray*.

This room has no code for one game alone. It may import the robots and the rooms below them.
"""
