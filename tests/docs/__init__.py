"""What the documents show is done, and where they lead there is something.

Room: tests.
"""
