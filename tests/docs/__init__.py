"""Tests of the documents: what they show can be done, and their links lead somewhere."""
