"""Players of strength: how a robot at a table with people chooses its acts.

People choose a *level* by its name (``sim.players.levels``). A level chooses from the same record
of a game, its *books*, as a fair style of the robots, and uses only what its seat may know. The
best level deals the unseen pieces at random, again and again, and plays each of its options to an
end in each of these deals (``sim.players.search``). For that it has a small and quick model of each
game.

This room may import ``sim.robots`` and the rooms below it.
"""
