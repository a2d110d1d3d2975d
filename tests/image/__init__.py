"""The image of ``make image`` on an emulated Raspberry Pi 3: ``make test-image``.

``make test`` skips these tests: they need the image, root and QEMU, and take many minutes.
"""
