"""Life tables and survival curves: numbers at risk, events and the product limit (Kaplan & Meier 1958)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np
from scipy.special import chdtrc

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.data import Data, Floats, Mask
from divulge.readers.handed_in.matching.reading import Checked, Reading

_TRIED = 60
"""Pairs of duration and event that are tried where the file does not name them."""


class _Curve:
    """Durations and events of a group, with the product limit at every time at which an event happened."""

    def __init__(self, time: Floats, event: Mask) -> None:
        self.time, self.event = np.sort(time), np.sort(time[event])
        self.times, deaths = np.unique(self.event, return_counts=True)
        left = len(time) - np.searchsorted(self.time, self.times)
        with np.errstate(divide="ignore"):
            steps = np.where(left > deaths, deaths / (left * np.maximum(left - deaths, 1.0)), 0.0)
        self._share, self._total = np.cumprod(1 - deaths / left), np.cumsum(steps)

    def at_risk(self, t: float) -> float:
        return float(len(self.time) - np.searchsorted(self.time, t))

    def events(self, after: float, upto: float) -> float:
        return _between(self.event, after, upto)

    def removed(self, after: float, upto: float) -> float:
        return _between(self.time, after, upto)

    def survival(self, t: float) -> tuple[float, float]:
        """The share that survives, and its standard error (Greenwood 1926)."""
        k = int(np.searchsorted(self.times, t, "right")) - 1
        share, total = (float(self._share[k]), float(self._total[k])) if k >= 0 else (1.0, 0.0)
        return share, share * float(np.sqrt(total))

    def median_end(self, is_upper: bool) -> list[float]:
        """An end of the interval of the median: when the end of the interval of survival passes a half."""
        ends = [_ended(s, s * float(np.sqrt(v)), is_upper) for s, v in zip(self._share, self._total, strict=True)]
        return [t for way in zip(*ends, strict=True) for t in self.median(np.array(way))] if ends else [np.nan]

    def median(self, share: Floats | None = None) -> list[float]:
        """When half survives: the first such time, and where exactly half does the middle of that step, as R has it."""
        shares = self._share if share is None else share
        low = np.flatnonzero(shares <= 0.5 + 1e-12)
        if not len(low):
            return [np.nan]
        k = int(low[0])
        is_flat = abs(shares[k] - 0.5) <= 1e-12 and k + 1 < len(self.times)
        return [float(self.times[k]), *([float(self.times[k] + self.times[k + 1]) / 2] if is_flat else [])]


def _ended(share: float, error: float, is_upper: bool) -> tuple[float, float, float]:
    """An end of the interval of survival: R by the logarithm, Stata and lifelines by its logarithm again, some plainly
    (Kalbfleisch & Prentice 2002)."""
    if share <= 0:
        return (share,) * 3
    reach = 1.959963984540054 * error / share
    sign = 1.0 if is_upper else -1.0
    twice = share ** float(np.exp(sign * reach / np.log(share))) if 0 < share < 1 else share
    return min(share * float(np.exp(sign * reach)), 1.0), twice, share + sign * reach * share


def _between(ordered: Floats, after: float, upto: float) -> float:
    """How many of ordered times are after one time and not after another."""
    return float(np.searchsorted(ordered, upto, "right") - np.searchsorted(ordered, after, "right"))


def _log_rank(curves: list[_Curve]) -> tuple[list[float], list[float], float]:
    """Expected events of each group, their variances, and the statistic of the log-rank test (Mantel 1966)."""
    expected, spread = np.zeros(len(curves)), np.zeros((len(curves), len(curves)))
    for t, d in zip(*np.unique(np.concatenate([c.event for c in curves]), return_counts=True), strict=True):
        sizes = np.array([c.at_risk(float(t)) for c in curves])
        n = sizes.sum()
        share = sizes / n
        expected += d * share
        if n > 1:
            spread += d * (n - d) / (n - 1) * (np.diag(share) - np.outer(share, share))
    apart = np.array([len(c.event) for c in curves]) - expected
    chi = float(apart[1:] @ np.linalg.pinv(spread[1:, 1:]) @ apart[1:])
    return expected.tolist(), np.diagonal(spread).tolist(), chi


def match_survival(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> Reading:
    """A table of survival, with the duration and the event that it is of."""
    rows = data.mask(where)
    assert rows is not None, "the condition was read before"
    by = [n for t in candidate.by if (n := aliases.get(t) or words.variable(t)) is not None]
    best: Reading | None = None
    for ended in islice(_ways(candidate, words, data), _TRIED):
        reading = _reading(candidate, ended, by, words, data, rows, where)
        if best is None or reading.score > best.score:
            best = reading
        if reading.confirmed:
            break
    is_named = sum(words.variable(v) is not None for v in candidate.variables[:2]) == 2
    if best is not None and (is_named or _is_telling(candidate)):
        return best
    return Reading(
        candidate,
        "survival",
        tuple(Checked(f) for f in candidate.figures),
        candidate.variables,
        candidate.by,
        where=where,
        note="duration and event were not found in the data"
        if best is None
        else "it names no duration and event, and shows too little to tell them by",
    )


def _is_telling(candidate: Candidate) -> bool:
    """Whether figures say enough to find duration and event by: before anybody has the event every curve is 1."""
    return len({(f.what, v) for f in candidate.figures if (v := f.printed.value) not in (None, 0.0, 1.0)}) > 2


def _ways(candidate: Candidate, words: Vocabulary, data: Data) -> Iterator[tuple[str, str, int]]:
    named = [words.variable(v) for v in candidate.variables[:2]]
    durations = (
        [named[0]] if named and named[0] else [n for n in data.names if data.is_numeric(n) and data.n_levels(n) > 5]
    )
    events = [named[1]] if len(named) > 1 and named[1] else [n for n in data.names if data.n_levels(n) == 2]
    for duration, event in product(durations, events):
        for code in range(data.n_levels(event) - 1, -1, -1):
            yield duration, event, code


def _reading(
    candidate: Candidate,
    ended: tuple[str, str, int],
    by: list[str],
    words: Vocabulary,
    data: Data,
    rows: Mask,
    where: str | None,
) -> Reading:
    duration, event, code = ended
    times = _times(candidate)
    curves: dict[str, _Curve | None] = {}
    checked = []
    for group in dict.fromkeys(dict(f.at).get("group", "") for f in candidate.figures):
        curves[group] = _curve(group, duration, event, code, by, words, data, rows)
    test = _test(candidate, {g: c for g, c in curves.items() if g and c is not None})
    for figure in candidate.figures:
        at = dict(figure.at)
        group = at.get("group", "")
        curve = curves[group]
        value = None if curve is None else _value(figure, at, curve, times.get(group, []))
        value = test.get((group, figure.what), value)
        if value is None or figure.printed.is_suppressed:
            checked.append(Checked(figure))
        else:
            right = [v for v in value if figure.printed.agrees(v, relative=1e-9)]
            checked.append(Checked(figure, bool(right), (right or value)[0]))
    observed = data.table.schema[event].texts[code]
    shown = [
        s
        for s, w in (("survival", "survival"), ("at risk", "n at risk"), ("events", "events"))
        if any(f.what == w for f in candidate.figures)
    ]
    fields: dict[str, Any] = {
        "kind": "survival",
        "time": duration,
        "event": event,
        "observed": observed,
        "compute": True,
        "show": shown or ["survival"],
    }
    if by:
        fields["by"] = by
    every = sorted({t for listed in times.values() for t in listed if t > 0})
    if every:
        fields["times"] = every
    if where is not None:
        fields["where"] = where
    return Reading(
        candidate,
        "survival",
        tuple(checked),
        (duration, event),
        tuple(by),
        where=where,
        outputs=(fields,),
        facts={"event": f"{event} == {observed}"},
    )


def _test(candidate: Candidate, curves: dict[str, _Curve]) -> dict[tuple[str, str], list[float]]:
    """What a log-rank test prints of its groups and of all, where the table is one."""
    if len(curves) < 2 or not any(f.what == "expected events" for f in candidate.figures):
        return {}
    expected, variances, chi = _log_rank(list(curves.values()))
    df = len(curves) - 1
    found = {(g, "expected events"): [e] for g, e in zip(curves, expected, strict=True)}
    for (group, curve), e, v in zip(curves.items(), expected, variances, strict=True):
        found[(group, "(O-E)^2/E")] = [float((len(curve.event) - e) ** 2 / e)]
        found[(group, "(O-E)^2/V")] = [float((len(curve.event) - e) ** 2 / v) if v > 0 else np.nan]
    of_all = {"chi-squared": [chi], "df": [float(df)], "p-value": [float(chdtrc(df, chi))]}
    return found | {("", what): values for what, values in of_all.items()}


def _times(candidate: Candidate) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {}
    for figure in candidate.figures:
        at = dict(figure.at)
        if "time" in at:
            t = _ended_at(at["time"])
            if t is None:
                continue
            held = out.setdefault(at.get("group", ""), [])
            if t not in held:
                held.append(t)
    return out


def _ended_at(text: str) -> float | None:
    """A time, or the end of an interval of times: `365`, `(0, 365]`."""
    match = re.fullmatch(r"[(\[]?\s*(?:-?[\d.]+\s*,\s*)?([\d.]+)\s*[)\]]?", text.strip())
    try:
        return None if match is None else float(match[1])
    except ValueError:
        return None


def _at_start(text: str, curve: _Curve) -> list[float]:
    """How many are at risk where an interval of times begins."""
    match = re.match(r"[(\[]\s*(-?[\d.]+)\s*,", text)
    return [] if match is None else [float((curve.time > float(match[1])).sum())]


def _curve(
    group: str, duration: str, event: str, code: int, by: list[str], words: Vocabulary, data: Data, rows: Mask
) -> _Curve | None:
    keep = rows & np.isfinite(data.numbers(duration)) & (data.codes(event) >= 0)
    for part in re.split(r",\s*", group) if group else []:
        name, _, label = part.partition("=")
        variable = words.variable(name) or (by[0] if by else None)
        level = words.level(variable, label or name) if variable is not None else None
        if variable is None or level is None:
            return None
        keep &= data.codes(variable) == data.table.schema[variable].texts.index(level)
    return _Curve(data.numbers(duration)[keep], data.codes(event)[keep] == code)


def _value(figure: Figure, at: dict[str, str], curve: _Curve, times: list[float]) -> list[float] | None:
    if "time" not in at:
        found = {
            "n": [float(len(curve.time))],
            "events": [float(len(curve.event))],
            "observed events": [float(len(curve.event))],
            "median survival": curve.median(),
            "lower 95%": curve.median_end(False),
            "upper 95%": curve.median_end(True),
        }
        return found.get(figure.what)
    t = _ended_at(at["time"])
    if t is None:
        return None
    before = max((s for s in times if s < t), default=-np.inf)
    share, error = curve.survival(t)
    events = [curve.events(before, t), curve.events(np.nextafter(t, -np.inf), t)]
    removed = [curve.removed(np.nextafter(t, -np.inf), t), curve.removed(before, t)]
    answers: dict[str, list[float]] = {
        "n at risk": [curve.at_risk(t), float((curve.time > t).sum()), *_at_start(at["time"], curve)],
        "events": events,
        "survival": [share],
        "standard error": [error],
        "removed": removed,
        "entered": [float(len(curve.time)) if t == min(times, default=t) else 0.0],
        "censored": [r - e for r, e in zip(removed, reversed(events), strict=True)],
    }
    if figure.what in ("lower 95%", "upper 95%") and share > 0:
        return list(_ended(share, error, "upper" in figure.what))
    return answers.get(figure.what)
