"""Tests of the firmware."""
