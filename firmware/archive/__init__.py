"""Recorded games: tools that list, check, copy and prune them, and compute statistics.

They are the subcommands of ``tapmat journal``; ``sim`` adds ``replay`` and ``export``, because
rehearsals need emulated chips (decision 0014). The results that ``export`` writes are computed
here. In this room, to *replay* a game means only to apply the rules to its inputs again. Games are
recorded in the journal; ``pruning`` moves old ones to a second file, the *archive*. Commands that
only read neither change nor lock these files, so they can run while a table is playing. This room
may import ``doctor`` and the rooms below it.
"""
