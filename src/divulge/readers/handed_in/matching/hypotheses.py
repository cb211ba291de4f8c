"""The ways to read a table: which variable each axis is, which code each label, which variable each text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.statistic_names import is_missing, is_total
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.data import MOST_LEVELS, Data, Ints

COUNTED = frozenset({"count", "percentage", "valid percentage", "cumulative percentage", "n"})
_MOST_AXES = 60
"""Ways in which one axis may be read."""
_NEVER_LEVELS = frozenset({"Missing", "<NA>"})
"""What programs call people without a value; other words for it may be values themselves."""


@dataclass(frozen=True)
class _Axis:
    """An axis of a table read as a variable: which code each label stands for."""

    key: str
    variable: str
    codes: dict[str, int]
    by_order: bool = False
    """Whether the labels are no values of the variable, and were taken in their order."""


@dataclass(frozen=True)
class Hypothesis:
    """A way to read a table: axes, the variable that texts mean, and the rows in use."""

    axes: tuple[_Axis, ...]
    variables: dict[str | None, str | None]
    where: str | None
    weights: str | None

    def axis(self, key: str) -> _Axis | None:
        return next((a for a in self.axes if a.key == key), None)

    def meanings(self, data: Data) -> dict[str, str]:
        """What its texts are taken for; a value is told by its variable and its label."""
        found = {t: n for t, n in self.variables.items() if t is not None and n is not None and t != n}
        for axis in self.axes:
            if axis.key != axis.variable and not axis.key.startswith(("row", "column", "group")):
                found[axis.key] = axis.variable
            texts = data.texts(axis.variable)
            found |= {
                f"{axis.variable}\0{label}": texts[code]
                for label, code in axis.codes.items()
                if 0 <= code < len(texts) and texts[code] != label
            }
        return found


def labels_of(candidate: Candidate) -> dict[str, list[str]]:
    """The labels of each axis, without totals."""
    found: dict[str, list[str]] = {}
    for figure in candidate.figures:
        for key, label in figure.at:
            held = found.setdefault(key, [])
            if not is_total(label) and label not in held and label not in _NEVER_LEVELS:
                held.append(label)
    return found


def _axes_like(
    key: str, labels: Sequence[str], words: Vocabulary, data: Data, aliases: dict[str, str], candidate: Candidate
) -> list[_Axis]:
    """The ways in which an axis may be read, the likeliest first."""
    named = aliases.get(key) or words.variable(key)
    likely = [named] if named else words.variables_like(key) if not key.startswith(("row", "column", "group")) else []
    out = [a for name in likely if (a := _axis(key, name, labels, words, data)) is not None]
    if named is not None and out:
        return out
    numbered = sorted(labels) == sorted(str(k + 1) for k in range(len(labels)))
    if named in data.names and numbered and len(labels) > 1 and data.n_levels(named) == len(labels):
        # Numbers for the values of a variable that is named: one after the other, or in another order.
        return [
            _Axis(key, named, c, True) for c in _in_order(labels, _sizes(key, labels, candidate), data.codes(named))
        ]
    for name in words.names:
        if name not in likely and data.n_levels(name) <= MOST_LEVELS:
            axis = _axis(key, name, labels, words, data)
            if axis is not None:
                out.append(axis)
    if not out:
        # Labels that are no values: codes in their order, where there are as many of them. One alone tells nothing:
        # every constant would do.
        labels = [label for label in labels if not is_missing(label)]
        sizes = _sizes(key, labels, candidate)
        for name in dict.fromkeys((*likely, *(words.names if len(labels) > 1 else ()))):
            if data.n_levels(name) == len(labels) and len(labels) <= MOST_LEVELS:
                out += [_Axis(key, name, codes, True) for codes in _in_order(labels, sizes, data.codes(name))]
    return out


def _sizes(key: str, labels: Sequence[str], candidate: Candidate) -> dict[str, float]:
    """How much is counted of each label in all, where the table says it of every label."""
    found = dict.fromkeys(labels, 0.0)
    shown = [f for f in candidate.figures if f.what in ("count", "n")]
    for figure in shown or [f for f in candidate.figures if f.what == "percentage"]:
        at = dict(figure.at)
        label = at.pop(key, None)
        if label in found and not any(is_total(t) for t in at.values()):
            found[label] += figure.printed.value or 0.0
    return found if all(found.values()) else {}


def _in_order(labels: Sequence[str], sizes: dict[str, float], codes: Ints) -> list[dict[str, int]]:
    """Codes of labels that are no values: in their order, of two also the other way round, and by their sizes."""
    ways = [list(range(len(labels)))]
    if len(labels) == 2:
        ways.append([1, 0])
    elif sizes:
        counts = np.bincount(codes[codes >= 0], minlength=len(labels))
        ranked = sorted(labels, key=lambda t: sizes[t])
        by_size = dict(zip(ranked, np.argsort(counts, kind="stable").tolist(), strict=True))
        ways.append([by_size[t] for t in labels])
    return [dict(zip(labels, way, strict=True)) for n, way in enumerate(ways) if way not in ways[:n]]


def _axis(key: str, name: str, labels: Sequence[str], words: Vocabulary, data: Data) -> _Axis | None:
    if not labels or name not in data.names:
        return None
    found = words.levels(name, labels)
    if found is None:
        known = [label for label in labels if not is_missing(label)]
        found = words.levels(name, known) if known and len(known) < len(labels) and data.has_missing(name) else None
    if found is None:
        return None
    texts = words.texts(name)
    return _Axis(key, name, {label: texts.index(value) for label, value in found.items() if value in texts})


def hypotheses(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, weights: str | None, aliases: dict[str, str]
) -> Iterator[Hypothesis]:
    """Every way to read the axes and the variables of a table; likely ones first."""
    for way in _every_way(candidate, words, data, where, weights, aliases):
        used = (*(a.variable for a in way.axes), *way.variables.values())
        # In a table 1 further variables are found for its rows later.
        if candidate.kind == "other" or data.tells_blanks(used, where or ""):
            yield way


def _every_way(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, weights: str | None, aliases: dict[str, str]
) -> Iterator[Hypothesis]:
    keys = {k: v for k, v in labels_of(candidate).items() if k != "level"}
    ways = [
        _axes_like(key, labels, words, data, aliases, candidate)[:_MOST_AXES] if labels else []
        for key, labels in keys.items()
    ]
    if any(not w and labels for w, labels in zip(ways, keys.values(), strict=True)):
        return
    used = [w for w in ways if w]
    texts = list(dict.fromkeys(f.of for f in candidate.figures if f.what not in COUNTED or f.of is not None))
    for axes in product(*used):
        if len({a.variable for a in axes}) != len(axes):
            continue
        choices = [_variables(t, words, data, candidate, aliases, {a.variable for a in axes}) for t in texts]
        if all(len(c) <= 1 for c in choices):
            yield Hypothesis(
                tuple(axes), {t: c[0] if c else None for t, c in zip(texts, choices, strict=True)}, where, weights
            )
        else:
            for chosen in product(*(c[:40] or [None] for c in choices)):
                yield Hypothesis(tuple(axes), dict(zip(texts, chosen, strict=True)), where, weights)


def _variables(
    text: str | None, words: Vocabulary, data: Data, candidate: Candidate, aliases: dict[str, str], taken: set[str]
) -> Sequence[str | None]:
    """The variables that a text may mean; without one every numeric one, those named around the table first."""
    if text is None:
        said = [n for t in candidate.said for n in words.variables_like(t)] + [
            n for v in candidate.variables for n in words.variables_like(v)
        ]
        rest = [n for n in data.names if data.is_numeric(n)]
        if all(f.what in COUNTED for f in candidate.figures if f.of is None):
            return [None]
        return [n for n in dict.fromkeys([*said, *rest]) if n not in taken and data.is_numeric(n)]
    if text in aliases and aliases[text] in data.names:
        return [aliases[text]]
    exact = words.variable(text)
    if exact is not None:
        return [exact]
    return [n for n in words.variables_like(text) if n not in taken][:4]
