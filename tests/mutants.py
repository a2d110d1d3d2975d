"""Change the program in one place at a time, and check that a test notices.

``make mutants`` runs it; ``.venv/bin/python -m tests.mutants --sample 50 --seed 2`` draws another
sample. For each changed program ("mutant"), mutmut runs the tests that call the changed function;
``[tool.mutmut]`` in pyproject.toml names the code and the tests.

The exit code is 0 if at least ``LEAST`` of the sample were noticed, otherwise 1. A mutant that
never ends is noticed by its time-out, and one that stops the tests' process by the crash; both are
counted apart. The mutants that no test noticed are listed; ``.venv/bin/mutmut show NAME`` prints
one.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.effort import EFFORT

FOLDER = Path("mutants")
STATISTICS = FOLDER / "mutmut-stats.json"  # of the tests that call each function
LEAST = 0.95
# Exit codes of a mutant's process, as in mutmut's table "status_by_exit_code".
SURVIVED, NO_TESTS, SKIPPED = 0, 33, 34
FAILING_TEST = 1
TIMEOUTS = {24, -24, 36, 152, 255}
NO_SUCH_MUTANT = "none"
# Mutants whose difference nobody could notice, by name, each with the reason.
NEVER_FAILS = "It changes the message of an assertion that never fails."
ANY_CASE = "SQLite reads its keywords and its names in any case."
ONE_STEP = "It waits 1 ms longer for a chip that does not end its self test."
ALSO_IDLE = "An outcome without a mode is idle too."
UNUSED = "The value is not used there."
NONE_IS_FALSE = "The value is only tested for truth."
NAMES_NOBODY = "No text of these notices names a player."
SAME_WORDS = "It is said in the same words."
ONLY_A_NAME = "The name of a file that exists for a moment."
ONLY_LOGGED = "The log has the same text."
NO_SEAT = "Without a seat in the input, nobody's seat is compared."
IS_DEFAULT = "It is the default (of int.from_bytes since Python 3.11)."
NO_EFFECT = "At run time, cast returns its second argument, and uses no type."
ONLY_KEYS = "Only the keys are used."
NEVER_EQUAL = "No product of the odds of readings equals the bound."
NO_AMOUNTS = "Without amounts, no player has the greatest one."
ONLY_ORDER = "Only the order of the products counts."
NEVER_SHOWN = "Nothing shows why an answer is garbled."
ASKED_BEFORE = "Its only caller has checked this."
SAME_LENGTH = "Both are always of the same length."
SET_BEFORE = "It is set before it is read for the first time."
NO_MOMENT = "It is only compared with a moment, which is a number."
EQUIVALENT: dict[str, str] = {
    "firmware.journal.store.x_connect__mutmut_33": ANY_CASE,
    "firmware.table.private_answers.xǁPrivateAnswersǁplayable__mutmut_12": SAME_LENGTH,
    "firmware.table.table.xǁTableǁ__init____mutmut_31": NO_MOMENT,
    "firmware.table.table.xǁTableǁ_give__mutmut_3": ASKED_BEFORE,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ__init____mutmut_32": SET_BEFORE,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ_anticollision__mutmut_78": NEVER_SHOWN,
    "engines.ciao.rules.x_asks_owner__mutmut_2": NEVER_FAILS,
    "engines.ciao.rules.x_step_race__mutmut_26": NO_SEAT,
    "engines.ciao.rules.x_step_symbol__mutmut_9": NEVER_FAILS,
    "engines.ciao.rules.x_step_thanks__mutmut_3": NEVER_FAILS,
    "engines.ciao.rules.x_step_special__mutmut_2": NEVER_FAILS,
    "engines.ciao.view.x_show_thanks__mutmut_3": NEVER_FAILS,
    "engines.common.highlights.x__greatest__mutmut_24": NO_AMOUNTS,
    "engines.common.highlights.x__margin__mutmut_5": ONLY_ORDER,
    "firmware.journal.journal.x_check_file__mutmut_7": ANY_CASE,
    "firmware.journal.recovery.x__first_page__mutmut_10": IS_DEFAULT,
    "firmware.journal.recovery.x__log_repair__mutmut_24": ONLY_LOGGED,
    "firmware.journal.recovery.x__repair__mutmut_21": ONLY_A_NAME,
    "firmware.journal.store.x__open_exclusive__mutmut_25": ANY_CASE,
    "firmware.journal.store.x__open__mutmut_22": ANY_CASE,
    "firmware.journal.store.xǁStoreǁidentity__mutmut_19": ONLY_LOGGED,
    "firmware.runtime.presence.xǁPresenceǁ_may_have_moved__mutmut_4": NEVER_EQUAL,
    "firmware.table.context.xǁTableContextǁ_notice__mutmut_41": SAME_WORDS,
    "firmware.table.modes.enrolling.xǁEnrollingǁ_refuse_to_save__mutmut_3": ONLY_LOGGED,
    "engines.ciao.rules.x_step_owner__mutmut_3": NEVER_FAILS,
    "engines.straw.rules.x_step_lamp__mutmut_2": NEVER_FAILS,
    "firmware.journal.journal.xǁJournalǁ__init____mutmut_9": NONE_IS_FALSE,
    "firmware.journal.recovery.x_save_copy__mutmut_11": ANY_CASE,
    "firmware.journal.store.x_version_of__mutmut_52": ANY_CASE,
    "firmware.journal.store.x_version_of__mutmut_56": ANY_CASE,
    "firmware.table.modes.enrolling.xǁEnrollingǁnumber__mutmut_8": UNUSED,
    "firmware.table.modes.idle.xǁIdleǁ_choose__mutmut_23": NEVER_FAILS,
    "firmware.table.modes.idle.xǁIdleǁturn__mutmut_2": ALSO_IDLE,
    "firmware.table.modes.playing.xǁPlayingǁ_undo_input__mutmut_12": NEVER_FAILS,
    "firmware.table.modes.preparing.xǁPreparingǁ_notice__mutmut_3": NAMES_NOBODY,
    "firmware.table.modes.stack_question.xǁStackQuestionǁ_choose__mutmut_24": NO_EFFECT,
    "firmware.table.modes.stack_question.x__apply_all__mutmut_6": NO_EFFECT,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ__init____mutmut_21": NONE_IS_FALSE,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ_anticollision__mutmut_76": NEVER_SHOWN,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ_find_tag__mutmut_30": NEVER_SHOWN,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ_halt_one_by_one__mutmut_18": ONLY_KEYS,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ_inventory__mutmut_30": ONLY_KEYS,
    "hardware.drivers.mfrc522_reader.xǁMfrc522Readerǁ_self_test__mutmut_26": ONE_STEP,
}


def main() -> int:
    """Draw a sample of mutants, run the tests, and print the figures and the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=500, help="Number of mutants.")
    parser.add_argument("--seed", default="1", help="Which sample.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="At the same time.")
    asked = parser.parse_args()
    # A run without a mutant makes all mutants and finds out which test calls which function.
    mutmut(asked.jobs, [NO_SUCH_MUTANT])
    every = sorted(results())
    if not every or not STATISTICS.exists():
        print("A test fails without a mutant, or there are none. See why: .venv/bin/mutmut run")
        return 1
    sample = Random(asked.seed).sample(every, min(asked.sample, len(every)))
    mutmut(asked.jobs, sample)
    found = results()
    return report({name: found[name] for name in sample}, len(every))


def mutmut(jobs: int, names: Sequence[str]) -> None:
    """Run mutmut on the mutants *names*, without its progress display."""
    subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs), *names],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def results() -> dict[str, int | None]:
    """Return the exit code of each mutant's tests; None if they have not run."""
    files = (json.loads(file.read_text()) for file in FOLDER.rglob("*.meta"))
    return {name: code for file in files for name, code in file["exit_code_by_key"].items()}


def report(sample: dict[str, int | None], total: int) -> int:
    """Print the outcomes of *sample*, drawn from *total* mutants; return the exit code."""
    untested = sorted(name for name, code in sample.items() if code in (NO_TESTS, SKIPPED))
    survived = sorted(name for name, code in sample.items() if code == SURVIVED)
    missing = [name for name, code in sample.items() if code is None]
    equivalent = [name for name in survived if name in EQUIVALENT]
    noticed = len(sample) - len(untested) - len(survived) - len(missing) + len(equivalent)
    for name in untested:
        print(f"no test calls it: {name}")
    for name in survived:
        print(f"survived: {name}  {EQUIVALENT.get(name, '')}".rstrip())
    for name in missing:
        print(f"did not run: {name}")
    late = sum(code in TIMEOUTS for code in sample.values())
    failing = sum(code == FAILING_TEST for code in sample.values())
    crashed = noticed - len(equivalent) - failing - late
    counts = Counter(name.split(".")[0] for name in sample)
    print(f"{total} mutants, a sample of {len(sample)} ({dict(counts)}) at effort {EFFORT:g}.")
    print(f"Noticed: {noticed} ({noticed / len(sample):.1%}); bound: {LEAST:.0%}.")
    print(f"Failing tests {failing}, time-outs {late}, crashes {crashed}.")
    print(f"Equivalent: {len(equivalent)}.")
    return 0 if noticed >= LEAST * len(sample) else 1


if __name__ == "__main__":
    sys.exit(main())
