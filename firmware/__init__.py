"""The program that runs the table. It connects the rules of the games to the chips.

Its packages are called rooms. From the top: ``commands``; ``archive`` and ``plan``; ``doctor`` and
``pi``; ``runtime``; ``config`` and ``outlet``; ``table``; ``boxes``, ``show`` and ``voice``;
``journal``; ``common``. A room may import from the rooms below it. ``pyproject.toml`` has these
rules, and CI checks them.

Words that all rooms use: a *table* is a playmat with its computer, and ``table.toml`` describes it.
A *part* is anything connected to the computer: a reader, the display, a lamp, a control. A *spot*
is a place on the mat with a reader. A *piece* is a card or tile of a game, a *kind* is all pieces
that are alike, and the *tag* or *sticker* is the RFID sticker on a piece. A *box* is one copy of a
game. A *seat* is a player's place at the table. A *play* is an input that the rules accepted. The
*state folder* has the files that the program writes.
"""
