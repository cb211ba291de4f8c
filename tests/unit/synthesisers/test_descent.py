"""Descent on small tables: what it reproduces, what it says where it cannot, and what it never sees."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from divulge.demo import simulated_census
from divulge.errors import EmbedError, SpecError
from divulge.objective import Embedding, Objective, Outcome, Progress, Target
from divulge.objective import objective as objective_module
from divulge.objective.reproduction import reproduce
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.extremes import Extremes
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.output import Output
from divulge.outputs.released.reading import read_released
from divulge.synthesisers import Descent, embed_runs
from divulge.synthesisers.descent.last_digits import LastDigits
from divulge.synthesisers.descent.search import Search
from divulge.synthesisers.descent.start import start_codes
from divulge.table import Schema, Table, Variable
from tests.support.objectives import objective_of

CENSUS = simulated_census(n_rows=3000, seed=5)
FORMULA = "TENURE ~ AGE + C(AREAP, Treatment(57)) + LTILL + SEX"


def codes_of(embedding: Embedding) -> bytes:
    return b"".join(c.tobytes() for c in embedding.table.columns)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["uniform", "univariate", "model"])
def test_descent_reproduces_a_regression_and_a_crosstab_as_printed(start: str) -> None:
    objective = objective_of(
        CENSUS, Logistic(formula=FORMULA, decimals=4), Crosstab(variables=("TENURE", "MSTATUS"), margins=True)
    )
    found = Descent(start=start, seconds=60).embed(objective, 3000, 1)  # type: ignore[arg-type]
    assert found.outcome is Outcome.REPRODUCED
    assert all(one.is_complete for one in found.outputs)
    # Recomputed by the test itself, not by the search.
    for one in found.outputs:
        again = one.target.output.evaluate(found.table).values
        assert one.target.released.agrees(again).all()


@pytest.mark.parametrize("settings", [{}, {"mae": 0.01}, {"start": "model", "mae": 0.01}, {"seconds": 1e-9}])
def test_what_is_told_of_the_figures_is_what_the_data_give(settings: dict[str, Any]) -> None:
    output = Logistic(formula=FORMULA, decimals=3)
    found = Descent(**settings).embed(objective_of(CENSUS, output), CENSUS.n_rows, 3)
    np.testing.assert_array_equal(found.outputs[0].values, output.evaluate(found.table).values)


@pytest.mark.slow
def test_descent_reproduces_means_medians_and_extremes_of_numbers() -> None:
    objective = objective_of(
        CENSUS,
        Means(variables=("AGE",), by=("SEX",), decimals=2),
        Position(variables=("AGE",), by=("TENURE",)),
        Extremes(variables=("AGE",)),
        Frequencies(variables=("MSTATUS",)),
    )
    found = Descent(seconds=60).embed(objective, 3000, 2)
    assert {one.target.output.kind: one.is_complete for one in found.outputs} == {
        "means": True,
        "position": True,
        "extremes": True,
        "frequencies": True,
    }


WITHHELD = Crosstab(variables=("A", "B"), released=[50, None, None, 30, None, 18], threshold=10)


def withheld_objective() -> Objective:
    """98 of 100 rows are in cells that are shown: the three that are withheld hold two rows, one is empty."""
    schema = Schema(
        (Variable("A", "categorical", np.array(["a", "b"])), Variable("B", "categorical", np.array(["x", "y", "z"])))
    )
    released = read_released(WITHHELD, schema)
    assert released is not None
    return Objective(schema, (Target(WITHHELD, released),), {"A": np.full(2, 1 / 2), "B": np.full(3, 1 / 3)})


def test_a_crosstab_with_withheld_cells_is_expanded_exactly() -> None:
    drawn = set()
    for seed in range(20):
        found = Descent(start="model").embed(withheld_objective(), 100, seed)
        assert found.outcome is Outcome.REPRODUCED
        assert found.proposals == 0
        drawn.add(tuple(found.outputs[0].values))
    assert len(drawn) > 1  # two rows in three cells: six ways


@pytest.mark.parametrize("start", ["uniform", "univariate"])
def test_withheld_cells_may_be_at_an_end_of_their_interval(start: str) -> None:
    found = Descent(start=start, seconds=60).embed(withheld_objective(), 100, 1)  # type: ignore[arg-type]
    assert found.outcome is Outcome.REPRODUCED


@pytest.mark.slow
def test_many_counts_that_share_variables_are_met_without_lattices(monkeypatch: pytest.MonkeyPatch) -> None:
    def land(_: LastDigits) -> bool:
        raise AssertionError("every column moves more counts than a lattice takes")

    monkeypatch.setattr(LastDigits, "land", land)
    pairs = itertools.combinations(("ETHGROUP", "MSTATUS", "TENURE"), 2)
    objective = objective_of(CENSUS.take(slice(0, 500)), *(Crosstab(variables=pair) for pair in pairs))
    found = Descent(seconds=30).embed(objective, 500, 1)
    assert found.outcome is Outcome.REPRODUCED


def test_known_marginals_are_kept_to_within_sampling_error() -> None:
    # Two group means leave the sizes of the groups free; what keeps them is that their distribution is known.
    objective = objective_of(CENSUS, Means(variables=("AGE",), by=("SEX",), decimals=2))
    found = Descent(seconds=60).embed(objective, 3000, 2)
    assert found.outcome is Outcome.REPRODUCED
    for name in ("SEX", "AGE"):
        expected = CENSUS.frequencies(name)
        assert (np.abs(found.table.frequencies(name) - expected) <= 1 + 4 * np.sqrt(expected)).all()


def test_edit_rules_hold_in_every_row() -> None:
    assert CENSUS.schema.rules
    objective = objective_of(CENSUS, Crosstab(variables=("TENURE", "MSTATUS")))
    Descent().embed(objective, 3000, 3).table.check_rules()


def test_keep_univariate_keeps_every_marginal() -> None:
    schema = Schema(CENSUS.schema.variables)  # swaps alone cannot mend rows that break a rule
    table = Table(schema, CENSUS.columns)
    objective = objective_of(table, Crosstab(variables=("TENURE", "SEX")))
    found = Descent(keep="univariate", seconds=20).embed(objective, table.n_rows, 4)
    assert found.outcome is Outcome.REPRODUCED
    for name in table.names:
        assert found.table.frequencies(name).tolist() == table.frequencies(name).tolist()


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes_whatever_the_number_of_workers() -> None:
    objective = objective_of(CENSUS, Logistic(formula=FORMULA))
    alone = embed_runs(Descent(), objective, 3000, 7, runs=2, workers=1)
    shared = embed_runs(Descent(), objective, 3000, 7, runs=2, workers=2)
    assert [codes_of(e) for e in alone] == [codes_of(e) for e in shared]
    assert codes_of(alone[0]) != codes_of(alone[1])


@pytest.mark.slow
def test_order_of_the_original_rows_leaves_no_trace() -> None:
    shuffled = CENSUS.take(np.random.default_rng(1).permutation(CENSUS.n_rows))
    output = Logistic(formula=FORMULA)
    results = [Descent().embed(objective_of(t, output), 3000, 1) for t in (CENSUS, shuffled)]
    assert codes_of(results[0]) == codes_of(results[1])


@pytest.mark.slow
def test_another_table_with_the_same_outputs_and_marginals_gives_the_same_bytes() -> None:
    # MSTATUS is in no output: permuting it alone makes other people with the same outputs and marginals.
    moved = list(CENSUS.columns)
    at = CENSUS.schema.position("MSTATUS")
    moved[at] = np.random.default_rng(2).permutation(moved[at])
    other = Table(CENSUS.schema, tuple(moved))
    outputs = (Crosstab(variables=("TENURE", "SEX")), Logistic(formula=FORMULA))
    results = [Descent().embed(objective_of(t, *outputs), 3000, 1) for t in (CENSUS, other)]
    assert codes_of(results[0]) == codes_of(results[1])


def test_an_interruption_is_told_even_where_everything_is_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Search.run

    def interrupted_at_the_end(search: Search) -> Outcome:
        real(search)
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "run", interrupted_at_the_end)
    objective = objective_of(CENSUS, Frequencies(variables=("SEX",)))
    found = Descent().embed(objective, 3000, 1)
    assert all(output.is_complete for output in found.outputs)
    assert found.outcome is Outcome.INTERRUPTED


def test_an_interrupted_search_returns_the_best_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    objective = objective_of(CENSUS, Logistic(formula=FORMULA))
    found = Descent().embed(objective, 3000, 1, listener=interrupt)
    assert found.outcome is Outcome.INTERRUPTED
    assert found.table.n_rows == 3000


def test_progress_and_trace_tell_how_the_discrepancy_falls() -> None:
    seen: list[Progress] = []
    objective = objective_of(CENSUS, Logistic(formula=FORMULA))
    found = Descent().embed(objective, 3000, 1, listener=seen.append, snapshots=3)
    assert seen
    assert all(0 <= p.share <= 1 for p in seen)
    assert len(found.snapshots) <= 3
    assert found.trace[0].errors is not None
    assert [p.steps for p in found.trace] == sorted(p.steps for p in found.trace)


# What cannot be done ends with a status that says so.


def small(schema: Schema, *columns: list[int]) -> Table:
    return Table(schema, tuple(np.array(c) for c in columns))


TWO = Schema((Variable("A", "categorical", np.array([1, 2])), Variable("B", "categorical", np.array([1, 2]))))


def released(output: Output, values: list[float], schema: Schema = TWO) -> Target:
    table = small(schema, *[[0, 0, 1, 1]] * len(schema))
    shaped = output.publish(output.evaluate(table), schema)
    half = shaped.half
    numbers = np.array(values, dtype=float)
    changed = type(shaped)(shaped.labels, numbers, numbers - half, numbers + half, half, shaped.precision)
    return Target(output, changed)


def uniform(*targets: Target, schema: Schema = TWO) -> Objective:
    return Objective(schema, targets, {v.name: np.ones(v.n_codes) / v.n_codes for v in schema})


@pytest.mark.slow
def test_margins_that_disagree_are_never_called_reproduced() -> None:
    a, b = Frequencies(variables=("A",)), Crosstab(variables=("A", "B"))
    found = Descent(seconds=5).embed(uniform(released(a, [60, 40]), released(b, [10, 10, 40, 40])), 100, 1)
    assert found.outcome in (Outcome.STALLED, Outcome.OUT_OF_TIME)
    assert not found.is_complete
    assert "contradict" in Outcome.STALLED.sentence


@pytest.mark.slow
def test_a_table_that_does_not_add_up_to_the_rows_is_never_called_reproduced() -> None:
    found = Descent(seconds=5).embed(uniform(released(Frequencies(variables=("A",)), [60, 60])), 100, 1)
    assert not found.is_complete


def test_a_level_with_a_released_count_of_zero_stays_empty() -> None:
    found = Descent(seconds=5).embed(uniform(released(Crosstab(variables=("A", "B")), [0, 50, 50, 0])), 100, 1)
    assert found.outcome is Outcome.REPRODUCED
    assert not ((found.table["A"] == 0) & (found.table["B"] == 0)).any()


def test_one_row_is_enough() -> None:
    found = Descent(seconds=5).embed(uniform(released(Crosstab(variables=("A", "B")), [0, 0, 1, 0])), 1, 1)
    assert found.outcome is Outcome.REPRODUCED
    assert (found.table["A"][0], found.table["B"][0]) == (1, 0)


def test_one_variable_is_enough() -> None:
    schema = Schema(TWO.variables[:1])
    found = Descent().embed(uniform(released(Frequencies(variables=("A",)), [30, 70], schema), schema=schema), 100, 1)
    assert found.outcome is Outcome.REPRODUCED


def test_a_constant_variable_leaves_nothing_to_move() -> None:
    schema = Schema((Variable("A", "categorical", np.array([1])),))
    table = small(schema, [0, 0, 0])
    output = Frequencies(variables=("A",))
    objective = Objective(schema, (Target(output, output.publish(output.evaluate(table), schema)),), {"A": np.ones(1)})
    assert Descent().embed(objective, 3, 1).outcome is Outcome.REPRODUCED
    assert Descent().embed(objective, 4, 1).outcome is Outcome.NOTHING_TO_MOVE


SHARES = tuple(
    Crosstab(variables=(name, "SEX"), statistic="column percentages", decimals=1) for name in ("TENURE", "LTILL")
)


def test_start_has_percentages_as_printed_that_share_their_groups() -> None:
    # Of 113 people not every group has a size that can carry all the percentages: they are given such sizes.
    people = CENSUS.take(np.arange(113))
    objective = objective_of(people, *SHARES)
    codes = start_codes(objective, people.n_rows, "model", False, (1, 2, 0))
    assert all(one.is_complete for one in reproduce(objective, objective.table(codes)))


def test_percentages_means_and_standard_deviations_of_the_same_groups_are_met_together() -> None:
    people = CENSUS.take(np.arange(113))
    spread = Shape(variables=("AGE",), by=("SEX",), decimals=1)
    objective = objective_of(people, *SHARES, Means(variables=("AGE",), by=("SEX",), decimals=1), spread)
    assert Descent(start="model", seconds=60).embed(objective, people.n_rows, 1).is_complete


def test_reference_level_without_a_yes_is_embedded_as_printed() -> None:
    # Nobody of the reference level has the outcome, so that the intercept has no finite value, nor have other levels.
    owns = np.where(CENSUS["MSTATUS"] == 0, 0, CENSUS["TENURE"]).astype(CENSUS["TENURE"].dtype)
    position = CENSUS.names.index("TENURE")
    people = Table(CENSUS.schema, (*CENSUS.columns[:position], owns, *CENSUS.columns[position + 1 :]))
    output = Logistic(formula="TENURE ~ AGE + SEX + C(MSTATUS)", decimals=3)
    assert np.isinf(output.evaluate(people).values[0])
    found = Descent(start="model", seconds=60).embed(objective_of(people, output), people.n_rows, 1)
    assert found.is_complete


@pytest.mark.slow
def test_separated_coefficients_end_with_a_status() -> None:
    output = Logistic(formula="A ~ B")
    found = Descent(seconds=5).embed(uniform(released(output, [-30.0, 60.0])), 50, 1)
    assert found.outcome is not Outcome.REPRODUCED or found.is_complete


@pytest.mark.parametrize(
    ("settings", "where"),
    [({"mae": -1.0}, "mae"), ({"seconds": 0.0}, "seconds"), ({"start": "x"}, "start")],
)
def test_descent_rejects_settings_that_make_no_sense(settings: dict[str, object], where: str) -> None:
    with pytest.raises(SpecError) as caught:
        Descent(**settings)  # type: ignore[arg-type]
    assert caught.value.where == where


@pytest.mark.slow
def test_contradicting_rules_are_an_error_that_says_how_many_rows() -> None:
    schema = Schema(TWO.variables, ("A = 1", "A = 2"))
    with pytest.raises(EmbedError, match="20 of 20 rows could not be drawn"):
        Descent().embed(uniform(released(Frequencies(variables=("B",)), [10, 10], schema), schema=schema), 20, 1)


def test_many_rows_are_looked_at_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    objective = objective_of(CENSUS, Frequencies(variables=("MSTATUS",)))
    codes = np.column_stack(CENSUS.columns).astype(np.uint8)
    copied = objective.seen(codes)
    monkeypatch.setattr(objective_module, "MANY_ROWS", 3000)
    seen = objective.seen(codes)
    assert seen.equals(copied)
    assert all(np.shares_memory(column, codes) for column in seen.columns)
    assert not any(np.shares_memory(column, codes) for column in copied.columns)
    assert codes.flags.writeable
