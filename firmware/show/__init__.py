"""Views of the table, and pure functions from a view to screens, lamps and tones.

A *view* is a value with all texts and numbers that the table shows at one moment; a *screen* is a
picture of it. This room uses no device, file or game. This room may import
``engines.common`` and ``hardware.ports``, but no other room of the firmware.
"""
