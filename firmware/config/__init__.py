"""The configuration: ``table.toml`` as typed values, or an error that says how to correct it.

The file describes one table: its parts (readers, display, lamps, controls, voice) and their pins.
Nothing here opens a part or writes a file. This room may import ``boxes``, ``voice`` and ``show``,
which have the games, languages and displays that a file can name, and ``common``.
"""
