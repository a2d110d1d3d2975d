"""The command line: parses arguments, calls the other rooms, and prints.

Each error becomes one message and an exit code here. No other room of the firmware prints or parses
arguments. This room may import every room of the firmware.

Functions named ``run_...`` carry out one command and return its exit code. *config* is the table's
configuration, *state* the state folder (None is the default one), and *out* the stream to print to
(None is standard output). If *as_json* is True, they print JSON for programs.
"""
