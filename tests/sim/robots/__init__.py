"""Tests of the robots in ``sim/robots``."""
