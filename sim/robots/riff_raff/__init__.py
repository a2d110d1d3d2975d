"""The robots of Riff Raff.

Players load pieces of *cargo* on a model ship that rocks. It has four *areas* on deck, and six on
*yardarms*. In each round, all players reveal a card; its number is the area in which the player
loads a piece. The player with the highest card is the *captain* and decides ties. Pieces that fall
go back to the player who loads, except those that the player catches, which leave the game. A
player's pieces are the *stock*; a player without pieces wins. A *pass* is ten rounds, in which
every card is played once.

The referee cannot see the ship. Players tell it if a loaded piece *holds* (nothing falls), and
otherwise what has fallen.
"""
