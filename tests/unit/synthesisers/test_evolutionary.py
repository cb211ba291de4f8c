"""The evolutionary search: what it promises about its result, its settings and its way there."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from divulge.demo import simulated_census
from divulge.errors import SpecError
from divulge.objective import Embedding, Objective, Outcome, Progress, Target
from divulge.outputs import Output, read_released
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.custom import Custom
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position
from divulge.synthesisers import SYNTHESISERS, Evolutionary
from divulge.synthesisers.evolutionary.fitness import Fitness
from divulge.synthesisers.evolutionary.mutation import Stepped
from divulge.table import Schema, Table, Variable

CENSUS = simulated_census(600)
TABLE_OF_TENURE = Crosstab(variables=("TENURE", "SEX"), statistic="proportions")
REGRESSION = Logistic(formula="TENURE ~ AGE + C(LTILL) + C(SEX)")


def objective_of(*outputs: Output, table: Table = CENSUS) -> Objective:
    targets = tuple(Target(o, o.publish(o.evaluate(table), table.schema)) for o in outputs)
    return Objective(table.schema, targets, {v.name: table.frequencies(v.name) / len(table) for v in table.schema})


def small(**settings: object) -> Evolutionary:
    usual: dict[str, object] = {"population": 8, "generations": 40, "threads": 1}
    return Evolutionary(**usual | settings)  # type: ignore[arg-type]


def codes_of(embedding: Embedding) -> list[bytes]:
    return [column.tobytes() for column in embedding.table.columns]


def test_defaults_are_the_settings_of_the_paper() -> None:
    paper = Evolutionary()
    assert Evolutionary in SYNTHESISERS
    assert (paper.start, paper.population, paper.generations) == ("uniform", 32, 2000)
    assert (paper.crossover, paper.crossover_record, paper.mutation) == (0.8, 0.1, Stepped(0.005, 3, 250))
    assert (paper.replacement, paper.mutate_from, paper.units) == ("elitist", "marginal", "figures")


@pytest.mark.slow
def test_errors_fall_and_are_reported_exactly() -> None:
    objective = objective_of(REGRESSION, TABLE_OF_TENURE)
    before = small(generations=0).embed(objective, 600, 1)
    after = small(generations=150).embed(objective, 600, 1)
    for early, late in zip(before.outputs, after.outputs, strict=True):
        assert late.mse < 0.1 * early.mse
        exact = late.target.output.evaluate(after.table).values
        np.testing.assert_array_equal(late.values, exact)
    assert after.outcome is Outcome.FINISHED
    # The fitness is the weighted sum of the exact errors, linearised at a table much like this one: estimates from 600
    # rows are curved enough for a tenth of an error, which a square doubles.
    assert after.discrepancy == pytest.approx(sum(r.mse for r in after.outputs), rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 5])
def test_same_seed_gives_the_same_bytes_whatever_the_number_of_threads(threads: int) -> None:
    objective = objective_of(REGRESSION, TABLE_OF_TENURE)
    alone = small().embed(objective, 600, 3, run=2)
    together = small(threads=threads).embed(objective, 600, 3, run=2)
    assert codes_of(alone) == codes_of(together)
    assert [p.discrepancy for p in alone.trace] == [p.discrepancy for p in together.trace]


def test_known_marginals_are_kept_by_the_draws_alone() -> None:
    plain = objective_of(REGRESSION, TABLE_OF_TENURE)
    held = Objective(plain.schema, plain.targets, plain.marginals, known=plain.schema.names, n_rows=600)
    assert len(held.lowered) > len(held.of_outputs().lowered) == 2
    found = [codes_of(small().embed(objective, 600, 1)) for objective in (plain, held)]
    assert found[0] == found[1]


def test_other_seed_or_run_gives_another_dataset() -> None:
    objective = objective_of(TABLE_OF_TENURE)
    settings = small(generations=5)
    found = [codes_of(settings.embed(objective, 600, s, run=r)) for s, r in ((1, 0), (2, 0), (1, 1))]
    assert len({tuple(f) for f in found}) == 3


def test_elitist_search_never_gets_worse() -> None:
    # Proportions are linear, so the fitness means the same in every generation. 599 rows cannot have them exactly.
    found = small(generations=80).embed(objective_of(TABLE_OF_TENURE), 599, 1)
    fitness = np.array([p.discrepancy for p in found.trace])
    assert (
        np.diff(fitness) <= 1e-12 * fitness[0]
    ).all()  # totals are summed anew each time, so their last digit varies
    assert fitness[-1] < fitness[0]
    assert found.proposals == 8 * 80


def test_generational_search_may_get_worse() -> None:
    settings = small(replacement="generational", mutation=0.05, generations=80)
    fitness = np.array([p.discrepancy for p in settings.embed(objective_of(TABLE_OF_TENURE), 600, 1).trace])
    assert (np.diff(fitness) > 0).any()


def test_edit_rules_hold_in_the_result() -> None:
    found = small(mutation=0.05, mutate_from="uniform").embed(objective_of(REGRESSION), 600, 1)
    found.table.check_rules()
    assert CENSUS.schema.rules


def test_reproduced_output_ends_the_search() -> None:
    counts = Crosstab(variables=("SEX",))
    found = small(start="univariate", generations=2000, mutation=0.02).embed(objective_of(counts), 600, 1)
    assert found.outcome is Outcome.REPRODUCED
    assert found.is_complete
    assert found.proposals < 8 * 2000


def test_error_that_is_small_enough_ends_the_search() -> None:
    found = small(generations=2000, mae=0.05).embed(objective_of(REGRESSION), 600, 1)
    assert found.outputs[0].mae <= 0.05
    assert found.outcome is Outcome.NEAR_ENOUGH
    assert not found.is_complete
    assert found.proposals < 8 * 2000


def test_time_allowed_ends_the_search() -> None:
    found = small(generations=10**6, seconds=0.2).embed(objective_of(REGRESSION), 600, 1)
    assert found.outcome is Outcome.OUT_OF_TIME
    assert found.seconds < 5


def test_output_weights_decide_which_error_falls() -> None:
    def found(weight: float) -> Embedding:
        table = Crosstab(variables=("TENURE", "MSTATUS"), statistic="proportions", weight=weight)
        return small(generations=120).embed(objective_of(REGRESSION, table), 600, 1)

    for_table, for_model = found(1e4), found(1e-4)
    assert for_table.outputs[1].mse < 0.5 * for_model.outputs[1].mse
    assert for_model.outputs[0].mse < 0.5 * for_table.outputs[0].mse


def test_interruption_keeps_the_best_so_far() -> None:
    seen: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 30:
            raise KeyboardInterrupt

    objective = objective_of(TABLE_OF_TENURE)
    found = small(generations=1000, threads=2).embed(objective, 600, 1, listener=interrupt)
    assert found.outcome is Outcome.INTERRUPTED
    assert found.discrepancy == pytest.approx(seen[-1].discrepancy)
    assert found.outputs[0].mse == pytest.approx(found.discrepancy)
    assert found.discrepancy < seen[0].discrepancy


def test_progress_says_how_much_time_is_left() -> None:
    seen: list[Progress] = []
    start = time.perf_counter()
    small(generations=60).embed(objective_of(REGRESSION), 600, 1, listener=seen.append)
    taken = time.perf_counter() - start
    assert seen[0].seconds_left is None
    assert [p.share for p in seen] == pytest.approx(np.linspace(0, 1, 61))
    assert seen[-1].seconds_left == 0
    assert seen[30].seconds_left is not None
    # Half-way, what is left is about half of it all; a busy machine may halve or double that.
    assert 0.1 * taken < seen[30].seconds_left < taken


def test_snapshots_are_spread_from_the_first_generation_to_the_last() -> None:
    found = small(generations=40).embed(objective_of(REGRESSION), 600, 1, snapshots=5)
    taken = [p for p in found.trace if p.errors is not None]
    assert [p.steps for p in taken] == [0, 80, 160, 240, 320]
    assert len(found.snapshots) == 5
    assert taken[-1].errors == pytest.approx(tuple(r.mae for r in found.outputs))
    assert found.snapshots[-1].equals(found.table)


@pytest.mark.slow
def test_custom_output_is_computed_for_every_child(tmp_path: Path) -> None:
    code = "def age_gap(people):\n    m = people.groupby('TENURE')['AGE'].mean()\n    return {'gap': m['1'] - m['0']}\n"
    (tmp_path / "functions.py").write_text(code, encoding="utf-8")
    gap = Custom(function="functions.py:age_gap", figures=("gap",)).allowed(tmp_path)
    seen: list[Progress] = []
    objective = objective_of(gap, TABLE_OF_TENURE)
    settings = small(population=6, generations=30)
    found = settings.embed(objective, 200, 1, listener=seen.append)
    early = small(population=6, generations=0).embed(objective, 200, 1)
    assert found.outputs[0].mse + found.outputs[1].mse < 0.5 * (early.outputs[0].mse + early.outputs[1].mse)
    assert found.discrepancy == pytest.approx(sum(r.mse for r in found.outputs), rel=1e-6)
    assert "slow" in seen[-1].stage


def test_custom_output_that_fails_everywhere_ends_with_a_status(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(people):\n    raise ValueError('no')\n", encoding="utf-8")
    broken = Custom(function="broken.py:f", figures=("x",), released={"x": 2.0}).allowed(tmp_path)
    released = read_released(broken, CENSUS.schema, tmp_path, 100)
    assert released is not None
    marginals = {v.name: CENSUS.frequencies(v.name) / len(CENSUS) for v in CENSUS.schema}
    objective = Objective(CENSUS.schema, (Target(broken, released),), marginals)
    found = small(population=4, generations=3).embed(objective, 100, 1)
    assert found.outcome is Outcome.FINISHED
    assert found.discrepancy == 9.0  # off by its own size and 1


def test_fitness_is_the_mean_squared_error_to_first_order() -> None:
    objective = objective_of(REGRESSION, Means(variables=("AGE",), by=("SEX",)))
    near = small(start="univariate", generations=150).embed(objective, 600, 1).table
    other = near.take(np.r_[np.arange(5, 600), np.arange(5)])  # the same rows in another order
    moved = Table(near.schema, tuple(np.where(np.arange(600) < 3, c[::-1], c) for c in near.columns))
    codes = np.column_stack([c.astype(np.uint8) for c in near.columns])
    fitness = Fitness.at(objective, objective.totals(codes), near, "figures")

    def mse(table: Table) -> float:
        return sum(
            float(np.mean((t.output.evaluate(table).values - t.released.values) ** 2)) for t in objective.targets
        )

    for table, tolerance in ((near, 1e-9), (other, 1e-9), (moved, 0.2)):
        totals = objective.totals(np.column_stack([c.astype(np.uint8) for c in table.columns]))
        assert fitness.of(totals) == pytest.approx(mse(table), rel=tolerance)
    assert mse(moved) != pytest.approx(mse(near), rel=0.2)


def test_standard_units_balance_outputs_of_different_size() -> None:
    ages, shares = Means(variables=("AGE",), by=("MSTATUS",)), TABLE_OF_TENURE
    own = small(generations=150).embed(objective_of(ages, shares), 600, 1)
    standard = small(generations=150, units="standard").embed(objective_of(ages, shares), 600, 1)
    # Years are large numbers and shares small ones: in their own units the shares hardly count.
    assert standard.outputs[1].mse < own.outputs[1].mse


def test_inequalities_and_suppressed_cells_can_be_embedded() -> None:
    withheld = Crosstab(variables=("MSTATUS", "LTILL"), threshold=20)
    median = Position(variables=("AGE",), by=("SEX",))
    objective = objective_of(withheld, median)
    before = small(generations=0).embed(objective, 600, 1)
    after = small(generations=200).embed(objective, 600, 1)
    assert after.discrepancy < 0.1 * before.discrepancy
    assert np.isfinite(after.discrepancy)


@pytest.mark.parametrize("n_rows", [1, 2])
def test_tiny_tables_end_with_a_status(n_rows: int) -> None:
    found = small(generations=5).embed(objective_of(REGRESSION, TABLE_OF_TENURE), n_rows, 1)
    assert found.outcome is Outcome.FINISHED
    assert found.table.n_rows == n_rows


def test_constant_variables_leave_nothing_to_move() -> None:
    schema = Schema((Variable("X", "categorical", np.array(["a"])), Variable("Y", "categorical", np.array(["b", "c"]))))
    table = Table(schema, (np.zeros(20, np.uint8), np.ones(20, np.uint8)))
    output = Crosstab(variables=("X", "Y"), released=[20, 0])
    target = Target(output, output.publish(output.evaluate(table), schema))
    objective = Objective(schema, (target,), {"X": np.ones(1), "Y": np.array([1.0, 0.0])})
    found = small().embed(objective, 20, 1)
    assert found.outcome is Outcome.NOTHING_TO_MOVE
    assert not found.is_complete


@pytest.mark.parametrize("population", [2, 3, 7])
def test_odd_and_small_populations_work(population: int) -> None:
    found = small(population=population, generations=30).embed(objective_of(TABLE_OF_TENURE), 600, 1)
    assert found.discrepancy < found.trace[0].discrepancy
    assert found.proposals == 30 * (population + population % 2)


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"start": "model"}, "start"),
        ({"population": 1}, "population"),
        ({"population": 2.5}, "population"),
        ({"generations": -1}, "generations"),
        ({"crossover": 1.2}, "crossover"),
        ({"crossover_record": -0.1}, "crossover_record"),
        ({"mutation": 3}, "mutation"),
        ({"replacement": "lottery"}, "replacement"),
        ({"mutate_from": "thin air"}, "mutate_from"),
        ({"units": "miles"}, "units"),
        ({"threads": 0}, "threads"),
        ({"seconds": -1}, "seconds"),
        ({"mae": "small"}, "mae"),
    ],
)
def test_settings_reject_what_they_cannot_use(settings: dict[str, object], where: str) -> None:
    with pytest.raises(SpecError) as caught:
        Evolutionary(**settings)  # type: ignore[arg-type]
    assert caught.value.where == where
