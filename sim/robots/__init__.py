"""Robots: people with full information who play whole games, and keep books of their own.

Room: sim/robots. What the mat answers is compared with the books, which share no line with the
engines. A game's robots know its printed rules (``sim.robots.<game>.books``); the rest of the room
knows no game.
"""
