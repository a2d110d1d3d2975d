"""Tests of sim/robots."""
