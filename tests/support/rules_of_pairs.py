"""Examples of the rules about weights, quantiles, clusters and instruments that one person has."""

from __future__ import annotations

from typing import Any

from divulge.table import Table
from tests.support.rule_examples import Example, amounts, grid

_DECILES: dict[str, Any] = {"variables": ["v"], "quantiles": [k / 10 for k in range(1, 10)], "decimals": 2}
_EVEN = amounts(*range(0, 200, 2), 101, 103, u=[0] * 100 + [1, 2])
# Nine tenths of a hundred even numbers lie twenty apart; 101 is enclosed to within ten.


def _quantiles(where: str, **fields: Any) -> tuple[Any, ...]:
    """Quantiles of all but one, and of fewer."""
    own = _DECILES | fields
    return ("position", own | {"where": "u < 2"}), ("position", own | {"where": where})


def _weights(n: int, more: float = 2.0) -> Table:
    """Sixty people, so many of whom have another weight than one."""
    return amounts(*(k * k % 31 for k in range(60)), w=[more if k < n else 1.0 for k in range(60)], x=["a", "b"] * 30)


def _with_weights(kind: str, **fields: Any) -> tuple[Any, ...]:
    return (kind, fields), (kind, fields | {"weights": "w"})


def _clusters(*sizes: int) -> Table:
    """Sixty people in clusters of so many."""
    named = [k for k, size in enumerate(sizes) for _ in range(size)]
    return amounts(*(k * k % 31 for k in range(60)), z=[k % 10 for k in range(60)], g=named)


def _instruments(n: int) -> Table:
    """Sixty people, so many of whom have an instrument that is 1."""
    return amounts(*(k * k % 31 for k in range(60)), z=[k % 10 for k in range(60)], i=[int(k < n) for k in range(60)])


_ERRORS = (("linear", {"formula": "v ~ z", "errors": "cluster", "cluster": "g", "statistics": ["se"]}),)
_INSTRUMENT = (("two-stage", {"formula": "v ~ z", "instruments": "i"}),)
_CHI: dict[str, Any] = {"variables": ["x", "y"], "decimals": 3}
_SD: dict[str, Any] = {"variables": ["v"], "decimals": 3}
_NINE, _TEN = (grid({"p": (100, 20), "q": (60, n)}) for n in (9, 10))
_ONES, _MORE_ONES = (amounts(*[0] * 100, *[1] * 30, z=[0] * 70 + [1] * (30 + n) + [0] * (30 - n)) for n in (9, 10))

PAIRS = (
    Example("differenced quantiles", "deciles with one and without", _EVEN, _quantiles("u < 1"), ("p10 v",)),
    Example("differenced quantiles", "quartiles", _EVEN, _quantiles("u < 1", quantiles=[0.25, 0.5, 0.75]), ()),
    Example("differenced quantiles", "deciles in hundreds", _EVEN, _quantiles("u < 1", decimals=-2), ()),
    Example("differenced quantiles", "fifty fewer", _EVEN, _quantiles("v < 100"), ()),
    Example(
        "differenced statistics", "two weights, for one", _weights(1), _with_weights("shape", **_SD), ("all figures",)
    ),
    Example("differenced statistics", "two weights, for four", _weights(4), _with_weights("shape", **_SD), ()),
    Example("differenced statistics", "all weights double", _weights(60), _with_weights("shape", **_SD), ()),
    Example("people per term", "two clusters, one of four", _clusters(56, 4), _ERRORS, ("cluster 2 of g",)),
    Example("people per term", "two clusters, one of five", _clusters(55, 5), _ERRORS, ()),
    Example("people per term", "three clusters, two of four", _clusters(52, 4, 4), _ERRORS, ()),
    Example("people per term", "an instrument of four", _instruments(4), _INSTRUMENT, ("i",)),
    Example("people per term", "an instrument of five", _instruments(5), _INSTRUMENT, ()),
    Example("value given away", "an instrument of one", _instruments(1), _INSTRUMENT, ("i",)),
    Example("two by two", "χ² with a cell of nine", _NINE, (("chi-squared", _CHI),), ("statistic",)),
    Example("two by two", "χ² with a cell of ten", _TEN, (("chi-squared", _CHI),), ()),
    Example("two by two", "χ² in tens", _NINE, (("chi-squared", _CHI | {"decimals": -1}),), ()),
    Example(
        "two by two",
        "a correlation with a cell of nine",
        _ONES,
        (("correlation", {"variables": ["v", "z"], "decimals": 4}),),
        ("v & z",),
    ),
    Example(
        "two by two",
        "a correlation in tenths",
        _ONES,
        (("correlation", {"variables": ["v", "z"], "decimals": 1}),),
        (),
    ),
    Example(
        "two by two",
        "a correlation with a cell of ten",
        _MORE_ONES,
        (("correlation", {"variables": ["v", "z"], "decimals": 4}),),
        (),
    ),
)
