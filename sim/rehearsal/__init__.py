"""Rehearsals: plain text that plays people's part at the mat and states what the mat must answer.

Room: sim. One format for playthroughs, bug reports and the examples of the documents.
"""
