"""ROOM. Risk measures, one family per file; each takes a Case and returns Estimates (see family.py).

Synthesis, verdicts and reports live elsewhere: a measure is given tables and a scenario and computes figures.
"""

from divulge.measures.cap import Cap
from divulge.measures.estimate import Estimate, Interval, calibrated, ratio
from divulge.measures.exclusions import Exclusions
from divulge.measures.family import Family, Measure
from divulge.measures.grouping import Groups
from divulge.measures.isolation import Isolation
from divulge.measures.kolb import Kolb, MsuOverlap
from divulge.measures.outliers import Outliers
from divulge.measures.precision import Precision
from divulge.measures.raab import Raab
from divulge.measures.rapid import Rapid
from divulge.measures.reconstruction import Reconstruction
from divulge.measures.run import Measured, measure, measure_targets
from divulge.measures.scenario import Case, Scenario
from divulge.measures.subsets import Subsets
from divulge.measures.suda import Suda
from divulge.measures.tcap import Tcap
from divulge.measures.utility import Utility

FAMILIES: tuple[type[Family], ...] = (
    Tcap,
    Cap,
    Raab,
    Kolb,
    Subsets,
    MsuOverlap,
    Suda,
    Rapid,
    Precision,
    Isolation,
    Outliers,
    Reconstruction,
    Utility,
)
"""Every family, in the order in which reports show them. `FAMILIES[i]()` has the default settings."""

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
