"""Robots that play whole games and check every answer of the table.

The robots keep their own record of a game, its *books* (``sim.robots.<game>.books``). The books are
a second implementation of the printed rules. They see every card, and share no code with the
engines. The *referee* is the program that the robots check: the rules of an engine alone, or a
whole emulated mat.

A *style* is a function that chooses a robot's next *act*: one input to the referee, such as a tap.
An act can be only a part of a *move* of the game. The answer to an input is a *ruling*: accepted,
refused, or accepted as a *foul*, which costs a penalty. After each act, the ruling and the *view*
(all that the table shows) are compared with the books. A *seat* is a player's place, from 0.

The modules in this folder itself work for every game. This room may import ``sim.rehearsal`` and
the rooms below it, ``firmware`` and ``engines.common``, but no game's rules and no chip.
"""
