"""Candidates and data: what was printed is computed again, and agreement decides what it is."""
