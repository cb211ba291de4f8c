"""Children of the evolutionary search have the totals of the rows that they are made of, whatever made them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.demo import simulated_census
from divulge.kernels import evolution
from divulge.kernels.randomness import next_uniform, stream
from divulge.objective.objective import Objective, Target
from divulge.objective.rules import rules_of
from divulge.outputs import Output
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.lowering.lowered import row_codes
from divulge.synthesisers.evolutionary.crossover import cross
from divulge.synthesisers.evolutionary.fitness import Fitness
from divulge.synthesisers.evolutionary.mutation import mutate, redraw
from tests.reference import evolution as reference

TABLE = simulated_census(300)
OUTPUTS: tuple[Output, ...] = (
    Logistic(formula="TENURE ~ AGE + C(AREAP) + SEX:LTILL"),
    Crosstab(variables=("TENURE", "MSTATUS"), margins=True),
    Crosstab(variables=("SEX", "LTILL"), statistic="row percentages", where="AGE >= 18"),
    Means(variables=("AGE",), by=("SEX",)),
)
OBJECTIVE = Objective(
    TABLE.schema,
    tuple(Target(o, o.publish(o.evaluate(TABLE), TABLE.schema)) for o in OUTPUTS),
    {v.name: TABLE.frequencies(v.name) / len(TABLE) for v in TABLE.schema},
)
SEEDS = st.integers(0, 2**32 - 1)
SHARES = st.floats(0, 1)


def parents(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = row_codes(TABLE)
    return rows[rng.integers(0, len(rows), n)], rows[rng.integers(0, len(rows), n)]


def as_rows(codes: np.ndarray) -> list[tuple[int, ...]]:
    return sorted(map(tuple, codes.tolist()))


@given(SEEDS, SHARES, SHARES)
def test_totals_after_crossover_and_mutation_equal_totals_from_scratch(
    seed: int, row_share: float, rate: float
) -> None:
    a, b = parents(seed)
    totals = OBJECTIVE.totals(a), OBJECTIVE.totals(b)
    children = np.empty_like(a), np.empty_like(b)
    moved = np.empty_like(totals[0]), np.empty_like(totals[1])
    draws = stream(seed, 1)
    cross(OBJECTIVE.program, (a, b), totals, children, moved, 0.8, row_share, draws)
    for child, found in zip(children, moved, strict=True):
        mutate(OBJECTIVE.program, redraw(OBJECTIVE, "marginal"), rules_of(OBJECTIVE), child, found, rate, draws)
        # A few hundred additions of numbers up to some thousand leave about 1e-11 of rounding.
        np.testing.assert_allclose(found, OBJECTIVE.totals(child), atol=1e-8)


@given(SEEDS, SHARES)
def test_two_children_have_the_rows_of_two_parents(seed: int, row_share: float) -> None:
    a, b = parents(seed)
    children = np.empty_like(a), np.empty_like(b)
    totals = OBJECTIVE.totals(a), OBJECTIVE.totals(b)
    moved = totals[0].copy(), totals[1].copy()
    n = cross(OBJECTIVE.program, (a, b), totals, children, moved, 1.0, row_share, stream(seed))
    assert as_rows(np.concatenate(children)) == as_rows(np.concatenate([a, b]))
    draws = stream(seed)
    next_uniform(draws)  # says whether to cross at all
    room = np.empty(len(a), dtype=np.int64)
    chosen = room[: evolution.choose_rows(draws, evolution.jump_scale(row_share), len(a), room)]
    others = np.setdiff1d(np.arange(len(a)), chosen)
    assert n == len(chosen)
    np.testing.assert_array_equal(children[0], np.concatenate([a[chosen], b[others]]))
    np.testing.assert_array_equal(children[1], np.concatenate([b[chosen], a[others]]))


@given(SEEDS, SHARES)
def test_mutation_keeps_edit_rules(seed: int, rate: float) -> None:
    codes, _ = parents(seed)
    OBJECTIVE.table(codes).check_rules()
    totals = OBJECTIVE.totals(codes)
    mutate(OBJECTIVE.program, redraw(OBJECTIVE, "uniform"), rules_of(OBJECTIVE), codes, totals, rate, stream(seed))
    OBJECTIVE.table(codes).check_rules()


@given(SEEDS, st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_parents_of_a_pair_differ_and_the_worst_of_three_never_wins(seed: int, fitness: list[float]) -> None:
    found = np.empty((20, 2), dtype=np.int64)
    evolution.choose_parents(np.array(fitness), stream(seed), found)
    assert (found[:, 0] != found[:, 1]).all()
    assert found.min() >= 0
    assert found.max() < len(fitness)
    worst = int(np.argmax(fitness))
    if len(fitness) > 2 and fitness.count(fitness[worst]) == 1:
        assert worst not in found


@given(SEEDS, st.sampled_from([0.0, 0.003, 0.2, 0.97, 1.0]))
def test_rows_are_chosen_once_and_in_order(seed: int, share: float) -> None:
    room = np.full(500, -1, dtype=np.int64)
    n = evolution.choose_rows(stream(seed), evolution.jump_scale(share), 500, room)
    assert (np.diff(room[:n]) > 0).all()
    assert (room[n:] == -1).all()
    assert share > 0 or n == 0
    assert share < 1 or n == 500


REGRESSION = Logistic(formula="TENURE ~ AGE + C(SEX) + C(LTILL) + C(AREAP)")
LARGER = simulated_census(2000)
MODEL = Objective(
    LARGER.schema,
    (Target(REGRESSION, REGRESSION.publish(REGRESSION.evaluate(LARGER), LARGER.schema)),),
    {v.name: LARGER.frequencies(v.name) / len(LARGER) for v in LARGER.schema},
)


@settings(max_examples=5)
@given(SEEDS)
def test_fitness_of_a_child_is_that_of_dummies_and_a_refit(seed: int) -> None:
    parent = row_codes(LARGER)
    totals = MODEL.totals(parent)
    fitness = Fitness.at(MODEL, totals, LARGER, "figures")
    child, found = parent.copy(), totals.copy()
    mutate(MODEL.program, redraw(MODEL, "marginal"), rules_of(MODEL), child, found, 0.02, stream(seed))
    frame = MODEL.table(child).to_pandas()
    refit = reference.coefficients(frame, "TENURE", ["AGE"], {"SEX": 1, "LTILL": 1, "AREAP": 57})
    released = dict(zip(refit, _in_their_order(MODEL.targets[0].released.values), strict=True))
    wanted = reference.mean_squared_error(refit, released)
    # First order: about a tenth of the coefficients' change is bent.
    assert fitness.of(found) == pytest.approx(wanted, rel=0.2)
    assert wanted > 0


def _in_their_order(values: np.ndarray) -> list[float]:
    """Ours: constant, SEX, LTILL, AREAP's six, AGE. Theirs: constant, numbers, then dummies in the order asked for."""
    by_label = dict(zip(REGRESSION.labels(LARGER.schema), values.tolist(), strict=True))
    order = ["Intercept", "AGE", "C(SEX)[T.2]", "C(LTILL)[T.2]", *[f"C(AREAP)[T.{k}]" for k in range(58, 64)]]
    return [by_label[label] for label in order]
