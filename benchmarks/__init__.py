"""Speed beside its baselines: `make bench`, or `python -m benchmarks NAME…`. Never part of the tests.

A benchmark is a file here with a function `run() -> list[dict]`, one dict a measured line, and its name in BENCHMARKS.
"""

BENCHMARKS = ("startup", "reading", "measures", "glm", "search", "tables", "evolution", "teaching", "assess", "reports")
BENCHMARKS += (
    "service",
    "digits",
    "audit",
    "mitigations",
    "readers",
    "wild",
    "nation",
    "microdata",
    "kinds",
    "stalled",
    "forecast",
    "time_left",
    "recovered",
    "claims",
)
"""The files of this folder that are benchmarks."""
