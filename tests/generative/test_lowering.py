"""The compiled additive form equals its definition, for every family and moment, on random tables and terms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.lowering import NOTHING
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term, pack, row_codes
from divulge.outputs.lowering.residuals import DiagonalResiduals
from divulge.table import Schema, Table, Variable
from tests.reference import lowering as reference

SIZES = {"A": 3, "B": 4, "C": 2, "D": 5}
FAMILIES = ("identity", "logistic", "poisson", "multinomial")
MOMENTS = ("score", "information", "loglikelihood")


def _table(rng: np.random.Generator, n_rows: int) -> Table:
    schema = Schema(tuple(Variable(n, "categorical", np.arange(k)) for n, k in SIZES.items()))
    return Table(schema, tuple(rng.integers(0, k, n_rows) for k in SIZES.values()))


def _term(rng: np.random.Generator, names: list[str], n_columns: int) -> Term:
    """A term over some variables: now and then a missing level, a reference level, factors away from 0 and 1."""
    levels = [rng.integers(-1 if rng.random() < 0.3 else 0, SIZES[n], SIZES[n]) for n in names]
    n_cells = int(np.prod([int(level.max(initial=0)) + 1 for level in levels]))
    return Term.cross(
        names,
        levels,
        index=rng.integers(-1, n_columns, n_cells),
        scale=rng.normal(1.5, 1.0, n_cells),
        factors=[rng.normal(2.0, 1.0, SIZES[n]) if rng.random() < 0.5 else None for n in names],
    )


def _names(rng: np.random.Generator) -> list[str]:
    return list(rng.choice(list(SIZES), rng.integers(0, 3), replace=False))


def _lowered(rng: np.random.Generator, family: str | None, moment: str) -> Lowered:
    n_columns = 4
    terms = tuple(_term(rng, _names(rng), n_columns) for _ in range(3))
    weight = _term(rng, ["D"], 1) if rng.random() < 0.5 else None
    link = None
    if family is not None:
        n_classes = 2 if family == "multinomial" else 1
        response = _term(rng, ["C"], n_classes + 1)
        beta = rng.normal(0, 0.3, (n_classes, n_columns)) if family == "multinomial" else rng.normal(0, 0.3, n_columns)
        predictor = terms if rng.random() < 0.5 else tuple(_term(rng, _names(rng), n_columns) for _ in range(2))
        if family == "multinomial":
            classes = rng.integers(0, n_classes + 1, 2)
            response = Term.cross(["C"], [np.array([0, 1])], index=classes)
        link = Link(family, predictor, response, beta, moment)  # type: ignore[arg-type]
    block = Block(terms, n_columns, link, weight)
    n = block.n_totals
    return Lowered((block,), rng.normal(3, 1, n), DiagonalResiduals(np.ones(n)), -np.ones(n), np.ones(n), np.ones(n))


@pytest.mark.slow
@pytest.mark.parametrize("family", [None, *FAMILIES])
@pytest.mark.parametrize("moment", MOMENTS)
@given(seed=st.integers(0, 10**6))
def test_totals_equal_their_definition(family: str | None, moment: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, lowered = _table(rng, 12), _lowered(rng, family, moment)
    np.testing.assert_allclose(lowered.totals(table), reference.totals(lowered, table), rtol=1e-10, atol=1e-10)


@given(seed=st.integers(0, 10**6))
def test_outputs_packed_together_have_the_totals_of_each(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = _table(rng, 9)
    outputs = [_lowered(rng, family, "score") for family in (None, "logistic", "multinomial")]
    together = pack(outputs, table.schema).totals(row_codes(table))
    apart = np.concatenate([o.totals(table) + o.constants for o in outputs])
    np.testing.assert_allclose(together, apart, rtol=1e-12, atol=1e-12)


def test_a_missing_value_takes_the_row_out_of_a_model_but_a_reference_level_does_not() -> None:
    schema = Schema((Variable("X", "categorical", np.arange(3)), Variable("Y", "numeric", np.arange(2))))
    table = Table(schema, (np.array([0, 1, 2]), np.array([1, 1, 1])))
    # Level 0 is the reference, level 1 has column 1, level 2 is missing.
    level = Term(("X",), (np.array([0, 1, NOTHING], np.int32),), (None,), np.array([-1, 1], np.int32), np.ones(2))
    terms = (Term.constant(0), level)
    link = Link("identity", terms, Term.lookup("Y", np.arange(2.0)), np.array([0.25, 0.5]))
    lowered = Lowered(
        (Block(terms, 2, link),), np.zeros(2), DiagonalResiduals(np.ones(2)), -np.ones(2), np.ones(2), np.ones(2)
    )
    # Row 0: 1 − 0.25 to the constant; row 1: 1 − 0.75 to both; row 2 adds nothing.
    assert lowered.totals(table).tolist() == [1.0, 0.25]
