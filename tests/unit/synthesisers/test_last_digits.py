"""The last digits: what single moves leave is landed by lattice, and no search goes round and round."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels.randomness import stream
from divulge.objective import Enough, Objective, Outcome, Target
from divulge.objective.log import Log
from divulge.objective.reproduction import reproduce
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.lowering.sizes import nearest_sizes
from divulge.outputs.released.precision import Precision, printed
from divulge.synthesisers import Descent
from divulge.synthesisers.descent import search
from divulge.synthesisers.descent.candidate import Candidate
from divulge.synthesisers.descent.last_digits import LastDigits
from divulge.synthesisers.descent.proposed import apart, useful
from divulge.synthesisers.descent.start import start_codes
from divulge.table import Schema, Table, Variable
from tests.support.objectives import objective_of


def table_of(**columns: np.ndarray) -> Table:
    """Whole numbers as numeric variables with all values between, words as categories."""
    variables, codes = [], []
    for name, values in columns.items():
        if values.dtype.kind == "U":
            levels = tuple(np.unique(values).tolist())
            variables.append(Variable(name, "categorical", levels))
            codes.append(np.searchsorted(levels, values))
        else:
            variables.append(Variable(name, "numeric", tuple(range(int(values.min()), int(values.max()) + 1))))
            codes.append(values - values.min())
    return Table(Schema(tuple(variables)), tuple(codes))


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 6, 7])  # of these every one went round until its time was over
def test_row_percentages_of_two_groups_are_met_though_groups_add_up(seed: int) -> None:
    cells = {("no", "single"): 29, ("no", "married"): 145, ("yes", "single"): 97, ("yes", "married"): 435}
    rows = [cell for cell, count in cells.items() for _ in range(count)]
    table = table_of(works=np.array([r[0] for r in rows]), marital=np.array([r[1] for r in rows]))
    output = Crosstab(variables=("works", "marital"), statistic="row percentages", decimals=1)
    found = Descent(seconds=300).embed(objective_of(table, output), 706, seed)
    assert found.outcome is Outcome.REPRODUCED
    assert found.proposals < 500_000  # six chunks are 120,000


@pytest.mark.slow
@given(seed=st.integers(0, 10**6))
def test_nearest_sizes_that_add_up_are_those_found_by_trying_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 4))
    now = rng.integers(5, 30, k).astype(float)
    possible = [np.sort(rng.choice(np.arange(1, 40), rng.integers(1, 15), replace=False)) for _ in range(k)]
    choices = [
        [s for s in range(91) if abs(s - n) <= 60 and (s in p or s > p[-1])] for n, p in zip(now, possible, strict=True)
    ]
    sums = [sum(abs(np.array(c) - now)) for c in product(*choices) if sum(c) == now.sum()]
    found = np.array(nearest_sizes(now, possible, True))
    if sums:
        assert found.sum() == now.sum()
        assert np.abs(found - now).sum() == min(sums)
        assert all(f in choice for f, choice in zip(found, choices, strict=True))
    alone = nearest_sizes(now, possible, False)
    assert all(a == n if n > p[-1] else a in p for a, n, p in zip(alone, now, possible, strict=True))


@pytest.mark.parametrize("mean", [3.14159, 3.5])
def test_a_mean_that_nine_whole_numbers_cannot_have_is_reached_as_nearly_as_they_can(mean: float) -> None:
    table = table_of(x=np.arange(1, 10))
    output = Means(variables=("x",), decimals=5)
    released = printed(output.labels(table.schema), np.array([mean]), Precision(decimals=5))
    uniform = {"x": np.full(9, 1 / 9)}
    objective = Objective(table.schema, (Target(output, released),), uniform, (), 9)
    # No size of nine or fewer carries the first, and only eight the second: nobody can be left out of everybody.
    found = Descent(start="model", seconds=0.2).embed(objective, 9, 1)
    assert abs(found.outputs[0].values[0] - mean) <= 0.5 / 9 + 1e-9  # rounding


def people(n: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    age, years = rng.integers(18, 70, n), rng.integers(0, 21, n)
    area = rng.choice(["east", "north", "south"], n)
    income = np.clip(60 + 2 * age + 5 * years + 20 * (area == "north") + rng.normal(0, 25, n), 0, 400).astype(int)
    return table_of(age=age, years=years, area=area, income=income)


@pytest.mark.slow
@pytest.mark.parametrize("significant", [4, 6, 8])
def test_coefficients_are_met_at_many_digits(significant: int) -> None:
    table = people(400, 3)  # seed: any
    output = Linear(formula="income ~ age + years + C(area)", significant=significant)
    found = Descent(seconds=300).embed(objective_of(table, output), 400, 1)
    assert found.outcome is Outcome.REPRODUCED
    again = output.evaluate(found.table).values
    assert found.outputs[0].target.released.agrees(again).all()


def test_means_at_six_decimals_need_no_annealing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(candidate: object, stalls: int) -> None:
        raise AssertionError("annealing is for what the lattice leaves")

    monkeypatch.setattr(search, "anneal", refuse)
    table = people(800, 4)  # seed: any
    output = Means(variables=("income",), by=("area",), decimals=6)
    found = Descent(seconds=300).embed(objective_of(table, output), 800, 1)
    assert found.outcome is Outcome.REPRODUCED


@pytest.mark.parametrize("seed", [1, 2, 3])  # of these none had more than 6 of 32 after 20 seconds
def test_means_and_deviations_of_sixteen_groups_are_met_group_by_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 16, 1000)
    table = table_of(y=np.clip(np.round(rng.normal(40 + groups, 12, 1000)), 0, 90).astype(np.int64), k=groups)
    means, shape = Means(variables=("y",), by=("k",), decimals=4), Shape(variables=("y",), by=("k",), decimals=4)
    found = Descent(start="model", seconds=300).embed(objective_of(table, means, shape), 1000, seed)
    assert found.outcome is Outcome.REPRODUCED
    assert found.proposals < 300_000  # it was millions


def test_a_level_whose_mean_is_the_least_value_has_no_other() -> None:
    rng = np.random.default_rng(11)  # any seed: groups are of hundreds
    job = rng.integers(0, 4, 3000)
    # Of level 0 nobody works: the intercept is -9 to the last digit, and one row off would show.
    hours = np.where(job == 0, -9, rng.integers(1, 13, 3000))
    table = table_of(hours=hours, job=np.array(["none", "a", "b", "c"])[job])
    output = Linear(formula="hours ~ C(job, Treatment('none'))", significant=5)
    objective = objective_of(table, output)
    codes = start_codes(objective, 3000, "model", False, (1,))  # any seed: nothing of this is left to chance
    nobody = codes[:, 1] == 3  # levels are in the order of the alphabet
    assert nobody.any()
    assert not codes[nobody, 0].any()
    found = Descent(start="model", seconds=300).embed(objective, 3000, 1)  # any seed
    assert found.outcome is Outcome.REPRODUCED


def test_changes_that_nothing_takes_back_are_of_no_use() -> None:
    # The first figure is at its upper end and can only rise; the second goes both ways.
    shifts = np.array([[0.5, 0.0], [0.0, 3.0], [0.0, -3.0], [0.05, 3.0]])
    np.testing.assert_array_equal(useful(shifts, np.array([0.9, 0.0])), [False, True, True, True])
    # Where one change falls, what rises can be taken back.
    assert useful(np.vstack([shifts, [-0.5, 0.0]]), np.array([0.9, 0.0])).all()


_FAR = Enough((np.full(5, 100.0),))  # standard errors of which any start is within a fiftieth


def test_what_is_near_enough_is_as_printed_where_that_takes_no_longer() -> None:
    table = people(800, 5)  # seed: any
    objective = objective_of(table, Linear(formula="income ~ age + years + C(area)", significant=4))
    near = Descent(start="model", seconds=300, mae=0.5).embed(objective, 800, 1)
    landed = Descent(start="model", seconds=300).embed(objective, 800, 1, enough=_FAR)
    assert near.outcome is Outcome.NEAR_ENOUGH
    assert landed.outcome is Outcome.REPRODUCED


def test_where_near_is_enough_pairs_stop_there_and_no_lattice_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of ninety people single moves alone stay a little too far away.
    rng = np.random.default_rng(8)  # any
    table = table_of(ill=rng.integers(0, 2, 90), age=rng.integers(18, 60, 90), weight=rng.integers(90, 250, 90))
    objective = objective_of(table, Logistic(formula="ill ~ age + weight", statistics=("se",), decimals=4))
    monkeypatch.setattr(LastDigits, "land", lambda digits: pytest.fail("asked"))
    monkeypatch.setattr(search, "make_single_moves", lambda candidate, is_first: False)
    found = Descent(start="univariate", seconds=60, mae=0.01).embed(objective, 90, 1)
    assert found.outcome is Outcome.NEAR_ENOUGH
    assert found.outputs[0].mae <= 0.01


def test_a_level_of_one_person_is_met_to_the_last_digit() -> None:
    table = people(800, 6)  # seed: any
    area = np.array(["east", "north", "south", "west"])[np.append(table["area"][:-1], 3)]
    numbers = {n: np.array([table.schema[n].values[c] for c in table[n]]) for n in ("age", "years", "income")}
    alone = table_of(**numbers, area=area)
    objective = objective_of(alone, Linear(formula="income ~ age + years + C(area)", significant=4))
    found = Descent(start="model", seconds=300).embed(objective, 800, 1)
    assert found.outcome is Outcome.REPRODUCED


def test_way_gone_in_vain_is_not_gone_again_before_anything_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    table = people(300, 12)  # seed: any
    objective = objective_of(table, Means(variables=("income",), by=("area",), decimals=6))
    codes = start_codes(objective, 300, "uniform", False, (1,))
    digits = LastDigits(Candidate(Descent(), objective, codes, stream(1), Log(None, 0)), 1.0)
    gone = []
    monkeypatch.setattr(digits, "_put_few_right", lambda columns: None)
    monkeypatch.setattr(digits, "_change", lambda columns, is_far: gone.append((is_far, digits.tries, *columns)))
    assert not digits.land()
    assert gone
    assert len(gone) == len(set(gone))


def test_product_of_two_rare_marks_has_somebody_in_it() -> None:
    rng = np.random.default_rng(13)  # any seed
    a, b = np.zeros((2, 300), dtype=np.int64)
    a[:16], b[14:40] = 1, 1  # two people have both
    table = table_of(pay=rng.integers(0, 900, 300), a=a, b=b, age=rng.integers(20, 60, 300))
    output = Linear(formula="pay ~ a + b + age + a:b", significant=4)
    for seed in range(3):
        found = Descent(start="model", seconds=60).embed(objective_of(table, output), 300, seed)
        assert found.outcome is Outcome.REPRODUCED


def test_nobody_loses_a_value_or_gets_one_for_a_last_digit() -> None:
    rng = np.random.default_rng(14)  # any seed
    pay = Variable("pay", "numeric", np.arange(50), missing=(None,))
    schema = Schema((pay, Variable("age", "numeric", np.arange(20, 60))))
    table = Table(schema, (np.where(rng.random(200) < 0.2, 50, rng.integers(0, 50, 200)), rng.integers(0, 40, 200)))
    objective = objective_of(table, Linear(formula="pay ~ age", significant=4))
    codes = np.column_stack(table.columns)
    digits = LastDigits(Candidate(Descent(), objective, codes, stream(1), Log(None, 0)), 1.0)
    for is_far in (False, True):
        others = digits.neighbours(np.arange(200), 0, is_far)
        np.testing.assert_array_equal(others == 50, codes[:, 0] == 50)


def test_level_without_the_outcome_has_nobody_with_it_to_the_last_digit() -> None:
    rng = np.random.default_rng(15)  # any seed: forty have the outcome, none of them of the level
    n = 2000
    level = (rng.random(n) < 0.06).astype(np.int64)
    grade, hours = rng.integers(0, 100, n), rng.integers(0, 60, n)
    ill = ((rng.random(n) < 0.02 + 0.0002 * grade) & (level == 0)).astype(np.int64)
    table = table_of(ill=ill, level=level, grade=grade, hours=hours)
    objective = objective_of(table, Logistic(formula="ill ~ level + grade + hours", decimals=3))
    for seed in range(3):
        found = Descent(start="model", seconds=60).embed(objective, n, seed)
        assert found.outcome is Outcome.REPRODUCED
        assert np.isneginf(found.outputs[0].values[1])
        assert not (found.table["ill"] & found.table["level"]).any()


def test_last_digits_of_what_is_near_enough_are_tried_for_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, land = [], LastDigits.land

    def fail_at_first(digits: LastDigits) -> bool:
        tried.append(digits)
        return len(tried) > 2 and land(digits)

    monkeypatch.setattr(LastDigits, "land", fail_at_first)
    objective = objective_of(people(800, 5), Linear(formula="income ~ age + years + C(area)", significant=4))
    found = Descent(start="model", seconds=300).embed(objective, 800, 1, enough=_FAR)
    assert found.outcome is Outcome.REPRODUCED
    assert len(tried) == 3


def test_search_that_may_end_near_has_every_estimate_near_in_its_own_standard_error() -> None:
    rng = np.random.default_rng(16)  # any seed
    years, pay = rng.integers(0, 1000, 3000), rng.integers(0, 40, 3000)
    few = (rng.random(3000) < 0.01).astype(np.int64)
    response = np.round(0.05 * years + pay + rng.normal(0, 30, 3000)).astype(np.int64)
    table = table_of(response=response - response.min(), years=years, pay=pay, few=few)
    output = Linear(formula="response ~ years + pay + few", significant=6)
    se = output.evaluate(table).se
    assert se is not None
    assert se.max() > 1000 * se.min()
    for seed in range(3):
        near = Enough((se,), is_final=True)
        found = Descent(start="model", seconds=60).embed(objective_of(table, output), 3000, seed, enough=near)
        assert found.outcome in (Outcome.NEAR_ENOUGH, Outcome.REPRODUCED)
        assert (np.abs(found.outputs[0].errors) <= 0.05 * se).all()


def test_search_that_ends_near_does_not_try_for_last_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LastDigits, "land", lambda self: pytest.fail("near is enough"))
    objective = objective_of(people(800, 5), Linear(formula="income ~ age + years + C(area)", significant=6))
    final = Enough(_FAR.se, is_final=True)
    found = Descent(start="model", seconds=60).embed(objective, 800, 1, enough=final)
    assert found.outcome is Outcome.NEAR_ENOUGH


def test_search_that_ends_near_ends_so_after_estimates_were_taken_where_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moved: list[bool] = []

    def stall_at_first(candidate: Candidate, is_first: bool) -> bool:
        del candidate, is_first
        moved.append(len(moved) > 0)
        return moved[-1]

    def is_done(candidate: Candidate) -> bool:
        candidate.verified = reproduce(candidate.objective, candidate.objective.table(candidate.codes))
        return False

    monkeypatch.setattr(search, "make_single_moves", stall_at_first)
    monkeypatch.setattr(search, "make_pairs", lambda candidate: None)
    monkeypatch.setattr(Candidate, "is_done", is_done)
    monkeypatch.setattr(LastDigits, "land", lambda self: pytest.fail("near is enough"))
    rng = np.random.default_rng(18)  # any seed
    table = table_of(rich=rng.integers(0, 2, 800), age=rng.integers(18, 70, 800), years=rng.integers(0, 21, 800))
    objective = objective_of(table, Logistic(formula="rich ~ age + years", decimals=6))
    final = Enough((np.full(3, 10.0),), is_final=True)
    found = Descent(start="model", seconds=60).embed(objective, 800, 1, enough=final)
    assert (found.outcome, moved) == (Outcome.NEAR_ENOUGH, [False, True])


def test_table_that_a_start_has_right_stays_right_though_means_beside_it_take_all_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(17)  # any seed
    job, land = rng.integers(0, 12, 3000), rng.integers(0, 6, 3000)
    wage = np.where(rng.random(3000) < 0.9, 0, rng.integers(100, 900, 3000))
    table = table_of(job=job, land=land, wage=wage)
    beside = (
        Crosstab(variables=("job", "land"), statistic="column percentages", decimals=1),
        Means(variables=("wage",), by=("land",), decimals=9),
        Shape(variables=("wage",), by=("land",), show=("sd",), decimals=9),
    )

    def undo(candidate: Candidate, is_first: bool) -> bool:
        del is_first
        n = len(candidate.moves.variables)
        if n == 3:  # all of them: a row of every job changes it
            candidate.codes[:12, 0] = (candidate.codes[:12, 0] + 1) % 12
            candidate.log.started -= 60  # and the time is over
        return False

    monkeypatch.setattr(search, "make_single_moves", undo)
    monkeypatch.setattr(LastDigits, "land", lambda self: False)
    found = Descent(start="model", seconds=30).embed(objective_of(table, *beside), 3000, 1)
    assert found.outcome is Outcome.OUT_OF_TIME
    assert found.outputs[0].is_complete


def test_figures_that_no_change_moves_together_are_apart() -> None:
    shifts = np.zeros((500, 6))
    shifts[::2, [0, 3]], shifts[1::2, 4] = 1.5, -2.0
    shifts[7, [3, 5]] = 0.1  # a single row ties the last to the first
    assert [np.flatnonzero(g).tolist() for g in apart(shifts)] == [[0, 3, 4, 5]]
    shifts[7] = 0.0
    assert [np.flatnonzero(g).tolist() for g in apart(shifts)] == [[0, 3], [4]]


def test_rows_at_the_ends_of_a_predictor_do_not_pass_for_straight() -> None:
    rng = np.random.default_rng(3)  # any
    x = rng.integers(0, 8, 200)
    table = table_of(y=np.clip(np.round(rng.normal(20 + 2 * x, 4)), 0, 50).astype(np.int64), x=x)
    objective = objective_of(table, Linear(formula="y ~ x", significant=6))
    start = start_codes(objective, 200, "model", False, (1, 0, 0))
    digits = LastDigits(Candidate(Descent(), objective, start, stream(1), Log(None, 0)), 1.0)
    view = digits.look()
    box, rows = digits.box_now(view), np.arange(200)
    # What a row adds is x (y − a − bx): steps of y add up, of x they do not, wherever the row is now.
    assert digits._stepping(view, rows, 1, box) is None
    stepping = digits._stepping(view, rows, 0, box)
    assert stepping is not None
    assert stepping[1].mean() > 0.8  # but those beside a value that nobody has
