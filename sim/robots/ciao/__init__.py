"""The robots of Ciao!.

Room: sim/robots.
"""
