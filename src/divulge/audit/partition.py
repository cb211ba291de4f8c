"""From outputs to a system: one cell for each combination of classes, one row for each inequality of a figure.

Variables of all outputs together span the cells where these are few enough. Where they are not, outputs are taken
together as far as that goes, and the parts are tied by the margins that they share: every interval then holds the true
one, and may be wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse

from divulge.audit.classes import class_labels, classes_of, contributions, representatives
from divulge.audit.hierarchies import Decided, find_decided, forbidden, refined
from divulge.audit.system import System
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.lowering.linear import Linear
from divulge.table import Schema, Table

MOST_TOGETHER = 60_000
"""Cells that all outputs may span together before they are taken in parts."""

MOST_ALONE = 400_000
"""Cells that one output may span; more are out of reach."""

TIE = "the same people"
"""What an equation is called that no figure states: a margin that two parts share."""


@dataclass(frozen=True, eq=False)
class Stated:
    """The figures of one output, for the system. name: what its figures are called in proofs. number: of the output;
    −1: released before."""

    name: str
    labels: tuple[str, ...]
    linear: Linear
    number: int = -1


@dataclass(frozen=True, eq=False)
class Partition:
    """A system, with where each output's inequalities are in it.

    rows: for each stated output its rows of the system; sums: for each what its figures are made of, over cells.
    is_whole: whether all variables span the cells together. unreached: numbers of outputs that span too many.
    decided: variables that span nothing, since others decide them.
    """

    system: System
    rows: tuple[Integers, ...]
    sums: tuple[sparse.csr_array, ...]
    is_whole: bool
    unreached: tuple[int, ...]
    parts: tuple[_Part, ...]
    stated: tuple[Stated, ...]
    decided: tuple[Decided, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """The number of each stated output; −1: released before."""
        return tuple(s.number for s in self.stated)

    @property
    def is_figure(self) -> tuple[bool, ...]:
        """Whether each stated output's inequalities are about its figures themselves."""
        return tuple(s.linear.is_figure for s in self.stated)

    @property
    def figures(self) -> tuple[Integers, ...]:
        """The figures of each stated output that the system speaks of."""
        return tuple(s.linear.figure for s in self.stated)

    def labels(self, groups: sparse.csr_array) -> list[str]:
        """What groups of cells are called: by the classes of each variable that not all of them are in."""
        return [self._label(groups.indices[a:b]) for a, b in pairwise(groups.indptr.tolist())]

    def unanswered(self, groups: sparse.csr_array, schema: Schema) -> list[Literal["all", "some", "none"]]:
        """Whether groups of cells are those with a missing value of some variable: all of these, some, or not."""
        found: list[Literal["all", "some", "none"]] = []
        for a, b in pairwise(groups.indptr.tolist()):
            cells = groups.indices[a:b]
            part = next(p for p in self.parts if p.start <= cells[0] < p.start + p.n_cells)
            inside = cells[cells < part.start + part.n_cells] - part.start
            without = [schema[name].is_missing[part.codes[name]] for name in part.names]
            sizes = [int(missing.sum()) for missing in without if missing[inside].all()]
            found.append("none" if not sizes else "all" if len(inside) in sizes else "some")
        return found

    def _label(self, cells: Integers) -> str:
        if len(cells) == 1:
            return self.system.cells[int(cells[0])]
        part = next(p for p in self.parts if p.start <= cells[0] < p.start + p.n_cells)
        inside = cells[cells < part.start + part.n_cells] - part.start
        texts = []
        for name in part.names:
            held = np.unique(part.class_of(name)[inside])
            if len(held) < part.shape[part.names.index(name)]:
                named = [part.texts[name][c] for c in held.tolist()]
                texts.append(" or ".join(named[:3]) + (" or …" if len(named) > 3 else ""))
        return " & ".join(texts) or "everybody"


@dataclass(frozen=True, eq=False)
class _Part:
    """Variables that span cells together. codes: for each cell a code of each variable; start: its first cell.

    texts: what the classes of each variable are called.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...]
    codes: dict[str, Integers]
    start: int
    texts: dict[str, list[str]]

    @property
    def n_cells(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def class_of(self, name: str) -> Integers:
        """The class of each cell."""
        return np.indices(self.shape).reshape(len(self.shape), -1)[self.names.index(name)]


def build(
    stated: Sequence[Stated],
    schema: Schema,
    n_rows: int | None,
    table: Table | None = None,
    summed: str | None = None,
) -> Partition:
    """The system of all stated figures, and of how many rows there are. table: the data, for a point that is known.

    summed: cells hold sums of this variable instead of people.
    """
    classes = classes_of((s.linear.block for s in stated), schema)
    needed = [_variables(s.linear) for s in stated]
    decided, classes = _decided(needed, classes, schema, table)
    sizes = {name: int(c.max(initial=0)) + 1 for name, c in classes.items()}
    needed = [_deciding(names, decided) for names in needed]
    unreached = tuple(i for i, names in enumerate(needed) if _joined(names, sizes) > MOST_ALONE)
    reached = [i for i in range(len(stated)) if i not in unreached]
    texts = {name: class_labels(schema[name], c) for name, c in classes.items()}
    parts = _parts([needed[i] for i in reached], classes, texts, decided)
    n_cells = sum(part.n_cells for part in parts)
    sums: list[sparse.csr_array] = [sparse.csr_array((0, n_cells))] * len(stated)
    for i in reached:
        part = next(p for p in parts if set(needed[i]) <= set(p.names))
        sums[i] = _totals(stated[i].linear, part, n_cells)
    lines, rows = _lines(stated, sums, reached)
    lines += _ties(parts, n_rows, n_cells)
    missed = tuple(stated[i].number for i in unreached)
    held = None if table is None else [_held(part, table, classes, summed) for part in parts]
    point = None if held is None else np.concatenate([np.zeros(0), *held])
    most = np.inf if n_rows is None else float(n_rows)
    least = 0.0 if summed is None or np.nanmin(schema[summed].numbers) >= 0 else -np.inf
    is_none = np.concatenate([np.zeros(0, dtype=bool), *(forbidden(part.names, classes, schema) for part in parts)])
    if point is not None:
        is_none &= point == 0
    system = System(
        sparse.csr_array(sparse.vstack([sparse.csr_array((0, n_cells)), *(line.matrix for line in lines)])),
        np.concatenate([np.zeros(0), *(line.low for line in lines)]),
        np.concatenate([np.zeros(0), *(line.high for line in lines)]),
        np.where(is_none, 0.0, least),
        np.where(is_none, 0.0, most),
        summed is None,
        tuple(name for line in lines for name in line.names),
        tuple(label for part in parts for label in _labels(part)),
        point,
    )
    return Partition(system, rows, tuple(sums), len(parts) == 1, missed, tuple(parts), tuple(stated), decided)


class _Lines(NamedTuple):
    """Some lines of the system: sums of cells, with their bounds and names."""

    matrix: sparse.csr_array
    low: Floats
    high: Floats
    names: list[str]


def _lines(
    stated: Sequence[Stated], sums: Sequence[sparse.csr_array], reached: Sequence[int]
) -> tuple[list[_Lines], tuple[Integers, ...]]:
    """The lines of every stated output that is reached, and where in the system each output's stand."""
    lines = []
    rows: list[Integers] = [np.zeros(0, dtype=np.int64)] * len(stated)
    n = 0
    for i in reached:
        one = stated[i]
        matrix = sparse.csr_array(one.linear.combine @ sums[i])
        rows[i] = n + np.arange(matrix.shape[0])
        n += matrix.shape[0]
        prefix = f"{one.name}: " if one.name else ""
        names = [prefix + one.labels[f] for f in one.linear.figure.tolist()]
        lines.append(_Lines(matrix, one.linear.low, one.linear.high, names))
    return lines, tuple(rows)


def _decided(
    needed: Sequence[tuple[str, ...]], classes: dict[str, Integers], schema: Schema, table: Table | None
) -> tuple[tuple[Decided, ...], dict[str, Integers]]:
    """Variables that others decide, and classes that say so; without those in whose place too many cells would come."""
    decided = find_decided(classes, schema, table)
    while decided:
        made = refined(classes, decided)
        sizes = {name: int(c.max(initial=0)) + 1 for name, c in made.items()}
        too_many = {
            way.coarser
            for names in needed
            for way in decided
            if way.coarser in names and _joined(_deciding(names, decided), sizes) > MOST_TOGETHER
        }
        if not too_many:
            return decided, made
        decided = tuple(way for way in decided if way.coarser not in too_many)
    return (), classes


def _deciding(names: tuple[str, ...], decided: Sequence[Decided]) -> tuple[str, ...]:
    """The variables with those in place of which others decide."""
    by = {way.coarser: way.finer for way in decided}
    return tuple(dict.fromkeys(by.get(name, name) for name in names))


def _variables(linear: Linear) -> tuple[str, ...]:
    block = linear.block
    terms = [*block.terms, *([block.weight] if block.weight is not None else [])]
    return tuple(dict.fromkeys(name for term in terms for name in term.variables))


def _parts(
    needed: Sequence[tuple[str, ...]],
    classes: dict[str, Integers],
    texts: dict[str, list[str]],
    decided: Sequence[Decided],
) -> list[_Part]:
    """The sets of variables that span cells together: all, or outputs joined while they stay small."""
    sizes = {name: len(labels) for name, labels in texts.items()}
    sets = [frozenset(names) for names in needed]
    sets = [s for i, s in enumerate(sets) if not any(s < t or (s == t and j < i) for j, t in enumerate(sets))]
    while len(sets) > 1:
        pairs = [(_joined(sorted(a | b), sizes), a, b) for a, b in combinations(sets, 2)]
        size, a, b = min(pairs, key=lambda p: (p[0], sorted(p[1] | p[2])))
        if size > MOST_TOGETHER:
            break
        sets = [s for s in sets if not s <= a | b] + [a | b]
    parts, start = [], 0
    for names in sorted(map(sorted, sets)):
        shape = tuple(sizes[name] for name in names)
        grid = np.indices(shape).reshape(len(shape), int(np.prod(shape, dtype=np.int64)))
        codes = {name: representatives(classes[name])[at] for name, at in zip(names, grid, strict=True)}
        codes |= {way.coarser: way.codes[codes[way.finer]] for way in decided if way.finer in names}
        parts.append(_Part(tuple(names), shape, codes, start, {name: texts[name] for name in names}))
        start += parts[-1].n_cells
    return parts


def _totals(linear: Linear, part: _Part, n_cells: int) -> sparse.csr_array:
    """(totals, cells): what each cell adds to the sums of an output."""
    block = linear.block
    codes = part.codes or {"": np.zeros(1, dtype=np.int64)}
    totals, cells, values = contributions(block, codes)
    return sparse.csr_array((values, (totals, part.start + cells)), shape=(block.n_totals, n_cells))


def _ties(parts: Sequence[_Part], n_rows: int | None, n_cells: int) -> list[_Lines]:
    """How many people there are in all, and the margins that two parts share."""
    found = []
    for part in parts:
        if n_rows is not None:
            everybody = np.zeros((1, n_cells))
            everybody[0, part.start : part.start + part.n_cells] = 1.0
            found.append(_equal(sparse.csr_array(everybody), float(n_rows), "number of rows"))
    for first, second in combinations(parts, 2):
        shared = [name for name in first.names if name in second.names]
        if shared or n_rows is None:
            a, b = (_margin(part, shared, n_cells) for part in (first, second))
            found.append(_equal(sparse.csr_array(a - b), 0.0, TIE))
    return found


def _equal(matrix: sparse.csr_array, value: float, name: str) -> _Lines:
    values = np.full(matrix.shape[0], value)
    return _Lines(matrix, values, values, [name] * int(matrix.shape[0]))


def _margin(part: _Part, shared: Sequence[str], n_cells: int) -> sparse.csr_array:
    """(classes of the shared variables, cells): which cells are in each."""
    number = np.zeros(part.n_cells, dtype=np.int64)
    size = 1
    for name in shared:
        width = part.shape[part.names.index(name)]
        number = number * width + part.class_of(name)
        size *= width
    at = number, part.start + np.arange(part.n_cells)
    return sparse.csr_array((np.ones(part.n_cells), at), shape=(size, n_cells))


def _labels(part: _Part) -> list[str]:
    columns = [[part.texts[name][c] for c in part.class_of(name).tolist()] for name in part.names]
    return [" & ".join(t for t in texts if t) or "everybody" for texts in zip(*columns, strict=True)] or ["everybody"]


def _held(part: _Part, table: Table, classes: dict[str, Integers], summed: str | None) -> Floats:
    """How many rows of the data each cell holds, or the sum of a variable over them."""
    number = np.zeros(table.n_rows, dtype=np.int64)
    for name, width in zip(part.names, part.shape, strict=True):
        number = number * width + classes[name][table[name]]
    if summed is None:
        return table.tally(number, part.n_cells).astype(np.float64)
    amounts = np.nan_to_num(table.schema[summed].numbers)[table[summed]]
    return np.bincount(number, amounts, minlength=part.n_cells).astype(np.float64)


def _joined(names: Sequence[str], sizes: dict[str, int]) -> int:
    """How many cells some variables span."""
    product = 1
    for name in names:
        product *= sizes[name]
    return product
