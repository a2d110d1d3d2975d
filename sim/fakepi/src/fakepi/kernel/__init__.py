"""Device nodes for unmodified programs: ``/dev/spidev*``, ``/dev/i2c-*`` and ``/dev/gpiochip0``.

A program in any language runs unchanged, with the real ``spidev`` and ``lgpio``. The Linux kernel
hands over its calls on these nodes, and this package answers them as a Raspberry Pi's drivers do
(seccomp user notification). It needs Linux 5.14 or later on x86-64 or 64-bit ARM, and no root,
kernel module or compiler.
"""
