"""The robots of Straw.

Room: sim/robots.
"""
