"""Statistics of a column as programs print them. Where programs differ (quantiles, skewness), every way is given."""

from __future__ import annotations

import math
import re

import numpy as np
from scipy.special import ndtri, stdtrit

from divulge.readers.handed_in.candidates.candidate import Figure
from divulge.readers.handed_in.matching.data import Floats, Mask

_PLACES = ((1.0, 1.0), (0.5, 0.5), (0.0, 0.0), (1 / 3, 1 / 3))
"""Types 7, 5, 6 and 8 of Hyndman & Fan 1996 (R and numpy, MATLAB, SPSS, and the unbiased one): quantile p of n values
stands at place a + p(n + 1 − a − b)."""

_FRACTIONS = {"first quartile": 0.25, "median": 0.5, "third quartile": 0.75}


def statistic(what: str, values: Floats, weights: Floats | None = None) -> list[float] | None:
    """The values that a statistic may have, the usual first; None where it is not one of these."""
    present = np.isfinite(values)
    x = values[present]
    w = None if weights is None else weights[present]
    if what in ("n", "count"):
        return [float(len(x)) if w is None else float(w.sum()), float(len(values)), float(len(x))]
    if what == "missing":
        return [float((~present).sum())]
    if len(x) == 0:
        return [np.nan]
    if what == "mean":
        return [float(np.average(x, weights=w))]
    if what in ("sd", "variance", "standard error", "coefficient of variation"):
        return _spread(what, x, w)
    if what in ("lower 95% of the mean", "upper 95% of the mean") and w is None and len(x) > 1:
        reach = float(stdtrit(len(x) - 1, 0.975) * x.std(ddof=1) / np.sqrt(len(x)))  # Student 1908
        return [float(x.mean()) + (reach if what.startswith("upper") else -reach)]
    if what in ("minimum", "maximum", "sum", "range"):
        total = float(x.sum() if w is None else (x * w).sum())
        return [{"minimum": float(x.min()), "maximum": float(x.max()), "sum": total, "range": float(np.ptp(x))}[what]]
    ranked = re.fullmatch(r"(distinct )?(minimum|maximum) (\d+)", what)
    if ranked is not None:
        shown = np.unique(x) if ranked[1] else np.sort(x)
        ordered = shown if ranked[2] == "minimum" else shown[::-1]
        place = int(ranked[3]) - 1
        return [float(ordered[place])] if place < len(ordered) else [np.nan]
    fraction = fraction_of(what)
    if fraction is not None:
        return _quantiles(x, w, fraction)
    if what == "interquartile range":
        low, high = _quantiles(x, w, 0.25), _quantiles(x, w, 0.75)
        return [b - a for a, b in zip(low, high, strict=True)]
    if what == "trimmed mean" and w is None:
        return [_trimmed(x, float(int(0.1 * len(x)))), _trimmed(x, 0.05 * len(x))]  # of psych, and of SPSS
    if what == "median absolute deviation" and w is None:
        off = float(np.median(np.abs(x - np.median(x))))
        return [1.4826 * off, off]  # R makes it a standard deviation where the data are normal (Hampel 1974)
    if what in ("distinct", "information", "Gini's mean difference"):
        return [_described(what, x)] if w is None else None
    if what in ("skewness", "kurtosis", "excess kurtosis"):
        return _shape(what, x)
    return None


def _trimmed(x: Floats, cut: float) -> float:
    """The mean without so many people at both ends, of whom the last is left out in part."""
    ordered, k = np.sort(x), int(cut)
    inside = ordered[k : len(x) - k]
    ends = float(inside[0] + inside[-1])
    return (float(inside.sum()) - (cut - k) * ends) / (len(x) - 2 * cut)


def _described(what: str, x: Floats) -> float:
    """What Hmisc describes beside: how many values, how far they tell people apart, and Gini's 1912 mean difference."""
    n = float(len(x))
    sizes = np.unique(x, return_counts=True)[1] / n
    if what == "distinct":
        return float(len(sizes))
    if n < 2:
        return np.nan
    if what == "information":
        return float((1 - (sizes**3).sum()) / (1 - 1 / n**2))
    return float(4 * (np.arange(1, len(x) + 1) - (n + 1) / 2) @ np.sort(x) / (n * (n - 1)))


def design_error(values: Floats, weights: Floats | None, rows: Mask, group: Mask, is_total: bool) -> float:
    """The standard error of a mean or a total in a sample with weights, without strata and clusters (Binder 1983).

    rows: all people of the sample. group: those that the estimate is of."""
    inside = group & np.isfinite(values)
    weight = np.where(inside, np.ones(len(values)) if weights is None else weights, 0.0)
    n = float(rows.sum())
    total = float(weight.sum())
    if n < 2 or total <= 0:
        return np.nan
    known = np.where(inside, values, 0.0)
    parts = weight * known if is_total else weight * (known - float(weight @ known) / total) / total
    parts = parts[rows]
    return float(np.sqrt(n / (n - 1) * ((parts - parts.mean()) ** 2).sum()))


def fraction_of(what: str) -> float | None:
    """Which quantile a statistic is: 0.05 of `percentile 5`."""
    match = re.fullmatch(r"percentile ([\d.]+)", what)
    return float(match[1]) / 100 if match else _FRACTIONS.get(what)


def _spread(what: str, x: Floats, w: Floats | None) -> list[float]:
    if len(x) < 2:
        return [np.nan]
    if w is None:
        variances = [float(x.var(ddof=1)), float(x.var())]
        n = float(len(x))
        centre = float(x.mean())
    else:
        centre = float(np.average(x, weights=w))
        total = float(((x - centre) ** 2 * w).sum())
        variances = [total / (w.sum() - 1), total / w.sum(), total / w.sum() * len(x) / (len(x) - 1)]
        n = float(w.sum())
    if what == "variance":
        return variances
    if what == "sd":
        return [float(np.sqrt(max(v, 0.0))) for v in variances]
    if what == "standard error":
        return [float(np.sqrt(max(v, 0.0) / n)) for v in variances]
    scale = abs(centre) or np.nan
    return [float(np.sqrt(max(v, 0.0))) / scale * k for k in (1.0, 100.0) for v in variances]


def _quantiles(x: Floats, w: Floats | None, fraction: float) -> list[float]:
    if w is None:
        return _by_place(x, fraction)
    order = np.argsort(x)
    cumulated = np.cumsum(w[order])
    # Where the weights up to a value are exactly the fraction, some take it, some the next, some their middle.
    room = 1e-9 * cumulated[-1]
    low, high = (
        float(x[order][min(int(np.searchsorted(cumulated, fraction * cumulated[-1] + d)), len(x) - 1)])
        for d in (-room, room)
    )
    return [low, high, (low + high) / 2]


def _by_place(x: Floats, p: float) -> list[float]:
    """A quantile of every type; types 2 and 1 (Stata, SAS) are the values around n·p, or their mean."""
    n = len(x)
    places = [min(max(a + p * (n + 1 - a - b), 1.0), float(n)) for a, b in _PLACES]
    upto = n * p
    whole = round(upto)
    exact = abs(upto - whole) < 1e-9 * n
    low, high = (whole, whole + 1) if exact else (math.ceil(upto),) * 2
    low, high = (min(max(k, 1), n) for k in (low, high))
    wanted = sorted({k for h in places for k in (math.floor(h), math.ceil(h))} | {low, high})
    ordered = np.partition(x, [k - 1 for k in wanted])

    def at(h: float) -> float:
        below, above = float(ordered[math.floor(h) - 1]), float(ordered[math.ceil(h) - 1])
        return below + (h - math.floor(h)) * (above - below)

    usual, *others = (at(h) for h in places)
    return [usual, (at(low) + at(high)) / 2, *others, at(low)]


def _shape(what: str, x: Floats) -> list[float]:
    """Skewness and kurtosis by moments, and as SAS, SPSS and pandas correct them (Joanes & Gill 1998)."""
    n = float(len(x))
    centred = x - x.mean()
    second = float((centred**2).mean())
    if second <= 0 or n < 4:
        return [np.nan]
    if what == "skewness":
        g = float((centred**3).mean()) / second**1.5
        return [g, g * np.sqrt(n * (n - 1)) / (n - 2), g * ((n - 1) / n) ** 1.5]
    g = float((centred**4).mean()) / second**2
    adjusted = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (g - 3) + 6)
    third = g * ((n - 1) / n) ** 2
    return [g - 3, adjusted, third - 3, g, adjusted + 3, third]


def tail_stretch(figure: Figure) -> float:
    """How many times more a p-value is off than its statistic, as shares: 1 + z² times far out. Other figures: 1."""
    if not figure.what.startswith("p-value") or not 0 < (figure.printed.value or 0.0) < 1:
        return 1.0
    return 1.0 + float(ndtri((figure.printed.value or 0.0) / 2)) ** 2
