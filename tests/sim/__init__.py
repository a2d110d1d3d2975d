"""Tests of the emulated mat and of the programs that use it."""
