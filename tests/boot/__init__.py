"""The installer and the service on a booted Debian with its own systemd: ``make test-boot``.

``make test`` skips these tests: they need root, and systems that ``.ci/test-boot`` makes.
"""
