"""Where searches start: marginals and edit rules hold, and a model's response is drawn from the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.demo import simulated_census
from divulge.errors import EmbedError
from divulge.kernels.balance import draw_in_balance
from divulge.kernels.lowering import predictor
from divulge.kernels.randomness import next_uniform, stream
from divulge.kernels.rules import DEEPEST, keeps_rules, swap_until_kept
from divulge.objective import Objective, Outcome
from divulge.objective.rules import rules_of
from divulge.outputs import Output
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.position import Position
from divulge.outputs.kinds.ratios import Ratios
from divulge.outputs.lowering.lowered import Block, pack
from divulge.synthesisers import Descent
from divulge.synthesisers.descent.start import start_codes
from divulge.table import Schema, Table, Variable
from tests.reference.balance import draw_in_balance as reference_draws
from tests.support.objectives import objective_of

CENSUS = simulated_census(n_rows=3000, seed=5)
SMALL = simulated_census(n_rows=300, seed=6)
MODEL = Logistic(formula="TENURE ~ AGE + C(ETHGROUP) + LTILL + SEX", decimals=4)


def test_kept_marginals_are_exact_where_edit_rules_hold_too() -> None:
    objective = objective_of(CENSUS, MODEL)
    found = objective.table(start_codes(objective, CENSUS.n_rows, "univariate", True, (1,)))
    found.check_rules()
    assert CENSUS.schema.rules
    for name in CENSUS.names:
        np.testing.assert_array_equal(found.frequencies(name), CENSUS.frequencies(name))


def test_rules_that_the_kept_marginals_cannot_hold_are_an_error() -> None:
    variables = (Variable("A", "categorical", ["x", "y"]), Variable("B", "categorical", ["x", "y"]))
    table = Table(Schema(variables, ("A = x -> B = x",)), (np.array([0, 1, 1]), np.array([0, 0, 1])))
    # Two of three have x in A here, one in B: no order of the columns keeps the rule.
    marginals = {"A": np.array([2, 1]) / 3, "B": np.array([1, 2]) / 3}
    with pytest.raises(EmbedError, match="1 of 3 rows"):
        start_codes(Objective(table.schema, (), marginals), 3, "univariate", True, (1,))


@pytest.mark.parametrize("start", ["univariate", "model"])
def test_edit_rules_do_not_move_marginals(start: str) -> None:
    found = objective_of(CENSUS, MODEL).table(start_codes(objective_of(CENSUS, MODEL), 3000, start, False, (2,)))  # type: ignore[arg-type]
    found.check_rules()
    for name in ("AGE", "MSTATUS"):  # those that the rules are about
        expected = CENSUS.frequencies(name)
        # Five standard deviations of drawing so many: a thousandth of a thousandth over all levels.
        assert np.all(np.abs(found.frequencies(name) - expected) <= 5 * np.sqrt(np.maximum(expected, 1)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "output",
    [
        ChiSquared(variables=("SEX", "LTILL"), decimals=3),
        ChiSquared(variables=("SEX", "TENURE"), decimals=4),
        Ratios(outcome="LTILL", exposure="SEX", decimals=3),
        Ratios(outcome="LTILL", exposure="ETHGROUP", measure="risk", interval=0.95, decimals=1),
    ],
    ids=["χ²", "χ² at four decimals", "odds", "risks"],
)
def test_figures_of_few_counts_are_as_printed_from_the_start(output: Output) -> None:
    objective = objective_of(CENSUS, output)
    starts = [objective.table(start_codes(objective, CENSUS.n_rows, "model", False, (seed,))) for seed in range(5)]
    found = [objective.targets[0].released.agrees(output.evaluate(table).values).all() for table in starts]
    # Drawn at random, a table has a statistic with three decimals as printed once in thousands.
    assert sum(found) >= 4
    for table in starts:
        for name in output.own_variables():
            expected = CENSUS.frequencies(name)
            # What is known of a marginal is known to within two standard deviations.
            spread = np.sqrt(expected * (1 - expected / CENSUS.n_rows))
            assert np.all(np.abs(table.frequencies(name) - expected) <= np.maximum(0.5, 2 * spread))


def of_areas(n: int, alone: int, rng: np.random.Generator) -> Table:
    """People of five areas with a wage, and some who are alone in areas of their own."""
    areas = Variable("AREA", "categorical", np.arange(5 + alone))
    pay, sex = Variable("PAY", "numeric", np.arange(500) * 7), Variable("SEX", "categorical", np.arange(2))
    area = np.where(np.arange(n) < alone, 5 + np.arange(n), rng.integers(0, 5, n))
    return Table(Schema((areas, sex, pay)), (area, rng.integers(0, 2, n), rng.integers(0, 500, n)))


@settings(deadline=None)
@given(
    st.integers(0, 2**20),
    st.sampled_from([(0.5,), (0.25, 0.5, 0.75), (0.1,), (0.0, 1.0)]),
    st.sampled_from([("SEX",), ("AREA", "SEX"), ()]),
    st.sampled_from([None, "SEX = 1", "AREA < 3"]),
)
def test_quantiles_of_groups_are_as_printed_from_the_start(
    seed: int, quantiles: tuple[float, ...], by: tuple[str, ...], where: str | None
) -> None:
    output = Position(variables=("PAY",), by=by, quantiles=quantiles, where=where, decimals=1, empty="allow")
    people = of_areas(900, 0, np.random.default_rng(seed))
    objective = objective_of(people, output)
    found = objective.table(start_codes(objective, people.n_rows, "model", False, (seed,)))
    agrees = objective.targets[0].released.agrees(output.evaluate(found).values)
    # A quantile between two values asks for sizes of groups, and a single group of a subpopulation keeps its own.
    assert agrees.all() or (where is not None and len(by) < 2)
    for name in ("PAY", *by):
        expected = people.frequencies(name)
        # Five standard deviations of drawing so many: a millionth for each level; and rows that make sizes fit.
        assert np.all(np.abs(found.frequencies(name) - expected) <= 5 * np.sqrt(np.maximum(expected, 1)) + 5)


@pytest.mark.parametrize("seed", range(2))
def test_quantiles_of_a_handful_beside_many_are_as_printed_from_groups_of_the_known_sizes(seed: int) -> None:
    # Of four people the third quartile lies a quarter of the way between two values, of five on a value.
    rng = np.random.default_rng(7)  # any seed
    parity = np.repeat(np.arange(5), [795, 389, 146, 39, 4])
    values = np.round(np.log(np.arange(1, 28) * 0.7), 4)  # few, and uneven
    income = rng.integers(0, 27, len(parity))
    income[-4:] = 5, 5, 5, 20
    variables = Variable("parity", "categorical", tuple(range(1, 6))), Variable("income", "numeric", values)
    table = Table(Schema(variables), (parity, income))
    output = Position(variables=("income",), by=("parity",), quantiles=(0.25, 0.5, 0.75), decimals=2)
    objective = objective_of(table, output)
    codes = start_codes(objective, table.n_rows, "model", False, (seed,))
    np.testing.assert_array_equal(np.bincount(codes[:, 0]), [795, 389, 146, 39, 4])
    assert Descent(start="model", seconds=300).embed(objective, table.n_rows, seed).outcome is Outcome.REPRODUCED


def test_groups_of_one_person_have_somebody_with_their_median_from_the_start() -> None:
    output = Position(variables=("PAY",), by=("AREA",), decimals=0)
    people = of_areas(4000, 3, np.random.default_rng(3))  # any seed will do
    objective = objective_of(people, output)
    for run in range(20):  # by chance nobody would have these three wages
        found = objective.table(start_codes(objective, 4000, "model", False, (1, run, 0)))
        assert objective.targets[0].released.agrees(output.evaluate(found).values).all()


def test_a_response_is_drawn_as_often_as_the_model_says_in_every_level() -> None:
    objective = objective_of(CENSUS, MODEL)
    scores = objective.totals(start_codes(objective, 3000, "model", False, (3,)))
    # Σ x (y − μ): independent draws would leave some ten in a level of four hundred, and thirty in all.
    levels = [k for k, label in enumerate(MODEL.labels(CENSUS.schema)) if "AGE" not in label]
    assert len(levels) > 10
    assert np.abs(scores[levels]).max() <= 4


def drawn_in_balance(output: Logistic, table: Table, seed: int) -> tuple[Block, np.ndarray]:
    """The block of a model's score, and responses drawn from it by the kernel."""
    lowered = output.lower(table.schema, output.publish(output.evaluate(table), table.schema))
    program = pack((lowered,), table.schema)
    codes = np.column_stack([table[name] for name in table.names])
    eta, drawn = np.empty(table.n_rows), np.empty(table.n_rows, dtype=np.int8)
    predictor(program.blocks(), 0, 0, codes, 0, eta)
    n_codes = np.array([v.n_codes for v in table.schema])
    draw_in_balance(program.blocks(), 0, eta, n_codes, codes, stream(seed), drawn)
    return lowered.blocks[0], drawn


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(["TENURE ~ SEX", "TENURE ~ AGE + C(ETHGROUP)", "TENURE ~ AGE * SEX + C(AREAP)", "TENURE ~ 1"]),
    st.sampled_from([None, "AGE"]),
    st.sampled_from([None, "LTILL = 2"]),
    st.integers(0, 2**20),
)
def test_draws_in_balance_are_those_of_the_definition(
    formula: str, weights: str | None, where: str | None, seed: int
) -> None:
    output = Logistic(formula=formula, weights=weights, where=where, decimals=3)
    block, drawn = drawn_in_balance(output, SMALL, seed)
    random = stream(seed)
    uniform = np.array([next_uniform(random) for _ in range(SMALL.n_rows)])
    np.testing.assert_array_equal(drawn, reference_draws(block, SMALL, uniform))


@pytest.mark.slow
def test_a_draw_in_balance_has_the_probability_of_its_row() -> None:
    output = Logistic(formula="TENURE ~ AGE + SEX", decimals=3)
    drawn = np.mean([drawn_in_balance(output, SMALL, seed)[1] for seed in range(400)], axis=0)
    values = output.evaluate(SMALL).values
    eta = values[0] + values[1] * SMALL.schema["AGE"].numbers[SMALL["AGE"]] + values[2] * (SMALL["SEX"] == 1)
    expected = 1 / (1 + np.exp(-eta))
    # Five standard errors of 400 draws, and the last printed digit.
    assert np.abs(drawn - expected).max() <= 5 * np.sqrt(0.25 / 400) + 0.01
    assert abs(np.mean(drawn - expected)) <= 0.005


@given(st.integers(0, 2**20))
def test_swaps_keep_every_column_and_mend_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    variables = tuple(Variable(name, "categorical", np.arange(3)) for name in "ABC")
    schema = Schema(variables, ("A = 0 -> B != 1", "B = 2 or C != 2"))
    rules = rules_of(Objective(schema, (), {name: np.ones(3) for name in "ABC"}))
    codes = rng.integers(0, 3, (40, 3)).astype(np.uint8)
    before = codes.copy()
    left = swap_until_kept(rules, codes, stream(seed), np.arange(3), 200)
    np.testing.assert_array_equal(np.sort(codes, axis=0), np.sort(before, axis=0))
    assert left == sum(not keeps_rules(rules, codes, i) for i in range(40))


def test_rules_nested_deeply_are_looked_up_like_others() -> None:
    variables = (Variable("A", "categorical", np.arange(4)), Variable("B", "categorical", np.arange(4)))
    text = "A = 3"
    for k in range(2 * DEEPEST):
        text = f"(B = {k % 2} {'and' if k % 3 else 'or'} {text})"
    schema = Schema(variables, (text,))
    table = Table(schema, (np.repeat(np.arange(4), 4), np.tile(np.arange(4), 4)))
    compiled = rules_of(Objective(schema, (), {"A": np.ones(4), "B": np.ones(4)}))
    codes = np.column_stack(table.columns)
    broken = schema.parsed_rules()[0].broken(table)
    assert [not keeps_rules(compiled, codes, i) for i in range(16)] == broken.tolist()


def test_level_with_a_released_coefficient_is_never_empty_at_the_start() -> None:
    # One person of 300 has the last group; a draw from the marginal leaves it empty in one start of three.
    groups = SMALL["ETHGROUP"] % (SMALL.schema["ETHGROUP"].n_values - 1)
    groups[0] = SMALL.schema["ETHGROUP"].n_values - 1
    at = SMALL.names.index("ETHGROUP")
    rare = Table(SMALL.schema, (*SMALL.columns[:at], groups, *SMALL.columns[at + 1 :]))
    objective = objective_of(rare, MODEL)
    for run in range(20):  # all starts would have somebody there by chance once in 3,000 times
        found = objective.table(start_codes(objective, rare.n_rows, "model", False, (1, run, 0)))
        assert (found.frequencies("ETHGROUP")[np.unique(groups)] > 0).all()
