"""Operators of the evolutionary search: what is drawn, how often, and who lives on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from divulge.demo import simulated_census
from divulge.errors import SpecError
from divulge.kernels import evolution
from divulge.kernels.randomness import stream, streams
from divulge.objective.objective import Objective
from divulge.objective.rules import rules_of
from divulge.synthesisers import Evolutionary
from divulge.synthesisers.evolutionary.mutation import Schedule, Stepped, mutate, redraw
from divulge.synthesisers.evolutionary.replacement import survivors
from divulge.synthesisers.evolutionary.tournament import select
from divulge.table import Schema, Variable

UNLIKELY = 1e-4
"""A right kernel fails a test at this level once in ten thousand seeds; these seeds are fixed."""


def free_objective() -> Objective:
    """A census without edit rules and without outputs: nothing stands in the way of a mutation."""
    table = simulated_census(2000)
    schema = Schema(table.schema.variables)
    return Objective(schema, (), {v.name: table.frequencies(v.name) / len(table) for v in schema})


def mutated(objective: Objective, source: str, rate: float, n: int = 20_000) -> tuple[np.ndarray, np.ndarray, int]:
    """Codes before, after, and how many cells changed."""
    before = np.zeros((n, len(objective.schema)), dtype=np.uint8)
    after = before.copy()
    cells = redraw(objective, source)  # type: ignore[arg-type]  # a parameter of the test
    changed = mutate(objective.program, cells, rules_of(objective), after, np.zeros(0), rate, stream(7))
    return before, after, changed


@pytest.mark.parametrize("source", ["marginal", "uniform"])
def test_mutated_cells_have_the_distribution_that_they_are_drawn_from(source: str) -> None:
    objective = free_objective()
    _, after, _ = mutated(objective, source, 1.0)
    for j, variable in enumerate(objective.schema):
        share = objective.marginals[variable.name]
        wanted = share if source == "marginal" else (share > 0) / np.count_nonzero(share)
        counts = np.bincount(after[:, j], minlength=variable.n_codes)
        assert (counts[wanted == 0] == 0).all()
        expected = wanted[wanted > 0] / wanted.sum() * len(after)
        assert stats.chisquare(counts[wanted > 0], expected).pvalue > UNLIKELY


def test_cells_are_redrawn_at_the_rate_asked_for() -> None:
    objective = free_objective()
    before, after, changed = mutated(objective, "marginal", 0.01)
    # A redrawn cell keeps its value (code 0) with the probability of code 0.
    chance = [0.01 * (1 - objective.marginals[v.name][0]) for v in objective.schema]
    wanted, variance = len(after) * sum(chance), len(after) * sum(p * (1 - p) for p in chance)
    assert changed == (before != after).sum()
    assert abs(changed - wanted) < stats.norm.isf(UNLIKELY / 2) * np.sqrt(variance)
    by_column = (before != after).sum(axis=0)
    assert stats.chisquare(by_column, np.array(chance) / sum(chance) * changed).pvalue > UNLIKELY


def test_rows_are_chosen_independently_with_their_probability() -> None:
    room, scale = np.empty(100, dtype=np.int64), evolution.jump_scale(0.1)
    draws = stream(3)
    counts, hits = np.zeros(4000), np.zeros(100)
    for k in range(len(counts)):
        n = evolution.choose_rows(draws, scale, 100, room)
        counts[k] = n
        hits[room[:n]] += 1
    # Binomial(100, 0.1) in size, and every row as often as any other.
    edges = np.arange(4, 18)
    observed = np.array([(counts < 4).sum(), *[(counts == k).sum() for k in edges], (counts > 17).sum()])
    law = stats.binom(100, 0.1)
    expected = np.array([law.cdf(3), *law.pmf(edges), law.sf(17)]) * len(counts)
    assert stats.chisquare(observed, expected).pvalue > UNLIKELY
    assert stats.chisquare(hits).pvalue > UNLIKELY


def test_fitter_individuals_win_as_often_as_meetings_of_two_say() -> None:
    found = select(np.array([0.4, 0.1, 0.3, 0.2]), 30_000, stream(5))
    # Of the six meetings of two out of four the best is in three, the next in two that it wins, then one, then none.
    firsts = np.bincount(found[:, 0], minlength=4)
    assert firsts[0] == 0
    assert stats.chisquare(firsts[[1, 3, 2]], np.array([3, 2, 1]) / 6 * len(found)).pvalue > UNLIKELY


def test_equal_individuals_win_alike() -> None:
    found = select(np.zeros(5), 20_000, stream(6))
    assert stats.chisquare(np.bincount(found[:, 0])).pvalue > UNLIKELY
    assert stats.chisquare(np.bincount(found[:, 1])).pvalue > UNLIKELY


def test_elitist_keeps_the_best_of_both_and_generational_the_children() -> None:
    parents, children = np.array([0.1, 0.5, 0.9]), np.array([0.7, 0.2, 0.6, 0.8])
    assert survivors("elitist", parents, children, 3).tolist() == [0, 4, 1]
    assert survivors("generational", parents, children, 3).tolist() == [4, 5, 3]


def test_parents_go_before_equal_children() -> None:
    assert survivors("elitist", np.array([0.5, 0.5]), np.array([0.5, 0.5]), 2).tolist() == [0, 1]


def schedule_of(rates: object) -> Schedule:
    """A schedule as a spec writes it."""
    return Schedule.of(Evolutionary(mutation=rates).mutation)  # type: ignore[arg-type]


def test_paper_rate_is_divided_by_three_every_250_generations() -> None:
    schedule = Schedule.of(Stepped(0.005, 3, 250))
    assert schedule == schedule_of({"rate": 0.005, "divide": 3, "every": 250})
    assert [schedule.rate(g) for g in (0, 249, 250, 499, 500)] == [0.005, 0.005, 0.005 / 3, 0.005 / 3, 0.005 / 9]


def test_listed_rates_hold_from_their_generation_on() -> None:
    schedule = schedule_of([[0, 0.01], [250, 0.005], [500, 0.0]])
    assert [schedule.rate(g) for g in (0, 249, 250, 1000)] == [0.01, 0.01, 0.005, 0.0]
    assert Schedule.of(0.25).rate(99) == 0.25


@pytest.mark.parametrize(
    ("rates", "where"),
    [
        (1.5, "mutation"),
        (True, "mutation"),
        ("often", "mutation"),
        ([], "mutation"),
        ([[1, 0.1]], "mutation"),
        ([[0, 0.1], [0, 0.2]], "mutation"),
        ([[0, 0.1], [5, -0.2]], "mutation[1][1]"),
        ([0.1, 0.2], "mutation[0]"),
        ({"rate": 0.1}, "mutation.divide"),
        ({"rate": 2, "divide": 3, "every": 250}, "mutation.rate"),
        ({"rate": 0.1, "divide": 0.5, "every": 250}, "mutation.divide"),
        ({"rate": 0.1, "divide": 3, "every": 0}, "mutation.every"),
        ({"rate": 0.1, "divide": 3, "every": 2.5}, "mutation.every"),
    ],
)
def test_schedule_rejects_what_is_none(rates: object, where: str) -> None:
    with pytest.raises(SpecError) as caught:
        schedule_of(rates)
    assert caught.value.where == where


def test_streams_of_one_key_do_not_depend_on_how_many_there_are() -> None:
    assert streams(3, 1, 2).tolist() == streams(9, 1, 2)[:3].tolist()
    assert len(np.unique(np.concatenate([streams(50, 1, g) for g in range(50)]))) == 2500


def test_constant_variable_is_left_alone() -> None:
    one = Variable("X", "categorical", np.array(["a", "b"]))
    two = Variable("Y", "categorical", np.array(["c", "d"]))
    objective = Objective(Schema((one, two)), (), {"X": np.array([0.0, 1.0]), "Y": np.array([0.5, 0.5])})
    assert redraw(objective, "uniform").columns.tolist() == [1]
