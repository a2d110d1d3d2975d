"""The drivers: each implements a port for one chip or program.

Only ``firmware.runtime.wiring`` and ``firmware.runtime.display_wiring`` name a driver.
"""
