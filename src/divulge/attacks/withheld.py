"""Withheld or rounded counts beside another output of the same people: every count that may stand there is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from divulge.attacks.attack import Attack, Submitted
from divulge.contributions import Case
from divulge.errors import DivulgeError
from divulge.kernels.arrays import Integers, Mask
from divulge.outputs.behind import Behind
from divulge.rules import Finding, Severity
from divulge.table import Table

_MOST_TRIED = 4_000
"""Tables that are tried; where more agree with what is printed, the figures leave much open."""

_MOST_STEPS = 50_000
"""Counts that are put into cells on the way to these tables, some seconds: most ways may come to nothing."""

_MOST_WORK = 4e6
"""Tables × rows that other outputs are computed on, a second or two."""

_FEWEST, _NARROWEST = 10, 3
"""Counts of fewer people are what is withheld for; they are nearly told where fewer than so many are left."""


@dataclass(frozen=True, eq=False)
class _Grid:
    """A table of counts. counts: of each cell. low, high: as printed. sums: (sets of cells, their printed counts)."""

    case: Case
    behind: Behind
    counts: Integers
    low: Integers
    high: Integers
    sums: tuple[tuple[Integers, int], ...]

    @property
    def hidden(self) -> Integers:
        return np.flatnonzero(self.low < self.high)


@dataclass(frozen=True, kw_only=True)
class WithheldTried(Attack):
    """Whoever has the other counts of a table tries which of the withheld ones give the other figures as printed.

    A χ², a ratio or a regression of the variables of a table is a function of its cells. Of all tables that agree with
    the counts, the margins and how many people there are, those are kept whose figures round to the printed ones.
    """

    name: ClassVar[str] = "withheld counts tried"
    does: ClassVar[str] = "Tries which withheld or rounded counts give the figures of other outputs as printed."
    source: ClassVar[str] = "Dinur & Nissim 2003; Duncan, Elliot & Salazar-González 2011, disclosure audit"
    remedy: ClassVar[str] = "Withhold the other output, or print it with fewer digits."

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        if len(submitted.outputs) < 2:
            return []
        pairs = zip(submitted.outputs, submitted.printed, strict=True)
        cases = [Case(i, output, printed, submitted.table) for i, (output, printed) in enumerate(pairs)]
        found = []
        for case in cases:
            grid = _grid(case)
            beside = [] if grid is None else [c for c in cases if _speaks_of(c, grid)]
            if grid is not None and beside:
                found += _tried(grid, beside, self.name) or _tried_by_groups(grid, beside, self.name)
        return found


def _grid(case: Case) -> _Grid | None:
    """The cells of a table that withholds or rounds some of them; None where there is nothing to try."""
    own = set(case.output.own_variables())
    behind = next((b for b in case.of("count") if set(b.names) == own and (b.figures >= 0).all()), None)
    if behind is None or case.output.weights is not None or not own:
        return None
    counts = case.rows(behind).astype(np.int64)
    whole = int(counts.sum())
    least, most = (bound[behind.figures] for bound in case.released.whole())
    is_exact = np.isfinite(case.released.values[behind.figures]) & (case.released.half[behind.figures] <= 0.5)
    low = np.where(is_exact, counts, np.nan_to_num(np.maximum(least, 0), neginf=0)).astype(np.int64)
    high = np.where(is_exact, counts, np.nan_to_num(np.minimum(most, whole), posinf=whole)).astype(np.int64)
    if not (low < high).any() or (counts < low).any() or (counts > high).any():
        return None
    sums = [(np.arange(len(counts)), whole)]
    for margin in case.of("count"):
        if margin is behind or not set(margin.names) < own:
            continue
        home = _home(behind, margin)
        for g in np.flatnonzero(np.isfinite(case.released.values[margin.figures])).tolist():
            if case.released.half[margin.figures[g]] <= 0.5:
                cells = np.flatnonzero(home == g)
                sums.append((cells, int(counts[cells].sum())))
    return _Grid(case, behind, counts, low, high, tuple(sums))


def _home(behind: Behind, margin: Behind) -> Integers:
    """Which group of a margin each cell belongs to."""
    at = np.indices(behind.shape).reshape(len(behind.shape), -1)
    chosen = tuple(at[behind.names.index(name)] for name in margin.names)
    found = np.ravel_multi_index(chosen, margin.shape) if chosen else np.zeros(behind.n_groups)
    return np.asarray(found, dtype=np.int64)


def _speaks_of(case: Case, grid: _Grid) -> bool:
    """Whether an output is another function of the same cells, of the same people."""
    output = case.output
    if output.weights is not None or output.coarser or any(b.what in ("count", "share") for b in case.behind):
        return False
    inside = bool(output.own_variables()) and set(output.own_variables()) <= set(grid.behind.names)
    return inside and bool((case.everybody == grid.case.everybody).all())


def _tried(grid: _Grid, beside: Sequence[Case], name: str) -> list[Finding]:
    """What is left of the hidden cells when all tables have been tried."""
    possible = _tables(grid)
    rows = max(_at_most(grid, case) for case in beside)
    if possible is None or len(possible) < 2 or len(possible) * rows > _MOST_WORK:
        return []
    # A table that cannot be told from the printed one comes first: where it does not fit, nothing can be said.
    if not all(_fits(case, grid, grid.counts) for case in beside):
        return []
    fitting = np.array([counts for counts in possible if all(_fits(case, grid, counts) for case in beside)])
    return _told(grid, possible, fitting, beside, name)


def _tried_by_groups(grid: _Grid, beside: Sequence[Case], name: str) -> list[Finding]:
    """The same where all tables together are too many, beside a saturated model: it states the mean of each group by
    itself, so that one group is tried after the other. Figures that also depend on how many others there are count for
    nothing, since nobody knows these."""
    for case in beside:
        for stated in case.of("saturated"):
            inside = (grid.behind.group >= 0) & (stated.group >= 0)
            home = np.full(grid.behind.n_groups, -1)
            home[grid.behind.group[inside]] = stated.group[inside]
            few = (grid.counts > 0) & (grid.counts < _FEWEST) & (grid.low < grid.high)
            for group in np.unique(home[few & (home >= 0)]).tolist():
                others = home != group
                low, high = (np.where(others, grid.counts, bound) for bound in (grid.low, grid.high))
                own = replace(grid, low=low, high=high, sums=())
                possible = _tables(own)
                if possible is None or len(possible) < 2 or len(possible) * _at_most(grid, case) > _MOST_WORK:
                    continue
                kept = _agreeing(case, grid, np.where(others, 2 * grid.counts, grid.counts))
                if not kept.any() or not _fits(case, grid, grid.counts):
                    continue
                fitting = [n for n in possible if n[~others].any() and _agreeing(case, grid, n)[kept].all()]
                found = _told(own, possible, np.array(fitting), [case], name)
                if found:
                    return found
    return []


def _told(
    grid: _Grid, possible: Sequence[Integers], fitting: Integers, beside: Sequence[Case], name: str
) -> list[Finding]:
    """Which counts of few people follow, or nearly follow, from the tables that are still possible."""
    is_small = (grid.counts > 0) & (grid.counts < _FEWEST)
    found = []
    for severity, words, wide in ((Severity.REFUSE, "follow{s}", 1), (Severity.REVIEW, "nearly follow{s}", _NARROWEST)):
        left, before = np.ptp(fitting, axis=0), np.ptp(np.array(possible), axis=0)
        told = is_small & (left < wide) & (before >= wide) & (grid.low < grid.high)
        if told.any():
            numbers = (grid.case.number, *(case.number for case in beside))
            labels = tuple(grid.behind.label(g, grid.case.labels) for g in np.flatnonzero(told).tolist())
            n = int(told.sum())
            verb = words.format(s="s" if n == 1 else "")
            sentence = (
                f"{n:,} withheld or rounded count{'' if n == 1 else 's'} of few people {verb} from another output of "
                "the same variables: with other counts its figures would be others."
            )
            found.append(Finding(name, severity, numbers, labels, sentence, grid.case.people(grid.behind, told)))
            break
    return found


def _tables(grid: _Grid) -> list[Integers] | None:
    """All counts that agree with what is printed of the table; None where they are too many."""
    hidden = grid.hidden
    constraints = []
    for cells, total in grid.sums:
        inside = np.isin(hidden, cells)
        known = np.setdiff1d(cells, hidden)
        constraints.append((inside, total - int(grid.counts[known].sum())))
    bounds = grid.low[hidden], grid.high[hidden]
    found: list[Integers] = []
    chosen: list[int] = []
    ways = [_possible(chosen, constraints, bounds)]
    for _ in range(_MOST_STEPS):
        n = next(ways[-1], None)
        if n is None:
            ways.pop()
            if not ways:
                return found
            chosen.pop()
        elif len(chosen) + 1 < len(hidden):
            chosen.append(n)
            ways.append(_possible(chosen, constraints, bounds))
        else:
            counts = grid.counts.copy()
            counts[hidden] = [*chosen, n]
            found.append(counts)
            if len(found) > _MOST_TRIED:
                return None
    return None


def _possible(
    start: Sequence[int],
    constraints: Sequence[tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], int]],
    bounds: tuple[Integers, Integers],
) -> Iterator[int]:
    """What the next hidden count may be after the first ones, by what each sum leaves for it."""
    low, high = bounds
    at = len(start)
    least, most = int(low[at]), int(high[at])
    for inside, total in constraints:
        if inside[at]:
            left = total - sum(n for n, mine in zip(start, inside, strict=False) if mine)
            later = np.flatnonzero(inside[at + 1 :]) + at + 1
            least, most = max(least, left - int(high[later].sum())), min(most, left - int(low[later].sum()))
    return iter(range(least, most + 1))


def _at_most(grid: _Grid, case: Case) -> int:
    """Rows that one table is computed on."""
    return len(grid.counts) if case.output.can_condense else int(grid.counts.sum())


def _fits(case: Case, grid: _Grid, counts: Integers) -> bool:
    """Whether an output would be printed as it is if these were the counts."""
    return bool(_agreeing(case, grid, counts).all())


def _agreeing(case: Case, grid: _Grid, counts: Integers) -> Mask:
    """Which figures of an output would be printed as they are if these were the counts."""
    table = grid.case.table.select(grid.behind.names)
    kept = np.flatnonzero(counts)
    codes = np.indices(grid.behind.shape).reshape(len(grid.behind.shape), -1)[:, kept]
    columns = [column.astype(variable.dtype) for column, variable in zip(codes, table.schema, strict=True)]
    people: Integers | None = counts[kept]
    if not case.output.can_condense:
        columns, people = [np.repeat(column, counts[kept]) for column in columns], None
    none = np.zeros(len(case.released.values), dtype=bool)
    try:
        values = replace(case.output, where=None).evaluate(Table(table.schema, tuple(columns), people)).values
    except DivulgeError:
        return none
    return case.released.agrees(values) if len(values) == len(none) else none
