"""ROOM. Ways to make an output safer, one a file: an output in, a safer one out."""

from divulge.mitigations.add_noise import AddNoise
from divulge.mitigations.cell_keys import PerturbByKeys
from divulge.mitigations.controlled_rounding import RoundControlled
from divulge.mitigations.drop_variable import DropVariable
from divulge.mitigations.fewer_digits import FewerDigits
from divulge.mitigations.fewer_times import FewerTimes
from divulge.mitigations.merge_levels import MergeLevels
from divulge.mitigations.midpoint import RoundToMidpoint
from divulge.mitigations.mitigation import Mitigation
from divulge.mitigations.more_people import MorePeople
from divulge.mitigations.random_rounding import RoundAtRandom
from divulge.mitigations.round_counts import RoundCounts
from divulge.mitigations.safe_quantiles import SafeQuantiles
from divulge.mitigations.small_counts import RoundSmallCounts
from divulge.mitigations.suppress import Suppress
from divulge.mitigations.top_code import TopCode

MITIGATIONS: tuple[type[Mitigation], ...] = (
    MergeLevels,
    TopCode,
    SafeQuantiles,
    FewerTimes,
    MorePeople,
    DropVariable,
    FewerDigits,
    Suppress,
    RoundSmallCounts,
    RoundControlled,
    RoundAtRandom,
    RoundToMidpoint,
    RoundCounts,
    PerturbByKeys,
    AddNoise,
)
"""Every mitigation, in the order of the ladder: coarsen, fewer digits, suppress, round, perturb."""

__all__ = ["MITIGATIONS"]
