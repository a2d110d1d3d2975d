"""Drivers by other people, unmodified, on the emulated chips: what each does right and wrong."""
