"""Tests of the companion: the pages for televisions and phones."""
