"""Drivers over emulated chips and mock pins."""
