"""Tests of the hardware drivers, run over emulated chips and mock pins."""
