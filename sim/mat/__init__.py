"""The emulated mat: chips, buttons, disk and loudspeaker, wired as ``table.toml`` says.

The real program runs on it with the production drivers. Emulated people and faults act *below the
drivers*: they only change what chips and pins sense.

A *spot* is a place on the mat with a card reader. To *enrol* a card is to record, in the *register*
of the mat, which sticker (RFID tag) is on it. The *journal* is the file of all plays.

This room may import ``fakepi``, ``hardware`` and ``firmware``.
"""
