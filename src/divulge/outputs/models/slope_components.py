"""The likelihood of a linear model whose groups have an intercept and a slope of their own (Laird & Ware 1982).

Rows count through sums alone: of all rows Σ xx', Σ xr, Σ r², and of each group Z'Z, Z'x and Z'r with Z = (1, z). With T
the covariance of intercepts and slopes and B = (σ² + T Z'Z)⁻¹T, twice the log-likelihood is, but for a constant,
−n log σ² − Σ log |1 + T Z'Z/σ²| − (Σ r² − Σ r'Z B Z'r)/σ²; restricted likelihood takes log |X'V⁻¹X| off (Patterson &
Thompson 1971).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy  # its parts are loaded where they are used: some take longer than many a command

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.models.matrix import ModelRows

_STEP = 1e-20
"""Of complex steps, which have no rounding to lose (Squire & Trapp 1998)."""

_NEWTON_STEPS, _SURE = 8, 1e-10
"""Newton's steps from variances near the maximum, and the relative step after which the next is below rounding."""

_STARTS = ((1.0, 0.0, 0.3), (0.3, 0.0, 0.05), (3.0, 0.0, 3.0))
"""Relative roots of variances (intercept, both, slope) from which the likelihood is climbed; the best end counts."""


@dataclass(frozen=True, eq=False)
class SlopeSums:
    """Sums at given coefficients, r = y − x'b. zz: (groups, 2, 2), zr: (groups, 2), zx: (groups, 2, columns)."""

    xr: Floats
    rr: float
    n: float
    zz: Any
    zr: Any
    zx: Any

    @classmethod
    def of_rows(cls, rows: ModelRows, z: Floats, beta: Floats) -> SlopeSums:
        """Groups are numbered by `rows.second`; those without rows are left out."""
        _, group = np.unique(rows.second, return_inverse=True)
        r = rows.y - rows.x @ beta
        both = np.column_stack([np.ones(len(z)), z])
        wide = np.concatenate([both, r[:, None], rows.x], axis=1)
        sums = np.zeros((int(group.max(initial=-1)) + 1, 2, wide.shape[1]))
        np.add.at(sums, group, both[:, :, None] * wide[:, None, :])
        return cls(rows.x.T @ r, float(r @ r), float(len(r)), sums[:, :, :2], sums[:, :, 2], sums[:, :, 3:])


def _inverse_times(inside: Any, spread: Any, zz: Any) -> tuple[Any, Any]:
    """B, and |1 + T Z'Z/σ²|, of each group; complex numbers give derivatives."""
    a = inside * np.eye(2) + spread @ zz
    determinant = a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]
    turned = np.empty_like(a)
    turned[..., 0, 0], turned[..., 1, 1] = a[..., 1, 1], a[..., 0, 0]
    turned[..., 0, 1], turned[..., 1, 0] = -a[..., 0, 1], -a[..., 1, 0]
    return (turned / determinant[..., None, None]) @ spread, determinant / inside**2


def _spread(parameters: Any, is_correlated: bool) -> tuple[Any, Any]:
    """T and σ² from variances of intercepts and slopes, their covariance where there is one, and σ²."""
    both = parameters[2] if is_correlated else 0.0 * parameters[0]
    return np.array([[parameters[0], both], [both, parameters[1]]]), parameters[-1]


def _by_group(parameters: Any, is_correlated: bool, zz: Any, zr: Any) -> Any:
    """What each group adds to twice the log-likelihood."""
    spread, inside = _spread(parameters, is_correlated)
    b, determinant = _inverse_times(inside, spread, zz)
    return np.einsum("gi,gij,gj->g", zr, b, zr) / inside - np.log(determinant)


def _group_scores(parameters: Floats, is_correlated: bool, sums: SlopeSums) -> Floats:
    """Each group's part of the score in coefficients and variance parameters, (groups, parameters)."""
    spread, inside = _spread(parameters, is_correlated)
    b, _ = _inverse_times(inside, spread, sums.zz)
    of_beta = -np.einsum("gip,gij,gj->gp", sums.zx, b, sums.zr) / inside
    found = [of_beta]
    for j in range(len(parameters)):
        moved = parameters.astype(complex)
        moved[j] += 1j * _STEP
        found.append((_by_group(moved, is_correlated, sums.zz, sums.zr).imag / _STEP / 2.0)[:, None])
    return np.concatenate(found, axis=1)


def slope_score(parameters: Floats, is_correlated: bool, sums: SlopeSums) -> Floats:
    """The score of the likelihood at the coefficients of the sums."""
    inside = float(parameters[-1])
    found = _group_scores(parameters, is_correlated, sums).sum(axis=0)
    p = len(sums.xr)
    found[:p] += sums.xr / inside
    found[-1] += (sums.rr / inside**2 - sums.n / inside) / 2.0
    return found


def score_slopes(parameters: Floats, is_correlated: bool, sums: SlopeSums) -> Floats:
    """Derivatives of the score in the sums: Σ xr, Σ r², then of all groups Σ r, Σ zr, sizes, Σ z, Σ z², Σ x and Σ zx.

    What restricted likelihood adds changes less than a row's own part.
    """
    inside = float(parameters[-1])
    g, _, p = sums.zx.shape
    q = p + len(parameters)
    whole = np.zeros((q, p + 1))
    whole[:p, :p] = np.eye(p) / inside
    whole[-1, p] = 0.5 / inside**2
    size = -0.5 / inside

    def moved(name: str, at: tuple[int, ...]) -> Floats:
        # Of central differences, relative to what each group has.
        step = 1e-5 * np.maximum(np.abs(getattr(sums, name)[(slice(None), *at)]), 1.0)
        ends = []
        for sign in (1.0, -1.0):
            held = getattr(sums, name).copy()
            held[(slice(None), *at)] += sign * step
            if name == "zz" and at == (0, 1):
                held[:, 1, 0] += sign * step
            ends.append(_group_scores(parameters, is_correlated, replace(sums, **{name: held})))
        return np.asarray((ends[0] - ends[1]).T / (2.0 * step))  # (parameters, groups)

    of_r = [moved("zr", (i,)) for i in (0, 1)]
    of_zz = [moved("zz", at) for at in ((0, 0), (0, 1), (1, 1))]
    of_zz[0][-1] += size
    of_zx = np.stack([np.stack([moved("zx", (i, j)) for j in range(p)], axis=2) for i in (0, 1)])
    return np.concatenate([whole, *of_r, *of_zz, of_zx[0].reshape(q, g * p), of_zx[1].reshape(q, g * p)], axis=1)


@dataclass(frozen=True, eq=False)
class SlopeProfile:
    """The likelihood as a function of the relative root of T alone. square: Σ ww' of w = (x, y); zw: Z'w of groups."""

    square: Floats
    zz: Floats
    zw: Floats
    n: float
    is_restricted: bool
    is_correlated: bool

    @classmethod
    def of(cls, rows: ModelRows, z: Floats, keep: Mask, is_restricted: bool, is_correlated: bool) -> SlopeProfile:
        w = np.column_stack([rows.x[:, keep], rows.y])
        sums = SlopeSums.of_rows(replace(rows, x=w), z, np.zeros(w.shape[1]))
        return cls(w.T @ w, sums.zz, sums.zx, sums.n, is_restricted, is_correlated)

    def _root(self, theta: Any) -> Any:
        root = np.zeros((*theta.shape[:-1], 2, 2), dtype=theta.dtype)
        root[..., 0, 0], root[..., 1, 1] = theta[..., 0], theta[..., -1]
        if self.is_correlated:
            root[..., 1, 0] = theta[..., 1]
        return root

    def _crossed(self, theta: Any) -> tuple[Any, Any]:
        root = self._root(theta)
        spread = root @ root.swapaxes(-1, -2)
        b, determinant = _inverse_times(1.0, spread[..., None, :, :], self.zz)
        return self.square - (self.zw.swapaxes(1, 2) @ (b @ self.zw)).sum(axis=-3), determinant

    def _df(self) -> float:
        return self.n - (len(self.square) - 1 if self.is_restricted else 0)

    def deviance(self, theta: Any) -> Any:
        """Twice the negative log-likelihood, but for a constant; of many roots at once, (…, roots)."""
        found, determinant = self._crossed(theta)
        p = found.shape[-1] - 1
        solved = np.linalg.solve(found[..., :p, :p], found[..., :p, p, None])[..., 0]
        left = found[..., p, p] - (found[..., p, :p] * solved).sum(axis=-1)
        value = self._df() * np.log(left) + np.log(determinant).sum(axis=-1)
        if self.is_restricted:
            value = value + np.log(np.linalg.det(found[..., :p, :p] / np.abs(np.diagonal(self.square)[:p])))
        return value

    def _with_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """The deviance and its derivatives, all by one complex step each: the real part is the deviance itself."""
        found = self.deviance(theta + 1j * _STEP * np.eye(len(theta)))
        return float(found[0].real), found.imag / _STEP

    def _gradient(self, theta: Floats) -> Floats:
        return self._with_gradient(theta)[1]

    def near(self, parameters: Floats) -> Floats | None:
        """The root from which Newton's steps lead to the maximum near these variances; None where they lead nowhere."""
        spread, inside = _spread(parameters, self.is_correlated)
        first = np.sqrt(max(float(spread[0, 0] / inside), 0.0))
        both = float(spread[0, 1] / inside) / max(first, 1e-12)
        last = np.sqrt(max(float(spread[1, 1] / inside) - both**2, 0.0))
        theta = np.array([first, both, last] if self.is_correlated else [first, last])
        with np.errstate(all="ignore"):
            for _ in range(_NEWTON_STEPS):
                gradient = self._gradient(theta)
                step = glm.solve_scaled(self._curvature(theta), gradient)
                if step is None or not np.isfinite(step).all() or np.abs(step).max() > 0.3 * np.abs(theta).max():
                    return None
                theta = theta - step
                if np.abs(step).max() <= _SURE * np.abs(theta).max():
                    return theta
        return None

    def _curvature(self, theta: Floats) -> Floats:
        """Second derivatives of the deviance, by central differences of the first."""
        h = 1e-6 * np.maximum(np.abs(theta), 1e-3)
        sides = np.array([1.0, -1.0])[:, None, None, None]
        ends = self.deviance(theta + sides * np.diag(h)[:, None, :] + 1j * _STEP * np.eye(len(theta)))
        found = (ends[0] - ends[1]).imag / _STEP / (2.0 * h[:, None])
        return np.asarray((found + found.T) / 2.0)

    def best(self) -> Floats:
        """The root of the greatest likelihood, by quasi-Newton steps and then Newton's."""
        found = []
        for start in _STARTS:
            theta = np.array(start if self.is_correlated else (start[0], start[2]))
            theta[-1] /= np.sqrt(max(float(self.zz[:, 1, 1].sum() / self.zz[:, 0, 0].sum()), 1e-12))
            with np.errstate(all="ignore"):
                ended = scipy.optimize.minimize(
                    self._with_gradient, theta, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 500}
                )
            if np.isfinite(ended.fun):
                found.append((float(ended.fun), np.asarray(ended.x, dtype=float)))
        if not found:
            return np.zeros(3 if self.is_correlated else 2)
        return self._polished(min(found, key=lambda pair: pair[0])[1])

    def _polished(self, theta: Floats) -> Floats:
        for _ in range(5):
            step = glm.solve_scaled(self._curvature(theta), self._gradient(theta))
            if step is None or not np.isfinite(step).all() or np.abs(step).max() > 0.01:
                break  # at the edge, where a variance is nothing
            theta = theta - step
        return theta

    def at(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Coefficients; variances of intercepts and slopes, their covariance, σ²; Σ xx' with the groups' share out."""
        found, _ = self._crossed(theta)
        p = len(found) - 1
        beta = glm.solve_scaled(found[:p, :p], found[:p, p])
        assert beta is not None, "columns that are not independent were left out"
        inside = float(found[p, p] - found[p, :p] @ beta) / self._df()
        root = self._root(theta)
        spread = root @ root.T * inside
        both = [spread[0, 1]] if self.is_correlated else []
        return beta, np.array([spread[0, 0], spread[1, 1], *both, inside]), found[:p, :p]
