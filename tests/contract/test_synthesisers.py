"""Every synthesiser keeps the promises of its room, on ordinary outputs and on impossible ones."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from divulge.demo import simulated_census
from divulge.objective import Embedding, Objective, Outcome, Progress, Target
from divulge.objective.knowledge import granted
from divulge.outputs import Output, read_released
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.logistic import Logistic
from divulge.record import dumps
from divulge.synthesisers import SYNTHESISERS, Synthesiser
from divulge.table import Schema, Table, Variable

CENSUS = simulated_census(400)
CELLS = Crosstab(variables=("TENURE", "SEX"))
MODEL = Logistic(formula="TENURE ~ AGE + SEX", decimals=4)

SMALL: dict[str, dict[str, Any]] = {
    "descent": {},  # it ends by itself; a limit of time would make results depend on the machine
    "evolutionary": {"population": 6, "generations": 30, "threads": 1},
}
"""Settings that end soon. A new synthesiser needs a line here."""

LONG: dict[str, dict[str, Any]] = {"descent": {}, "evolutionary": {"mutation": 0.05, "threads": 1}}
"""Settings that reach a crosstab of a few rows."""

EVERY = pytest.mark.parametrize("kind", [s.kind for s in SYNTHESISERS])


def made(kind: str, settings: dict[str, dict[str, Any]]) -> Synthesiser:
    return next(s for s in SYNTHESISERS if s.kind == kind)(**settings[kind])


def small(kind: str) -> Synthesiser:
    return made(kind, SMALL)


def objective_of(table: Table, *outputs: Output) -> Objective:
    # Without standard errors, which 400 rows hardly ever give to the last digit.
    targets = tuple(Target(o, replace(o.publish(o.evaluate(table), table.schema), se=None)) for o in outputs)
    counts = {n: table.frequencies(n).astype(float) for n in table.names}
    return Objective(table.schema, targets, granted(table.schema, targets, "marginals", counts).marginals)


def released_as(schema: Schema, n_rows: int, *outputs: Output) -> Objective:
    """Outputs with the numbers that they name, however impossible together."""
    targets = []
    for output in outputs:
        released = read_released(output, schema, None, n_rows, together=False)
        assert released is not None
        targets.append(Target(output, released))
    return Objective(schema, tuple(targets), granted(schema, targets, "nothing").marginals)


def codes_of(embedding: Embedding) -> list[bytes]:
    return [column.tobytes() for column in embedding.table.columns]


def check_honest(found: Embedding) -> None:
    """What is said of the result is what its table gives."""
    for output in found.outputs:
        exact = output.target.output.evaluate(found.table).values
        np.testing.assert_array_equal(exact, output.values)
        np.testing.assert_array_equal(output.agrees, output.target.released.agrees(exact))
    assert (found.outcome is Outcome.REPRODUCED) == found.is_complete


def two_values(*names: str) -> Schema:
    return Schema(tuple(Variable(name, "categorical", np.array(["a", "b"])) for name in names))


@EVERY
def test_every_setting_has_a_default_and_a_help_text(kind: str) -> None:
    synthesiser = next(s for s in SYNTHESISERS if s.kind == kind)
    for field in fields(synthesiser):
        assert "Annotated[" in str(field.type), field.name
    assert synthesiser() == synthesiser()
    hash(synthesiser())


@pytest.mark.slow
@EVERY
def test_same_seed_gives_the_same_bytes_and_other_seeds_and_runs_others(kind: str) -> None:
    objective = objective_of(CENSUS, MODEL)
    first, again, seed, run = (
        codes_of(small(kind).embed(objective, 400, s, run=r)) for s, r in ((1, 0), (1, 0), (2, 0), (1, 1))
    )
    assert first == again
    assert len({tuple(first), tuple(seed), tuple(run)}) == 3


@pytest.mark.slow
@EVERY
def test_result_is_on_the_schema_with_as_many_rows_as_asked_for(kind: str) -> None:
    found = small(kind).embed(objective_of(CENSUS, MODEL, CELLS), 350, 1)
    assert found.table.schema == CENSUS.schema
    assert found.table.n_rows == 350
    found.table.check_rules()
    check_honest(found)


@pytest.mark.slow
@EVERY
def test_errors_are_smaller_than_those_of_the_start(kind: str) -> None:
    people = simulated_census(5000)
    found = small(kind).embed(objective_of(people, MODEL, CELLS), 5000, 1, snapshots=1)
    assert len(found.snapshots) == 1
    first = found.trace[0]
    assert first.errors is not None
    assert sum(output.mae for output in found.outputs) < sum(first.errors)
    assert found.proposals > 0
    assert found.accepted > 0


@pytest.mark.slow
@EVERY
def test_order_of_the_original_rows_leaves_no_trace(kind: str) -> None:
    shuffled = CENSUS.take(np.random.default_rng(1).permutation(400))
    found = [codes_of(small(kind).embed(objective_of(t, MODEL, CELLS), 400, 1)) for t in (CENSUS, shuffled)]
    assert found[0] == found[1]


@EVERY
def test_another_original_with_the_same_outputs_and_marginals_leaves_no_trace(kind: str) -> None:
    # The crosstab looks at two columns; the others are shuffled apart from these, which keeps all that is released.
    rng = np.random.default_rng(2)
    columns = tuple(
        column if name in CELLS.variables else rng.permutation(column)
        for name, column in zip(CENSUS.names, CENSUS.columns, strict=True)
    )
    other = Table(CENSUS.schema, columns)
    assert not other.equals(CENSUS)
    found = [codes_of(small(kind).embed(objective_of(t, CELLS), 400, 1)) for t in (CENSUS, other)]
    assert found[0] == found[1]


@EVERY
def test_another_original_with_the_same_model_and_marginals_leaves_no_trace(kind: str) -> None:
    # Of the columns that the model looks at, whole rows are shuffled; the others go their own ways.
    rng = np.random.default_rng(3)
    order = rng.permutation(400)
    columns = tuple(
        column[order] if name in ("TENURE", "AGE", "SEX") else rng.permutation(column)
        for name, column in zip(CENSUS.names, CENSUS.columns, strict=True)
    )
    other = Table(CENSUS.schema, columns)
    found = [codes_of(small(kind).embed(objective_of(t, MODEL), 400, 1)) for t in (CENSUS, other)]
    assert found[0] == found[1]


@EVERY
def test_inputs_are_left_as_they_were(kind: str) -> None:
    objective = objective_of(CENSUS, MODEL, CELLS)
    before = [a.copy() for a in (*objective.marginals.values(), objective.program.ints, objective.program.floats)]
    small(kind).embed(objective, 400, 1)
    after = [*objective.marginals.values(), objective.program.ints, objective.program.floats]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


@EVERY
def test_progress_goes_forward_and_interruption_keeps_the_best_so_far(kind: str) -> None:
    seen: list[Progress] = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            raise KeyboardInterrupt

    found = small(kind).embed(objective_of(simulated_census(3000), MODEL, CELLS), 3000, 1, listener=stop)
    assert found.outcome in (Outcome.INTERRUPTED, Outcome.REPRODUCED)
    assert seen[0].share <= seen[-1].share <= 1
    check_honest(found)


@EVERY
def test_result_can_be_written_as_json(kind: str) -> None:
    found = small(kind).embed(objective_of(CENSUS, MODEL, CELLS), 400, 1)
    document = json.loads(dumps(found.as_json()))
    assert document["status"] == str(found.outcome)
    assert [o["kind"] for o in document["outputs"]] == ["logistic", "crosstab"]


ENDS_SHORT = {"descent": Outcome.STALLED, "evolutionary": Outcome.FINISHED}
"""How each says that it did not get there. A new synthesiser needs a line here."""


@pytest.mark.slow
@EVERY
def test_crosstabs_whose_margins_disagree_are_never_reproduced(kind: str) -> None:
    first = Crosstab(variables=("X", "Y"), released=[10, 10, 10, 10])
    second = Crosstab(variables=("X",), released=[30, 10])
    found = small(kind).embed(released_as(two_values("X", "Y"), 40, first, second), 40, 1)
    assert found.outcome is ENDS_SHORT[kind]
    check_honest(found)


@pytest.mark.slow
@EVERY
def test_coefficients_that_no_data_of_this_size_give_are_never_reproduced(kind: str) -> None:
    # Six rows of two groups: every log-odds is the logarithm of one of a few fractions, none of them 0.1234.
    model = Logistic(formula="Y ~ X", decimals=4, released=[0.1234, 0.4321])
    found = small(kind).embed(released_as(two_values("X", "Y"), 6, model), 6, 1)
    assert found.outcome is ENDS_SHORT[kind]
    assert not found.outputs[0].agrees.any()
    check_honest(found)


@pytest.mark.slow
@EVERY
def test_coefficients_of_separated_data_end_with_a_status(kind: str) -> None:
    model = Logistic(formula="Y ~ X", decimals=1, released=[-25.0, 50.0])
    found = small(kind).embed(released_as(two_values("X", "Y"), 30, model), 30, 1)
    assert found.outcome is ENDS_SHORT[kind]
    check_honest(found)


@EVERY
def test_level_with_a_released_count_of_zero_is_left_empty(kind: str) -> None:
    cells = Crosstab(variables=("X", "Y"), released=[10, 0, 15, 5])
    found = made(kind, LONG).embed(released_as(two_values("X", "Y"), 30, cells), 30, 1)
    assert found.outcome is Outcome.REPRODUCED
    assert found.outputs[0].values[1] == 0
    check_honest(found)


@pytest.mark.slow
@EVERY
def test_model_of_a_level_that_nobody_has_ends_with_a_status(kind: str) -> None:
    counts = Crosstab(variables=("X",), released=[30, 0])
    model = Logistic(formula="Y ~ X", decimals=2, released=[0.5, 0.5])
    found = small(kind).embed(released_as(two_values("X", "Y"), 30, counts, model), 30, 1)
    assert found.outcome is ENDS_SHORT[kind]
    check_honest(found)


@EVERY
def test_single_variable_is_enough(kind: str) -> None:
    objective = released_as(two_values("X"), 30, Crosstab(variables=("X",), released=[21, 9]))
    found = made(kind, LONG).embed(objective, 30, 1)
    assert found.outcome is Outcome.REPRODUCED
    check_honest(found)


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("n_rows", [1, 3])
def test_few_rows_end_with_a_status(kind: str, n_rows: int) -> None:
    found = small(kind).embed(objective_of(CENSUS, MODEL, CELLS), n_rows, 1)
    assert found.table.n_rows == n_rows
    assert found.outcome is ENDS_SHORT[kind]
    check_honest(found)


@EVERY
def test_one_row_can_be_reproduced(kind: str) -> None:
    objective = released_as(two_values("X"), 1, Crosstab(variables=("X",), released=[0, 1]))
    found = made(kind, LONG).embed(objective, 1, 1)
    assert found.outcome is Outcome.REPRODUCED
    check_honest(found)


@EVERY
def test_constant_variable_leaves_nothing_to_move(kind: str) -> None:
    schema = Schema((Variable("X", "categorical", np.array(["a"])),))
    found = small(kind).embed(released_as(schema, 5, Crosstab(variables=("X",), released=[3])), 5, 1)
    assert found.outcome is Outcome.NOTHING_TO_MOVE
    check_honest(found)
