"""Tests and correlations: t, χ² and r from the data, with every figure that programs print beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import chdtrc, stdtr, stdtrit
from scipy.stats import rankdata

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.data import Data, Floats, Mask
from divulge.readers.handed_in.matching.reading import Checked, Reading
from divulge.readers.handed_in.matching.statistics import statistic, tail_stretch

_Z = 1.959963984540054


def _named(texts: tuple[str, ...], words: Vocabulary, data: Data, aliases: Mapping[str, str]) -> list[str]:
    out = []
    for text in texts:
        name = aliases.get(text) or words.variable(text) or next(iter(words.variables_like(text)), None)
        if name in data.names and name is not None:
            out.append(name)
    return out


def match_test(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> Reading:
    """A t-test, a χ² test or the test of a correlation."""
    variables = _named(candidate.variables, words, data, aliases)
    groups = _named(candidate.by, words, data, aliases)
    rows = data.mask(where)
    assert rows is not None, "the condition was read before"
    if candidate.kind == "t-test" and not groups and len(variables) == 1:
        labels = list(dict.fromkeys(t for f in candidate.figures for _, t in f.at))
        likely = [n for n in words.with_levels(labels) if data.n_levels(n) == 2] if labels else []
        tried = [_t_test(candidate, variables[0], by, words, data, rows, where) for by in likely]
        if tried:
            return max(tried, key=lambda r: (r.confirmed, r.score))
    if candidate.kind == "t-test" and not variables and len(candidate.variables) == 1:
        found = _of_any(candidate, groups, words, data, rows, where)
        if found is not None:
            return found
    if candidate.kind == "t-test" and (len(variables) == 2 or (len(variables) == 1 and not groups)):
        return _one_sample(candidate, variables, data, rows, where)
    if candidate.kind == "chi-squared" and len(variables) == 1 and len(groups) == 1:
        return _chi_squared(candidate, variables[0], groups[0], data, rows, where)
    if candidate.kind == "t-test" and len(variables) == 1 and len(groups) == 1:
        return _t_test(candidate, variables[0], groups[0], words, data, rows, where)
    if candidate.kind == "correlation" and len(variables) == 2:
        return _pair(candidate, variables, data, rows, where)
    return Reading(
        candidate,
        candidate.kind,
        tuple(Checked(f) for f in candidate.figures),
        tuple(variables) or candidate.variables,
        tuple(groups) or candidate.by,
        where=where,
        note="its variables were not found in the data",
    )


def _of_any(
    candidate: Candidate, groups: list[str], words: Vocabulary, data: Data, rows: Mask, where: str | None
) -> Reading | None:
    """A t-test of a variable that is called by a label: of the one variable that gives all its figures."""
    labels = list(dict.fromkeys(t for f in candidate.figures for _, t in f.at))
    likely = groups or ([n for n in words.with_levels(labels) if data.n_levels(n) == 2] if labels else [])
    numeric = [n for n in data.names if data.is_numeric(n) and n not in likely]
    tried = (_t_test(candidate, n, by, words, data, rows, where) for by in likely for n in numeric)
    right = [r for r in tried if r.confirmed]
    if len(right) != 1:
        return None
    return right[0]


def _checked(figures: tuple[Figure, ...], found: Mapping[str, list[float]]) -> tuple[Checked, ...]:
    return tuple(_check(f, found.get(f.what)) for f in figures)


def _check(figure: Figure, values: list[float] | None) -> Checked:
    if values is None or figure.printed.is_suppressed:
        return Checked(figure)
    right = [v for v in values if figure.printed.agrees(v, relative=1e-7 * tail_stretch(figure))]
    return Checked(figure, bool(right), float((right or values)[0]))


def _chi_squared(candidate: Candidate, row: str, column: str, data: Data, rows: Mask, where: str | None) -> Reading:
    """Pearson 1900, with and without the correction of Yates 1934."""
    plain = _chi_squared_of(candidate, row, column, data, rows, where, False)
    if plain.confirmed or not (data.has_missing(row) or data.has_missing(column)):
        return plain
    # R takes an empty text for a value of its own.
    whole = _chi_squared_of(candidate, row, column, data, rows, where, True)
    return whole if whole.confirmed else plain


def _chi_squared_of(
    candidate: Candidate, row: str, column: str, data: Data, rows: Mask, where: str | None, is_whole: bool
) -> Reading:
    a, b = data.codes(row), data.codes(column)
    keep = rows if is_whole else rows & (a >= 0) & (b >= 0)
    counts = np.zeros((data.n_levels(row) + 1, data.n_levels(column) + 1))
    np.add.at(counts, (a[keep], b[keep]), 1.0)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / max(counts.sum(), 1.0)
    plain = float(((counts - expected) ** 2 / expected).sum())
    shrunk = np.maximum(np.abs(counts - expected) - 0.5, 0.0)
    corrected = float((shrunk**2 / expected).sum())
    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    inside = counts > 0
    ratio = 2 * float((counts[inside] * np.log(counts[inside] / expected[inside])).sum())
    statistics = [corrected, plain] if "Yates" in (candidate.statistic or "") else [plain]
    found = {
        "chi-squared": statistics,
        "df": [float(df)],
        "p-value": [float(chdtrc(max(df, 1), s)) for s in statistics],
        "n": [float(keep.sum())],
        # The likelihood ratio, and the corrected statistic of two by two, as SPSS lists them below.
        "chi-squared (Likelihood Ratio)": [ratio],
        "df (Likelihood Ratio)": [float(df)],
        "p-value (Likelihood Ratio)": [float(chdtrc(max(df, 1), ratio))],
        "chi-squared (Continuity Correction)": [corrected],
        "df (Continuity Correction)": [float(df)],
        "p-value (Continuity Correction)": [float(chdtrc(max(df, 1), corrected))],
    }
    if data.is_numeric(row) and data.is_numeric(column):
        # Mantel & Haenszel 1959: whether both rise together.
        together = float(keep.sum() - 1) * _correlated(data.numbers(row)[keep], data.numbers(column)[keep])[0] ** 2
        found |= {
            "chi-squared (Linear-by-Linear Association)": [together],
            "df (Linear-by-Linear Association)": [1.0],
            "p-value (Linear-by-Linear Association)": [float(chdtrc(1, together))],
        }
    fields: dict[str, Any] = {"kind": "chi-squared", "variables": [row, column], "compute": True}
    if "Yates" in (candidate.statistic or ""):
        fields["correction"] = True
    if where is not None:
        fields["where"] = where
    outputs = () if is_whole else (fields,)
    return Reading(
        candidate, "chi-squared", _checked(candidate.figures, found), (row,), (column,), where=where, outputs=outputs
    )


def _t_test(
    candidate: Candidate, variable: str, by: str, words: Vocabulary, data: Data, rows: Mask, where: str | None
) -> Reading:
    """Welch 1947, and Student 1908 for equal variances."""
    labels = list(dict.fromkeys(t for f in candidate.figures for _, t in f.at))
    values = words.levels(by, labels) if labels else None
    texts = words.texts(by)
    order = [texts.index(v) for v in values.values() if v in texts] if values else [0, 1]
    groups = [data.numbers(variable)[rows & (data.codes(by) == c)] for c in order[:2]]
    groups = [g[np.isfinite(g)] for g in groups]
    if len(groups) != 2 or any(len(g) < 2 for g in groups):
        return Reading(
            candidate,
            "t-test",
            tuple(Checked(f) for f in candidate.figures),
            (variable,),
            (by,),
            where=where,
            note="two groups are needed",
        )
    tests = {e: {**_two_samples(groups[0], groups[1], e), **_levene(groups)} for e in (True, False)}
    checked = []
    by_label = dict(zip(labels, groups, strict=False))
    for f in candidate.figures:
        if f.at:
            group = by_label.get(f.at[0][1])
            checked.append(_check(f, _of_group(f.what, group) if group is not None else None))
            continue
        if f.label.casefold().startswith("combined"):
            checked.append(_check(f, _of_group(f.what, np.concatenate(groups))))
            continue
        equal = [
            e
            for e, t in ((True, "Equal variances assumed"), (False, "Equal variances not"))
            if (f.of or "").startswith(t)
        ]
        if not equal:
            stated = candidate.statistic or ""
            equal = [True] if "equal" in stated else [False] if "Welch" in stated else [True, False]
        both = [v for e in equal for v in tests[e].get(f.what, [])]
        checked.append(_check(f, both or None))
    fields: dict[str, Any] = {"kind": "t-test", "variable": variable, "by": by, "compute": True}
    if "equal" in (candidate.statistic or ""):
        fields["equal"] = True
    if where is not None:
        fields["where"] = where
    called = {t: variable for t in candidate.variables[:1] if t != variable}
    return Reading(
        candidate, "t-test", tuple(checked), (variable,), (by,), where=where, outputs=(fields,), meanings=called
    )


def _levene(groups: list[Floats]) -> dict[str, list[float]]:
    """Levene 1960: whether groups spread alike, by how far values are from their mean."""
    gaps = [np.abs(g - g.mean()) for g in groups]
    found = _two_samples(gaps[0], gaps[1], True)
    return {"Levene F": [found["t"][0] ** 2], "p-value of Levene's test": found["p-value"]}


def _of_group(what: str, x: Floats) -> list[float] | None:
    """A statistic of a group, with the interval of its mean."""
    if what in ("lower 95%", "upper 95%") and len(x) > 1:
        reach = float(stdtrit(len(x) - 1, 0.975) * x.std(ddof=1) / np.sqrt(len(x)))
        return [float(x.mean()) + (reach if what.startswith("upper") else -reach)]
    return statistic(what, x)


def _one_sample(candidate: Candidate, variables: list[str], data: Data, rows: Mask, where: str | None) -> Reading:
    """Student 1908: one mean against 0 or the number that is stated, or two measurements of the same people."""
    values = [data.numbers(v)[rows] for v in variables]
    known = np.all([np.isfinite(v) for v in values], axis=0)
    x = values[0][known] - (values[1][known] if len(values) > 1 else 0.0)
    n = len(x)
    if n < 2:
        return Reading(candidate, "t-test", tuple(Checked(f) for f in candidate.figures), tuple(variables), where=where)
    mean, se = float(x.mean()), float(x.std(ddof=1) / np.sqrt(n))
    against = float(candidate.facts.get("mu") or 0.0)
    t = (mean - against) / se if se else np.nan
    reach = float(stdtrit(n - 1, 0.975)) * se
    found = {
        "t": [t, -t],
        "df": [float(n - 1)],
        "n": [float(n)],
        "p-value": [2 * float(stdtr(n - 1, -abs(t)))],
        "mean": [mean, -mean, *(float(v[known].mean()) for v in values)],
        "mean difference": [mean - against, against - mean],
        "difference": [mean, -mean],
        "sd": [float(x.std(ddof=1)), *(float(v[known].std(ddof=1)) for v in values)],
        "standard error": [se, *(float(v[known].std(ddof=1) / np.sqrt(n)) for v in values)],
        "standard error of difference": [se],
        "lower 95%": [mean - reach, -mean - reach, mean - against - reach],
        "upper 95%": [mean + reach, -mean + reach, mean - against + reach],
    }
    return Reading(candidate, "t-test", _checked(candidate.figures, found), tuple(variables), where=where)


def _two_samples(a: Floats, b: Floats, equal: bool) -> dict[str, list[float]]:
    n, m = len(a), len(b)
    u, v = a.var(ddof=1) / n, b.var(ddof=1) / m
    if equal:
        pooled = ((n - 1) * a.var(ddof=1) + (m - 1) * b.var(ddof=1)) / (n + m - 2)
        se, df = float(np.sqrt(pooled * (1 / n + 1 / m))), float(n + m - 2)
    else:
        se = float(np.sqrt(u + v))
        df = float((u + v) ** 2 / (u**2 / (n - 1) + v**2 / (m - 1)))
    difference = float(a.mean() - b.mean())
    t = difference / se if se else np.nan
    reach = float(stdtrit(df, 0.975)) * se
    return {
        "t": [t, -t],
        "df": [df],
        "p-value": [2 * float(stdtr(df, -abs(t)))],
        "mean difference": [difference, -difference],
        "standard error of difference": [se],
        "lower 95%": [difference - reach, -difference - reach],
        "upper 95%": [difference + reach, -difference + reach],
    }


def _correlated(a: Floats, b: Floats, ranked: bool = False) -> tuple[float, int]:
    """Pearson's correlation, or Spearman's: that of the ranks (Spearman 1904)."""
    known = np.isfinite(a) & np.isfinite(b)
    x, y = a[known], b[known]
    if ranked:
        x, y = rankdata(x), rankdata(y)
    if len(x) < 3 or x.std() == 0 or y.std() == 0:
        return np.nan, len(x)
    return float(np.corrcoef(x, y)[0, 1]), len(x)


def _pair_figures(r: float, n: int) -> dict[str, list[float]]:
    """r with its t and the interval of Fisher 1921."""
    df = max(n - 2, 1)
    t = r * np.sqrt(df / max(1 - r * r, 1e-300))
    z, reach = np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15)), _Z / np.sqrt(max(n - 3, 1))
    return {
        "correlation": [r],
        "t": [float(t)],
        "df": [float(df)],
        "p-value": [2 * float(stdtr(df, -abs(t)))],
        "n": [float(n)],
        "lower 95%": [float(np.tanh(z - reach))],
        "upper 95%": [float(np.tanh(z + reach))],
    }


def _pair(candidate: Candidate, variables: list[str], data: Data, rows: Mask, where: str | None) -> Reading:
    rank = candidate.statistic in ("Spearman", "Kendall")
    r, n = _correlated(data.numbers(variables[0])[rows], data.numbers(variables[1])[rows], rank)
    found = _pair_figures(r, n)
    if rank:
        # The interval and the test of ranks differ from program to program.
        found = {"correlation": [r], "n": [float(n)]} if candidate.statistic == "Spearman" else {}
    checked = _checked(candidate.figures, found)
    fields: dict[str, Any] = {"kind": "correlation", "variables": variables, "compute": True}
    if where is not None:
        fields["where"] = where
    return Reading(candidate, "correlation", checked, tuple(variables), where=where, outputs=() if rank else (fields,))


def _by_correlations(
    candidate: Candidate, names: Mapping[str, str | None], data: Data, where: str | None
) -> dict[str, str | None]:
    """Texts of a matrix that name no variable: the one variable that is correlated with the named ones as printed."""
    rows = data.mask(where)
    known = {t: n for t, n in names.items() if n is not None}
    found: dict[str, str | None] = {}
    for text in (t for t, n in names.items() if n is None):
        pairs = [
            (f, f.at[0][1] if f.of == text else f.of) for f in candidate.figures if f.what == "correlation" and f.at
        ]
        pairs = [(f, o) for f, o in pairs if o in known and o != text and text in (f.of, f.at[0][1])]
        pairs = [(f, o) for f, o in pairs if f.printed.decimals > 1]
        numeric = [n for n in data.names if data.is_numeric(n) and n not in known.values()]
        right = [
            n
            for n in (numeric if pairs and rows is not None else ())
            if all(
                f.printed.agrees(_correlated(data.numbers(n)[rows], data.numbers(known[o or ""])[rows])[0])
                for f, o in pairs
            )
        ]
        if len(right) == 1:
            found[text] = right[0]
    return found


def match_correlation(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> Reading:
    """A matrix of correlations, over rows complete on all variables or pair by pair."""
    names = {
        t: next(iter(_named((t,), words, data, aliases)), None)
        for t in {*candidate.variables, *(t for f in candidate.figures for _, t in f.at)}
    }
    names |= _by_correlations(candidate, names, data, where)
    used = tuple(n for t in candidate.variables if (n := names[t]) is not None)
    rows = data.mask(where)
    assert rows is not None, "the condition was read before"
    # A diagonal of ones is one all over; other figures stand there in some tables (alphas, standard deviations).
    diagonal = [f.printed.value for f in candidate.figures if f.what == "correlation" and f.at and f.of == f.at[0][1]]
    is_one = 2 * sum(v == 1 for v in diagonal) >= len(diagonal)
    best: Reading | None = None
    for pairwise, ranked in ((True, False), (False, False), (True, True), (False, True)):
        keep = rows.copy()
        if not pairwise:
            for name in used:
                keep &= np.isfinite(data.numbers(name))
        checked = []
        for f in candidate.figures:
            a, b = names.get(f.of or ""), names.get(f.at[0][1]) if f.at else None
            if a is None or b is None or (f.what == "correlation" and a == b):
                own = a is not None and a == b and is_one
                checked.append(Checked(f, f.printed.value == 1 if own else None, 1.0))
                continue
            checked.append(
                _check(f, _pair_figures(*_correlated(data.numbers(a)[keep], data.numbers(b)[keep], ranked)).get(f.what))
            )
        fields: dict[str, Any] = {"kind": "correlation", "variables": list(used), "compute": True}
        if pairwise and any(data.has_missing(n) for n in used):
            fields["rows"] = "pairwise"
        if where is not None:
            fields["where"] = where
        reading = Reading(
            candidate,
            "correlation",
            tuple(checked),
            used or candidate.variables,
            where=where,
            outputs=(fields,) if len(used) > 1 and not ranked else (),
        )
        if best is None or reading.score > best.score:
            best = reading
        if best.confirmed:
            break
    assert best is not None, "four ways were tried"
    return best
