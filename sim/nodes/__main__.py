"""``python -m sim.nodes``: runs a program on an emulated Raspberry Pi (``sim.nodes.command``)."""

import sys

from sim.nodes.command import main

if __name__ == "__main__":
    sys.exit(main())
