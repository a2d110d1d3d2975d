"""``tapmat hall simulate``: robots' games, recorded through the emulated chips, as many tables.

The tables send what the robots have played, at any rate, to the broker of a real hall. This room
may import every room of the firmware, and ``sim.robots``.
"""
