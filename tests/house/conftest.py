"""``.ci/test-house`` names the system that has Home Assistant in ``TAPMAT_HOUSE_ROOT``.

Without it, no test is collected.
"""

import os

collect_ignore_glob = [] if os.environ.get("TAPMAT_HOUSE_ROOT") else ["test_*.py"]
