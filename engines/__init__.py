"""The rules of the games, as values and pure functions.

The *mat* is the playmat with its tag readers, and the *table* the program that runs it (firmware).
``engines.common.contract`` says how the table plays a game. Each game's ``__init__`` describes the
game in a few lines, and its RULES.md numbers the rules that the code quotes. A game may import
``engines.common`` and the standard library, but no other room, file, clock or random number.
"""
