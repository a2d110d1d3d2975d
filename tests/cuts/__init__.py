"""Power cuts of a whole emulated computer that plays (``make test-cuts``, docs/nothing-lost.md).

The script ``.ci/test-cuts`` builds a Debian guest on which the table is installed. ``kills`` ends
its emulator with SIGKILL at random moments and starts it again. ``replay`` records every write to
the guest's disk during a game, and tries the contents that the disk may have after a power cut:
some of the writes since the last flush are lost, or torn in the middle.
"""
