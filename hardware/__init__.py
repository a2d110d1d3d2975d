"""The parts under the mat: ports (what the table can do) and drivers (how a chip does it)."""
