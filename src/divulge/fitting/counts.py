"""Outputs that are counts, as groups of possible combinations: each figure is how many people one group has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.fitting.combinations import Combinations, Grouping
from divulge.fitting.narrowing import Axes
from divulge.kernels.arrays import Integers
from divulge.outputs import Output, Released
from divulge.outputs.lowering.lowered import Term
from divulge.table import Schema


@dataclass(frozen=True)
class Rest:
    """People whom a condition leaves out, by what two tables share. pairs: the numbers of a group of everybody and of
    one of those whom the condition selects; the rest is one less the other."""

    names: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Counted:
    """One way in which people are grouped. number: of the output; −1: everybody, −2: the rest of a condition, −3: a
    granted marginal.

    axes: the table that it is, where nobody is left out but by a condition; where: the condition; marginal: of which
    variable.
    """

    number: int
    grouping: Grouping
    axes: Axes | None
    where: Term | None = None
    rest: Rest | None = None
    marginal: str | None = None


def groups_of(number: int, output: Output, released: Released, space: Combinations) -> list[Counted]:
    """The groups whose people the figures of an output count. It must be one that `are_counts`."""
    terms = _terms(output, released, space.schema)
    linear = output.linear(space.schema, released)
    assert terms is not None, "asked before"
    assert linear is not None, "it has terms"
    if _is_exact(output, released):
        # Margins follow from exact cells.
        terms = terms[:1]
    where, n = linear.block.weight, len(released.labels)
    return [
        Counted(number, _grouping(term, where, n, space), _axes(term, where, space.schema), where) for term in terms
    ]


def rests_of(groups: Sequence[Counted], space: Combinations) -> list[Counted]:
    """The people whom conditions leave out, as far as tables of everybody and of the others tell of them together."""
    pairs: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    where: Term | None = None
    for b, part in enumerate(groups):
        for a, whole in enumerate(groups):
            if part.axes is not None and whole.axes is not None and part.where is not None and whole.where is None:
                shared = tuple(name for name in part.axes.names if name in whole.axes.names)
                pairs.setdefault(shared, []).append((a, b))
                where = part.where
    if where is None:
        return []
    return [Counted(-2, _outside(where, names, space), None, None, Rest(names, tuple(p))) for names, p in pairs.items()]


def _outside(where: Term, names: tuple[str, ...], space: Combinations) -> Grouping:
    """People whom a condition does not select, by some variables."""
    own = Combinations(space.schema.select(names))
    by = {name: np.arange(own.schema[name].n_codes) * step for name, step in own.steps.items()}
    n_where, beside = len(where.index), _cells(where)
    nothing = {v.name: np.zeros(v.n_codes, dtype=np.int64) for v in space.schema}
    cells = {n: by.get(n, zero) * n_where + beside.get(n, zero) for n, zero in nothing.items()}
    group = np.where(where.index[None, :] < 0, np.arange(own.size)[:, None], -1).astype(np.int32).ravel()
    return space.grouping(cells, group, own.size)


def are_counts(output: Output, released: Released, schema: Schema) -> bool:
    """Whether figures say how many people are in groups, exactly or within bounds."""
    return _terms(output, released, schema) is not None


def can_be_together(outputs: Sequence[Output], released: Sequence[Released], schema: Schema) -> bool:
    """Whether scaling shows what these counts tell of one person together, however many people there are.

    What follows from one count less another shows at once only where that difference is a group of its own: that of
    everybody less one subpopulation is. Of several subpopulations or bands, or with withheld cells of people of whom
    some are left out, scaling would take ever longer.
    """
    wheres = {output.where for output in outputs}
    if len(outputs) == 1:
        return True
    if len(wheres - {None}) > 1 or any(output.coarser for output in outputs):
        return False
    pairs = list(zip(outputs, released, strict=True))
    if len(wheres) == 1 and all(_is_exact(o, r) for o, r in pairs):
        return True
    # Beside tables of everybody, those of a subpopulation have to be exact.
    are_plain = all(_are_tables(o, r, schema) for o, r in pairs)
    return are_plain and all(o.where is None or (_is_exact(o, r) and len(wheres) > 1) for o, r in pairs)


def _are_tables(output: Output, released: Released, schema: Schema) -> bool:
    """Whether nobody is left out but by a condition."""
    terms, linear = _terms(output, released, schema), output.linear(schema, released)
    if terms is None or linear is None:
        return False
    return all(_axes(term, linear.block.weight, schema) is not None for term in terms)


def _terms(output: Output, released: Released, schema: Schema) -> tuple[Term, ...] | None:
    """The terms of an output whose figures count people; None where it has others."""
    if output.weights is not None or output.growth != "extensive" or output.releases_rows:
        return None
    linear = output.linear(schema, released)
    if linear is None or not linear.is_figure or linear.summed or linear.block.link is not None:
        return None
    return linear.block.terms if all(map(_counts_people, linear.block.terms)) else None


def _counts_people(term: Term) -> bool:
    return bool((term.scale == 1).all()) and all(factor is None for factor in term.factors)


def _is_exact(output: Output, released: Released) -> bool:
    low, high = released.whole()
    may_withhold = output.threshold is not None or bool(output.suppressed)
    return output.method is None and not may_withhold and bool((low == high).all())


def _grouping(term: Term, where: Term | None, n_figures: int, space: Combinations) -> Grouping:
    """A combination's cell is that of the term and, where only some people count, of the condition beside it."""
    cells, group = _cells(term), term.index
    if where is not None:
        n_where = len(where.index)
        beside = _cells(where)
        nothing = {v.name: np.zeros(v.n_codes, dtype=np.int64) for v in space.schema}
        cells = {n: cells.get(n, zero) * n_where + beside.get(n, zero) for n, zero in nothing.items()}
        group = np.where(where.index[None, :] >= 0, group[:, None], -1).astype(np.int32).ravel()
    return space.grouping(cells, group, n_figures)


def _axes(term: Term, where: Term | None, schema: Schema) -> Axes | None:
    """The table that a term is, where nobody is left out but by a condition, and every value stands by itself."""
    if where is not None and any((cells < 0).any() for cells in where.cells):
        return None
    n_cells = len(term.index)
    shape = tuple(schema[name].n_codes for name in term.variables)
    first = int(term.index[0])
    is_plain = np.array_equal(term.index, first + np.arange(n_cells)) and int(np.prod(shape)) == n_cells
    if not is_plain or any((cells < 0).any() for cells in term.cells):
        return None
    return Axes(term.variables, shape, first)


def _cells(term: Term) -> Mapping[str, Integers]:
    """What each code of a variable adds to the cell; so little where it is in none that nothing makes up for it."""
    found: dict[str, Integers] = {}
    for name, cells in zip(term.variables, term.cells, strict=True):
        added = np.where(cells < 0, _NEVER, cells.astype(np.int64))
        found[name] = found.get(name, np.zeros(len(cells), dtype=np.int64)) + added
    return found


_NEVER = -(1 << 50)
"""Beyond any number of cells, and far from what 64 bits hold."""
