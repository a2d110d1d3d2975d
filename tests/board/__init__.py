"""Tests on an emulated Raspberry Pi 3 that boots an image: make test-board.

May import: everything. ``guest`` runs inside the emulated Pi, on Debian's own Python, so it imports
only the standard library, the emulated chips and the configuration.
"""
