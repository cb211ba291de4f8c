"""ROOM. Risk measures, one family per file; each takes a Case and returns Estimates (see family.py).

Synthesis, verdicts and reports live elsewhere: a measure is given tables and a scenario and computes figures.
"""

from divulge.measures.estimate import Estimate, Interval, calibrated, ratio
from divulge.measures.family import Family, Measure
from divulge.measures.scenario import Case, Scenario

FAMILIES: tuple[type[Family], ...] = ()
"""Every family, in the order in which reports show them. `FAMILIES[i]()` has the default settings."""

__all__ = ["FAMILIES", "Case", "Estimate", "Family", "Interval", "Measure", "Scenario", "calibrated", "ratio"]
