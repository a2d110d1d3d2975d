"""The archive: what the journal tells of games that were played, and how it is kept.

Room: firmware. ``tapmat journal`` lists, shows, checks, bundles, copies and prunes it, and draws
statistics. What only reads does so without touching or holding the journal, so a table may be
playing. What plays a game again is added by a room above (decision 0014).
"""
