"""The modes of the table, for example idle, preparing, playing and enrolling, as frozen values.

A mode decides what every tap, turn and press does, and what is shown. ``firmware.table.table`` owns
the current mode, and passes it what people do. ``firmware.table`` explains the words used here.
"""
