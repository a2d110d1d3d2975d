"""``python -m sim.nodes``: see ``sim.nodes.command``."""

import sys

from sim.nodes.command import main

if __name__ == "__main__":
    sys.exit(main())
