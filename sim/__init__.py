"""The fake Raspberry Pi: emulated chips below the drivers, people and robots above the table.

tapmat is a playmat with RFID readers that referees card games. With this package the whole program
runs without hardware. Its subpackages (*rooms*) are, from the top:

* ``commands``: the commands that this package adds to ``tapmat``;
* ``bench``, ``nodes``, ``web``: measurements; the emulated board behind real device nodes; the
  virtual table in a browser;
* ``deal``: the shuffled deck of the virtual table, and robots in its seats;
* ``robots``: programs that play games and check the referee;
* ``rehearsal``: scripts of games, and their replay;
* ``people``: simulated people at the mat;
* ``mat``: the emulated mat;
* ``chips``: the emulated chips.

A room may import only from the rooms below it; a check in ``pyproject.toml`` enforces this.
"""
