"""ROOM. Families of risk measures, one a file; each takes a Case and returns Estimates (see family.py)."""

from divulge.measures.families.cap import Cap
from divulge.measures.families.family import Family
from divulge.measures.families.group_disclosure import GroupDisclosure
from divulge.measures.families.identity import Identity
from divulge.measures.families.isolation import Isolation
from divulge.measures.families.msu_overlap import MsuOverlap
from divulge.measures.families.outliers import Outliers
from divulge.measures.families.rapid import Rapid
from divulge.measures.families.reconstruction import Reconstruction
from divulge.measures.families.special_uniques import SpecialUniques
from divulge.measures.families.suda import Suda
from divulge.measures.families.tcap import Tcap
from divulge.measures.families.unique_matches import UniqueMatches
from divulge.measures.families.utility import Utility

FAMILIES: tuple[type[Family], ...] = (
    Tcap,
    Cap,
    Identity,
    GroupDisclosure,
    SpecialUniques,
    MsuOverlap,
    Suda,
    Rapid,
    UniqueMatches,
    Isolation,
    Outliers,
    Reconstruction,
    Utility,
)
"""Every family, in the order in which reports show them. `FAMILIES[i]()` has the default settings."""

__all__ = ["FAMILIES"]
