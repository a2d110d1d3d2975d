"""mfrc522 0.0.7, which has no type hints."""

from .MFRC522 import MFRC522 as MFRC522
from .SimpleMFRC522 import SimpleMFRC522 as SimpleMFRC522

name: str
