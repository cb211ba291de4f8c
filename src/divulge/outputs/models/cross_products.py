"""What least squares need of the rows: X'X, X'y, y'y, Σ y and how many they are, as sums that lower."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.glm import PIVOT, independent, solve_scaled
from divulge.outputs.lowering.lowered import Block, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.model import Model
from divulge.outputs.models.refit import pair_of_terms
from divulge.outputs.output import Output
from divulge.table import Schema


@dataclass(frozen=True, eq=False)
class CrossProducts:
    """The block, and how its totals are read. y is held between −1 and 1; scale: what 1 of it is in its own unit."""

    block: Block
    m: int
    scale: float

    @classmethod
    def of(cls, output: Output, model: Model, schema: Schema) -> CrossProducts:
        terms, m = model.design.terms, model.design.n_columns
        low, high = np.nanmin(model.y), np.nanmax(model.y)
        scale = max((high - low) / 2, np.finfo(float).tiny)
        y = (model.y - (low + high) / 2) / scale
        name = model.formula.response.variable
        n_pairs = m * (m + 1) // 2
        response = Term.lookup(name, y)
        pairs = [pair_of_terms(terms[a], terms[c]) for a in range(len(terms)) for c in range(a + 1)]
        crossed = [_times(term, response, n_pairs) for term in terms]
        rest = [Term.lookup(name, y**2, n_pairs + m), Term.lookup(name, y, n_pairs + m + 1)]
        rest.append(Term.constant(n_pairs + m + 2))
        weight = weight_term(output, schema, model.variables(None))
        return cls(Block((*pairs, *crossed, *rest), n_pairs + m + 3, weight=weight), m, float(scale))

    def rows(self, totals: Floats) -> float:
        return float(totals[-1])

    def square(self, totals: Floats) -> float:
        """y'y."""
        return float(totals[-3])

    def variation(self, totals: Floats) -> float:
        """Σ (y − ȳ)²."""
        return float(totals[-3] - totals[-2] ** 2 / max(totals[-1], 1.0))

    def explained(self, totals: Floats, columns: Integers | None = None) -> tuple[int, float]:
        """The rank of X'X, and y'X(X'X)⁻¹X'y, of all columns or some."""
        m = self.m
        square = np.zeros((m, m))
        n_pairs = m * (m + 1) // 2
        square[np.tril_indices(m)] = totals[:n_pairs]
        square = square + np.tril(square, -1).T
        crossed = totals[n_pairs : n_pairs + m]
        if columns is not None:
            square, crossed = square[np.ix_(columns, columns)], crossed[columns]
        return _explained(square, crossed)


def _times(term: Term, response: Term, offset: int) -> Term:
    """A term's columns multiplied by the response, behind `offset` other columns."""
    return Term(
        (*term.variables, *response.variables),
        (*term.cells, *response.cells),
        (*term.factors, *response.factors),
        np.where(term.index < 0, -1, term.index + offset).astype(np.int32),
        term.scale,
    )


def _explained(square: Floats, crossed: Floats) -> tuple[int, float]:
    # Central differences take some ten-thousandths off; a column with one row has far more.
    is_there = np.diagonal(square) > 1e-3 * min(1.0, float(np.diagonal(square).max(initial=0.0)))
    inside = square[np.ix_(is_there, is_there)]
    size = np.sqrt(np.diagonal(inside))
    keep = np.flatnonzero(is_there)[independent(np.ascontiguousarray(inside / size / size[:, None]), PIVOT)]
    solution = solve_scaled(square[np.ix_(keep, keep)], crossed[keep])
    return len(keep), np.nan if solution is None else float(solution @ crossed[keep])
