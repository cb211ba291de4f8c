"""Which codes of a variable no figure tells apart: the coarsest partition that all figures speak of."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.lowering.lowered import Block, Term
from divulge.table import Schema, Variable


def _terms_of(block: Block) -> list[Term]:
    """The terms of a block without a link, and what it weights rows with."""
    return [*block.terms, *([block.weight] if block.weight is not None else [])]


def classes_of(blocks: Iterable[Block], schema: Schema) -> dict[str, Integers]:
    """For each variable that a block speaks of, the class of each code; codes of a class are alike to every block."""
    signatures: dict[str, list[Floats]] = {}
    for block in blocks:
        for term in _terms_of(block):
            for v, name in enumerate(term.variables):
                signatures.setdefault(name, []).append(_signature(term, v))
    found = {}
    for name, parts in signatures.items():
        _, classes = np.unique(np.concatenate(parts, axis=1), axis=0, return_inverse=True)
        # In the order of their first codes, so that names of cells come in the order of values.
        first = np.full(int(classes.max(initial=0)) + 1, len(classes))
        np.minimum.at(first, classes.ravel(), np.arange(len(classes)))
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        found[name] = rank[classes.ravel()]
        assert len(found[name]) == schema[name].n_codes, "a class for every code"
    return found


def _signature(term: Term, v: int) -> Floats:
    """(codes, …): all that the term makes of a code of its variable v, whatever the other variables are."""
    cells = term.cells[v].astype(np.int64)
    others = np.zeros(1, dtype=np.int64)
    for w, more in enumerate(term.cells):
        if w != v:
            known = np.unique(more[more >= 0]).astype(np.int64)
            others = np.unique((others[:, None] + known).ravel()) if len(known) else others
    at = np.maximum(cells, 0)[:, None] + others
    index = np.where(cells[:, None] < 0, -2, term.index[np.minimum(at, len(term.index) - 1)]).astype(float)
    scale = np.where(index < 0, 0.0, term.scale[np.minimum(at, len(term.scale) - 1)])
    factors = term.factors[v]
    factor = np.where((index >= 0).any(axis=1), 1.0 if factors is None else factors, 0.0)
    return np.concatenate([_compact(index), _compact(scale), factor[:, None]], axis=1)


def _compact(values: Floats) -> Floats:
    """One column that says which rows are alike."""
    # By their bytes: a row may be as long as there are values of a number. Adding 0 makes −0 the same as 0.
    seen: dict[bytes, int] = {}
    return np.array([[seen.setdefault(row.tobytes(), len(seen))] for row in values + 0.0], dtype=float).reshape(-1, 1)


_TOLD = 25
"""Values up to which those of a number are told, as those of a category are."""


def class_labels(variable: Variable, classes: Integers) -> list[str]:
    """What each class is called: `SEX=f`, `AGE=18…29`, or nothing where there is one class.

    Of a number with many values each may be one person's: classes are numbered from low to high, and no value is told.
    """
    n = int(classes.max(initial=0)) + 1
    if n == 1:
        return [""]
    if variable.kind == "numeric" and variable.n_values > _TOLD:
        place = np.argsort(np.argsort(representatives(classes)))
        return [f"{variable.name} in part {k + 1:,} of {n:,}, from low to high" for k in place.tolist()]
    texts = [text or "missing" for text in variable.texts]
    labels = []
    for c in range(n):
        codes = np.flatnonzero(classes == c)
        shown = [texts[i] for i in codes.tolist()]
        is_run = len(codes) > 2 and bool((np.diff(codes) == 1).all()) and variable.kind == "numeric"
        text = f"{shown[0]}…{shown[-1]}" if is_run else ", ".join(shown[:4]) + (", …" if len(shown) > 4 else "")
        labels.append(f"{variable.name}={text}")
    return labels


def representatives(classes: Integers) -> Integers:
    """One code of each class."""
    return np.unique(classes, return_index=True)[1].astype(np.int64)


def contributions(block: Block, codes: dict[str, Integers]) -> tuple[Integers, Integers, Floats]:
    """(totals, cells, values): what a person with the codes of each cell adds to each total. codes: one per cell."""
    n = len(next(iter(codes.values())))
    weight, is_in = np.ones(n), np.ones(n, dtype=bool)
    if block.weight is not None:
        index, weight = _places(block.weight, codes, n)
        is_in = index >= 0
    nothing = np.zeros(0, dtype=np.int64)
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], Floats]] = [(nothing, nothing, np.zeros(0))]
    for term in block.terms:
        index, value = _places(term, codes, n)
        kept = np.flatnonzero(is_in & (index >= 0) & (value * weight != 0))
        found.append((index[kept], kept, (value * weight)[kept]))
    totals, cells, values = zip(*found, strict=True)
    return np.concatenate(totals), np.concatenate(cells), np.concatenate(values)


def _places(term: Term, codes: dict[str, Integers], n: int) -> tuple[Integers, Floats]:
    """The column of each cell (negative: none) and its value."""
    cell = np.zeros(n, dtype=np.int64)
    is_known = np.ones(n, dtype=bool)
    value = np.ones(n)
    for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
        part = cells[codes[name]].astype(np.int64)
        is_known &= part >= 0
        cell += np.maximum(part, 0)
        if factors is not None:
            value = value * factors[codes[name]]
    index = np.where(is_known, term.index[cell], -1).astype(np.int64)
    return index, value * term.scale[cell]
