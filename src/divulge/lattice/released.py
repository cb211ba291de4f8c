"""What a release says about the responses of people whose predictors are known, as sums."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from divulge.lattice.families import LINEAR, Family, inverse, refit
from divulge.lattice.sums import Ints, Longs

Floats = NDArray[np.float64]

INSIDE = 1e-6
"""Half units by which a refitted figure may miss its interval and still count as printed: ties and rounding."""


@dataclass(frozen=True)
class Released:
    """Coefficients of one regression, each between low and high; a group's mean is a linear one on a constant.

    rows: which people it was computed from. sd: the interval of the responses' standard deviation (n − 1), if released.
    """

    family: Family
    design: Floats  # (people in it, columns)
    low: Floats  # (columns,)
    high: Floats
    rows: Ints  # (people in it,)
    sd: tuple[float, float] | None = None

    def says(self, lowest: float, step: float, is_bounded: bool = True) -> tuple[Longs, Longs]:
        """(shifts, aim) of its figures for responses lowest + step · x, with whole numbers x of its people.

        With b the middles of the intervals and h half their widths, responses with coefficients b + δ have
        H X'(y − μ(Xb)) = δ + H X'(½ μ''(ξ) (Xδ)²), H = (X'WX)⁻¹ at b (Taylor). The last term is bounded by |δ| ≤ h, and
        figures are widened by it: so every response that refits as printed is within the widened ones. Not is_bounded
        leaves that term away: most that refit are within, and few others.
        """
        x = self.design.astype(np.longdouble)
        middle = (self.low.astype(np.longdouble) + self.high) / 2
        half = (self.high.astype(np.longdouble) - self.low) / 2
        eta, reach = x @ middle, np.abs(x) @ half
        lean = x @ (inverse(x.T @ (x * self.family.slope(eta)[:, None])) / half[:, None]).T
        mean = self.family.mean(eta)
        bend = np.abs(lean).T @ (self.family.curvature(eta, reach) * reach**2 / 2)
        rounding = (
            np.finfo(np.longdouble).eps * len(x) * (np.abs(lean) * (np.abs(mean) + abs(lowest))[:, None]).sum(axis=0)
        )
        width = 1 + INSIDE + rounding + (bend if is_bounded else 0.0)
        return lean * step / width, (lean.T @ (mean - lowest)) / width

    def wider(self, times: float) -> Released:
        """The same with intervals so many times as wide."""
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2 * times
        return replace(self, low=middle - half, high=middle + half)

    def agrees(self, responses: Floats) -> NDArray[np.bool_]:
        """(solutions,): for which responses (solutions, people) every figure is as printed.

        Where a refit does not converge, what the printed figures say of sums decides alone: one response more may be
        possible then, never one fewer.
        """
        own = responses[:, self.rows]
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        if self.family is LINEAR:
            x = self.design.astype(np.longdouble)
            beta = own.astype(np.longdouble) @ (x @ inverse(x.T @ x).T)
            converged = np.ones(len(own), dtype=bool)
        else:
            beta, converged = refit(self.family, self.design, own, middle)
        fits = converged & (np.abs(beta - middle) <= half * (1 + INSIDE)).all(axis=1)
        if not converged.all():
            shifts, aim = self.says(0.0, 1.0)
            fits |= ~converged & (np.abs(own.astype(np.longdouble) @ shifts - aim) <= 1 + INSIDE).all(axis=1)
        if self.sd is not None and len(self.rows) > 1:
            low, high = self.sd
            slack = INSIDE * (high - low)
            spread = own.std(axis=1, ddof=1)
            fits &= (spread >= low - slack) & (spread <= high + slack)
        return fits


def coefficients(
    family: Family,
    design: NDArray[np.floating],
    low: NDArray[np.floating],
    high: NDArray[np.floating],
    rows: NDArray[np.integer] | None = None,
) -> Released:
    """Coefficients of a regression on people 0, 1, … or on `rows`."""
    x = np.asarray(design, dtype=np.float64)
    people = np.arange(len(x)) if rows is None else np.asarray(rows, dtype=np.int64)
    return Released(family, x, np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64), people)


def group_mean(rows: NDArray[np.integer], low: float, high: float, sd: tuple[float, float] | None = None) -> Released:
    """The mean of a group of people (a share, where responses are 0 and 1), perhaps with its standard deviation."""
    people = np.asarray(rows, dtype=np.int64)
    return Released(LINEAR, np.ones((len(people), 1)), np.array([low]), np.array([high]), people, sd)


def printed(figures: NDArray[np.floating], digits: int) -> tuple[Floats, Floats]:
    """(low, high) of what figures are known to be once they are printed with so many significant digits."""
    sizes = np.where(figures == 0, 1.0, np.abs(figures))
    decimals = digits - 1 - np.floor(np.log10(sizes))
    unit = 10.0**-decimals
    shown = np.round(np.asarray(figures, dtype=np.longdouble) / unit) * unit
    return (shown - unit / 2).astype(np.float64), (shown + unit / 2).astype(np.float64)
