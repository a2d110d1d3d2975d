"""The robots of Riff Raff.

Room: sim/robots.
"""
