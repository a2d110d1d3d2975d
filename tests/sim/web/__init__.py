"""Tests of the virtual table and its page."""
