"""The emulated board for booted machines; only their two units have it on ``PYTHONPATH``."""
