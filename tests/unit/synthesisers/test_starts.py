"""Where searches start: marginals and edit rules hold, and a model's response is drawn from the model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.demo import simulated_census
from divulge.errors import EmbedError
from divulge.kernels.randomness import stream
from divulge.kernels.rules import DEEPEST, keeps_rules, swap_until_kept
from divulge.outputs.logistic import Logistic
from divulge.synthesisers import Objective, Target, granted
from divulge.synthesisers.compiled import rules_of
from divulge.synthesisers.starts import _in_turn, start_codes
from divulge.table import Schema, Table, Variable

CENSUS = simulated_census(n_rows=3000, seed=5)
MODEL = Logistic(formula="TENURE ~ AGE + C(ETHGROUP) + LTILL + SEX", decimals=4)


def objective_of(table: Table) -> Objective:
    targets = (Target(MODEL, MODEL.publish(MODEL.evaluate(table), table.schema)),)
    counts = {name: table.frequencies(name).astype(float) for name in table.names}
    knowledge = granted(table.schema, targets, "marginals", counts)
    return Objective(table.schema, targets, knowledge.marginals, knowledge.known, table.n_rows)


def test_kept_marginals_are_exact_where_edit_rules_hold_too() -> None:
    found = objective_of(CENSUS).table(start_codes(objective_of(CENSUS), CENSUS.n_rows, "univariate", True, (1,)))
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
    found = objective_of(CENSUS).table(start_codes(objective_of(CENSUS), 3000, start, False, (2,)))  # type: ignore[arg-type]
    found.check_rules()
    for name in ("AGE", "MSTATUS"):  # those that the rules are about
        expected = CENSUS.frequencies(name)
        # Five standard deviations of drawing so many: a thousandth of a thousandth over all levels.
        assert np.all(np.abs(found.frequencies(name) - expected) <= 5 * np.sqrt(np.maximum(expected, 1)))


def test_a_response_is_drawn_as_often_as_the_model_says_in_every_level() -> None:
    objective = objective_of(CENSUS)
    scores = objective.totals(start_codes(objective, 3000, "model", False, (3,)))
    # Σ (y − p) over a level; independent draws would leave some ten in a level of four hundred.
    levels = [k for k, label in enumerate(MODEL.labels(CENSUS.schema)) if "ETHGROUP" in label]
    assert len(levels) > 5
    assert np.abs(scores[levels]).max() <= 1 + 1e-9


@given(st.integers(0, 2**20))
def test_draws_in_turn_have_the_expected_number_in_every_stretch(seed: int) -> None:
    rng = np.random.default_rng(seed)
    share, order = rng.random(200), rng.permutation(200)
    drawn = 1.0 - _in_turn(share, order, float(rng.random())) < share
    assert np.all(np.abs(np.cumsum((drawn - share)[order])) <= 1 + 1e-9)


def test_a_draw_in_turn_has_the_share_of_its_row() -> None:
    share, order = np.array([0.1, 0.5, 0.93, 0.3, 0.7]), np.array([3, 0, 4, 1, 2])
    drawn = np.mean([1.0 - _in_turn(share, order, u) < share for u in np.arange(0, 1, 1e-4)], axis=0)
    np.testing.assert_allclose(drawn, share, atol=2e-4)  # the step of the starts


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
    assert left == sum(not keeps_rules(*rules, codes, i) for i in range(40))


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
    assert [not keeps_rules(*compiled, codes, i) for i in range(16)] == broken.tolist()
