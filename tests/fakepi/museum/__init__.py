"""Publicly reported driver bugs, reproduced on the emulated chips.

Each test has a page of the same name in ``sim/fakepi/docs/museum``. In each, one driver has the bug
and one has not. Some drivers are real libraries; the others are a few lines of our own that send
the same registers in the same order.
"""
