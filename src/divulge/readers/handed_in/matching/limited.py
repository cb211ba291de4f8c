"""Tables of some rows only: the condition that a file does not state, found by its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.statistic_names import is_total
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching import descriptions
from divulge.readers.handed_in.matching.cells import BASES, Recomputed
from divulge.readers.handed_in.matching.conditions import Conditions, simple_conditions
from divulge.readers.handed_in.matching.data import Data, Floats, Mask
from divulge.readers.handed_in.matching.hypotheses import Hypothesis, hypotheses
from divulge.readers.handed_in.matching.reading import Checked, Reading

_ENOUGH = 4
"""Figures that must agree before a condition is believed that the file does not state."""

_PROBED = 6
"""Figures by which conditions are sorted out before everything is computed."""


def table_reading(candidate: Candidate, hypothesis: Hypothesis, data: Data, words: Vocabulary) -> Reading:
    hypothesis = _completed(candidate, hypothesis, data, words)
    table = Recomputed(hypothesis, candidate, data, words)
    checked = _with_sums_of_rounded(tuple(table.checked()))
    return descriptions.cell_reading(candidate, hypothesis, checked, data, table.rounding())


def _with_sums_of_rounded(checked: tuple[Checked, ...]) -> tuple[Checked, ...]:
    """Percentages in a margin that are sums of printed ones: R's addmargins(round(x, 1)) adds after rounding."""
    known = {
        f.at: f.printed.value for c in checked if (f := c.figure).what == "percentage" and c.agrees and f.printed.value
    }
    out = []
    for one in checked:
        value, at = one.figure.printed.value, one.figure.at
        is_it = one.agrees is False and one.figure.what == "percentage" and value is not None
        axes = [k for k, (_, label) in enumerate(at) if is_it and is_total(label)]
        for k in axes:
            rest = at[:k], at[k + 1 :]
            # Margins of margins: one axis is added up at a time.
            parts = [v for a, v in known.items() if (a[:k], a[k + 1 :]) == rest and not is_total(a[k][1])]
            if len(parts) > 1 and abs(sum(parts) - (value or 0.0)) < 0.01 * one.figure.printed.unit:
                one = replace(one, agrees=True)
                known[at] = value or 0.0
                break
        out.append(one)
    return tuple(out)


def _completed(candidate: Candidate, hypothesis: Hypothesis, data: Data, words: Vocabulary) -> Hypothesis:
    """Texts that no name explains, or not well: the variable of which every figure of the text agrees.

    In a table 1 the first such variable is taken; elsewhere there must be one alone.
    """
    is_lenient = candidate.kind == "other"
    if not is_lenient and all(t is None or v is not None for t, v in hypothesis.variables.items()):
        return hypothesis
    variables = dict(hypothesis.variables)
    axes = {a.variable for a in hypothesis.axes}
    sure = {v for t, v in variables.items() if v is not None and t is not None and words.variable(t) is not None}
    for text, name in hypothesis.variables.items():
        figures = tuple(f for f in candidate.figures if f.of == text and f.what != "p-value")
        if text is None or words.variable(text) or not figures or any(k == text for f in figures for k, _ in f.at):
            continue
        first, part = replace(candidate, figures=figures[:1]), replace(candidate, figures=figures)
        if not is_lenient and not _is_telling(figures):
            continue
        right: list[str] = []
        for tried in ([name] if name is not None else []) + [n for n in data.names if n != name]:
            if tried in axes or tried in sure or not (is_lenient or data.is_numeric(tried)):
                continue
            way = replace(hypothesis, variables={text: tried})
            if all(c.agrees for few in (first, part) for c in Recomputed(way, few, data, words).checked()):
                right.append(tried)
                if is_lenient or len(right) > 1:
                    break
        if right and (is_lenient or len(right) == 1):
            variables[text] = right[0]
            sure.add(right[0])
    return replace(hypothesis, variables=variables)


def is_unlikely(candidate: Candidate, hypothesis: Hypothesis, data: Data, words: Vocabulary) -> bool:
    """Whether two of three counts or means of a table speak against a way to read it."""
    shown = [f for f in candidate.figures if f.what in ("count", "n", "mean") and f.printed.value is not None]
    known = [f for f in shown if f.what != "mean" or hypothesis.variables.get(f.of) is not None]
    probe = replace(candidate, figures=tuple(known[:: max(len(known) // 3, 1)][:3]))
    return sum(c.agrees is False for c in Recomputed(hypothesis, probe, data, words).checked()) >= 2


def _is_telling(figures: Sequence[Figure]) -> bool:
    """Whether figures say enough to find their variable by: two of them at least with three digits."""
    shown = [f for f in figures if f.what not in ("n", "count", "missing") and f.printed.value is not None]
    return sum(sum(c.isdigit() for c in f.printed.text.lstrip("-0.,")) >= 3 for f in shown) >= 2


def under_conditions(
    candidate: Candidate, words: Vocabulary, data: Data, aliases: dict[str, str], best: Reading | None
) -> tuple[Reading, list[str]] | None:
    """A reading under a condition that the file does not state: believed only where every figure then agrees."""
    ways = list(islice(hypotheses(candidate, words, data, None, candidate.weights, aliases), 12))
    telling = [
        f
        for f in candidate.figures
        if (f.printed.value is not None and f.what in ("count", "n", "mean", "median", "maximum", "minimum"))
        or f.what.startswith("percentile")
    ]
    if not ways or len(telling) < _ENOUGH:
        return None
    found: list[Reading] = []
    probe = replace(candidate, figures=tuple(telling[:2]))
    for text, way in _open(candidate, telling, ways, data, words):
        limited = replace(way, where=text)
        if not all(c.agrees for c in Recomputed(limited, probe, data, words).checked()):
            continue
        reading = table_reading(candidate, limited, data, words)
        if reading.confirmed and reading.agreeing >= _ENOUGH:
            found.append(reading)
        if len(found) > 4:
            break
    if found:
        return found[0], [descriptions.described(r) for r in found[1:]]
    return _nearly(candidate, ways, data, words, best)


def _open(
    candidate: Candidate, telling: Sequence[Figure], ways: Sequence[Hypothesis], data: Data, words: Vocabulary
) -> list[tuple[str, Hypothesis]]:
    """The conditions, each with the ways to read the table, that the first telling figures do not rule out."""
    out: list[tuple[str, Hypothesis]] = []
    probes = [_Probe(candidate, way, data, words) for way in ways]
    usable = [[f for f in telling if p.knows(f)][:_PROBED] for p in probes]
    for conditions in simple_conditions(data):
        left = []
        for probe, figures in zip(probes, usable, strict=True):
            still = np.ones(len(conditions.texts), dtype=bool)
            for figure in figures:
                if not still.any():
                    break
                still &= probe.agrees(figure, conditions)
            left.append(still)
        for i, text in enumerate(conditions.texts):
            out += [(text, way) for way, still in zip(ways, left, strict=True) if still[i]]
    return out


def _nearly(
    candidate: Candidate, ways: list[Hypothesis], data: Data, words: Vocabulary, best: Reading | None
) -> tuple[Reading, list[str]] | None:
    """The condition under which all but a few figures agree, where without one most do not."""
    if best is None or best.score[0] > 0.5 or len(candidate.figures) < 8 or data.blanks:
        return None  # of data with blanks only what they confirm is asked
    top = best
    most = (1 - _NEARLY) * len(candidate.figures)
    probes = [_Probe(candidate, way, data, words) for way in ways[:2]]
    usable = [[f for f in candidate.figures if p.knows(f)] for p in probes]
    for conditions in simple_conditions(data):
        wrong = [_wrong(p, figures, conditions, most) for p, figures in zip(probes, usable, strict=True)]
        for i, text in enumerate(conditions.texts):
            for way, off in zip(ways[:2], wrong, strict=True):
                limited = replace(way, where=text)
                if off[i] > most or _is_far(candidate, limited, data, words, most):
                    continue
                reading = table_reading(candidate, limited, data, words)
                if reading.score > top.score:
                    top = reading
    return (top, []) if top.score[0] >= _NEARLY else None


_NEARLY = 0.8
"""The share of figures that must agree under a condition which the file does not state before it is named."""


def _wrong(probe: _Probe, figures: Sequence[Figure], conditions: Conditions, most: float) -> Floats:
    """How many figures each condition gets wrong, counted until all have more than that."""
    off = np.zeros(len(conditions.texts))
    for figure in figures:
        if off.min() > most:
            break
        off += ~probe.agrees(figure, conditions)
    return off


def _is_far(candidate: Candidate, hypothesis: Hypothesis, data: Data, words: Vocabulary, most: float) -> bool:
    """Whether more than so many figures are wrong. In a table 1 other variables may still be found for its rows."""
    return candidate.kind != "other" and Recomputed(hypothesis, candidate, data, words).is_far(most)


class _Probe:
    """Counts and means of one way to read a table under all conditions on a variable at once.

    It may take a figure for right that is wrong, and never the other way round: what is left is computed in full.
    """

    def __init__(self, candidate: Candidate, way: Hypothesis, data: Data, words: Vocabulary) -> None:
        self._table = Recomputed(way, candidate, data, words)
        self._data, self._way = data, way
        counts = [f.printed.value for f in candidate.figures if f.what == "count" and f.printed.value is not None]
        self._bases = [b for b in BASES if len(counts) >= 6 and all(c % b == 0 for c in counts)]

    def knows(self, figure: Figure) -> bool:
        """Whether a figure is a count, or the mean of a numeric variable, in a cell that is no total."""
        if figure.printed.value is None or any(is_total(t) for _, t in figure.at):
            return False
        if self._table.group(figure.at) is None:
            return False
        of = self._way.variables.get(figure.of)
        if figure.what in ("count", "n"):
            return bool(figure.at) and (of is None or any(k == figure.of for k, _ in figure.at))
        return figure.what == "mean" and of is not None and self._way.weights is None and self._data.is_numeric(of)

    def agrees(self, figure: Figure, conditions: Conditions) -> Mask:
        """Whether the figure is right under each condition."""
        group = self._table.group(figure.at)
        assert group is not None, "asked for figures that it knows"
        rows = self._data.rows(None, group)
        if figure.what != "mean":
            sizes = conditions.sums(self._data, rows, self._table.finite_weights)
            right = _near(figure, sizes)
            for base in self._bases:
                right |= _near(figure, base * np.floor(sizes / base + 0.5))
            return right
        of = self._way.variables[figure.of]
        assert of is not None, "asked for figures that it knows"
        values = self._data.numbers(of)
        known = rows & np.isfinite(values)
        right = self._mean(figure, conditions, values, known)
        if self._table.numeric:
            for name in self._table.numeric:
                known = known & np.isfinite(self._data.numbers(name))
            right |= self._mean(figure, conditions, values, known)
        return right

    def _mean(self, figure: Figure, conditions: Conditions, values: Floats, rows: Mask) -> Mask:
        sizes = conditions.sums(self._data, rows)
        return _near(figure, conditions.sums(self._data, rows, values) / np.where(sizes > 0, sizes, np.nan))


def _near(figure: Figure, values: Floats) -> Mask:
    """Whether each value rounds to what was printed, with a little more room than a figure is given in the end."""
    printed = figure.printed
    assert printed.value is not None, "asked for figures that it knows"
    with np.errstate(invalid="ignore"):
        if printed.below:
            return np.asarray(values < printed.value * (1 + 1e-6))
        return np.asarray(np.abs(values - printed.value) <= 0.61 * printed.unit + 1e-6 * np.abs(values))
