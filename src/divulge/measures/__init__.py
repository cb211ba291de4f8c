"""Risk measures: their families, and what families share to count, to attack and to estimate.

Synthesis, verdicts and reports live elsewhere: a measure is given tables and a scenario and computes figures.
"""

from divulge.measures.case import Case
from divulge.measures.counting.exclusions import Exclusions
from divulge.measures.counting.grouping import Groups
from divulge.measures.estimate import Estimate, Interval, calibrated, ratio
from divulge.measures.families import FAMILIES
from divulge.measures.families.family import Family, Measure
from divulge.measures.run import Measured, measure, measure_targets
from divulge.scenario import Scenario

__all__ = [
    "FAMILIES",
    "Case",
    "Estimate",
    "Exclusions",
    "Family",
    "Groups",
    "Interval",
    "Measure",
    "Measured",
    "Scenario",
    "calibrated",
    "measure",
    "measure_targets",
    "ratio",
]
