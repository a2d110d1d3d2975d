"""The emulated board of the guest; only the service has it on ``PYTHONPATH``."""
