"""Examples of the rules about means, quantiles, models, tests and other single figures."""

from __future__ import annotations

from divulge.table import Table
from tests.support.rule_examples import (
    ALL,
    BY_C,
    CHI,
    EACH,
    LIST,
    MANY,
    MEAN,
    ODDS,
    P95,
    ROWS_30,
    Example,
    amounts,
    grid,
)
from tests.support.tables import small_table

_PARTS = ("totals", {"variables": ["v"], "decimals": 1, "by": ["half"], "where": "u >= 1"})

_BESIDE = (("linear", {"formula": "v ~ C(c) + u"}),)
_ILL = amounts(*[0, 1] * 15, c=["p"] * 29 + ["q"], u=[i % 7 for i in range(30)])


def _means(where: str, decimals: int = 3) -> tuple[tuple[str, dict[str, object]], ...]:
    """The mean of all, and the mean of some."""
    mean = {"variables": ["v"], "decimals": decimals}
    return (("means", mean), ("means", mean | {"where": where}))


def _deviations(where: str, decimals: int = 3) -> tuple[tuple[str, dict[str, object]], ...]:
    """The standard deviation of all, and of some."""
    shape = {"variables": ["v"], "decimals": decimals}
    return (("shape", shape), ("shape", shape | {"where": where}))


_MODE: dict[str, object] = {"variables": ["v"]}
_ALL_BUT = (("mode", _MODE), ("mode", _MODE | {"where": "u = 0"}))


def _modes(first: str, n: int, second: str, m: int) -> Table:
    """So many people with one value and with another, the last of whom alone has u = 1."""
    return small_table(v=[first] * n + [second] * m, u=[0] * (n + m - 1) + [1])


def _twins(n_recoded: int) -> Table:
    """A number in two units, the second of which is 0 for so many people."""
    own = [i * 37 % 101 + 1 for i in range(60)]
    twin = [0 if i < n_recoded else 2.5 * x + 3 for i, x in enumerate(own)]
    return small_table(v=own, w=twin, u=[0] * 59 + [1])


_SHAPES = (("gini", {"variables": ["v"], "decimals": 5}), ("gini", {"variables": ["w"], "decimals": 5}))
_UNITS = (_SHAPES[0], ("gini", {"variables": ["w"], "decimals": 5, "where": "u = 0"}))


FIGURES = (
    Example("value given away", "mean of three", amounts(5, 7, 9), MEAN, ("v",)),
    Example("value given away", "mean of four", amounts(5, 7, 9, 11), MEAN, ()),
    Example("value given away", "five per cent of 19", amounts(*range(19)), P95, ("p95 v",)),
    Example("value given away", "five per cent of 20", amounts(*range(20)), P95, ()),
    Example(
        "value given away",
        "level of one",
        amounts(*ROWS_30, c=["p"] * 29 + ["q"], u=[*range(30)]),
        _BESIDE,
        ("C(c)[T.q]",),
    ),
    Example(
        "value given away", "level of two", amounts(*ROWS_30, c=["p"] * 28 + ["q"] * 2, u=[*range(30)]), _BESIDE, ()
    ),
    Example("value given away", "saturated, three", amounts(*ROWS_30, c=["p"] * 27 + ["q"] * 3), BY_C, ("all rows",)),
    Example("value given away", "saturated, four", amounts(*ROWS_30, c=["p"] * 26 + ["q"] * 4), BY_C, ()),
    Example(
        "value given away",
        "level of one, separated",
        _ILL,
        (("logistic", {"formula": "v ~ C(c) + u"}),),
        ("C(c)[T.q]",),
    ),
    Example("value given away", "χ² of one", grid({"a": (1, 0), "b": (20, 20)}), CHI, ("x=a",)),
    Example("value given away", "χ² of two", grid({"a": (1, 1), "b": (20, 20)}), CHI, ()),
    Example("value given away", "odds of three", grid({"a": (3, 20), "b": (20, 20)}), ODDS, ("x=a & y other",)),
    Example("value given away", "odds of four", grid({"a": (4, 20), "b": (20, 20)}), ODDS, ()),
    Example("listed values", "nine at the top", amounts(*[0] * 10, *range(1, 41), *[50] * 9), LIST, ("v=50",)),
    Example("listed values", "ten at the top", amounts(*[0] * 10, *range(1, 41), *[50] * 10), LIST, ()),
    Example("listed values", "forty values", amounts(*range(40)), LIST, ()),
    Example("differenced values", "one more", MANY, _means("u >= 1"), ("v",)),
    Example("differenced values", "three more", MANY, _means("u >= 3"), ("v",)),
    Example("differenced values", "four more", MANY, _means("u >= 4"), ()),
    # 60 and 59 people at half a unit: the difference is known to within 60, the values lie below 31.
    Example("differenced values", "one more, in whole numbers", MANY, _means("u >= 1", decimals=0), ()),
    Example("differenced values", "parts that lack one", MANY, (_means("")[0], _PARTS), ("v",)),
    Example("nested models", "one", MANY, (ALL, ("linear", {"formula": "v ~ u", "where": "u >= 1"})), EACH),
    Example("nested models", "ten", MANY, (ALL, ("linear", {"formula": "v ~ u", "where": "u >= 10"})), ()),
    Example("nested models", "another form", MANY, (ALL, ("linear", {"formula": "v ~ 1", "where": "u >= 1"})), ()),
    Example(
        "extreme held by few",
        "one at the top",
        amounts(1, 1, 2),
        (("extremes", {"variables": ["v"], "decimals": 0}),),
        ("maximum v",),
        {"fewest": 2},
    ),
    Example(
        "extreme held by few",
        "two each",
        amounts(1, 1, 2, 2),
        (("extremes", {"variables": ["v"], "decimals": 0}),),
        (),
        {"fewest": 2},
    ),
    Example(
        "quantile near the edge",
        "99 people",
        amounts(*range(99)),
        (("position", {"variables": ["v"], "quantiles": [0.9]}),),
        ("p90 v",),
    ),
    Example(
        "quantile near the edge",
        "100 people",
        amounts(*range(100)),
        (("position", {"variables": ["v"], "quantiles": [0.9]}),),
        (),
    ),
    Example(
        "quantile near the edge",
        "the upper tenth of 99 people in a model",
        amounts(*range(99), z=[*range(50), *range(49)]),
        (("quantile-regression", {"formula": "v ~ z", "quantile": 0.9}),),
        ("all rows",),
    ),
    Example(
        "points on the plane",
        "a line printed so finely that it is whole at two places alone",
        amounts(3, 5, 4, 8, 6, 9, 7, z=[0.137, 1.291, 2.873, 3.019, 4.457, 5.731, 6.667]),
        (("quantile-regression", {"formula": "v ~ z", "decimals": 6}),),
        ("point on the plane", "point on the plane"),
    ),
    Example(
        "points on the plane",
        "the same line with one decimal",
        amounts(3, 5, 4, 8, 6, 9, 7, z=[0.137, 1.291, 2.873, 3.019, 4.457, 5.731, 6.667]),
        (("quantile-regression", {"formula": "v ~ z", "decimals": 1}),),
        (),
    ),
    Example("spread of two", "two", amounts(30, 31), (("shape", {"variables": ["v"]}),), ("sd v",)),
    Example("spread of two", "three", amounts(30, 31, 33), (("shape", {"variables": ["v"]}),), ()),
    Example("differenced statistics", "three", MANY, _deviations("u >= 3"), ("all figures",)),
    Example("differenced statistics", "four", MANY, _deviations("u >= 4"), ()),
    Example("differenced statistics", "three, in whole numbers", MANY, _deviations("u >= 3", decimals=-1), ()),
    Example("differenced statistics", "a twin with one recoded", _twins(1), _SHAPES, ("all figures",)),
    Example("differenced statistics", "a twin with four recoded", _twins(4), _SHAPES, ()),
    Example("differenced statistics", "in other units, of all but one", _twins(0), _UNITS, ("all figures",)),
    Example("differenced statistics", "in other units, of all", _twins(0), _SHAPES, ()),
    Example("value given away", "mode that one alone has", amounts(*range(40)), (("mode", _MODE),), ("v",)),
    Example("value given away", "mode that two have", amounts(*range(40), 39), (("mode", _MODE),), ()),
    Example("differenced modes", "another without one", _modes("a", 3, "b", 4), _ALL_BUT, ("v",)),
    Example("differenced modes", "the same without one", _modes("a", 3, "b", 5), _ALL_BUT, ()),
    Example("mode of all", "all alike", small_table(v=["a"] * 12), (("mode", {"variables": ["v"]}),), ("v",)),
    Example("mode of all", "all but one", small_table(v=["a"] * 11 + ["b"]), (("mode", {"variables": ["v"]}),), ()),
    Example("concentration of few", "two", amounts(3, 5), (("herfindahl", {"variables": ["v"]}),), ("v",)),
    Example("concentration of few", "three", amounts(3, 5, 7), (("herfindahl", {"variables": ["v"]}),), ()),
    Example(
        "survival steps",
        "nine events",
        small_table(t=[1] * 9 + [2] * 10, e=[1] * 19),
        (("survival", {"time": "t", "event": "e", "observed": "1", "times": [1, 2]}),),
        ("survival t=1",),
    ),
    Example(
        "survival steps",
        "ten events",
        small_table(t=[1] * 10 + [2] * 10, e=[1] * 20),
        (("survival", {"time": "t", "event": "e", "observed": "1", "times": [1, 2]}),),
        (),
    ),
    Example(
        "single event",
        "one",
        small_table(t=[1, 2, 2], e=[1, 1, 1]),
        (("survival", {"time": "t", "event": "e", "observed": "1", "times": [1, 2]}),),
        ("survival t=1",),
    ),
    Example(
        "single event",
        "one, of a baseline",
        small_table(t=[1, *[2] * 20, *[3] * 20], e=[1] * 41, g=[0, 1] * 20 + [0]),
        (("cox", {"formula": "t ~ g", "event": "e", "observed": "1", "times": [1, 3]}),),
        ("baseline survival t=1",),
    ),
    Example(
        "survival steps",
        "ten events, of a baseline",
        small_table(t=[1] * 10 + [2] * 20, e=[1] * 30, g=[0, 1] * 15),
        (("cox", {"formula": "t ~ g", "event": "e", "observed": "1", "times": [1, 2]}),),
        (),
    ),
    Example(
        "single event",
        "two",
        small_table(t=[1, 1, 2, 2], e=[1, 1, 1, 1]),
        (("survival", {"time": "t", "event": "e", "observed": "1", "times": [1, 2]}),),
        (),
    ),
    Example(
        "degrees of freedom",
        "eleven rows, two parameters",
        amounts(*range(11), z=[0.5 * i for i in range(11)]),
        (("linear", {"formula": "v ~ z"}),),
        ("all rows",),
    ),
    Example(
        "degrees of freedom",
        "twelve rows, two parameters",
        amounts(*range(12), z=[0.5 * i for i in range(12)]),
        (("linear", {"formula": "v ~ z"}),),
        (),
    ),
    Example(
        "people per term",
        "a level of four, and the reference of three",
        amounts(*ROWS_30, c=["p"] * 3 + ["q"] * 4 + ["r"] * 23),
        (("linear", {"formula": "v ~ C(c)"}),),
        ("C(c)[T.q]", "reference level of c"),
    ),
    Example(
        "people per term",
        "levels of five",
        amounts(*ROWS_30, c=["p"] * 5 + ["q"] * 5 + ["r"] * 20),
        (("linear", {"formula": "v ~ C(c)"}),),
        (),
    ),
    Example(
        "people per term",
        "four values other than zero",
        amounts(*ROWS_30, z=[0.0] * 26 + [1.0, 2.0, 3.0, 4.0]),
        (("linear", {"formula": "v ~ z"}),),
        ("z",),
    ),
    Example(
        "people per term",
        "five values other than zero",
        amounts(*ROWS_30, z=[0.0] * 25 + [1.0, 2.0, 3.0, 4.0, 5.0]),
        (("linear", {"formula": "v ~ z"}),),
        (),
    ),
    Example(
        "saturated model",
        "two groups, one of nine",
        amounts(*ROWS_30, c=["p"] * 21 + ["q"] * 9),
        (("linear", {"formula": "v ~ C(c)"}),),
        ("all rows",),
    ),
    Example(
        "saturated model",
        "two groups, one of ten",
        amounts(*ROWS_30, c=["p"] * 20 + ["q"] * 10),
        (("linear", {"formula": "v ~ C(c)"}),),
        (),
    ),
    Example(
        "saturated model",
        "three values on a line",
        amounts(*ROWS_30, z=[0.0, 1.0, 2.0] * 10),
        (("linear", {"formula": "v ~ z"}),),
        (),
    ),
    Example(
        "parameters per row",
        "two in six",
        amounts(*range(6), z=[0, 1, 4, 2, 5, 3]),
        (("linear", {"formula": "v ~ z"}),),
        ("all rows",),
    ),
    Example(
        "parameters per row",
        "two in seven",
        amounts(*range(7), z=[0, 1, 4, 2, 5, 3, 6]),
        (("linear", {"formula": "v ~ z"}),),
        (),
    ),
    Example("digits", "hundredths", amounts(*[0] * 8, 9), (("means", {"variables": ["v"], "decimals": 2}),), ("v",)),
    Example("digits", "tenths", amounts(*[0] * 8, 9), (("means", {"variables": ["v"], "decimals": 1}),), ()),
)
