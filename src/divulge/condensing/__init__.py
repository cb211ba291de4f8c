"""Rows counted where they lie, out of core: DuckDB groups people who are alike, and only groups come into memory."""
