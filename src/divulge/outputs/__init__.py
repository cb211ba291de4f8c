"""Released outputs: one kind per file. A new kind is a file here and a line in OUTPUTS; nothing else knows them."""

from divulge.outputs.chi_squared import ChiSquared
from divulge.outputs.correlation import Correlation
from divulge.outputs.crossed import from_pandas
from divulge.outputs.crosstab import Crosstab
from divulge.outputs.custom import Custom
from divulge.outputs.extremes import Extremes
from divulge.outputs.f_test import FTest
from divulge.outputs.fitted import from_statsmodels
from divulge.outputs.frequencies import Frequencies
from divulge.outputs.gini import Gini
from divulge.outputs.herfindahl import Herfindahl
from divulge.outputs.linear import Linear
from divulge.outputs.logistic import Logistic
from divulge.outputs.lowered import Lowered
from divulge.outputs.means import Means
from divulge.outputs.mode import Mode
from divulge.outputs.multinomial import Multinomial
from divulge.outputs.output import Example, Figures, Output, Statbarn, Status
from divulge.outputs.poisson import Poisson
from divulge.outputs.position import Position
from divulge.outputs.precision import Precision, Released
from divulge.outputs.ratios import Ratios
from divulge.outputs.released import read_released
from divulge.outputs.shape import Shape
from divulge.outputs.survival import Survival
from divulge.outputs.t_test import TTest
from divulge.outputs.totals import Totals

OUTPUTS: tuple[type[Output], ...] = (
    Frequencies,
    Crosstab,
    Means,
    Totals,
    Position,
    Extremes,
    Shape,
    Mode,
    Herfindahl,
    Gini,
    Ratios,
    Survival,
    Correlation,
    Linear,
    Logistic,
    Poisson,
    Multinomial,
    ChiSquared,
    TTest,
    FTest,
    Custom,
)
"""Every kind, in the order in which `divulge outputs` and the catalogue list them."""

__all__ = [
    "OUTPUTS",
    "Example",
    "Figures",
    "Lowered",
    "Output",
    "Precision",
    "Released",
    "Statbarn",
    "Status",
    "from_pandas",
    "from_statsmodels",
    "read_released",
]
