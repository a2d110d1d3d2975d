"""Undo an update that fails while it is on trial: ``python -m firmware.pi.trial``.

A release that replaces another is on trial until ``tapmat-trial.timer`` has counted ten minutes of
play. If the table's service fails for good before that, ``tapmat-rollback.service`` runs this
module, from the previous release. The return to the previous release ends the trial, so it happens
only once. If the previous release fails too, safe mode takes over.
"""

import os
import sys
from collections.abc import Mapping
from functools import partial

from firmware.pi.computer import SetUpFault, TargetComputer
from firmware.pi.releases import HOME
from firmware.pi.service import InstalledService
from firmware.pi.steps import TABLE

BAD_TABLE = "2"  # the exit code of ``tapmat play`` if table.toml cannot be used
# The result if the last run ended well: somebody has restarted the table too often by hand.
TOO_OFTEN = "start-limit-hit"


def main(environment: Mapping[str, str], computer: TargetComputer | None = None) -> int:
    """Return to the previous release if the one in use is on trial.

    *environment* has the result of the failed service.

    Returns:
        The exit code: 0 if the table starts again, or 1 if it does not, and safe mode takes over.

    Source: systemd.exec(5), ``MONITOR_SERVICE_RESULT``, ``MONITOR_EXIT_CODE`` and
    ``MONITOR_EXIT_STATUS``
    """
    computer = computer or TargetComputer(partial(print, flush=True), lambda _question: True)
    names = ("SERVICE_RESULT", "EXIT_CODE", "EXIT_STATUS")
    results = [environment.get(f"MONITOR_{name}", "") for name in names]
    why = ", ".join(filter(None, results)) or "no result"
    if results[0] == TOO_OFTEN or results[-1] == BAD_TABLE:
        # The installer has read table.toml with the new version, so it was changed since.
        computer.say(f"The new version is not at fault, so it stays ({why}).")
        return 1
    try:
        with computer.lock(HOME):
            return _return_to_previous(computer, why)
    except (SetUpFault, OSError) as fault:
        computer.say(f"The previous version cannot be used: {fault}")
        return 1


def _return_to_previous(computer: TargetComputer, why: str) -> int:
    service = InstalledService(computer)
    if not service.releases.is_on_trial or service.releases.previous is None:
        computer.say("No version is on trial, or there is none to return to.")
        return 1
    service.give_way(computer.path(TABLE), why)
    computer.say(service.releases.rolled_back.rstrip())
    return 0


if __name__ == "__main__":
    os.umask(0o022)  # the units must be readable for everybody
    sys.exit(main(os.environ))
