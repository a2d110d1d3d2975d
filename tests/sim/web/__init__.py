"""Tests of the virtual table."""
