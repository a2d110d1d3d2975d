"""A build hook that makes the description of the wheel from the README.

A package index shows the description without the files beside it, so a relative link leads nowhere
there. The description has the path in the repository instead.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDER = "sim/fakepi"  # this project's folder in the repository
RELATIVE_LINK = re.compile(r"\[([^]]+)\]\((?!\w+:)([^)#]*)[^)]*\)")


class DescriptionHook(MetadataHookInterface):
    """A build hook that replaces each relative link of the README by its text and path."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the description to the project's *metadata*."""
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": RELATIVE_LINK.sub(rf"\1 (`{FOLDER}/\2`)", readme),
        }
