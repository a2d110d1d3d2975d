"""The emulated board behind real device nodes, for programs that know nothing of the emulation.

A program runs unchanged, with the real ``spidev`` and ``lgpio``. The Linux kernel hands over its
calls on ``/dev/spidev*``, ``/dev/i2c-*`` and ``/dev/gpiochip0``, and this room answers them as a
Raspberry Pi's drivers do (seccomp user notification; docs/decisions/0027). This room needs no root,
kernel module or compiler. docs/real-nodes.md shows how to use it.

This room may import ``sim.rehearsal`` and the rooms below it, and every room of the firmware.
"""
