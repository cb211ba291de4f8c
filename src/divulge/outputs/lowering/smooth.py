"""Figures that are a smooth function of sums over rows (a correlation, an odds ratio), computed and lowered alike.

A kind says which sums it needs and what it makes of them; NaN says that a figure is not defined there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import fdtrc

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.lowering import NOTHING
from divulge.outputs.figures import Figures, Status
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import DiagonalResiduals
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table

UNDEFINED = 1e3
"""How many half-units an undefined figure is said to be away from the released one: far, and finite."""

_LEAST = 1e-280
"""The least probability whose logarithm is taken; of smaller ones doubles lose digits."""


@dataclass(frozen=True, eq=False)
class SmoothSums:
    """What is summed over rows, and the figures that the sums make (NaN: not defined).

    derivatives: of the figures by the sums, (figures, sums); None: by central differences.
    groups: of every sum and of every figure the group it belongs to, where sums of a group make its own figures alone.
    are_counts: the sums are plain counts, and `figures` takes many sets of them at once, (…, sums).
    are_tails, searched: which figures are p-values, and the figures with the logarithms of these, by which they are
    searched for from afar: there a p-value is 0 whichever way a row is changed.
    """

    blocks: tuple[Block, ...]
    figures: Callable[[Floats], Floats]
    derivatives: Callable[[Floats], Floats] | None = None
    are_counts: bool = False
    groups: tuple[Integers, Integers] | None = None
    are_tails: Mask | None = None
    searched: Callable[[Floats], Floats] | None = None

    @property
    def n_totals(self) -> int:
        return sum(b.n_totals for b in self.blocks)

    def of(self, table: Table) -> Floats:
        """The sums of a table."""
        n = self.n_totals
        nothing = np.zeros(n)
        return Lowered(self.blocks, nothing, DiagonalResiduals(nothing), nothing, nothing, nothing).totals(table)

    def evaluate(self, labels: tuple[str, ...], table: Table, undefined: Status = Status.CONSTANT) -> Figures:
        """The figures of a table. undefined: the status where some are not defined although there are rows."""
        totals = self.of(table)
        values = self.figures(totals)
        values = np.where(np.isfinite(values), values, np.nan)
        if not totals.any():
            return Figures(labels, values, Status.EMPTY)
        return Figures(labels, values, Status.OK if np.isfinite(values).all() else undefined)

    def lower(self, released: Released) -> Lowered:
        """The same sums as totals."""
        if self.are_tails is not None and self.searched is not None:
            self = replace(self, figures=_with_far_tails(self.searched, self.are_tails, released))
        residuals = SumsResiduals(self, released.centre, released.half)
        return Lowered(
            self.blocks,
            np.zeros(self.n_totals),
            residuals,
            released.residual_low,
            released.residual_high,
            released.half,
            is_linear=False,
            of_counts=residuals.at if self.are_counts else None,
        )


def log_tail(p: Floats, far: Floats) -> Floats:
    """The logarithm of p-values, with what they fall by far away where they are too small for that."""
    return np.where(np.asarray(p) > _LEAST, np.log(np.maximum(p, _LEAST)), np.minimum(far, np.log(_LEAST)))


def f_tail(df: float, df_left: float, f: float) -> float:
    """The p-value of F."""
    return float(fdtrc(df, df_left, f))


def log_f_tail(df: float, df_left: float, f: float) -> float:
    """Its logarithm, far away too."""
    return float(log_tail(fdtrc(df, df_left, f), -0.5 * df_left * np.log1p(df * f / df_left)))


def _with_far_tails(
    searched: Callable[[Floats], Floats], are_tails: Mask, released: Released
) -> Callable[[Floats], Floats]:
    """Figures with p-values as they are; those far below a released one go on falling by their logarithm."""
    least = np.where(are_tails & (released.low > 0.0) & np.isfinite(released.low), released.low / 2, 0.0)
    is_open = are_tails & (least <= 0.0)
    bend = np.where(least > 0.0, least, 1.0)

    def figures(totals: Floats) -> Floats:
        found = searched(totals)
        p = np.exp(np.where(are_tails, found, 0.0))
        far = np.where(is_open | (p >= bend), p, bend * (1.0 + found - np.log(bend)))
        return np.where(are_tails, far, found)

    return figures


@dataclass(frozen=True, eq=False)
class SumsResiduals:
    """residual = figures(totals) − released."""

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    sums: SmoothSums
    released: Floats
    half: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        jacobian = (self.sums.derivatives or self._differences)(totals)
        # Where a figure is defined on one side only, the difference is no derivative.
        return self.at(totals), np.where(np.isfinite(jacobian), jacobian, 0.0)

    def at(self, totals: Floats) -> Floats:
        """The residuals alone."""
        found = self.sums.figures(totals)
        return np.where(np.isfinite(found), found - self.released, UNDEFINED * self.half)

    def _differences(self, totals: Floats) -> Floats:
        """Central differences, with the cube root of rounding as their step, where they are best.

        Sums that have no figure in common are changed at once (Curtis, Powell & Reid 1974).
        """
        figures, n = self.sums.figures, len(totals)
        steps, turn = 1e-5 * np.maximum(1.0, np.abs(totals)), np.arange(n)
        found = np.zeros((len(self.released), n))
        if self.sums.groups is not None:
            of_sum = self.sums.groups[0]
            order = np.argsort(of_sum, kind="stable")
            turn[order] = np.arange(n) - np.searchsorted(of_sum[order], of_sum[order])
        for which in (np.flatnonzero(turn == t) for t in range(turn.max(initial=-1) + 1)):
            step = np.zeros(n)
            step[which] = steps[which]
            with np.errstate(invalid="ignore"):  # ∞ − ∞ where a ratio has nothing below it
                change = (figures(totals + step) - figures(totals - step))[:, None] / (2 * steps[which])
            if self.sums.groups is not None:
                change = np.where(self.sums.groups[1][:, None] == self.sums.groups[0][which], change, 0.0)
            found[:, which] = change
        return found


def scaled_numbers(schema: Schema, name: str) -> tuple[Floats, float, float]:
    """A variable's numbers between −1 and 1 (NaN: missing), with the middle and the half range taken out.

    Sums of squares of such numbers lose no digits to a far origin.
    """
    variable = schema[name]
    numbers = np.where(variable.is_missing, np.nan, variable.numbers)
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    middle, scale = (low + high) / 2, max((high - low) / 2, np.finfo(float).tiny)
    return (numbers - middle) / scale, float(middle), float(scale)


def product_term(names: Sequence[str], numbers: Sequence[Floats], index: int) -> Term:
    """One column whose value is a product of functions of some variables; a missing one leaves the row out."""
    known = [np.isfinite(x) for x in numbers]
    return Term(
        tuple(names),
        tuple(np.where(k, 0, NOTHING).astype(np.int32) for k in known),
        tuple(np.where(k, x, 0.0) for k, x in zip(known, numbers, strict=True)),
        np.array([index], dtype=np.int32),
        np.ones(1),
    )
