"""Code that all rooms share: errors, size limits for files, TOML files, facts about the computer.

A *room* is one of the packages of ``firmware``. The *state folder* holds the journal of the games,
the tag register, which says which tag is on which piece, and the log. This room may import
``engines.common``, but no other room of the firmware.
"""
