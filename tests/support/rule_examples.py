"""What examples of rules are made of: small tables, the outputs asked about, and the figures that a rule must name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from divulge.outputs.methods.random_rounding import RandomRounding
from divulge.table import Table
from tests.support.tables import repeated, small_table


@dataclass(frozen=True)
class Example:
    """A rule asked about one output or two. figures: those it must name; none: a near miss."""

    rule: str
    reason: str
    table: Table
    outputs: tuple[tuple[str, dict[str, Any]], ...]
    figures: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)


def cells(**counts: int) -> Table:
    """People of one variable, so many of each value."""
    return small_table(**repeated(x=list(counts.items())))


def grid(rows: dict[str, tuple[int, ...]], rules: tuple[str, ...] = ()) -> Table:
    """A table of counts: x by y, with y called a, b, c …"""
    pairs = [(x, "abcdef"[j]) for x, counts in rows.items() for j, n in enumerate(counts) for _ in range(n)]
    return small_table(rules, x=[x for x, _ in pairs], y=[y for _, y in pairs])


def amounts(*values: float, **more: Any) -> Table:
    return small_table(v=list(values), **more)


COUNT = (("crosstab", {"variables": ["x"]}),)
GRID = (("crosstab", {"variables": ["x", "y"]}),)
TOTAL = (("totals", {"variables": ["v"]}),)
MEAN = (("means", {"variables": ["v"]}),)
ROUNDED = tuple(("crosstab", {"variables": ["x"], "method": RandomRounding(base=3, seed=seed)}) for seed in range(3))
ROWS_30 = [float(i % 7) for i in range(30)]
P95 = (("position", {"variables": ["v"], "quantiles": [0.95]}),)
BY_C = (("linear", {"formula": "v ~ C(c)"}),)
CHI = (("chi-squared", {"variables": ["x", "y"]}),)
ODDS = (("ratios", {"outcome": "y", "exposure": "x"}),)
LIST = (("frequencies", {"variables": ["v"]}),)
MANY = amounts(*(float(i * i % 31) for i in range(60)), u=list(range(60)), half=["a", "b"] * 30)
ALL = ("linear", {"formula": "v ~ u"})
EACH = ("all coefficients",)
