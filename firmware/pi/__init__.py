"""The installer for a Raspberry Pi: packages, user, program, boot file and service.

It runs on the system's Python before anything is installed, so it may import only the standard
library and modules that do so too. Only ``needs`` imports more, because it runs in the program's
own venv.
"""
