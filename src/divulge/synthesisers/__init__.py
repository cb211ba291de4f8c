"""ROOM. Ways to make microdata that reproduces outputs, one per file; none of them is given original data."""
