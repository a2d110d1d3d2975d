"""Tests of the wiring plan: connections, currents, drawings and printed tables."""
