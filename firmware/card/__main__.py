"""Apply ``tapmat.toml`` at the start of tapmat's image: ``python -m firmware.card``.

``tapmat-card.service`` runs it as root, before the table, which starts even if this fails.
"""

import sys
from functools import partial

from firmware.card.setup import CardSetup
from firmware.common.errors import TapmatError
from firmware.pi.computer import SetUpFault, TargetComputer


def main(computer: TargetComputer | None = None) -> int:
    """Apply the settings; restart the computer if the boot file was changed.

    Returns:
        The exit code: 0, or 1 if the settings could not be applied.
    """
    computer = computer or TargetComputer(partial(print, flush=True), lambda _question: True)
    try:
        if CardSetup(computer).run():
            computer.say("The boot file was changed, so this computer restarts now.")
            computer.run(("systemctl", "reboot"))
    except (SetUpFault, TapmatError, OSError) as fault:
        computer.say(f"The settings on the card could not be applied: {fault}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
