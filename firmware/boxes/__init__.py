"""Games and their boxes: the installed games, their decks, and the tags on the pieces.

A *box* is one copy of a game; a household may have several. *Enrolling* records which tag (the RFID
sticker) is on which piece. The tag register stores that in an SQLite file in the state folder. This
room may import ``journal``, for its SQLite files, and ``common``.
"""
