"""The command line: parses arguments, calls the other rooms, and prints.

Each error becomes one message and an exit code here. No other room of the firmware prints or
parses arguments. This room may import every room of the firmware.
"""
