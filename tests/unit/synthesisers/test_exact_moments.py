"""Linear models of whole numbers with more digits than any response has: sums of products are chosen first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from divulge.kernels.randomness import stream
from divulge.objective import Objective, Outcome, Target
from divulge.objective.knowledge import granted
from divulge.objective.log import Log
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.output import Output
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.exact_moments import ExactMoments
from divulge.synthesisers.descent.start import start_codes
from divulge.table import Schema, Table, Variable

SIZES = {"a": 60, "b": 12, "c": 200, "d": 2, "e": 40, "g": 5}


def people(n: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    codes = {name: rng.integers(0, size, n) for name, size in SIZES.items()}
    lean = sum(code / SIZES[name] for name, code in codes.items())
    y = np.clip(np.round(rng.normal(40 + 8 * lean, 12)), 0, 120).astype(np.int64)
    variables = [Variable(name, "numeric", tuple(range(size))) for name, size in SIZES.items()]
    schema = Schema((Variable("y", "numeric", tuple(range(121))), *variables))
    return Table(schema, tuple(np.asarray(c, v.dtype) for c, v in zip([y, *codes.values()], schema, strict=True)))


def objective_for(table: Table, *outputs: Output) -> Objective:
    targets = [Target(o, o.publish(o.evaluate(table), table.schema)) for o in outputs]
    counts = {name: table.frequencies(name).astype(float) for name in table.names}
    knowledge = granted(table.schema, targets, "marginals", counts)
    return Objective(table.schema, tuple(targets), knowledge.marginals, knowledge.known, table.n_rows)


def candidate_of(objective: Objective, n: int, seed: int) -> Candidate:
    codes = start_codes(objective, n, "model", False, (seed,))
    return Candidate(Descent(), objective, codes, stream(seed), Log(None, 0))


# With given predictors a response has these figures with chances of 2^-87, 2^-153 and 2^-119.
@pytest.mark.parametrize(("n", "significant"), [(240, 6), (240, 8), (2000, 8)])
def test_ten_coefficients_are_as_printed_at_more_digits_than_responses_have(n: int, significant: int) -> None:
    table = people(n, n)  # seed: any
    output = Linear(formula="y ~ a + b + c + d + e + C(g)", significant=significant)
    objective = objective_for(table, output)
    for seed in (1, 2):  # any
        found = Descent(start="model", seconds=300).embed(objective, n, seed)
        assert found.outcome is Outcome.REPRODUCED
        assert objective.targets[0].released.agrees(output.evaluate(found.table).values).all()


@pytest.mark.parametrize("formula", ["y ~ a + I(a**2) + b", "y ~ 0 + a + b + C(g)", "y ~ a * d + b"])
def test_squares_groups_and_products_are_met_too(formula: str) -> None:
    table = people(500, 5)  # seed: any
    output = Linear(formula=formula, significant=8)
    found = Descent(start="model", seconds=300).embed(objective_for(table, output), 500, 1)
    assert found.outcome is Outcome.REPRODUCED


def test_variables_of_other_outputs_stay_and_rows_outside_a_condition_too() -> None:
    table = people(400, 6)  # seed: any
    model = Linear(formula="y ~ a + b + c + C(g)", significant=8, where="e >= 10")
    objective = objective_for(table, model, Crosstab(variables=("g", "b")))
    candidate = candidate_of(objective, 400, 1)
    candidate.codes[:] = np.stack(table.columns, axis=1)
    candidate.codes[:50, 0] = np.clip(candidate.codes[:50, 0] + 3 * (-1) ** np.arange(50), 0, 120)
    before = candidate.codes.copy()
    assert ExactMoments(candidate).land()
    moved = {table.names[v] for v in np.flatnonzero((candidate.codes != before).any(axis=0))}
    assert moved == {"y", "a", "c"}
    outside = np.asarray(table["e"]) < 10
    assert np.array_equal(candidate.codes[outside], before[outside])


@pytest.mark.parametrize("what", ["few digits", "weights", "shared response", "no interval"])
def test_it_is_not_asked_where_it_cannot_help(what: str) -> None:
    table = people(300, 7)  # seed: any
    digits, weights = 3 if what == "few digits" else 8, "e" if what == "weights" else None
    outputs: list[Output] = [Linear(formula="y ~ a + c", significant=digits, weights=weights)]
    if what == "shared response":
        outputs.append(Crosstab(variables=("y",)))
    objective = objective_for(table, *outputs)
    if what == "no interval":
        (target,) = objective.targets
        anything = np.full(len(target.released.values), np.inf)
        released = replace(target.released, low=-anything, high=anything)
        objective = replace(objective, targets=(replace(target, released=released),))
    candidate = candidate_of(objective, 300, 1)
    before = candidate.codes.copy()
    assert not ExactMoments(candidate).land()
    assert np.array_equal(candidate.codes, before)
