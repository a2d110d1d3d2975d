"""The modes of the table, for example idle, preparing, playing and enrolling.

Each mode is an immutable value. It decides what every tap, turn and press does, and what is shown.
``firmware.table.table`` owns the current mode, and passes every tap, turn and press to it.
``firmware.table`` explains the words used here.
"""
