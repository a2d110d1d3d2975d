"""The controller of the table: takes one event at a time and returns what to say and show.

The modes in ``modes`` are the states that people see: idle, preparing, playing, enrolling. This
package may import the engine contract, ``boxes``, ``show``, ``voice`` and ``journal``. It writes
to the journal and the tag register only, and uses no chip and no clock.

The words of this package:

- The *loop* (``firmware.runtime.loop``) reads the parts and passes their events to the table. It
  also shows and says what the table returns.
- An *act* is anything that a person does: tap a piece, turn the encoder, press a button.
- The *view* is everything that the display and the lamps show. A *flash* is a short light of a
  lamp, a *cue* a tone, and a *notice* a message that the display shows for a few seconds.
- A *spot* is a place on the mat with a reader.
- A *piece* is a card or tile with a *sticker*, its tag. A *box* is one copy of a game. The *tag
  register* says which sticker is on which piece, and *enrolling* records it there.
- *Command cards* are cards with stickers that do what the controls do: a number, a seat, a button.
- A *stack* is several pieces that arrived at the same time.
- In a *race*, the first player to tap a right piece wins.
- A *text code* names a text in a catalogue (a file with all texts in one language). A *fixed name*
  is the same in every language, for rehearsals (scripts that test the table) and other programs.
"""
