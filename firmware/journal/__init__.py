"""The state folder: the journal of games, its storage and repair, its lock, and the log file.

The *journal* is an SQLite file that records every game: its start, each input that the rules
accepted, each undo, and its end. An input is on disk before the table shows its effect. This room
may import ``firmware.common``, ``engines.common`` and ``hardware.errors``; it knows no particular
game.
"""
