"""The wiring plan: what goes where, what it draws, how it is drawn and printed.

Room: tests.
"""
