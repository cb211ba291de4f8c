"""Long statistical checks that no test should wait for: `make validate`, or `python -m benchmarks.validation NAME…`.

A check is a file here with a function `check() -> list[str]`, which returns what it found and raises AssertionError
where that is not as it should be, and its name in CHECKS.
"""

CHECKS = (
    "census",
    "rapid",
    "agreement",
    "known_truth",
    "coverage",
    "calibration",
    "power",
    "true_exposure",
    "acro_rules",
    "acro_folders",
    "sdclog",
    "tauargus",
    "gausssuppression",
    "cell_keys",
    "proposals",
    "faults",
    "serve_faults",
    "foreign",
    "foreign_rules",
    "epsilon",
)
"""The files of this folder that are checks."""
