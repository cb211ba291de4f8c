"""Examples of the rules about spreads and curves: how far people lie, and when the last of them has an event."""

from __future__ import annotations

from typing import Any

from divulge.table import Table
from tests.support.rule_examples import Example, amounts
from tests.support.tables import small_table

_HALF = ["a", "b"] * 50 + ["a"]
_THIRD = ["p", "q", "r"] * 33 + ["p", "q"]
_VALUES = [float(i * i % 31) for i in range(100)]
_ONE_MORE = amounts(*_VALUES, 80.0, u=list(range(101)), half=_HALF, third=_THIRD)
_OUTLIER = amounts(*[0, 1] * 50, 100, half=_HALF)
_LESS_FAR = amounts(*[0, 1] * 50, 10, half=_HALF)
# Σ d² is 36.0, of which 20.1 is the farthest's; Σ d⁴ is 414, of which 402 is.
_FARTHER = amounts(*[0, 1] * 32, 5, half=_HALF[:65])
_SD: dict[str, Any] = {"variables": ["v"], "decimals": 4}


def _curve(**fields: Any) -> tuple[tuple[str, dict[str, Any]], ...]:
    return (("survival", {"time": "t", "event": "e", "observed": "1", **fields}),)


def _pair(one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> tuple[Any, ...]:
    """An output of all, and another of all but the last, or but the last four."""
    return one, (other[0], other[1] | {"where": other[1].get("where", "u < 100")})


_BY_HALF = ("anova", {"formula": "v ~ C(half)", "decimals": 3})
_BY_THIRD = ("anova", {"formula": "v ~ C(third)", "decimals": 3})
_ONLY_F = ("anova", {"formula": "v ~ C(third)", "decimals": 3, "show": ["F", "p"]})
_FIT = ("linear", {"formula": "v ~ C(third)", "decimals": 5, "statistics": ["r2"]})
_COEFFICIENTS = ("linear", {"formula": "v ~ C(third)", "decimals": 5})
_LOGLIK = ("linear", {"formula": "v ~ C(third)", "decimals": 5, "statistics": ["loglik"]})

_T_TEST = ("t-test", {"variable": "v", "by": "half", "decimals": 4})
_CHI = ("chi-squared", {"variables": ["half", "third"], "decimals": 4})
_COUNTS = ("crosstab", {"variables": ["half", "third"]})

# 100 people between 0 and 9 spread by about 825; one who is 50 away from them by 2,500.
_SLOPE = amounts(*_VALUES, 12.0, z=[i % 10 for i in range(100)] + [55])
_LESS = amounts(*_VALUES, 12.0, z=[i % 10 for i in range(100)] + [30])
_POISSON = ("poisson", {"formula": "v ~ 1"})
_TO_20 = amounts(*range(1, 21))
_HAZARD = ("cox", {"formula": "t ~ z", "event": "e", "observed": "1"})
_RANKS = ("rank-correlation", {"variables": ["z", "e"]})
_COX = small_table(t=[i % 37 + 1 for i in range(101)], e=[0, 1] * 50 + [1], z=[i % 10 for i in range(100)] + [55])


def _events(n: int) -> Table:
    """Sixty people, n of whom had the event, here and there."""
    seen = {7 * k + 3 for k in range(n)}
    return small_table(t=list(range(1, 61)), e=[int(i in seen) for i in range(60)], z=[i * i % 11 for i in range(60)])


def _fewer(one: tuple[str, dict[str, Any]], **fields: Any) -> tuple[Any, ...]:
    """The counts of all, and an output of all but the last."""
    return _COUNTS, (one[0], one[1] | {"where": "u < 100"} | fields)


SPREADS = (
    Example("people per term", "a number that one spreads", _SLOPE, (("linear", {"formula": "v ~ z"}),), ("z",)),
    Example("people per term", "one less far", _LESS, (("linear", {"formula": "v ~ z"}),), ()),
    Example("people per term", "a function of it", _SLOPE, (("linear", {"formula": "v ~ log(z + 1)"}),), ()),
    Example(
        "people per term",
        "a class of four",
        small_table(y=[0] * 56 + [1] * 4, z=[i % 10 for i in range(60)]),
        (("logistic", {"formula": "y ~ z"}),),
        ("class 2 of y",),
    ),
    Example(
        "people per term",
        "a class of five",
        small_table(y=[0] * 55 + [1] * 5, z=[i % 10 for i in range(60)]),
        (("logistic", {"formula": "y ~ z"}),),
        (),
    ),
    Example(
        "people per term",
        "the third class of one",
        small_table(y=["a", "b"] * 29 + ["c", "a"], z=[i % 10 for i in range(60)]),
        (("multinomial", {"formula": "y ~ z"}),),
        ("class 3 of y",),
    ),
    Example("people per term", "hazards", _COX, (("cox", {"formula": "t ~ z", "event": "e"}),), ("z",)),
    Example(
        "differenced statistics",
        "a test and means of other people",
        _ONE_MORE,
        _pair(_T_TEST, ("means", {"variables": ["v"], "by": ["half"], "decimals": 3})),
        ("all figures",),
    ),
    Example(
        "differenced statistics",
        "a Gini coefficient and a deviation",
        _ONE_MORE,
        _pair(("gini", {"variables": ["v"], "decimals": 4}), ("shape", _SD)),
        (),
    ),
    Example(
        "differenced statistics",
        "a test in tens",
        _ONE_MORE,
        _pair(
            ("t-test", _T_TEST[1] | {"decimals": -1, "show": ["statistic"]}),
            ("means", {"variables": ["v"], "by": ["half"]}),
        ),
        (),
    ),
    Example("all but one counted", "χ² of all", _ONE_MORE, _pair(_CHI, _COUNTS), ("all figures",)),
    Example("all but one counted", "counts of all, χ² of one fewer", _ONE_MORE, _fewer(_CHI), ("all figures",)),
    Example("all but one counted", "one fewer, in tens", _ONE_MORE, _fewer(_CHI, decimals=-1), ()),
    # (19/20)⁶⁰ is 0.05: what the others add changes the root by less than 10 %.
    Example("p per cent", "a high power", _TO_20, (("linear", {"formula": "I(v ** 60) ~ 1"}),), ("all rows",)),
    Example("p per cent", "a Poisson model, one of two thirds", _OUTLIER, (_POISSON,), ()),
    Example("p per cent", "a Poisson model, one of nearly all", amounts(*[0, 1] * 4, 100), (_POISSON,), ("all rows",)),
    Example("p per cent", "squares", _TO_20, (("linear", {"formula": "I(v ** 2) ~ 1"}),), ()),
    Example(
        "people per term",
        "the third ordered class of one",
        small_table(y=["a", "b"] * 29 + ["c", "a"], z=[i % 10 for i in range(60)]),
        (("ordered-logit", {"formula": "y ~ z"}),),
        ("class 3 of y",),
    ),
    Example("people per term", "four deaths", _events(4), (("weibull", _HAZARD[1]),), ("those with the event e",)),
    Example("people per term", "four events", _events(4), (_HAZARD,), ("those with the event e",)),
    Example("people per term", "five events", _events(5), (_HAZARD,), ()),
    Example("people per term", "ranks beside one alone", _events(1), (_RANKS,), ("class 2 of e",)),
    Example("people per term", "ranks beside five", _events(5), (_RANKS,), ()),
    Example(
        "all but one counted",
        "χ² in tens",
        _ONE_MORE,
        _pair(("chi-squared", _CHI[1] | {"decimals": -1}), _COUNTS),
        (),
    ),
    Example(
        "all but one counted",
        "two more",
        _ONE_MORE,
        _pair(_CHI, ("crosstab", _COUNTS[1] | {"where": "u < 99"})),
        (),
    ),
    Example(
        "all but one counted",
        "counts of tens",
        _ONE_MORE,
        _pair(_CHI, ("crosstab", _COUNTS[1] | {"base": 10})),
        (),
    ),
    # The squares of the hundred others add up to about 25: little beside 100², not beside 10².
    Example("dominated spread", "far away", _OUTLIER, (("shape", {"variables": ["v"]}),), ("sd v",)),
    Example("dominated spread", "near", _LESS_FAR, (("shape", {"variables": ["v"]}),), ()),
    Example("dominated spread", "sums of squares", _OUTLIER, (_BY_HALF,), ("spread of v",)),
    Example("dominated spread", "sums of squares, near", _LESS_FAR, (_BY_HALF,), ()),
    Example(
        "dominated spread",
        "a regression with R²",
        _OUTLIER,
        (("linear", {"formula": "v ~ C(half)", "decimals": 5, "statistics": ["r2"]}),),
        ("spread of v", "what the model leaves of v"),
    ),
    Example("dominated spread", "its coefficients alone", _OUTLIER, (("linear", {"formula": "v ~ C(half)"}),), ()),
    Example("dominated spread", "squares of one less far", _FARTHER, (("shape", _SD | {"show": ["sd"]}),), ()),
    Example(
        "dominated spread",
        "fourth powers",
        _FARTHER,
        (("shape", _SD | {"show": ["sd", "kurtosis"]}),),
        ("kurtosis v",),
    ),
    Example("dominated spread", "kurtosis alone", _FARTHER, (("shape", _SD | {"show": ["kurtosis"]}),), ()),
    Example(
        "dominated spread",
        "fourth powers, in tens",
        _FARTHER,
        (("shape", {"variables": ["v"], "decimals": -1, "show": ["sd", "kurtosis"]}),),
        (),
    ),
    Example("differenced spread", "two analyses of variance", _ONE_MORE, _pair(_BY_HALF, _BY_THIRD), ("spread of v",)),
    Example("differenced spread", "only F of one of them", _ONE_MORE, _pair(_BY_HALF, _ONLY_F), ()),
    Example("differenced spread", "a deviation and R²", _ONE_MORE, _pair(("shape", _SD), _FIT), ("sd v",)),
    Example("differenced spread", "a deviation and a likelihood", _ONE_MORE, _pair(("shape", _SD), _LOGLIK), ("sd v",)),
    Example("differenced spread", "a deviation and coefficients", _ONE_MORE, _pair(("shape", _SD), _COEFFICIENTS), ()),
    # S is known to within 2 · 100 · 8 · 0.5: as far as somebody 28 away from the mean.
    Example(
        "differenced spread",
        "in whole numbers",
        _ONE_MORE,
        _pair(("shape", {"variables": ["v"], "decimals": 0}), _FIT),
        (),
    ),
    Example(
        "differenced spread",
        "four more",
        _ONE_MORE,
        _pair(_BY_HALF, ("anova", _BY_THIRD[1] | {"where": "u < 97"})),
        (),
    ),
    Example(
        "threshold",
        "nine events of a life table",
        small_table(t=[1] * 10 + [2] * 9 + [2] * 20, e=[1] * 19 + [0] * 20),
        _curve(breaks=[1, 2, 3], show=["events", "censored"]),
        ("events t=[2,3)",),
    ),
    Example(
        "threshold",
        "nine events of a curve",
        small_table(t=[1] * 10 + [2] * 9 + [2] * 20, e=[1] * 19 + [0] * 20),
        _curve(times=[1, 2]),
        (),
    ),
    Example(
        "extreme held by few",
        "a curve that nine end",
        small_table(t=[1] * 10 + [2] * 10 + [3] * 9, e=[0, 1] * 10 + [1] * 9),
        _curve(),
        ("survival t=3",),
    ),
    Example(
        "extreme held by few",
        "a curve that ten end",
        small_table(t=[1] * 10 + [2] * 10 + [3] * 10, e=[0, 1] * 10 + [1] * 10),
        _curve(),
        (),
    ),
    Example(
        "extreme held by few",
        "a curve that stays above zero",
        small_table(t=[1] * 10 + [2] * 10 + [3] * 9, e=[0, 1] * 10 + [1] * 8 + [0]),
        _curve(),
        (),
    ),
    Example(
        "extreme held by few",
        "a curve that ends between two times",
        small_table(t=[1] * 10 + [2] * 10 + [3] * 9, e=[0, 1] * 10 + [1] * 9),
        _curve(times=[1, 3]),
        (),
    ),
    Example(
        "class disclosure",
        "everybody of a curve has the event",
        small_table(t=[1, 2] * 12, e=[1] * 9 + [0, 1, 1] * 5, g=["a"] * 9 + ["b"] * 15),
        _curve(by=("g",)),
        ("g=a",),
    ),
    Example(
        "class disclosure",
        "all but one of a curve",
        small_table(t=[1, 2] * 12, e=[0] + [1] * 8 + [0, 1, 1] * 5, g=["a"] * 9 + ["b"] * 15),
        _curve(by=("g",)),
        (),
    ),
)
