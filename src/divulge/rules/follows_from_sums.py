"""Follows from sums: what was withheld, changed or never stated, given by means and models beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from divulge.contributions import Case
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.rows import row_weights
from divulge.outputs.stated import Stated, stated_by_groups
from divulge.rules.rule import Finding, Rule, Severity

_MOST_SUMS = 400
"""Sums that are looked at together."""

_MOST_HIDDEN = 60
"""Hidden figures of one output that are asked about, those of fewest people first."""

_MOST_ROWS = 4000
"""Rows on which we see whether sums give another sum: many more rows than sums."""

_CHUNK = 10_000
"""Rows whose weights in all sums are held at once."""

_SLACK = 1e-7
"""How far a group may be from what the sums give, and a share be used, before it counts."""

_FEWEST_ROWS, _OFF = 20, 0.01
"""Two variables are one another in other units where they are for so many people, to within this share of the spread:
what is converted is often rounded."""

_Known = list[tuple[int, bool, Stated]]
"""Sums that outputs state, each with the place of its output, and whether the audit does not look at it."""


class _Hidden(NamedTuple):
    """A figure that nobody is to know. label: its own; variable: what is summed or counted, with own of each row;
    column: the weight of each row."""

    label: str
    variable: str
    column: Floats
    own: Floats
    tolerance: float


@dataclass(frozen=True, kw_only=True)
class FollowsFromSums(Rule):
    """A withheld or changed figure that is a sum of what means, totals and models state of the same variable.

    Means times people, and the normal equations of a model or its score, are sums over people. Where some of them, each
    taken so many times, add up to the withheld one, it follows to within the sum of their errors. Arithmetic on counts
    and totals alone is the audit's; here one of them at least is a mean or a model, for whoever knows how many people
    each group has.
    """

    name: ClassVar[str] = "follows from sums"
    asks: ClassVar[str] = "What is withheld or changed may not be a sum of what means and models beside it state."
    source: ClassVar[str] = "Handbook on SDC 2025, linked tables; Ritchie 2006: a saturated model is a table of means"
    remedy: ClassVar[str] = "Leave out the means or the model, or withhold the same people there."
    severity: ClassVar[Severity] = Severity.REVIEW

    per_cent: Annotated[float, "An amount follows where it does to within so many per cent of it."] = 10.0

    def find_between(self, cases: Sequence[Case]) -> list[Finding]:
        hidden = [[*self._hidden(case)] for case in cases]
        if not any(hidden):
            return []
        known: _Known = []
        for i, case in enumerate(cases):
            if case.output.method is None:
                weight = row_weights(case.output, case.table)
                groups = stated_by_groups(case.behind, weight, case.table, case.released)
                is_more = not case.of("count", "total")
                known += [(i, is_more, s) for s in (*case.stated, *groups) if s.link != "other"]
        # Those of means and models first: counts are taken where there is room.
        known.sort(key=lambda one: not one[1])
        found: list[Finding] = []
        for case, mine in zip(cases, hidden, strict=True):
            labels, numbers = list[str](), {case.number}
            for label, used in _following(mine, known, case.table.times):
                if any(is_more for _, is_more in used):
                    labels.append(label)
                    numbers |= {cases[i].number for i, _ in used}
            if labels:
                told = tuple(sorted(set(labels), key=case.labels.index))
                noun = "withheld or changed figure follows" if len(told) == 1 else "withheld or changed figures follow"
                sentence = (
                    f"{len(told):,} {noun} from means or models, for whoever knows how many people each group has."
                )
                nobody = np.zeros(case.table.n_rows, dtype=bool)
                found.append(Finding(self.name, self.severity, tuple(sorted(numbers)), told, sentence, nobody))
        return found

    def _hidden(self, case: Case) -> Iterator[_Hidden]:
        """The withheld and the changed figures of one output, each as sums that would tell it."""
        weight = row_weights(case.output, case.table) * case.table.times
        for behind in case.of("count", "mean", "total"):
            people = case.rows(behind)
            is_told = case.shown(behind) & (case.output.method is None)
            asked = np.flatnonzero((behind.figures >= 0) & ~is_told & (people > 0))
            for group in asked[np.argsort(people[asked], kind="stable")].tolist()[:_MOST_HIDDEN]:
                inside, label = behind.group == group, behind.label(group, case.labels)
                if behind.what == "count":
                    yield from _as_counts(behind, inside, label, weight)
                elif behind.variable is not None:
                    own = case.numbers(behind)
                    size = abs(float((own * weight)[inside].sum()))
                    yield _Hidden(
                        label, behind.variable, np.where(inside, weight, 0.0), own, self.per_cent / 100 * size
                    )


def _as_counts(behind: Behind, inside: Mask, label: str, weight: Floats) -> Iterator[_Hidden]:
    """A count as that of each of its values among those who are alike in the others."""
    if not behind.names:
        return
    at = np.stack(np.unravel_index(np.maximum(behind.group, 0), behind.shape))
    cell = at[:, np.flatnonzero(inside)[0]]
    for axis in range(len(behind.names)):
        alike = (np.delete(at, axis, axis=0) == np.delete(cell, axis)[:, None]).all(axis=0) & (behind.group >= 0)
        own = (at[axis] == cell[axis]).astype(np.float64)
        yield _Hidden(label, behind.names[axis], np.where(alike, weight, 0.0), own, 0.5)


def _following(hidden: Sequence[_Hidden], known: _Known, times: Floats) -> Iterator[tuple[str, set[tuple[int, bool]]]]:
    """The hidden figures that sums add up to closely enough, with the outputs that state these."""
    same: dict[tuple[str, bytes], list[_Hidden]] = {}
    for one in hidden:
        same.setdefault((one.variable, one.own.tobytes()), []).append(one)
    for alike in same.values():
        mine, n = _Known(), 0
        for i, is_more, stated in known:
            line = _line(stated, alike[0].own, times)
            if line is not None and n + len(stated.error) <= _MOST_SUMS:
                slope, off = line
                is_more |= stated.about[0] != alike[0].variable
                mine.append((i, is_more, replace(stated, error=slope * stated.error + off)))
                n += len(stated.error)
        if any(is_more for _, is_more, _ in mine):
            yield from _adding_up(alike, mine, times)


def _line(stated: Stated, own: Floats, times: Floats) -> tuple[float, float] | None:
    """How much more is asked for by one more of what sums are about, and how far the people together may be off that
    line; None where there is none. Where people are known, sums of what is everybody else's (0 and 1), or in other
    units, tell it as well."""
    one, other = stated.own[stated.inside], own[stated.inside]
    if np.array_equal(one, other) or np.array_equal(one, 1.0 - other):
        return 1.0, 0.0
    if len(one) < _FEWEST_ROWS or not (np.isfinite(one).all() and np.isfinite(other).all()):
        return None
    low, high = int(one.argmin()), int(one.argmax())
    if one[low] == one[high] or other[low] == other[high]:
        return None
    slope = float((other[high] - other[low]) / (one[high] - one[low]))
    off = np.abs(other - other[low] - slope * (one - one[low]))
    is_line = off.max() <= _OFF * float(np.std(other))
    return (abs(slope), float(off @ times[stated.inside])) if is_line else None


def _adding_up(hidden: Sequence[_Hidden], known: _Known, times: Floats) -> Iterator[tuple[str, set[tuple[int, bool]]]]:
    """By least squares: where nothing is left over, the hidden sum is so many times each of the known ones."""
    asked = np.stack([h.column for h in hidden], axis=1)
    some = _patterns(asked, known)
    matrix, sought = _columns(known, some) * times[some, None], asked[some]
    errors = np.concatenate([stated.error for *_, stated in known])
    whose = np.repeat(np.arange(len(known)), [len(stated.error) for *_, stated in known])
    matrix[:, ~np.isfinite(errors)], errors = 0.0, np.nan_to_num(errors, posinf=0.0)
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-300)
    share, *_ = np.linalg.lstsq(matrix / scale, sought, rcond=None)
    away = np.abs(matrix / scale @ share - sought).max(axis=0)
    share /= scale[:, None]
    for one, left, each in zip(hidden, away.tolist(), share.T, strict=True):
        error = float(np.abs(each) @ errors)
        if left <= _SLACK * max(1.0, float(np.abs(one.column).max())) and error <= one.tolerance:
            used = np.unique(whose[np.abs(each) > _SLACK * np.abs(each).max()])
            yield one.label, {known[k][:2] for k in used.tolist()}


def _patterns(asked: Floats, known: _Known) -> Integers:
    """One row of each sort that the sums and what is asked tell apart; of very many some."""
    rng = np.random.default_rng(0)  # any seed: which sort a row is, and which of very many are looked at
    name = np.zeros(len(asked))
    factors = rng.normal(size=asked.shape[1] + sum(len(stated.error) for *_, stated in known))
    for start in range(0, len(asked), _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, len(asked)))
        name[rows] = np.column_stack([asked[rows], _columns(known, rows)]) @ factors
    _, first = np.unique(name, return_index=True)
    return np.asarray(first if len(first) <= _MOST_ROWS else rng.permutation(first)[:_MOST_ROWS], dtype=np.int64)


def _columns(known: _Known, rows: Integers) -> Floats:
    """The weights of these rows in all sums."""
    return np.column_stack([np.where(s.inside[rows, None], s.columns(rows), 0.0) for *_, s in known])
