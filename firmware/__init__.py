"""The program that runs the table; it ties rules to chips."""

from gettext import bindtextdomain, textdomain
from pathlib import Path

# This is a program's package, so it may choose the words of the whole process. It does so before
# typer and click are loaded, whose own words ("Usage:", "Options") stand in our catalogues too.
WORDS = "tapmat"
LOCALE = Path(__file__).with_name("locale")
bindtextdomain(WORDS, str(LOCALE))
textdomain(WORDS)
