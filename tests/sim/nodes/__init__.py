"""Tests of the device nodes of the emulated board."""
