"""Drop-in modules: what a program imports on a Raspberry Pi, backed by a `fakepi.board.FakePi`.

``install.drop_in`` puts them into ``sys.modules`` during a block: ``spidev``, ``smbus2`` and
``smbus``, ``RPi.GPIO``, ``lgpio`` (which serves gpiozero and rpi-lgpio), ``gpiod``, and the lowest
modules of Blinka. They are written from the documentation of the libraries.
"""
