"""The robots of Cramel.

Room: sim/robots.
"""
