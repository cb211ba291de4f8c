"""The search keeps its books: totals, residuals and discrepancy are those of the codes, whatever was proposed."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels import search
from divulge.kernels.behind import n_behind, rows_behind
from divulge.kernels.changes import Goal, Work
from divulge.kernels.pool import Pool
from divulge.kernels.randomness import alias_table, draw_codes, next_code, stream
from divulge.kernels.rules import keeps_rules
from divulge.objective import Objective, Target
from divulge.objective.moves import moves_of
from divulge.objective.rules import rules_of
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.means import Means
from divulge.outputs.output import Output
from divulge.synthesisers.descent.pairs import _best_moves
from divulge.synthesisers.descent.start import start_codes
from divulge.table import Schema, Table, Variable
from tests.reference.lowering import adds_to

SCHEMA = Schema(
    (
        Variable("AGE", "numeric", np.arange(10, 40), missing=(None,)),
        Variable("SEX", "categorical", np.array(["f", "m"], dtype=object)),
        Variable("AREA", "categorical", np.array([57, 58, 59])),
    ),
    ("AGE < 20 -> AREA != 59",),
)


def _objective(seed: int, n_rows: int = 60) -> tuple[Objective, Table]:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 31, n_rows)
    area = np.where(age < 10, rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows))
    table = Table(SCHEMA, (age, rng.integers(0, 2, n_rows), area))
    outputs: list[Output] = [
        Crosstab(variables=("SEX", "AREA")),
        Means(variables=("AGE",), by=("SEX",), decimals=2),
        Crosstab(variables=("AREA",), statistic="percentages", decimals=1),
    ]
    targets = tuple(Target(o, o.publish(o.evaluate(table), SCHEMA)) for o in outputs)
    marginals = {v.name: (table.frequencies(v.name) + 0.5) / (n_rows + 0.5 * v.n_codes) for v in SCHEMA}
    return Objective(SCHEMA, targets, marginals), table


@given(seed=st.integers(0, 10**6), swaps=st.sampled_from([0.0, 0.4, 1.0]), temperature=st.sampled_from([0.0, 3.0]))
def test_descend_keeps_totals_residuals_and_discrepancy_of_the_codes(
    seed: int, swaps: float, temperature: float
) -> None:
    objective, _ = _objective(seed)
    codes = start_codes(objective, 60, "univariate", False, (seed, 0))
    totals = objective.totals(codes)
    view = objective.linearise(totals, objective.table(codes))
    moves = moves_of(objective, swaps)._replace(peers=np.argsort(codes[:, 0], kind="stable"))
    before, first = view.discrepancy(), codes.copy()
    state = search.State(codes, totals, view.residuals, stream(seed, 1))
    work = Work.of(len(totals), view.n_residuals)
    _, kept, now = search.descend(
        objective.program.blocks(), moves, rules_of(objective), view.metric, state, work, 2000, temperature
    )
    np.testing.assert_allclose(totals, objective.totals(codes), atol=1e-8)
    fresh = objective.linearise(objective.totals(first), objective.table(first)).at(totals)
    np.testing.assert_allclose(view.residuals, fresh.residuals, atol=1e-7)
    np.testing.assert_allclose(now, view.discrepancy(), rtol=1e-6, atol=1e-6)
    if temperature == 0.0:
        assert now <= before
        assert kept > 0 or np.array_equal(codes, first)
    if swaps == 1.0:
        assert all(np.array_equal(np.sort(codes[:, j]), np.sort(first[:, j])) for j in range(3))


@given(seed=st.integers(0, 10**6))
def test_rows_behind_totals_are_those_that_add_to_them(seed: int) -> None:
    objective, table = _objective(seed)
    blocks, n = objective.program.blocks(), objective.program.n_blocks
    codes = np.column_stack([table[name] for name in SCHEMA.names])
    adds = [adds_to(output, table) for output in objective.lowered]
    expected = np.concatenate(adds, axis=1)
    np.testing.assert_array_equal(n_behind(blocks, n, codes, expected.shape[1]), expected.sum(axis=0))
    wanted = np.random.default_rng(seed).random(expected.shape[1]) < 0.2
    np.testing.assert_array_equal(
        rows_behind(blocks, n, codes, wanted), np.flatnonzero(expected[:, wanted].any(axis=1))
    )


@given(seed=st.integers(0, 10**6))
def test_compiled_rules_are_those_of_the_schema(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = ("AGE < 20 -> AREA != 59", "not (SEX = f and AREA = 57) or AGE >= 30", "AGE is missing -> SEX = m")
    schema = Schema(SCHEMA.variables, rules)
    codes = np.column_stack([rng.integers(0, v.n_codes, 50) for v in schema]).astype(np.uint8)
    table = Table(schema, tuple(codes[:, j] for j in range(3)))
    marginals = {v.name: np.ones(v.n_codes) for v in schema}
    compiled = rules_of(Objective(schema, (), marginals))
    broken = np.any([rule.broken(table) for rule in schema.parsed_rules()], axis=0)
    assert [not keeps_rules(compiled, codes, i) for i in range(50)] == broken.tolist()


@given(seed=st.integers(0, 10**6))
def test_best_moves_are_the_best_single_move_or_pair_of_the_pool(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = Pool(np.arange(8), np.full(8, -1), np.zeros(8, int), np.zeros(8, int), rng.normal(0, 1, (8, 3)))
    residuals, weight = rng.normal(0, 2, 3), rng.uniform(0.5, 2, 3)
    exactly = np.zeros(3)

    def left(*chosen: int) -> float:
        return float(weight @ (residuals + sum(pool.shifts[k] for k in chosen)) ** 2)

    everything = [(i,) for i in range(8)] + [(i, j) for i in range(8) for j in range(i)]
    best = min(left(*chosen) for chosen in everything)
    found = _best_moves(pool, 8, Goal(weight, exactly, exactly), residuals)
    if best >= left():
        assert found == ()
    else:
        assert left(*found) <= best * (1 + 1e-9)


def test_alias_table_draws_each_code_as_often_as_it_should() -> None:
    share = np.array([0.5, 0.0, 0.2, 0.05, 0.25])
    threshold, alias = alias_table(share)
    codes = np.empty((200_000, 1), dtype=np.uint8)
    draw_codes(stream(7), threshold, alias, codes, 0)
    found = np.bincount(codes[:, 0], minlength=5) / len(codes)
    # Four standard errors of the largest share; a code of probability 0 never comes.
    np.testing.assert_allclose(found, share, atol=4 * np.sqrt(0.25 / len(codes)))
    assert found[1] == 0.0
    assert next_code(stream(7), threshold, alias, 0, 5) == codes[0, 0]


def test_streams_are_fixed() -> None:
    # The bytes of every synthetic table rest on these numbers: a change here changes every result.
    codes = np.empty((6, 1), dtype=np.uint8)
    draw_codes(stream(1, 2, 3), *alias_table(np.ones(10)), codes, 0)
    assert codes[:, 0].tolist() == [1, 6, 0, 0, 2, 0]
