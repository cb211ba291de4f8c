"""The partial likelihood of a Cox model: its maximum, its information, and what one row changes in its score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.figures import Status
from divulge.outputs.models.newton import CLOSE, STEPS, Estimate, estimable


@dataclass(frozen=True, eq=False)
class Spells:
    """Rows at risk: from `entry` (exclusive; −1: from the start) to `exit` (inclusive), as numbers of ordered times.

    counts: how many rows each stands for. seen: 1 where the event happened at the exit. Strata are numbered from 0
    without gaps.
    """

    x: Floats
    weight: Floats
    counts: Floats
    entry: Integers
    exit: Integers
    seen: Floats
    stratum: Integers
    n_times: int
    is_efron: bool

    @property
    def n_strata(self) -> int:
        return int(self.stratum.max(initial=0)) + 1

    def turned(self) -> tuple[Spells, Integers]:
        """The same with the event of one row of each stratum and time seen where it is not and not where it is, and
        which rows these are."""
        _, rows = np.unique(self.cell, return_index=True)
        unit = self.weight[rows] / self.counts[rows]
        weight, counts = self.weight.copy(), self.counts.copy()
        weight[rows] -= unit
        counts[rows] -= 1.0
        return replace(
            self,
            x=np.concatenate([self.x, self.x[rows]]),
            weight=np.append(weight, unit),
            counts=np.append(counts, np.ones(len(rows))),
            seen=np.append(self.seen, 1.0 - self.seen[rows]),
            entry=np.append(self.entry, self.entry[rows]),
            exit=np.append(self.exit, self.exit[rows]),
            stratum=np.append(self.stratum, self.stratum[rows]),
        ), rows

    @property
    def cell(self) -> Integers:
        return self.stratum * self.n_times + self.exit

    def by_time(self, values: Floats, at: Integers) -> Floats:
        """Σ of values (rows, …) by stratum and time, (strata, times, …); a time below 0 counts for none."""
        found = np.zeros((self.n_strata * self.n_times, *values.shape[1:]))
        inside = at >= 0
        np.add.at(found, (self.stratum * self.n_times + at)[inside], values[inside])
        return found.reshape(self.n_strata, self.n_times, *values.shape[1:])

    def at_risk(self, values: Floats) -> Floats:
        """Σ over those at risk at each time: not yet out, and already in."""
        out = np.cumsum(self.by_time(values, self.exit)[:, ::-1], axis=1)[:, ::-1]
        late = np.cumsum(self.by_time(values, self.entry)[:, ::-1], axis=1)[:, ::-1]
        return np.asarray(out - late)

    def partial(self, beta: Floats) -> Partial:
        """Breslow's or Efron's (1977) partial likelihood; tied events have weight, each, of their mean."""
        x, n_columns = self.x, self.x.shape[1]
        # A shift of η leaves the partial likelihood as it is and keeps e^η finite.
        eta = x @ beta
        shift = float(eta.max()) if len(eta) else 0.0
        eta = eta - shift
        risk = self.weight * np.exp(eta)
        died = self.weight * self.seen
        s0, s1, s2 = _moments(self.at_risk, risk, x)
        d = self.by_time(died, self.exit)
        count = self.by_time(self.seen * self.counts, self.exit)
        value, score, information = float(died @ eta), died @ x, np.zeros((n_columns, n_columns))
        t0, t1, t2 = _moments(lambda terms: self.by_time(terms, self.exit), risk * self.seen, x)
        most = int(count.max(initial=0)) if self.is_efron else 1
        hazard, moment, outer, tied_hazard, tied_moment, tied_outer = (np.zeros_like(s) for s in (s0, s1, s2) * 2)
        event_mean, event_spread = np.zeros_like(s1), np.zeros_like(s2)
        bend, tied_bend = np.zeros_like(s0), np.zeros_like(s0)
        for tie in range(most):
            has = (count > tie) & (s0 > 0.0)
            share = np.divide(tie * self.is_efron, count, out=np.zeros_like(count), where=has)
            each = np.divide(d, count if self.is_efron else 1.0, out=np.zeros_like(d), where=has)
            below = np.where(has, s0 - share * t0, 1.0)
            mean = (s1 - share[..., None] * t1) / below[..., None]
            squared = mean[..., :, None] * mean[..., None, :]
            inner = (s2 - share[..., None, None] * t2) / below[..., None, None] - squared
            value -= float((each * np.log(below)).sum())
            score = score - np.einsum("gt,gtp->p", each, mean)
            information += np.einsum("gt,gtpq->pq", each, inner)
            event_mean += each[..., None] * mean
            event_spread += each[..., None, None] * inner
            rate = each / below
            bent = squared - inner
            hazard += rate
            bend += rate / below
            moment += rate[..., None] * mean
            outer += rate[..., None, None] * bent
            tied_hazard += share * rate
            tied_bend += share * rate / below
            tied_moment += (share * rate)[..., None] * mean
            tied_outer += (share * rate)[..., None, None] * bent
        mean, spread = _of_those_at_risk(s0, s1, s2, d, event_mean, event_spread)
        back = np.exp(-shift)
        return Partial(
            value,
            score,
            information,
            hazard * back,
            bend * back**2,
            moment * back,
            outer * back,
            mean,
            spread,
            tied_hazard * back,
            tied_bend * back**2,
            tied_moment * back,
            tied_outer * back,
            event_mean,
            event_spread,
        )

    def score_residuals(self, beta: Floats) -> Floats:
        """Each row's part of the score, what it adds as one of those at risk included (Lin & Wei 1989)."""
        now = self.partial(beta)
        x = self.x
        risk = np.exp(x @ beta)
        died = self.weight * self.seen
        d = self.by_time(died, self.exit)
        mean = np.divide(now.event_mean, d[..., None], out=np.zeros_like(now.event_mean), where=d[..., None] > 0.0)
        at = self.stratum, self.exit

        def since(sums: Floats) -> Floats:
            """Σ of what happened while a row was at risk."""
            whole = np.cumsum(sums, axis=1)
            is_late = (self.entry >= 0).reshape(-1, *(1,) * (sums.ndim - 2))
            return np.asarray(whole[at] - np.where(is_late, whole[self.stratum, self.entry], 0.0))

        exposed = x * since(now.hazard)[:, None] - since(now.moment)
        spared = x * now.tied_hazard[at][:, None] - now.tied_moment[at]
        return died[:, None] * (x - mean[at]) - (self.weight * risk)[:, None] * (exposed - self.seen[:, None] * spared)

    def fit(self, start: Floats) -> Estimate:
        """The maximum of the partial likelihood."""
        p = self.x.shape[1]
        nothing = np.zeros((p, p))
        lost = np.zeros(p, dtype=bool)
        none = np.full(p, np.nan), np.zeros(0), nothing, lost, np.nan
        if not len(self.x):
            return Estimate(*none, Status.EMPTY)
        if not self.seen.any():
            return Estimate(*none, Status.CONSTANT)
        # Only differences count: a column that is the same in all rows of every stratum says nothing.
        centred = self.x - _stratum_means(self)
        size = np.abs(self.x).max(axis=0, initial=0.0)
        keep, status = estimable(np.where(np.abs(centred) > 1e-12 * np.maximum(size, 1.0), centred, 0.0), self.weight)
        chosen = np.flatnonzero(keep)
        beta = np.where(keep, start, 0.0)
        with np.errstate(all="ignore"):
            now = self.partial(beta)
            for _ in range(STEPS):
                step = glm.solve_scaled(now.information[np.ix_(chosen, chosen)], now.score[chosen])
                if step is None or not np.isfinite(step).all():
                    break
                direction = np.zeros(p)
                direction[chosen] = step
                if float(step @ now.score[chosen]) <= CLOSE:
                    beta = beta + direction
                    now = self.partial(beta)
                    return Estimate(np.where(keep, beta, np.nan), np.zeros(0), now.information, keep, now.value, status)
                for halvings in range(40):
                    tried = self.partial(beta + direction * 0.5**halvings)
                    if np.isfinite(tried.value) and tried.value >= now.value - 1e-10 * (1.0 + abs(now.value)):
                        break
                else:
                    break
                beta, now = beta + direction * 0.5**halvings, tried
        return Estimate(*none, Status.NOT_CONVERGED)


@dataclass(frozen=True, eq=False)
class Partial:
    """The partial likelihood at coefficients. hazard: d/S0 by stratum and time (Breslow 1974); bend: d/S0²; moment: Σ d
    S1/S0²; square: Σ d (mean mean' − V)/S0. mean, spread: S1/S0 and V = S2/S0 − mean mean', at all times at which
    anybody is at risk. tied_…: what Efron takes off for those who have their event at the very time. event_mean,
    event_spread: Σ over events of mean and V."""

    value: float
    score: Floats
    information: Floats
    hazard: Floats
    bend: Floats
    moment: Floats
    square: Floats
    mean: Floats
    spread: Floats
    tied_hazard: Floats
    tied_bend: Floats
    tied_moment: Floats
    tied_square: Floats
    event_mean: Floats
    event_spread: Floats


def _moments(summed: Callable[[Floats], Floats], risk: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Sums of the risks, and of the predictors and of their products by risk."""
    products = x[:, :, None] * x[:, None, :]
    return summed(risk), summed(risk[:, None] * x), summed(risk[:, None, None] * products)


def _of_those_at_risk(
    s0: Floats, s1: Floats, s2: Floats, d: Floats, event_mean: Floats, event_spread: Floats
) -> tuple[Floats, Floats]:
    """Mean and spread of those at risk, over the events of each time; where there is none, as its first would have."""
    with np.errstate(all="ignore"):
        mean = np.where(d[..., None] > 0.0, event_mean / d[..., None], s1 / s0[..., None])
        square = s2 / s0[..., None, None] - mean[..., :, None] * mean[..., None, :]
        spread = np.where(d[..., None, None] > 0.0, event_spread / d[..., None, None], square)
    return np.nan_to_num(mean), np.nan_to_num(spread)


def _stratum_means(spells: Spells) -> Floats:
    sums = np.zeros((spells.n_strata, spells.x.shape[1]))
    np.add.at(sums, spells.stratum, spells.x * spells.weight[:, None])
    total = np.bincount(spells.stratum, spells.weight, minlength=spells.n_strata)
    return (sums / total[:, None])[spells.stratum]
