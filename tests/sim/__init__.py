"""Tests of the fake Raspberry Pi."""
