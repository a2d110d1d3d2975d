"""Check that this Python is new enough, then run the installer: ``python3 -m firmware.pi``.

An older Python must be able to read this file, so the file imports no other module of tapmat before
the check.
"""

import os
import sys

NEEDED = (3, 11)

if __name__ == "__main__":
    if sys.version_info < NEEDED:
        sys.exit(
            "This computer has Python {}.{}, and tapmat needs Python 3.11 or later. Write Raspberry"
            " Pi OS (bookworm or trixie, 64-bit) to its card.".format(*sys.version_info)
        )
    from firmware.pi.command import main

    os.umask(0o022)  # the program must be readable for the table's own user
    sys.exit(main())
