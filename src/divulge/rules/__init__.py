"""ROOM. Rules of output checking, one a file. A new rule is a file here and a line in RULES."""

from divulge.rules.all_but_one_counted import AllButOneCounted
from divulge.rules.base_given_away import BaseGivenAway
from divulge.rules.changed_twice import ChangedTwice
from divulge.rules.class_disclosure import ClassDisclosure
from divulge.rules.coalition import Coalition
from divulge.rules.degrees_of_freedom import DegreesOfFreedom
from divulge.rules.differenced_modes import DifferencedModes
from divulge.rules.differenced_quantiles import DifferencedQuantiles
from divulge.rules.differenced_spread import DifferencedSpread
from divulge.rules.differenced_statistics import DifferencedStatistics
from divulge.rules.differenced_values import DifferencedValues
from divulge.rules.differencing import Differencing
from divulge.rules.digits import Digits
from divulge.rules.dominance import Dominance
from divulge.rules.dominated_spread import DominatedSpread
from divulge.rules.edge_quantile import EdgeQuantile
from divulge.rules.exact_beside_changed import ExactBesideChanged
from divulge.rules.extremes import HeldByFew
from divulge.rules.few_contributors import FewContributors
from divulge.rules.follows_from_sums import FollowsFromSums
from divulge.rules.listed_values import ListedValues
from divulge.rules.mode_of_all import ModeOfAll
from divulge.rules.negative import Negative
from divulge.rules.nested_models import NestedModels
from divulge.rules.non_response import NonResponse
from divulge.rules.p_percent import PPercent
from divulge.rules.parameters_per_row import ParametersPerRow
from divulge.rules.people_per_term import PeoplePerTerm
from divulge.rules.points_on_the_plane import PointsOnThePlane
from divulge.rules.prior_posterior import PriorPosterior
from divulge.rules.rule import Finding, Rule, Severity
from divulge.rules.saturated import Saturated
from divulge.rules.shares_of_few import SharesOfFew
from divulge.rules.single_event import SingleEvent
from divulge.rules.small_group import SmallGroup
from divulge.rules.spread_of_two import SpreadOfTwo
from divulge.rules.survival_steps import SurvivalSteps
from divulge.rules.threshold import Threshold
from divulge.rules.two_by_two import TwoByTwo
from divulge.rules.value_given_away import ValueGivenAway
from divulge.rules.zeros import Zeros

RULES: tuple[type[Rule], ...] = (
    Threshold,
    SmallGroup,
    TwoByTwo,
    ValueGivenAway,
    SharesOfFew,
    Dominance,
    PPercent,
    PriorPosterior,
    Coalition,
    Negative,
    Zeros,
    ClassDisclosure,
    HeldByFew,
    ListedValues,
    EdgeQuantile,
    PointsOnThePlane,
    SpreadOfTwo,
    DominatedSpread,
    ModeOfAll,
    FewContributors,
    SurvivalSteps,
    SingleEvent,
    DegreesOfFreedom,
    PeoplePerTerm,
    Saturated,
    ParametersPerRow,
    BaseGivenAway,
    Digits,
    Differencing,
    DifferencedValues,
    DifferencedSpread,
    DifferencedQuantiles,
    DifferencedModes,
    AllButOneCounted,
    DifferencedStatistics,
    NestedModels,
    ChangedTwice,
    ExactBesideChanged,
    FollowsFromSums,
    NonResponse,
)
"""Every rule, in the order in which their findings are told."""

__all__ = ["RULES", "Finding", "HeldByFew", "Rule", "Severity"]
