"""The parts of every web server of tapmat: listening sockets, guarded requests, pairing codes.

The virtual table and the companion use it. A *page* is a program in a browser. This room may import
the standard library, aiohttp and ``common``. It knows no game and no table.
"""
