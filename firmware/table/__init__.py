"""The controller of the table: takes one event at a time and returns what to say and show.

The modes in ``modes`` are the states that people see: idle, preparing, playing, enrolling. This
room may import the engine contract, ``boxes``, ``show``, ``voice``, ``journal`` and ``common``. It
writes only to the journal and the tag register, and uses no chip and no clock.

An *act* is anything that a person does: tap a piece, turn the encoder, press a button. The *view*
is everything that the display and the lamps show; a *flash* is a short light, a *cue* a tone, and a
*notice* a message for a few seconds. *Command cards* have stickers that replace controls. A *stack*
is several pieces that arrived together, and in a *race* the first right piece wins. A *text code*
names a text of a catalogue; a *fixed name* is the same in every language. ``firmware`` explains
spots, pieces and boxes.
"""
