"""The table at a real Home Assistant with a real mosquitto: ``make test-house``.

``make test`` skips these tests: they need root, and a system that ``.ci/test-house`` makes.
"""
