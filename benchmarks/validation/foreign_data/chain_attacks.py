"""Attacks on several outputs together, a few lines each, that anybody can run: no part of Divulge is in them.

As in `attacks`: each is given the data frame and says of how many people it gives something away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from benchmarks.validation.foreign_data.attacks import NEAR, Attack, Frame, chi_squared


def _is_told(guess: float, true: float) -> int:
    return int(abs(guess - true) <= NEAR * abs(true))


def joint_count(a: str, b: str, printed: Callable[[float], float]) -> Attack:
    """φ = (n k − a b) / √(a (n − a) b (n − b)): of all k one alone gives what is printed, here at most two people.

    printed: what is printed of φ, rounded.
    """

    def attack(frame: Frame) -> int:
        known = frame[[a, b]].dropna()
        n, sizes, true = len(known), known.sum(), int((known[a] * known[b]).sum())
        root = np.sqrt(np.prod(sizes * (n - sizes)))
        phi = {k: (n * k - np.prod(sizes)) / root for k in range(int(sizes.min()) + 1)}
        fits = [k for k in phi if printed(phi[k]) == printed(float(known.corr().iloc[0, 1]))]
        return true if fits == [true] and true <= 2 else 0

    return attack


def error_of_two_clusters(response: str, predictor: str, cluster: str) -> Attack:
    """Scores of two clusters add up to nothing. So the error of a slope is √(2 f) |a u| with u the residual of whoever
    is a cluster, a known from the predictors, f = 2 (n − 1)/(n − 2) of the usual factor."""

    def attack(frame: Frame) -> int:
        x = np.column_stack([np.ones(len(frame)), frame[predictor].to_numpy(float)])
        y, one = frame[response].to_numpy(float), frame[cluster].to_numpy() == 1
        inverse = np.linalg.inv(x.T @ x)
        b = inverse @ x.T @ y
        score = inverse @ x[one].T @ (y - x @ b)[one]
        factor = 2 * (len(y) - 1) / (len(y) - 2)
        error = round(float(np.sqrt(2 * factor * score[1] ** 2)), 6)
        u = error / np.sqrt(2 * factor) / abs((inverse @ x[one][0])[1])
        fitted = float(x[one][0] @ b.round(6))
        return int(one.sum() == 1) * max(_is_told(fitted + s * u, y[one][0]) for s in (-1, 1))

    return attack


def fitted_exactly(response: str, predictor: str, instrument: str) -> Attack:
    """With one instrument, which one person alone has, the line goes through this person: y = b₀ + b₁ x."""

    def attack(frame: Frame) -> int:
        one = frame[instrument] == 1
        rest, (me,) = frame[~one], frame[one].index
        slope = (frame[response][me] - rest[response].mean()) / (frame[predictor][me] - rest[predictor].mean())
        b0 = round(rest[response].mean() - slope * rest[predictor].mean(), 6)
        return _is_told(b0 + round(slope, 6) * frame[predictor][me], frame[response][me])

    return attack


def at_risk_less_parts(time: str, part: str, where: str) -> Attack:
    """Numbers at risk of all less those of both parts are 1 up to the time of whom the parts lack."""

    def attack(frame: Frame) -> int:
        times = np.sort(frame[time].unique())

        def at_risk(rows: Frame) -> np.ndarray:
            return np.array([(rows[time] >= t).sum() for t in times])

        parts = frame.query(where)
        rest = at_risk(frame) - sum(at_risk(rows) for _, rows in parts.groupby(part))
        left_out = frame.drop(parts.index)[time]
        return int(len(left_out) == 1 and times[rest == 1].max() == left_out.iloc[0])

    return attack


def interval_of_one(value: str, breaks: Sequence[float], where: str) -> Attack:
    """Numbers of all in each interval less those of all but one: the one is where they differ."""

    def attack(frame: Frame) -> int:
        rest = np.histogram(frame[value], breaks)[0] - np.histogram(frame.query(where)[value], breaks)[0]
        if rest.sum() != 1:
            return 0
        k = int(rest.argmax())
        (true,) = frame.drop(frame.query(where).index)[value]
        return _is_told((breaks[k] + breaks[k + 1]) / 2, true)

    return attack


def mean_less_counted(value: str, where: str) -> Attack:
    """n m of all, by groups or not, less what the counts of exact values of all but one add up to."""

    def attack(frame: Frame) -> int:
        counts = frame.query(where)[value].value_counts()
        left_out = frame.drop(frame.query(where).index)[value]
        rest = len(frame) * round(frame[value].mean(), 4) - float((counts.index * counts).sum())
        return int(len(left_out) == 1) * _is_told(rest, left_out.iloc[0])

    return attack


def between_quantiles(value: str, shares: Sequence[float], decimals: int, where: str) -> Attack:
    """Without somebody the quantiles below them fall or stay, those above rise or stay: they are in between."""

    def attack(frame: Frame) -> int:
        part = frame.query(where)[value].dropna()
        left_out = frame[value].dropna().drop(part.index)
        whole, less = (np.quantile(v.dropna(), shares).round(decimals) for v in (frame[value], part))
        low, high = less[less < whole].max(initial=-np.inf), less[less > whole].min(initial=np.inf)
        return int(len(left_out) == 1 and np.isfinite(high - low)) * _is_told((low + high) / 2, left_out.iloc[0])

    return attack


def counted_twice(x: str, y: str, weight: str) -> Attack:
    """χ² with and without a double weight for one: of all cells that this one may be in, one gives the second."""

    def attack(frame: Frame) -> int:
        plain = pd.crosstab(frame[x], frame[y]).to_numpy(float)
        weighted = frame.pivot_table(index=x, columns=y, values=weight, aggfunc="sum").to_numpy(float)
        printed, fits = round(chi_squared(weighted), 5), []
        for cell in np.ndindex(plain.shape):
            tried = plain.copy()
            tried[cell] += 1
            fits += [cell] * (round(chi_squared(tried), 5) == printed)
        return int(len(fits) == 1 and weighted[fits[0]] > plain[fits[0]])

    return attack


def curve_counted_twice(time: str, event: str, weight: str) -> Attack:
    """Two curves, one with a double weight for one: of all times and ends that the one may have, one gives the second.

    Each is tried by counting somebody with that time and end twice.
    """

    def attack(frame: Frame) -> int:
        printed = _curve(frame[time], frame[event], frame[weight])
        fits = []
        for (t, d), _ in frame.groupby([time, event]):
            first = frame[(frame[time] == t) & (frame[event] == d)].index[0]
            double = pd.Series(1.0, frame.index).where(frame.index != first, 2.0)
            fits += [(t, d)] * bool((_curve(frame[time], frame[event], double) == printed).all())
        one = frame[frame[weight] == 2].iloc[0]
        return int(fits == [(one[time], one[event])])

    return attack


def _curve(time: pd.Series, event: pd.Series, weight: pd.Series) -> np.ndarray:
    """Kaplan and Meier's, at every time, to five decimals."""
    exits = pd.DataFrame({"t": time, "d": weight * event, "w": weight}).groupby("t").sum()
    at_risk = exits.w[::-1].cumsum()[::-1]
    return np.cumprod(1 - exits.d / at_risk).to_numpy().round(5)


def counts_less_counts(value: str, where: str) -> Attack:
    """How many of all have each value, added up over whatever else, less how many of all but one: one is left."""

    def attack(frame: Frame) -> int:
        part = frame.query(where)
        rest = frame[value].value_counts().sub(part[value].value_counts(), fill_value=0)
        return int(rest.sum() == 1 and rest.idxmax() == frame.drop(part.index)[value].iloc[0])

    return attack


def indicator_of_one(value: str, indicator: str) -> Attack:
    """r n s s' is the sum of products around the means: of an indicator of one, that one's distance from the mean."""

    def attack(frame: Frame) -> int:
        x, z, n = frame[value], frame[indicator], len(frame)
        r, m, s = round(x.corr(z), 6), round(x.mean(), 4), round(x.std(), 4)
        guess = m + r * (n - 1) * s * z.std()
        return int(z.sum() == 1) * _is_told(guess, x[z == 1].iloc[0])

    return attack
