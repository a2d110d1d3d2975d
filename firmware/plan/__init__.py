"""The wiring plan: what ``tapmat wiring`` prints and draws, all of it from ``table.toml``.

Room: firmware. ``header`` knows the Pi's 40 pins, ``parts`` what is wired to them and why,
``power`` what that draws, ``layout`` and ``lanes`` where it stands on the page, ``svg`` and ``png``
how the page is written. ``command`` prints, and ``documents`` keeps the documents' own copies.
"""
