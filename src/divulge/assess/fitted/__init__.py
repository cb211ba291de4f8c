"""Passes over condensed people whose counts are no single table: expected numbers take the place of a search."""
