"""Rehearsals: text files that script people's acts at the mat and its expected answers.

Each line has a *verb* and its values, such as ``tap weight-7`` or ``expect turn Ben``. Recorded
games, bug reports and examples in the documents all use this format. This room may import
``sim.people``, ``sim.mat`` and every room of the firmware; it reaches chips only through the mat.
"""
