"""Scores as kernels sum them: a score that is no plain y − μ is a sum of pieces that are.

A piece is Σ rows of weight · factors(codes) · m(scale · η + offset(codes)), times each column of the design or by
itself. With m one of 1, η, 1/(1 + e^−η) and its slope, e^η and log(1 + e^η), and with functions of the response looked
up from its codes, the scores of Gamma, negative binomial, ordered logit, Weibull and Cox models are exact sums over
rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.lowering import NOTHING
from divulge.outputs.lowering.lowered import Block, Family, Link, Moment, Term
from divulge.outputs.models.design import Design

M = Literal["one", "eta", "sigmoid", "bump", "exp", "softplus"]

_LINKS: Mapping[M, tuple[Family, Moment, float]] = {
    # With a response of 0 the kernels' score is −μ and their log-likelihood −log(1 + e^η).
    "one": ("identity", "information", 1.0),
    "eta": ("identity", "score", -1.0),
    "sigmoid": ("logistic", "score", -1.0),
    "bump": ("logistic", "information", 1.0),
    "exp": ("poisson", "information", 1.0),
    "softplus": ("logistic", "loglikelihood", -1.0),
}


@dataclass(frozen=True, eq=False)
class Piece:
    """One part of the score. parameter: the further parameter whose score it is part of; −1: the coefficients'.

    factors, offsets: numbers for every code of a variable, NaN: the row takes no part. chosen: a variable, and for each
    of its codes the further parameter instead (−1: none), so that a piece may be of all thresholds at once.
    """

    m: M
    factors: Mapping[str, Floats]
    scale: float = 1.0
    offsets: Mapping[str, Floats] = field(default_factory=dict)
    parameter: int = -1
    chosen: tuple[str, Integers] | None = None

    def parameters(self, design: Design) -> Integers:
        """The numbers of the scores that its totals are part of: coefficients first, then further parameters."""
        p = design.n_columns
        if self.chosen is not None:
            return p + np.arange(int(self.chosen[1].max()) + 1)
        return np.arange(p) if self.parameter < 0 else np.array([p + self.parameter])

    def block(self, design: Design, beta: Floats, weight: Term | None) -> Block:
        family, moment, sign = _LINKS[self.m]
        n = design.n_columns
        shifts = tuple(Term.lookup(name, values, n) for name, values in self.offsets.items())
        link = Link(family, (*design.terms, *shifts), Term.constant(0, 0.0), np.append(self.scale * beta, 1.0), moment)
        terms = design.terms if self.parameter < 0 else (Term.constant(),)
        if self.chosen is not None:
            name, number = self.chosen
            cells, index = np.arange(len(number), dtype=np.int32), number.astype(np.int32)
            terms = (Term((name,), (cells,), (None,), index, np.ones(len(number))),)
        return Block(tuple(times(t, self.factors, sign) for t in terms), len(self.parameters(design)), link, weight)


def times(term: Term, factors: Mapping[str, Floats], sign: float = 1.0) -> Term:
    """A term multiplied by functions of variables."""
    names, cells, values = list(term.variables), list(term.cells), list(term.factors)
    for name, numbers in factors.items():
        known = np.isfinite(numbers)
        names.append(name)
        cells.append(np.where(known, 0, NOTHING).astype(np.int32))
        values.append(np.where(known, numbers, 0.0))
    return Term(tuple(names), tuple(cells), tuple(values), term.index, sign * term.scale)


def crossed(outer: Term, term: Term, p: int) -> Term:
    """A column for each column of an outer term (a group, a bin of time) and each of the design: outer · p + column."""
    size = len(term.index)
    scaled = tuple(np.where(cells < 0, NOTHING, cells * size).astype(np.int32) for cells in outer.cells)
    index = np.where(
        (term.index[None, :] < 0) | (outer.index[:, None] < 0), -1, outer.index[:, None] * p + term.index[None, :]
    ).ravel()
    return Term(
        (*outer.variables, *term.variables),
        (*scaled, *term.cells),
        (*outer.factors, *term.factors),
        index.astype(np.int32),
        np.tile(term.scale, len(outer.index)),
    )


def combine(pieces: tuple[Piece, ...], design: Design, n_extra: int) -> Floats:
    """Which totals of the pieces add up to which score, (coefficients + further parameters, totals)."""
    p = design.n_columns
    parts = []
    for piece in pieces:
        rows = piece.parameters(design)
        part = np.zeros((p + n_extra, len(rows)))
        part[rows, np.arange(len(rows))] = 1.0
        parts.append(part)
    return np.concatenate(parts, axis=1)
