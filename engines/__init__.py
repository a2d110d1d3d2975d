"""The rules of the games, as values and pure functions; they import no other room.

The *mat* is the playmat with its tag readers, and the *table* the program that runs it (firmware).
``engines.common.contract`` says how the table plays a game. Each game's ``__init__`` describes the
game in a few lines, and its RULES.md numbers the rules that the code quotes.
"""
