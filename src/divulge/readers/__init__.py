"""ROOM. What people hand in, as outputs: one format or program a file."""

READERS = (
    "acro",
    "results",
    "handed_in",
    "stata_results",
    "statsmodels",
    "lifelines",
    "linearmodels",
    "pyfixest",
    "sklearn",
    "pandas",
    "great_tables",
)
"""Every reader by its file: folders and files first, then objects of a running session."""
