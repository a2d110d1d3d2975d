"""How each chip does what a port promises. Only the wiring names a driver."""
