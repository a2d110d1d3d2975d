"""The emulated parts of a table behind device nodes, for programs that do not know the emulation.

A program runs unchanged, with the real ``spidev`` and ``lgpio``. ``fakepi.kernel`` answers its
calls on ``/dev/spidev*``, ``/dev/i2c-*`` and ``/dev/gpiochip0`` as a Raspberry Pi's drivers do
(docs/decisions/0027); this room wires the parts of a ``table.toml`` to them. docs/real-nodes.md
shows how to use it.

This room may import ``sim.rehearsal`` and the rooms below it, every room of the firmware, and
fakepi.
"""
