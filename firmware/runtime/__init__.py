"""The running program: a loop that passes events from the parts to the table, and views back.

This room opens the parts, decides when a tag has arrived or left, repairs parts that fail, and
notifies systemd. To *poll* a part is to ask it once for news. A reader's answer is a *sighting*,
the UIDs of the tags that it found. Only the wiring modules of this room name a driver. It may
import the table and every room below it.
"""
