"""How much of what is tried in bulk a run tries.

Room: tests. All of it, as a rule. ``TAPMAT_EFFORT=0.2`` draws a fifth of the examples, where every
instruction is emulated (make test-pi): the same tests, on fewer games drawn at random.
"""

import os
from math import ceil

EFFORT = float(os.environ.get("TAPMAT_EFFORT", "1"))


def some(many: int) -> int:
    """*many*, or that part of it that is to be tried; at least one."""
    return max(1, ceil(many * EFFORT))
