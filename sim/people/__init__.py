"""Emulated people, who use an emulated mat through its cards and controls only.

*Command cards* are cards that replace buttons, numbers and seats at a mat without controls.

This room may import ``sim.mat`` and the rooms below it.
"""
