"""Emulated chips, written from their data sheets alone: MFRC522, ISO 14443A tags, SSD1306.

Room: sim/chips. Knows no driver, no table, no game.
May import: the standard library and sim.chips.
"""
