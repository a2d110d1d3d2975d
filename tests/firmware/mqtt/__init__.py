"""Tests of the connection to a broker."""
