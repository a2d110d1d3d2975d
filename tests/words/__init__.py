"""What the command line says, collected from the source and kept in its catalogues.

Room: tests.
"""
