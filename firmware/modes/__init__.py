"""The modes of the table: idle, preparing a game, playing it, enrolling. Each is a frozen value.

Room: firmware/modes. ``firmware.table`` owns which mode the table is in.
"""
