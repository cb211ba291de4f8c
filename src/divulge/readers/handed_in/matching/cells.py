"""Crosstabs, frequencies, descriptives and table 1: labels become values of variables, figures are recomputed.

Axes are tried with every variable that has the labels as values; what a percentage is of is decided by agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import Printed
from divulge.readers.handed_in.candidates.statistic_names import is_missing, is_total
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.data import KNOWN, MISSING, Data, Floats, Group, Mask
from divulge.readers.handed_in.matching.group_tests import p_values
from divulge.readers.handed_in.matching.hypotheses import Hypothesis, labels_of
from divulge.readers.handed_in.matching.outliers import without_outliers
from divulge.readers.handed_in.matching.reading import Checked
from divulge.readers.handed_in.matching.statistics import design_error, statistic

BASES = (5, 3, 10, 100)  # multiples to which counts are rounded


class Recomputed:
    """The figures of a table under one hypothesis. among: the group that everybody of the table is of."""

    def __init__(
        self, hypothesis: Hypothesis, candidate: Candidate, data: Data, words: Vocabulary, among: Group = ()
    ) -> None:
        self.hypothesis = hypothesis
        self.candidate = candidate
        self.data = data
        self.words = words
        self.among = among
        self.weights: Floats | None = data.numbers(hypothesis.weights) if hypothesis.weights in data.names else None
        self._axes = {a.key: a for a in hypothesis.axes}

    def group(self, at: tuple[tuple[str, str], ...]) -> Group | None:
        """The people of a cell; totals ask only that a value is known. None: a label that nobody has."""
        out = list(self.among)
        for key, label in at:
            axis = self._axes.get(key)
            if axis is None:
                continue
            if is_total(label):
                out.append((axis.variable, KNOWN))
            elif label in axis.codes:
                out.append((axis.variable, axis.codes[label]))
            elif is_missing(label):
                out.append((axis.variable, MISSING))
            else:
                return None
        return tuple(out)

    def size(self, at: tuple[tuple[str, str], ...]) -> float | None:
        group = self.group(at)
        return None if group is None else self._size(group)

    def _size(self, group: Group) -> float:
        found = self.data.once(
            ("size", self.hypothesis.where, self.hypothesis.weights, group), lambda: [self._counted(group)]
        )
        return found[0] if found else 0.0

    def _counted(self, group: Group) -> float:
        rows = self._rows(group)
        return float(np.count_nonzero(rows)) if self.weights is None else float(np.nansum(self.weights[rows]))

    def _statistic(self, what: str, of: str, group: Group, complete: tuple[str, ...] = ()) -> list[float] | None:
        """A statistic of a variable in a group; complete: numeric variables that must be known too."""
        weights = None if complete else self.hypothesis.weights
        key = (what, of, self.hypothesis.where, weights, group, complete)
        return self.data.once(key, lambda: self._described(what, of, group, complete))

    def _described(self, what: str, of: str, group: Group, complete: tuple[str, ...]) -> list[float] | None:
        rows = self._rows(group)
        for name in complete:
            rows = rows & np.isfinite(self.data.numbers(name))
        weights = None if self.weights is None or complete else self.weights[rows]
        return statistic(what, self.data.numbers(of)[rows], weights)

    def checked(self) -> list[Checked]:
        """Every figure beside what the data give."""
        slots = _slots(self.candidate.figures)
        bases = {slot: self._basis(slot, slots) for slot in set(slots.values())}
        base = self.rounding()
        out = [self._check(f, bases.get(slots.get(id(f), "")), base) for f in self.candidate.figures]
        if self.candidate.kind == "other" and any(c.agrees is False for c in out):
            return self._with_groups(out)
        return list(without_outliers(out))

    def is_far(self, most: float) -> bool:
        """Whether more than so many figures disagree; shares, whose basis is found from all of them, are not asked."""
        base = self.rounding()
        wrong = 0
        for figure in (f for f in self.candidate.figures if "percentage" not in f.what and f.what != "p-value"):
            wrong += self._check(figure, None, base).agrees is False
            if wrong > most:
                return True
        return False

    def _with_groups(self, found: list[Checked]) -> list[Checked]:
        """Figures of everybody, where they are of the people whose group is known."""
        known = tuple((a.variable, KNOWN) for a in self.hypothesis.axes if a.key not in self.candidate.variables)
        if not known or self._size(known) == self._size(()):
            return found
        plain = replace(self.candidate, kind="table of groups")
        inner = Recomputed(self.hypothesis, plain, self.data, self.words, known)
        return [b if a.agrees is not True and b.agrees else a for a, b in zip(found, inner.checked(), strict=True)]

    def _check(self, figure: Figure, basis: str | None, base: int | None) -> Checked:
        if figure.printed.is_suppressed:
            return Checked(figure)
        if figure.what == "p-value" and not figure.at:
            return self._tested(figure)
        values = self.values(figure, basis)
        if values is None:
            return Checked(figure)
        if base is not None and figure.what == "count":
            values = [base * np.floor(v / base + 0.5) for v in values]
        agrees = [v for v in values if _agrees_printed(figure.printed, v, self.candidate.program)]
        if not agrees and figure.what == "n" and figure.of is None and not figure.at:  # of all rows, or rounded
            return Checked(figure)
        return Checked(figure, bool(agrees), float((agrees or values or [np.nan])[0]))

    def _tested(self, figure: Figure) -> Checked:
        """The p-value of a row, where a usual test of its groups gives it; else the test is not known."""
        axes = self.hypothesis.axes
        of = next((a.variable for a in axes if a.key == figure.of), self.hypothesis.variables.get(figure.of))
        groups = [a.variable for a in axes if a.key not in self.candidate.variables]
        if of is None or len(groups) != 1 or self.weights is not None:
            return Checked(figure)
        key = ("p-values", of, groups[0], self.hypothesis.where)
        found = self.data.once(key, lambda: p_values(self.data, key[1], key[2], self._rows(()))) or []
        right = (Checked(figure, True, p) for p in found if figure.printed.agrees(p, relative=1e-5))
        return next(right, Checked(figure))

    def values(self, figure: Figure, basis: str | None) -> list[float] | None:
        """What the data give for a figure: one value, or several where programs differ."""
        of = self.hypothesis.variables.get(figure.of)
        if (
            figure.of is not None
            and of is not None
            and figure.what in ("count", "percentage")
            and not any(k == figure.of for k, _ in figure.at)
        ):
            return self._of_two(figure, of)
        if figure.what == "missing" and of is not None:
            within = self.group(figure.at)
            return None if within is None else [float(np.count_nonzero(self._rows((*within, (of, MISSING)))))]
        if figure.what in ("count", "n") and (
            of is None or any(k == figure.of for k, _ in figure.at) or not self.data.is_numeric(of)
        ):
            size = self.size(figure.at)
            return None if size is None else [size, *self._with_missing(figure)]
        if figure.what in ("percentage", "valid percentage", "cumulative percentage"):
            return self._share(figure, basis)
        group = self.group(figure.at)
        if of is None or group is None:
            return None
        if not self.data.is_numeric(of):
            # A variable of two texts counted as numbers: the mean is the share of one of them.
            if self.data.n_levels(of) != 2:
                return [float(0)] if figure.what == "n" else None
            codes = self.data.codes(of)[self._rows(group)].astype(float)
            return statistic(figure.what, np.where(codes < 0, np.nan, codes), None)
        if self.candidate.errors in ("design-based", "one sample") and figure.what == "standard error":
            # As of a sample without strata and clusters; of another design it is not computed.
            parts = (self.data.numbers(of), self.finite_weights, self._rows(()), self._rows(group))
            plain = design_error(*parts, is_total=self.candidate.kind == "totals")
            if self.candidate.errors == "one sample":
                return [plain, *(self._statistic(figure.what, of, group) or [])]
            return [plain] if figure.printed.agrees(plain, 0.6, 1e-6) else None
        values = self._statistic(figure.what, of, group)
        if values is None or len(self.hypothesis.variables) < 2:
            return values
        # Some programs keep the rows that are complete on all variables of a table.
        return [*values, *(self._statistic(figure.what, of, group, self.numeric) or [])]

    def _rows(self, group: Group) -> Mask:
        return self.data.rows(self.hypothesis.where, group)

    @cached_property
    def finite_weights(self) -> Floats | None:
        """The weight of each row, 0 where it is not known; None where rows count alike."""
        return None if self.weights is None else np.nan_to_num(self.weights)

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The numeric variables of the table that have missing values, on which rows may have to be complete."""
        names = {n for n in self.hypothesis.variables.values() if n is not None and self.data.is_numeric(n)}
        return tuple(sorted(n for n in names if self.data.has_missing(n)))

    def _with_missing(self, figure: Figure) -> list[float]:
        """Other totals: one that counts missing values too, as SPSS prints it, and one of the cells that are shown."""
        if not any(is_total(t) for _, t in figure.at):
            return []
        every = [self._all()] if all(is_total(t) for _, t in figure.at) else []
        hidden = any(f.printed.is_suppressed for f in self.candidate.figures)
        return [*every, *([self._shown(figure)] if hidden else [])]

    def _shown(self, figure: Figure) -> float:
        """The sum of the cells of a total that are not withheld."""
        cells = {
            f.at
            for f in self.candidate.figures
            if f.what == figure.what and not f.printed.is_suppressed and not any(is_total(t) for _, t in f.at)
        }
        inside = [c for c in cells if all(is_total(t) or a == (k, t) for a, (k, t) in zip(c, figure.at, strict=False))]
        return sum(self.size(c) or 0.0 for c in inside)

    def _of_two(self, figure: Figure, of: str) -> list[float] | None:
        """A variable with two values shown by one of them: how many have it, and their share of those known."""
        group = self.group(figure.at)
        if group is None or self.data.n_levels(of) != 2:
            return None
        sizes = [float(np.count_nonzero(self._rows((*group, (of, code))))) for code in (1, 0)]
        known = sum(sizes)
        return sizes if figure.what == "count" else [100 * s / known for s in sizes] if known else None

    def _share(self, figure: Figure, basis: str | None) -> list[float] | None:
        above = self.size(figure.at)
        if above is None:
            return None
        if figure.what == "cumulative percentage":
            return self._cumulated(figure)
        if figure.what == "percentage" and basis is None:
            return None
        if basis == "rows" and figure.at and all(is_total(t) for _, t in figure.at):
            above = self._all()
        below = self.size(_widened(figure.at, basis or figure.at[0][0])) if basis != "rows" else self._all()
        return None if not below else [100 * above / below, *([above / below] if not figure.printed.is_percent else [])]

    def _all(self) -> float:
        return self._size(self.among)

    def _cumulated(self, figure: Figure) -> list[float] | None:
        key, label = figure.at[0]
        every = [t for f in self.candidate.figures for k, t in f.at if k == key and not is_total(t)]
        out: list[float] = []
        # Stata counts missing values where they are shown, SPSS does not.
        for order in (labels_of(self.candidate).get(key, []), list(dict.fromkeys(every))):
            sizes: list[float] = [self.size(((key, t), *figure.at[1:])) or 0.0 for t in order]
            if label in order and sum(sizes) > 0:
                out.append(100 * sum(sizes[: order.index(label) + 1]) / sum(sizes))
        return out or None

    def _basis(self, slot: str, slots: dict[int, str]) -> str | None:
        """What the percentages at one place of the cells are of: an axis along which they add to 100, or all rows."""
        figures = [f for f in self.candidate.figures if slots.get(id(f)) == slot]
        keys = list(dict.fromkeys(k for f in figures for k, _ in f.at if self.hypothesis.axis(k) is not None))
        best, most = None, 0
        for basis in [*reversed(keys), "all", "rows"]:
            right = sum(any(_agrees_printed(f.printed, v) for v in self._share(f, basis) or ()) for f in figures)
            if right > most:
                best, most = basis, right
        return best

    def rounding(self) -> int | None:
        """The base to which counts are rounded: all are multiples of it, and few of the data's are."""
        counts = [f.printed.value for f in self.candidate.figures if f.what == "count" and f.printed.value is not None]
        if len(counts) < 6:
            return None
        for base in BASES:
            if all(c % base == 0 for c in counts):
                exact = [self.size(f.at) for f in self.candidate.figures if f.what == "count"]
                if sum(v is not None and v % base != 0 for v in exact) > 0:
                    return base
        return None


def _widened(at: tuple[tuple[str, str], ...], basis: str) -> tuple[tuple[str, str], ...]:
    """The group that a share is of: its axis, or all axes, summed over."""
    return tuple((k, "Total" if basis == "all" or k == basis else t) for k, t in at)


def _slots(figures: Sequence[Figure]) -> dict[int, str]:
    """For each percentage, over which axes it is, and the how-manieth of its cell."""
    seen: dict[tuple[tuple[str, str], ...], int] = {}
    out = {}
    for f in (f for f in figures if f.what == "percentage"):
        number = seen.get(f.at, 0)
        out[id(f)] = f"{number} of {[k for k, _ in f.at]}"
        seen[f.at] = number + 1
    return out


def _agrees_printed(printed: Printed, value: float, program: str = "") -> bool:
    """Whether a value rounds to what was printed; Stata keeps variables in four bytes, so seven digits are enough."""
    return printed.agrees(value, relative=2e-9 if program in ("r", "pandas", "spss", "gretl") else 2e-7)
