"""The parts under the mat: ports (interfaces) and drivers (their implementations).

A *part* is a reader, the display, the lamps, the controls, the buzzer or the voice. The *table* is
the program with all its parts. A *spot* is a place on the mat with a reader, and the *field* of a
reader is the magnetic field of its antenna, which powers the tags near it and carries the data. A
*fault* is an error of a part, and a *remark* is an oddity of a part that works.

This room may import the standard library and, in ``drivers``, the libraries of the chips. It has
no code for a game or its rules.
"""
