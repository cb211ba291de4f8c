"""ROOM. Families of risk measures, one a file; each takes a Case and returns Estimates (see family.py)."""

from divulge.measures.families.adversarial_accuracy import AdversarialAccuracy
from divulge.measures.families.alpha_k import AlphaK
from divulge.measures.families.cap import Cap
from divulge.measures.families.distances import Distances
from divulge.measures.families.downstream import Downstream
from divulge.measures.families.family import Family
from divulge.measures.families.group_disclosure import GroupDisclosure
from divulge.measures.families.identity import Identity
from divulge.measures.families.individual_risk import IndividualRisk
from divulge.measures.families.inference import Inference
from divulge.measures.families.isolation import Isolation
from divulge.measures.families.k_anonymity import KAnonymity
from divulge.measures.families.l_diversity import LDiversity
from divulge.measures.families.likeness import Likeness
from divulge.measures.families.linkability import Linkability
from divulge.measures.families.log_linear import LogLinear
from divulge.measures.families.membership import Membership
from divulge.measures.families.msu_overlap import MsuOverlap
from divulge.measures.families.outliers import Outliers
from divulge.measures.families.population_uniqueness import PopulationUniqueness
from divulge.measures.families.presence import Presence
from divulge.measures.families.rapid import Rapid
from divulge.measures.families.reconstruction import Reconstruction
from divulge.measures.families.record_linkage import RecordLinkage
from divulge.measures.families.reidentification import Reidentification
from divulge.measures.families.shadow import Shadow
from divulge.measures.families.singling_out import SinglingOut
from divulge.measures.families.special_uniques import SpecialUniques
from divulge.measures.families.suda import Suda
from divulge.measures.families.t_closeness import TCloseness
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
    KAnonymity,
    LDiversity,
    TCloseness,
    AlphaK,
    Likeness,
    Presence,
    Reidentification,
    IndividualRisk,
    LogLinear,
    PopulationUniqueness,
    Distances,
    AdversarialAccuracy,
    RecordLinkage,
    SinglingOut,
    Linkability,
    Inference,
    Membership,
    Shadow,
    Utility,
    Downstream,
)
"""Every family, in the order in which reports show them. `FAMILIES[i]()` has the default settings."""

__all__ = ["FAMILIES"]
