"""The robots of Camargue.

Room: sim/robots.
"""
