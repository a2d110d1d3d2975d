"""The groups of pieces that have one name together.

May import: the standard library and engines.common.
May be imported by: engines.cramel only, and tests.
"""

from typing import Final

from engines.common.groups import Group

GROUPS: Final = (Group("tiles", lambda kind: True),)
