"""The virtual table: the emulated mat in real time, and its page in a browser.

Room: sim/web. ``live`` runs the mat, ``dealer`` is the shuffled deck, ``protocol`` reads what pages
ask, ``server`` lets them in; ``static`` is the page, which draws and decides nothing.
"""
