"""Tests of the archive of recorded games: listing, checking, copying, pruning and statistics."""
