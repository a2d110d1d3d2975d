"""The fake Raspberry Pi: chips below the drivers, people and robots above the table."""
