"""What is expected from counts: the fast fit is the slow one, and gives the counts that it was made from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from divulge.fitting.combinations import Combinations
from divulge.fitting.counts import are_counts
from divulge.fitting.fit import ALMOST, Fitted, Fitting
from divulge.fitting.narrowing import Axes, narrow
from divulge.fitting.scores import Place
from divulge.objective import Target
from divulge.scenario import Knowledge, Lookup, Matches, Scenario
from divulge.spec import parse_output
from divulge.table import Schema, Table, Variable
from tests.reference.fitting import fitted

_NAMES = ("A", "B", "C")


@st.composite
def crowds(draw: st.DrawFn) -> Table:
    """Up to sixty people on three variables of two or three values, none of them missing."""
    sizes = [draw(st.integers(2, 3)) for _ in _NAMES]
    n = draw(st.integers(1, 60))
    columns = [np.array(draw(st.lists(st.integers(0, s - 1), min_size=n, max_size=n))) for s in sizes]
    variables = (Variable(name, "numeric", np.arange(s)) for name, s in zip(_NAMES, sizes, strict=True))
    return Table(Schema(tuple(variables)), tuple(columns))


_PAIRS = st.sampled_from([[("A", "B"), ("B", "C")], [("A", "B"), ("C", "A")], [("B", "A"), ("C", "B"), ("A", "C")]])


def _targets(table: Table, variables: list[tuple[str, ...]], **given_: Any) -> list[Target]:
    outputs = [
        parse_output({"kind": "crosstab", "variables": list(names), "compute": True, **given_}) for names in variables
    ]
    return [Target(o, o.publish(o.evaluate(table), table.schema)) for o in outputs]


def _knowledge(table: Table) -> Knowledge:
    return Knowledge.of(table.schema, "marginals", {n: table.frequencies(n).astype(float) for n in table.names})


def _fit(table: Table, targets: list[Target]) -> tuple[Fitting, Fitted]:
    fitting = Fitting.of(table.schema, targets, _knowledge(table))
    start = fitting.start(table.n_people)
    return fitting, fitting.fit(start, [t.released for t in targets], table.n_people)


@settings(max_examples=20)  # the twin is slow
@given(crowds(), _PAIRS)
def test_the_fast_fit_is_the_slow_one(table: Table, variables: list[tuple[str, ...]]) -> None:
    targets = _targets(table, variables)
    fitting, found = _fit(table, targets)
    bounds = []
    for target, names in zip(targets, variables, strict=True):
        shape = [table.schema[n].n_codes for n in names]
        counts = target.released.values.reshape(shape)
        bounds.append((names, {cell: (float(counts[cell]),) * 2 for cell in np.ndindex(*shape)}))
    bounds.append(((), {(): (float(table.n_people),) * 2}))
    marginals = {n: m.tolist() for n, m in _knowledge(table).marginals.items()}
    slow = fitted(marginals, table.n_people, bounds, 40)
    shape = fitting.space.cards
    for cell, number in slow.items():
        # The fast one stops once every count is right to ALMOST, the slow one goes on.
        assert found.values.reshape(shape)[cell] == pytest.approx(number, abs=4 * ALMOST)


@settings(max_examples=20)  # each scales up to a hundred times
@given(crowds(), _PAIRS)
def test_where_the_scaling_starts_does_not_show(table: Table, variables: list[tuple[str, ...]]) -> None:
    targets = _targets(table, variables)
    fitting, found = _fit(table, targets)
    half = Table(table.schema, tuple(c[::2] for c in table.columns))
    released = [t.output.publish(t.output.evaluate(half), table.schema) for t in targets]
    from_whole = fitting.fit(found, released, half.n_people)
    from_granted = fitting.fit(fitting.start(half.n_people), released, half.n_people)
    # Both stop within ALMOST of every count.
    assert from_whole.values == pytest.approx(from_granted.values, abs=4 * ALMOST)


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{"base": 3}, {"threshold": 4}, {"base": 3, "margins": True}], ids=str)
def test_rounded_and_withheld_counts_come_out_as_printed(changed: dict[str, Any]) -> None:
    off = []
    for seed in range(8):  # any seeds will do
        rng = np.random.default_rng(seed)
        schema = Schema(tuple(Variable(name, "numeric", np.arange(3)) for name in _NAMES))
        table = Table(schema, tuple(rng.integers(0, 3, 50) for _ in _NAMES))
        for variables in ([("A", "B"), ("B", "C")], [("B", "A"), ("C", "B"), ("A", "C")]):
            targets = _targets(table, list(variables), **changed)
            assert all(are_counts(t.output, t.released, schema) for t in targets)
            fitting, found = _fit(table, targets)
            for i, target in enumerate(targets):
                figures, (low, high) = fitting.figures(found, i, target.released), target.released.whole()
                off.append(np.maximum(low - figures, figures - high).max())
    # Where bounds alone pin a count, scaling gets there slowly, and stops after a hundred rounds.
    assert np.mean(np.array(off) < 0.25) > 0.7
    assert max(off) <= 1.0 + 1e-9


@settings(max_examples=20)  # each scales up to a hundred times
@given(crowds())
def test_one_table_of_everything_is_its_own_expectation(table: Table) -> None:
    fitting, found = _fit(table, _targets(table, [("A", "B", "C")]))
    for keys, target in ((("A", "B"), "C"), (("C",), "A")):
        lookup = Lookup.of(Scenario(keys, target), table, _knowledge(table).marginals)
        counts = lookup.counts(table.condensed())
        scores = Place.of(lookup, fitting.space).scores(found.values)
        assert scores == pytest.approx(lookup.scores(Matches(counts.near, counts.matched, counts.certain)), abs=1e-9)
        some = np.arange(0, len(lookup.cells), 2)
        assert Place.of(lookup, fitting.space).scores(found.values, some) == pytest.approx(scores[some])


@settings(max_examples=20)  # each scales up to a hundred times
@given(crowds(), st.integers(2, 5), _PAIRS)
def test_true_counts_stay_within_narrowed_bounds(table: Table, base: int, variables: list[tuple[str, ...]]) -> None:
    axes, bounds, true = [], [], []
    for names in variables:
        shape = tuple(table.schema[n].n_codes for n in names)
        (target,) = _targets(table, [names])
        counts = target.released.values
        axes.append(Axes(names, shape, 0))
        hidden = counts < base
        bounds.append((np.where(hidden, 0.0, counts), np.where(hidden, float(base), counts)))
        true.append(counts)
    wide = [high - low for low, high in bounds]
    narrow(axes, bounds)
    for (low, high), counts, before in zip(bounds, true, wide, strict=True):
        assert (low <= counts).all()
        assert (counts <= high).all()
        assert (high - low <= before).all()


def test_a_count_that_another_table_gives_away_is_known() -> None:
    # 7 people of B = 0 in one table; 6 of them printed in the other, so that the withheld one is 1.
    bounds = [(np.array([6.0, 9.0, 0.0, 4.0]), np.array([6.0, 9.0, 4.0, 4.0])), (np.array([7.0, 13.0]),) * 2]
    narrow([Axes(("A", "B"), (2, 2), 0), Axes(("B",), (2,), 0)], bounds)
    assert bounds[0][0].tolist() == bounds[0][1].tolist() == [6, 9, 1, 4]


def test_shares_and_means_are_not_counts() -> None:
    table = Table(Schema((Variable("A", "numeric", np.arange(2)),)), (np.array([0, 1, 1]),))
    for document in ({"kind": "crosstab", "statistic": "percentages"}, {"kind": "frequencies", "weights": "A"}):
        output = parse_output({**document, "variables": ["A"], "compute": True})
        assert not are_counts(output, output.publish(output.evaluate(table), table.schema), table.schema)


def test_only_those_whom_a_condition_selects_are_counted() -> None:
    table = Table(
        Schema((Variable("A", "numeric", np.arange(2)), Variable("B", "numeric", np.arange(3), missing=(None,)))),
        (np.array([0, 0, 1, 1, 1]), np.array([0, 1, 2, 1, 3])),
    )
    output = parse_output({"kind": "crosstab", "variables": ["A", "B"], "where": "A == 1", "compute": True})
    target = Target(output, output.publish(output.evaluate(table), table.schema))
    fitting, found = _fit(table, [target])
    # Nobody without a value of B, and nobody outside, is counted.
    assert fitting.figures(found, 0, target.released) == pytest.approx([0, 0, 0, 0, 1, 1], abs=ALMOST)
    assert found.values.sum() == pytest.approx(5, abs=ALMOST)


def test_whole_people_are_drawn_that_are_right_in_the_mean() -> None:
    space = Combinations(Schema((Variable("A", "numeric", np.arange(2)), Variable("B", "numeric", np.arange(2)))))
    rng = np.random.default_rng(1)  # any seed will do
    values = np.array([0.25, 3.0, 0.0, 7.5])
    drawn = [space.drawn(values, rng) for _ in range(2000)]
    assert all(t.n_rows >= 2 for t in drawn)
    mean = np.mean([[t.count((t["A"] == a) & (t["B"] == b)) for a in (0, 1) for b in (0, 1)] for t in drawn], axis=0)
    # Four standard errors of 2,000 draws of at most half a person each way.
    assert mean == pytest.approx(values, abs=4 * 0.5 / np.sqrt(2000))
    own, projected = space.projected(values, ["B", "A"])
    assert own.schema.names == ("B", "A")
    assert projected.tolist() == [0.25, 0.0, 3.0, 7.5]
    assert space.projected(values, ["B"])[1].tolist() == [0.25, 10.5]


@pytest.mark.parametrize("seed", range(3))
def test_numbers_behind_a_model_are_the_nearest_that_have_its_sums(seed: int) -> None:
    """The slow twin: of all numbers with the model's estimating equations and so many people, those of least
    divergence from what is granted, found through the dual problem by a general optimiser."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, 300), rng.integers(0, 4, 300)
    y = (rng.random(300) < 0.2 + 0.2 * a).astype(int)
    names = ("A", "B", "Y")
    schema = Schema(tuple(Variable(n, "numeric", np.arange(k)) for n, k in zip(names, (3, 4, 2), strict=True)))
    table = Table(schema, tuple(c.astype(np.uint8) for c in (a, b, y)))
    output = parse_output({"kind": "logistic", "formula": "Y ~ C(A) + B", "compute": True, "decimals": 8})
    target = Target(output, output.publish(output.evaluate(table), schema))
    granted = Knowledge.of(schema, "nothing")
    fitting = Fitting.of(schema, [target], granted)
    found = fitting.fit(fitting.start(300), [target.released], 300).values
    cells = np.array(list(np.ndindex(3, 4, 2)))
    x = np.column_stack([np.ones(24), cells[:, 0] == 1, cells[:, 0] == 2, cells[:, 1]])
    sums = np.column_stack([np.ones(24), x * (cells[:, 2] - expit(x @ target.released.values))[:, None]])
    wanted = np.array([300.0, 0, 0, 0, 0])
    start = np.full(24, 300 / 24)
    dual = minimize(
        lambda t: start @ np.exp(sums @ t) - wanted @ t,
        np.zeros(5),
        jac=lambda t: sums.T @ (start * np.exp(sums @ t)) - wanted,
        method="BFGS",
        options={"gtol": 1e-8},
    )
    slow = start * np.exp(sums @ dual.x)
    # Counts are right to a fiftieth of a person, and the optimiser stops at about 1e-6 of one.
    assert found == pytest.approx(slow, abs=0.05)
    assert fitting.model_figures(Fitted(found, (), ()), fitting.models[0]) == pytest.approx(
        target.released.values, abs=1e-7
    )
