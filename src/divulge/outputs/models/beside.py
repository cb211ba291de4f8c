"""Figures that follow from a coefficient and its standard error: tests, p values, intervals, ratios.

All are figures of their own: held with the digits they were printed with, compared with the data, counted and shown.
The search is held to coefficients, or to ratios that are printed instead of them; the others follow from these but for
their last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from divulge.kernels.arrays import Floats
from divulge.outputs.figures import Figures
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.residuals import Residuals
from divulge.outputs.released.precision import Released
from divulge.table import Table

Derived = Literal["t", "p", "interval", "ratio", "ratio-interval"]
DERIVED: tuple[Derived, ...] = ("t", "p", "interval", "ratio", "ratio-interval")

FARTHEST = 30.0
"""A coefficient beyond it has a ratio like that of no data; e^30 still has all its digits."""

_OTHERWISE = {
    "t": "t",
    "z": "t",
    "p": "p",
    "or": "ratio",
    "hr": "ratio",
    "rr": "ratio",
    "irr": "ratio",
    "exp(coef)": "ratio",
}
"""What programs put in brackets."""


@dataclass(frozen=True)
class Columns:
    """Which derived figures are published, and what they are called.

    test: what a test is called, t or z; ratio: odds ratio, hazard ratio; level: of intervals, in per cent; is_raised:
    coefficients are shown as ratios, and the ends of their intervals with them.
    """

    names: tuple[Derived, ...]
    test: str
    ratio: str
    level: float
    is_raised: bool

    @property
    def heads(self) -> tuple[str, ...]:
        """One for each figure that a coefficient has, in their order."""
        low, high = (f"{end:g} %" for end in (50.0 - self.level / 2, 50.0 + self.level / 2))
        heads = {
            "t": (self.test,),
            "p": ("p",),
            "interval": (low, high),
            "ratio": (self.ratio,),
            "ratio-interval": (f"{self.ratio} {low}", f"{self.ratio} {high}"),
        }
        return tuple(head for name in self.names for head in heads[name])

    def labels(self, coefficients: Sequence[str]) -> tuple[str, ...]:
        """Head by head, coefficient by coefficient: `AGE (p)`."""
        return tuple(f"{label} ({head})" for head in self.heads for label in coefficients)

    def find(self, text: str) -> tuple[str, str] | None:
        """The coefficient and the head that a text such as `AGE (OR)` names; None where it names no such figure."""
        start, opened, end = text.strip().rpartition(" (")
        if not opened or not end.endswith(")"):
            return None
        word = end[:-1].strip()
        for head in self.heads:
            if word.casefold() == head.casefold():
                return start, head
        meant = _OTHERWISE.get(word.casefold())
        head = {"t": self.test, "p": "p", "ratio": self.ratio}.get(meant or "", "")
        return (start, head) if head in self.heads else None

    def ranges(self, n: int) -> list[tuple[float, float]]:
        """Between which each figure lies."""
        found: list[tuple[float, float]] = []
        for head in self.heads:
            is_ratio = head.startswith(self.ratio) or (self.is_raised and head.endswith("%"))
            one = (0.0, 1.0) if head == "p" else (0.0, np.inf) if is_ratio else (-np.inf, np.inf)
            found += [one] * n
        return found

    def values(self, beta: Floats, se: Floats, df: float) -> Floats:
        """The figures of coefficients. df: degrees of freedom of the t distribution; ∞: the normal one."""
        with np.errstate(all="ignore"):
            t = beta / se
            p = 2.0 * (ndtr(-np.abs(t)) if np.isinf(df) else stdtr(df, -np.abs(t)))
            share = 0.5 + self.level / 200.0
            reach = se * (ndtri(share) if np.isinf(df) else stdtrit(df, share))
            low, high = beta - reach, beta + reach
            by_name = {
                "t": [t],
                "p": [p],
                "interval": [np.exp(low), np.exp(high)] if self.is_raised else [low, high],
                "ratio": [np.exp(beta)],
                "ratio-interval": [np.exp(low), np.exp(high)],
            }
            found = np.concatenate([np.zeros(0), *(column for name in self.names for column in by_name[name])])
        return np.where(np.isfinite(found), found, np.nan)

    def code(self) -> list[str]:
        """How a class computes them from a `model` of statsmodels, with coefficients in `found`."""
        raised = ".map(lambda b: 2.718281828459045**b)"
        ends = [f"model.conf_int({1 - self.level / 100:g})[{k}]" for k in (0, 1)]
        codes = {
            "t": ["model.tvalues"],
            "p": ["model.pvalues"],
            "interval": [end + raised if self.is_raised else end for end in ends],
            "ratio": [f"model.params{raised}"],
            "ratio-interval": [end + raised for end in ends],
        }
        each = [code for name in self.names for code in codes[name]]
        return [
            f'found = pd.concat([found, {code}.add_suffix(" ({head})")])'
            for code, head in zip(each, self.heads, strict=True)
        ]


def as_ratios(figures: Figures, n: int) -> Figures:
    """The first n figures raised, with standard errors by the delta method: what Stata prints with `or` and `hr`."""
    values, se = figures.values.copy(), figures.se
    with np.errstate(over="ignore"):
        values[:n] = np.exp(values[:n])
    values[:n][np.isinf(values[:n])] = np.nan
    if se is not None:
        se = se.copy()
        se[:n] *= values[:n]
    return replace(figures, values=values, se=se)


def as_logarithms(released: Released, n: int) -> Released:
    """Released ratios as the coefficients that they say."""
    values, low, high, half = (x.copy() for x in (released.values, released.low, released.high, released.half))
    centre = np.maximum(released.centre[:n], np.finfo(float).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        values[:n] = np.where(np.isfinite(values[:n]), np.clip(np.log(centre), -FARTHEST, FARTHEST), values[:n])
        low[:n], high[:n] = np.log(np.maximum(low[:n], 0.0)), np.log(high[:n])
        half[:n] = half[:n] / centre
    se = None if released.se is None else released.se.copy()
    if se is not None:
        se[:n] /= centre
    return replace(released, values=values, low=low, high=high, half=half, se=se)


def first(released: Released, n: int) -> Released:
    """The first n figures alone."""
    return replace(
        released,
        labels=released.labels[:n],
        values=released.values[:n],
        low=released.low[:n],
        high=released.high[:n],
        half=released.half[:n],
        se=None if released.se is None else released.se[:n],
        precision=released.precision.first(n),
        se_precision=None if released.se_precision is None else released.se_precision.first(n),
    )


def _by_ratios(base: Released, released: Released, columns: Columns, m: int) -> tuple[Floats, Floats]:
    """Between which the first m figures, coefficients, lie by themselves and by the ratios printed beside them; where
    these contradict each other, the coefficient counts."""
    low, high = base.low[:m], base.high[:m]
    if columns.ratio not in columns.heads or columns.is_raised:
        return low, high
    start = len(base.labels) + columns.heads.index(columns.ratio) * m
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.maximum(low, np.log(np.maximum(released.low[start : start + m], 0.0)))
        most = np.minimum(high, np.log(released.high[start : start + m]))
    return np.where(least < most, least, low), np.where(least < most, most, high)


@dataclass(frozen=True, eq=False)
class _BesideResiduals:
    """Residuals of a model with what is shown beside its coefficients, for which nothing is searched.

    inner: in terms of coefficients, with n figures. n_more: figures beside them. scale: the ratios that were released
    where coefficients are shown as these, else nothing. To first order a ratio changes by itself times the change of
    its coefficient; in these terms the search goes on as straight as without ratios.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    inner: Residuals
    scale: Floats
    n: int
    n_more: int

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        residuals, jacobian = self.inner.linearise(totals, table)
        residuals, jacobian = residuals.copy(), jacobian.copy()
        residuals[: len(self.scale)] *= self.scale
        jacobian[: len(self.scale)] *= self.scale[:, None]
        nothing = np.zeros((self.n_more, jacobian.shape[1]))
        return (
            np.concatenate([residuals[: self.n], nothing[:, 0], residuals[self.n :]]),
            np.concatenate([jacobian[: self.n], nothing, jacobian[self.n :]]),
        )


def lower_beside(lowered: Lowered, base: Released, released: Released, m: int, columns: Columns) -> Lowered:
    """The lowered form of m coefficients with what is shown beside them. base: figures in terms of coefficients."""
    n = len(base.labels)
    low, high, unit = lowered.low.copy(), lowered.high.copy(), lowered.unit.copy()
    least, most = _by_ratios(base, released, columns, m)
    low[:m] = np.where(least > base.low[:m], least - base.centre[:m], low[:m])
    high[:m] = np.where(most < base.high[:m], most - base.centre[:m], high[:m])
    scale = np.exp(np.clip(base.centre[: m if columns.is_raised else 0], -FARTHEST, FARTHEST))
    for bound in (low, high, unit):
        bound[: len(scale)] *= scale
    free = np.full(len(released.labels) - n, np.inf)
    return replace(
        lowered,
        residuals=_BesideResiduals(lowered.residuals, scale, n, len(free)),
        low=np.concatenate([low[:n], -free, low[n:]]),
        high=np.concatenate([high[:n], free, high[n:]]),
        unit=np.concatenate([unit[:n], np.ones(len(free)), unit[n:]]),
        is_linear=False,
    )
