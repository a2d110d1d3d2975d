"""The virtual table: the emulated mat in real time, and its page in a browser.

``live`` runs the mat, ``protocol`` parses the pages' messages, and ``server`` serves the pages.
``static`` is the page, which only draws. ``sim.deal`` holds the shuffled deck. This room may import
``sim.deal`` and the rooms below it, and every room of the firmware. It has no code for one game.
"""
