"""Measures of released microdata equal loops over rows; hypothesis makes the tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.kernels import neighbours
from divulge.measures import Case, Estimate, Family, Scenario
from divulge.measures.accused import _area
from divulge.measures.counting.nearest import points
from divulge.measures.families.alpha_k import AlphaK
from divulge.measures.families.individual_risk import _individual_risks, _wildcard_counts
from divulge.measures.families.k_anonymity import KAnonymity
from divulge.measures.families.l_diversity import LDiversity
from divulge.measures.families.likeness import Likeness
from divulge.measures.families.presence import Presence
from divulge.measures.families.record_linkage import _assigned
from divulge.measures.families.reidentification import Reidentification
from divulge.measures.families.singling_out import _multivariate, _Predicates, _univariate
from divulge.measures.families.t_closeness import TCloseness
from divulge.table import Schema, Table, Variable
from tests.reference import microdata as reference

NO_YES = np.array(["a", "b", "c", "d"], dtype=object)
KEYS = (
    Variable("a", "categorical", np.array(["x", "y", "z"], dtype=object), missing=(None,)),
    Variable("b", "numeric", np.array([0, 1, 10]), missing=(None, -9)),
)
PLAIN = Schema((*KEYS, Variable("t", "categorical", NO_YES)))
ORDERED = Schema((*KEYS, Variable("t", "categorical", NO_YES, is_ordered=True)))
SCENARIO = Scenario(("a", "b"), "t")
_ROW = st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3))
ROWS = st.lists(_ROW, min_size=1, max_size=14)


def table(rows: list[tuple[int, ...]], schema: Schema = PLAIN) -> Table:
    return Table(schema, tuple(np.array(c, dtype=np.int64) for c in zip(*rows, strict=True)))


def figures(family: Family, people: list, rows: list, holdout: list | None = None) -> dict[str, Estimate]:
    held = None if holdout is None else table(holdout)
    return family.estimate(Case(table(people), table(rows), SCENARIO, held), np.random.default_rng(1))


@given(ROWS, ROWS)
def test_sizes_of_classes_equal_a_loop(people: list, rows: list) -> None:
    found = figures(KAnonymity(k=3), people, rows)
    classes = reference.classes(rows)
    assert found["k_anonymity"].value == min(map(len, classes.values()))
    assert found["k_below"].value == reference.share_in(people, rows, lambda targets: len(targets) < 3)
    behind = [sum(p[:-1] == q for p in people) for q in classes]
    assert found["k_map"].value == pytest.approx(min((n for n in behind if n), default=math.nan), nan_ok=True)


@given(ROWS, ROWS)
def test_diversity_of_classes_equals_a_loop(people: list, rows: list) -> None:
    found = figures(LDiversity(l=2, c=1.5), people, rows)
    classes = reference.classes(rows).values()
    assert found["l_diversity"].value == min(len(set(t)) for t in classes)
    assert found["l_entropy"].value == pytest.approx(min(map(reference.entropy_diversity, classes)))
    assert found["l_recursive"].value == min(reference.recursive_level(t, 1.5) for t in classes)
    below = reference.share_in(people, rows, lambda t: reference.recursive_level(t, 1.5) < 2)
    assert found["l_recursive_below"].value == below
    assert found["l_below"].value == reference.share_in(people, rows, lambda t: len(set(t)) < 2)


@pytest.mark.slow
@given(ROWS, ROWS, st.booleans())
def test_closeness_of_classes_equals_a_loop(people: list, rows: list, ordered: bool) -> None:
    schema = ORDERED if ordered else PLAIN
    case = Case(table(people, schema), table(rows, schema), SCENARIO)
    found = TCloseness(t=0.3).estimate(case, np.random.default_rng(1))
    everyone = [r[-1] for r in rows]
    far = {q: reference.emd(t, everyone, ordered) for q, t in reference.classes(rows).items()}
    assert found["t_closeness"].value == pytest.approx(max(far.values()), abs=1e-12)  # sums in another order
    above = sum(far.get(p[:-1], 0.0) > 0.3 + 1e-12 for p in people) / len(people)
    assert found["t_above"].value == above


@given(ROWS, ROWS)
def test_likeness_of_classes_equals_a_loop(people: list, rows: list) -> None:
    found = figures(Likeness(beta=0.8, delta=0.6), people, rows)
    everyone = [r[-1] for r in rows]
    ratios = {q: reference.ratios(t, everyone) for q, t in reference.classes(rows).items()}
    gains = [r - 1 for each in ratios.values() for r in each.values()]
    assert found["beta_likeness"].value == pytest.approx(max(0.0, *gains))
    logs = [abs(math.log(r)) for each in ratios.values() for r in each.values()]
    assert found["delta_disclosure"].value == pytest.approx(
        max(logs), abs=1e-12
    )  # the logarithm of 1 may be a hair off
    shares = {v: everyone.count(v) / len(everyone) for v in everyone}
    broken = {
        q
        for q, each in ratios.items()
        if any(r - 1 > max(1e-12, min(0.8, -math.log(shares[v])) + 1e-12) for v, r in each.items())
    }
    assert found["beta_enhanced_above"].value == sum(p[:-1] in broken for p in people) / len(people)
    alpha = figures(AlphaK(alpha=0.6, k=2), people, rows)
    most = [max(t.count(v) for v in t) / len(t) for t in reference.classes(rows).values()]
    assert alpha["alpha"].value == max(most)
    assert alpha["alpha_k_broken"].value == reference.share_in(
        people, rows, lambda t: len(t) < 2 or max(t.count(v) for v in t) > 0.6 * len(t) + 1e-9
    )


@given(ROWS, ROWS, ROWS)
def test_chances_of_a_match_equal_a_loop(people: list, rows: list, holdout: list) -> None:
    found = figures(Reidentification(), people, rows, holdout)
    classes = reference.classes(rows)
    own = [1 / len(classes[p[:-1]]) if p[:-1] in classes else 0.0 for p in people]
    assert found["prosecutor"].value == pytest.approx(sum(own) / len(own))
    known = [p[:-1] for p in [*people, *holdout]]
    rest = [1 / known.count(p[:-1]) for p in people if p[:-1] in classes]
    assert found["journalist"].value == pytest.approx(sum(rest) / len(rest) if rest else math.nan, nan_ok=True)
    marketer = sum(1 / known.count(r[:-1]) for r in rows if r[:-1] in known) / len(rows)
    assert found["marketer"].value == pytest.approx(marketer)
    scale = len(people) / len(rows)
    belief = [min(1.0, scale * len(classes.get(p[:-1], ())) / known.count(p[:-1])) for p in people]
    assert figures(Presence(), people, rows, holdout)["presence"].value == pytest.approx(sum(belief) / len(belief))


@given(ROWS)
def test_counts_with_wildcards_equal_a_loop(rows: list) -> None:
    made = table(rows)
    weights = np.arange(1.0, len(rows) + 1)
    keys = [tuple(None if c >= v.n_values else c for c, v in zip(r, KEYS, strict=False)) for r in rows]
    counts, sums = _wildcard_counts(made, ["a", "b"], weights)
    assert list(zip(counts.tolist(), sums.tolist(), strict=True)) == reference.wildcard_count(keys, weights.tolist())


@given(st.integers(1, 30), st.floats(1.0, 60.0))
def test_individual_risk_equals_the_sum_over_population_sizes(f: int, times: float) -> None:
    # Up to F̂ = 60 f, 20,000 terms leave less than the tolerance of pytest.approx.
    expected = reference.individual_risk(f, f * times)
    assert _individual_risks(np.array([float(f)]), np.array([f * times]))[0] == pytest.approx(expected)


@given(st.lists(_ROW, min_size=1, max_size=80), ROWS, st.integers(1, 3))
def test_nearest_rows_equal_a_loop(among: list, rows: list, k: int) -> None:
    there, here = (points(table(r), PLAIN.names) for r in (among, rows))
    distances, found = neighbours.nearest(neighbours.build(there), here, k, False)
    own, _ = neighbours.nearest(neighbours.build(there), there, k, True)
    for i, row in enumerate(here.tolist()):
        expected = reference.nearest(there.tolist(), row, k)
        assert distances[i, : len(expected)].tolist() == pytest.approx(expected)
        assert np.isinf(distances[i, len(expected) :]).all()
        for place, far in zip(found[i], distances[i], strict=True):
            assert place < 0 or reference.gower(row, there[place].tolist()) == pytest.approx(far)
    for i, row in enumerate(there.tolist()):
        expected = reference.nearest(there.tolist(), row, k, without=i)
        assert own[i, : len(expected)].tolist() == pytest.approx(expected)


@given(st.lists(_ROW, min_size=5, max_size=5), st.lists(_ROW, min_size=5, max_size=5))
def test_bijective_links_have_the_least_sum_of_distances(people: list, rows: list) -> None:
    here, there = (points(table(r), PLAIN.names) for r in (people, rows))
    costs = [[reference.gower(a, b) for b in there.tolist()] for a in here.tolist()]
    chosen = _assigned(here, there)
    assert sorted(chosen.tolist()) == list(range(5))
    assert sum(costs[i][j] for i, j in enumerate(chosen)) == pytest.approx(reference.best_assignment(costs))


@given(ROWS, ROWS)
def test_descriptions_single_out_one_synthetic_row_and_are_counted_as_a_loop_counts(people: list, rows: list) -> None:
    made = table(rows)
    rng = np.random.default_rng(1)
    for tried in (_univariate(made, 50, rng), _multivariate(made, 2, 50, rng)):
        assert (tried.fitting(made) == 1).all()
        assert tried.fitting(table(people)).tolist() == [
            reference.fitting(people, conditions) for conditions in _conditions(tried)
        ]


def _conditions(tried: _Predicates) -> list[list[tuple[int, int, int]]]:
    return [
        list(zip(*(part[i].tolist() for part in (tried.places, tried.low, tried.high)), strict=True))
        for i in range(len(tried.places))
    ]


@given(st.lists(st.integers(0, 5), min_size=2, max_size=15), st.lists(st.integers(0, 5), min_size=2, max_size=15))
def test_area_under_the_curve_equals_all_pairs(inside: list, outside: list) -> None:
    found = _area(np.array(inside, dtype=float), np.array(outside, dtype=float))[0]
    assert found == pytest.approx(reference.area(inside, outside))
