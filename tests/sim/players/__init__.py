"""Tests of the players of strength."""
