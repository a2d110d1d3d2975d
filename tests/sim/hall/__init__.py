"""Tests and measurements of a hall with simulated tables."""
