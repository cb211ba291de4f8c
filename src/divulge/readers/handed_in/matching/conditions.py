"""Conditions on rows that a file may mean without saying so: one variable compared with one of its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.tables import quoted
from divulge.readers.handed_in.matching.data import Data, Floats, Mask

_MOST_VALUES = 120
"""Values of a variable up to which each is tried as a limit."""

_MOST_EQUAL = 25
"""Values up to which each is tried as the one that is kept."""


@dataclass(frozen=True)
class Conditions:
    """The conditions on one variable: `sex == 'FEMALE'`, `age >= 18`, `income > 0`.

    picks: a row a condition, a column a value of the variable: whether the condition keeps it.
    """

    name: str
    texts: tuple[str, ...]
    picks: Mask

    def sums(self, data: Data, rows: Mask, values: Floats | None = None) -> Floats:
        """Under each condition how many of the rows there are, or the sum of their values; one pass over the rows."""
        codes = data.codes(self.name)[rows]
        known = codes >= 0
        weights = None if values is None else values[rows][known]
        by_value = np.bincount(codes[known], weights, self.picks.shape[1])
        return np.asarray(self.picks @ by_value, dtype=np.float64)


@lru_cache(maxsize=4)
def simple_conditions(data: Data) -> tuple[Conditions, ...]:
    """The conditions on each variable that leave some rows out, and some in."""
    out = []
    for name in data.names:
        texts, picks = _on(name, data)
        if not texts:
            continue
        found = Conditions(name, texts, np.array(picks))
        sizes = found.sums(data, np.ones(data.n_rows, dtype=bool))
        some = (sizes > 0) & (sizes < data.n_rows)
        if some.any():
            kept = tuple(t for t, s in zip(texts, some, strict=True) if s)
            out.append(Conditions(name, kept, found.picks[some]))
    return tuple(out)


def _on(name: str, data: Data) -> tuple[tuple[str, ...], list[Mask]]:
    variable = data.table.schema[name]
    n, numeric = variable.n_values, data.is_numeric(name)
    texts: list[str] = []
    picks: list[Mask] = []
    if n <= _MOST_EQUAL:
        texts += [f"{quoted(name)} == {t if numeric else repr(t)}" for t in variable.texts[:n]]
        picks += list(np.eye(n, dtype=bool))
    if not numeric:
        return tuple(texts), picks
    values = variable.numbers[:n]
    if n <= _MOST_VALUES:
        for limit in values[1:].tolist():
            texts += [f"{quoted(name)} >= {limit:g}", f"{quoted(name)} < {limit:g}"]
            picks += [values >= limit, values < limit]
    elif values.min() <= 0:
        texts += [f"{quoted(name)} > 0", f"{quoted(name)} >= 0"]
        picks += [values > 0, values >= 0]
    return tuple(texts), picks


def relabelled(where: str | None, labels: Mapping[str, Mapping[str, str]], data: Data) -> str | None:
    """A condition on labels that the file gave to codes, on the codes: `sex == "Female"` as `sex == 'f'`."""
    if where is None:
        return None
    out = where
    for name, of in labels.items():
        if name not in data.names:
            continue
        number = data.is_numeric(name)
        levels = set(data.table.schema[name].texts)
        for code, label in of.items():
            if label not in levels:
                pattern = rf"(?<![\w.])({re.escape(name)}\s*[=!]=\s*)([\"']){re.escape(label)}\2"
                value = code if number else repr(code)
                out = re.sub(pattern, lambda m, v=value: m[1] + v, out)  # type: ignore[misc]  # a default in a lambda
    return out


def simplified(where: str | None, data: Data) -> str | None:
    """A condition without `or x is missing` for variables that are never missing, in the names of the data."""
    if where is None:
        return None
    out = re.sub(r"\s*(==|>=|<=|!=|<>|(?<![<>=!])[<>](?![<>=]))\s*", r" \1 ", where).strip()
    for name in data.names:
        if f"{name} is missing" in out and not data.has_missing(name):
            out = re.sub(rf"\((\S+ \S+ \S+) or {re.escape(name)} is missing\)", r"\1", out)
    return out


def known(names: Iterable[str]) -> str:
    """The condition that these variables are not missing."""
    return " and ".join(f"{quoted(name)} is not missing" for name in names)


def fitting_conditions(candidate: Candidate, names: set[str], data: Data) -> list[str]:
    """Conditions that leave as many rows complete on these variables as the file says there are, where all are more."""
    n = next((f.printed.value for f in candidate.figures if f.what == "n" and f.of is None and f.printed.value), None)
    if n is None:  # an analysis of variance beside it ends with all its rows but one
        n = next((f.printed.value + 1 for f in candidate.figures if f.label == "Total: df" and f.printed.value), None)
    complete = np.ones(data.n_rows, dtype=bool)
    for name in names:
        complete &= data.codes(name) >= 0
    if n is None or complete.sum() == n:
        return []
    every = [name for name in data.names if data.has_missing(name)]
    whole = np.ones(data.n_rows, dtype=bool)
    for name in every:
        whole &= data.codes(name) >= 0
    if whole.sum() == n:
        return [known(every)]
    found = (t for c in simple_conditions(data) for t, s in zip(c.texts, c.sums(data, complete), strict=True) if s == n)
    return list(islice(found, 8))
