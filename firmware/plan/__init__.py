"""The wiring plan that ``tapmat wiring`` prints and draws, computed from ``table.toml``.

``header`` holds the Pi's 40 pins, ``parts`` the wires of each part, and ``power`` the currents.
``layout`` and ``lanes`` place everything on the page, ``page`` draws it, and ``svg`` writes the
file. ``documents`` updates the drawings and tables in ``docs/``. This room may import ``doctor``,
``pi`` and the rooms below them; it opens no part.
"""
