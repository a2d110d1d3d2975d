"""The archive: games told, checked, bundled, copied, kept small and added up.

Room: tests.
"""
