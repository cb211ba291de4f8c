"""Totals of amounts: cells hold sums of a variable, not people. As τ-ARGUS and sdcTable audit magnitude tables.

An amount has too many possible values to tell people apart by them, so sums are unknowns themselves, at least zero
where no value is below. Every interval holds the true one: which values are possible, and how many people there are,
is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge.audit.partition import Partition, Stated, build
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Term
from divulge.table import Schema, Table

FEW_VALUES = 40
"""A variable with at most so many possible values is audited by who has which of them; others by their sums."""


def is_amount(linear: Linear, schema: Schema) -> bool:
    """Whether an output's figures are plain sums of variables with many possible values."""
    return bool(linear.summed) and any(schema[name].n_values > FEW_VALUES for name in set(linear.summed))


def build_sums(stated: Sequence[Stated], schema: Schema, table: Table | None, variable: str) -> Partition:
    """The system of one variable's sums; outputs that do not sum it have no rows in it."""
    chosen = [replace(s, linear=_without_values(s.linear, variable)) for s in stated]
    return build(chosen, schema, None, table, summed=variable)


def _without_values(linear: Linear, variable: str) -> Linear:
    """The same sums with every value 1, of one variable alone."""
    mine = np.flatnonzero(np.array(linear.summed) == variable)
    terms = tuple(_plain(t, variable) for t in linear.block.terms if _sums(t, variable))
    block = Block(terms, linear.block.n_columns, weight=linear.block.weight)
    return replace(
        linear,
        block=block,
        combine=linear.combine[mine],
        low=linear.low[mine],
        high=linear.high[mine],
        figure=linear.figure[mine],
    )


def _sums(term: Term, variable: str) -> bool:
    return any(n == variable and f is not None for n, f in zip(term.variables, term.factors, strict=True))


def _plain(term: Term, variable: str) -> Term:
    """The term without the variable whose values it takes; who has none of them is left in, and adds nothing."""
    kept = [i for i, (n, f) in enumerate(zip(term.variables, term.factors, strict=True)) if n != variable or f is None]
    return Term(
        tuple(term.variables[i] for i in kept),
        tuple(term.cells[i] for i in kept),
        tuple(term.factors[i] for i in kept),
        term.index,
        term.scale,
    )
