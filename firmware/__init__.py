"""The program that runs the table; it ties rules to chips."""
