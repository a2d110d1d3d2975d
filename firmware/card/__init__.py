"""The settings in ``tapmat.toml``, read when a Pi with tapmat's image starts.

The file is on the card's first partition, which any laptop can edit. ``settings`` reads it, and
``setup`` changes the system to match. Only the image uses this room. Makers who install their own
system set it up with Raspberry Pi Imager. This room may import every room of the firmware except
``commands``.
"""
