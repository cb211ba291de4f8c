"""ROOM. Kinds of released output, one a file. A new kind is a file here and a line in OUTPUTS."""

from divulge.outputs.kinds.anova import Anova
from divulge.outputs.kinds.binomial import Binomial
from divulge.outputs.kinds.box_plot import BoxPlot
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.outputs.kinds.cloglog import Cloglog
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.cox import Cox
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.custom import Custom
from divulge.outputs.kinds.extremes import Extremes
from divulge.outputs.kinds.f_test import FTest
from divulge.outputs.kinds.fixed_effects import FixedEffects
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.gamma import Gamma
from divulge.outputs.kinds.gini import Gini
from divulge.outputs.kinds.herfindahl import Herfindahl
from divulge.outputs.kinds.histogram import Histogram
from divulge.outputs.kinds.inverse_gaussian import InverseGaussian
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.marginal_effects import MarginalEffects
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.microdata import Microdata
from divulge.outputs.kinds.mode import Mode
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.kinds.negative_binomial import NegativeBinomial
from divulge.outputs.kinds.ordered_logit import OrderedLogit
from divulge.outputs.kinds.ordered_probit import OrderedProbit
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.kinds.position import Position
from divulge.outputs.kinds.probit import Probit
from divulge.outputs.kinds.quantile_regression import QuantileRegression
from divulge.outputs.kinds.random_intercept import RandomIntercept
from divulge.outputs.kinds.random_slope import RandomSlope
from divulge.outputs.kinds.rank_correlation import RankCorrelation
from divulge.outputs.kinds.ratios import Ratios
from divulge.outputs.kinds.regression_tree import RegressionTree
from divulge.outputs.kinds.scatter import Scatter
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.kinds.survival import Survival
from divulge.outputs.kinds.t_test import TTest
from divulge.outputs.kinds.totals import Totals
from divulge.outputs.kinds.tree import Tree
from divulge.outputs.kinds.two_stage import TwoStage
from divulge.outputs.kinds.weibull import Weibull
from divulge.outputs.kinds.zero_inflated import ZeroInflated
from divulge.outputs.output import Output

OUTPUTS: tuple[type[Output], ...] = (
    Frequencies,
    Histogram,
    Scatter,
    Crosstab,
    Tree,
    RegressionTree,
    Means,
    Totals,
    Position,
    BoxPlot,
    Extremes,
    Shape,
    Mode,
    Herfindahl,
    Gini,
    Ratios,
    Survival,
    Correlation,
    RankCorrelation,
    Linear,
    FixedEffects,
    RandomIntercept,
    RandomSlope,
    TwoStage,
    QuantileRegression,
    Logistic,
    Probit,
    Cloglog,
    Binomial,
    Poisson,
    NegativeBinomial,
    ZeroInflated,
    Gamma,
    InverseGaussian,
    Multinomial,
    OrderedLogit,
    OrderedProbit,
    MarginalEffects,
    Cox,
    Weibull,
    ChiSquared,
    TTest,
    FTest,
    Anova,
    Microdata,
    Custom,
)
"""Every kind, in the order in which `divulge outputs` and the catalogue list them."""

__all__ = ["OUTPUTS"]
