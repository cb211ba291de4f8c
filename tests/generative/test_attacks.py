"""Linkage, isolation, reconstruction and distances equal loops over rows; hypothesis makes the tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.measures import Case, Scenario
from divulge.measures.families.isolation import Isolation, isolating
from divulge.measures.families.outliers import Outliers
from divulge.measures.families.reconstruction import Reconstruction
from divulge.measures.families.unique_matches import UniqueMatches
from divulge.measures.families.utility import Utility
from divulge.table import Schema, Table, Variable
from tests.reference import attacks as reference

SCHEMA = Schema(
    (
        Variable("a", "categorical", np.array(["x", "y", "z"], dtype=object), missing=(None,)),
        Variable("b", "numeric", np.array([0, 1, 10]), missing=(None, -9)),
        Variable("t", "categorical", np.array(["no", "yes"], dtype=object), missing=(None,)),
    )
)
SCENARIO = Scenario(("a", "b"), "t")
_ROW = st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 2))
ROWS = st.lists(_ROW, min_size=1, max_size=12)


def table(rows: list[tuple[int, ...]]) -> Table:
    return Table(SCHEMA, tuple(np.array(c, dtype=np.int64) for c in zip(*rows, strict=True)))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.slow
@given(ROWS, ROWS)
def test_unique_match_equals_the_loop(people: list[tuple[int, ...]], synthetic: list[tuple[int, ...]]) -> None:
    found = UniqueMatches().estimate(Case(table(people), table(synthetic), SCENARIO), rng())
    acted, right = reference.unique_match(people, synthetic)
    assert found["PI_coverage"].numerator == acted
    assert found["PI_precision"].numerator == right
    assert found["PI_precision"].denominator == acted
    if acted:
        attack, base = found["PI"].details["attack"], found["PI"].details["base"]
        wanted = (attack - base) / (1 - base) if base < 1 else math.nan
        assert found["PI"].value == pytest.approx(wanted, nan_ok=True)


@given(ROWS, ROWS, ROWS, st.booleans())
def test_isolation_equals_the_loop(
    people: list[tuple[int, ...]], synthetic: list[tuple[int, ...]], held: list[tuple[int, ...]], unique: bool
) -> None:
    family = Isolation(predicates="unique" if unique else "all")
    found = family.estimate(Case(table(people), table(synthetic), SCENARIO, table(held), with_scores=True), rng())
    described, hits = reference.isolations(people, synthetic, unique)
    assert (found["isolation"].denominator, found["isolation"].numerator) == (described, hits)
    scores = found["isolation"].scores
    assert scores is not None
    assert scores.sum() == hits


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(1, 6))
def test_isolation_in_part_of_the_people_equals_all_parts(counts: list[int], size: int) -> None:
    people = [(description, 0) for description, n in enumerate(counts) for _ in range(n)]
    if size > len(people) or len(people) > 12:
        return
    described = [(d,) for d in range(len(counts))]
    found = isolating(np.array(counts), len(people), size).sum()
    assert found == pytest.approx(reference.isolations_of_equal_size(people, described, size))


@given(ROWS, ROWS, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([0.0, 0.1, 1.5]))
def test_outlier_links_equal_the_loop(
    people: list[tuple[int, ...]], synthetic: list[tuple[int, ...]], z: float, window: float
) -> None:
    numbers = SCHEMA["b"].numbers
    found = Outliers(z=z, window=window).estimate(Case(table(people), table(synthetic), SCENARIO), rng())
    known = [float(numbers[b]) for _, b, _ in people if not np.isnan(numbers[b])]
    moments = (float(np.mean(known)), float(np.std(known))) if known else (0.0, 0.0)
    rows = [[(float(numbers[b]), a, t) for a, b, t in each] for each in (people, synthetic)]
    extreme, linked, right = reference.outlier_links(rows[0], rows[1], moments, z, window)
    assert (found["outlier_linkage"].denominator, found["outlier_linkage"].numerator) == (extreme, linked)
    assert found["outlier_links_right"].numerator == right


@given(ROWS, st.lists(ROWS, min_size=1, max_size=4), st.integers(1, 8))
def test_reconstruction_equals_the_loop(
    people: list[tuple[int, ...]], replicates: list[list[tuple[int, ...]]], top: int
) -> None:
    made = tuple(table(r) for r in replicates)
    found = Reconstruction(top=top).estimate(Case(table(people), made[0], SCENARIO, replicates=made), rng())
    rank = min(top, len({row for one in replicates for row in one}))
    present, unique = reference.ranked_shares(people, replicates, rank)
    assert found["reconstruction"].numerator == pytest.approx(present)
    assert found["reconstruction_unique"].numerator == pytest.approx(unique)
    shares = [sum(p in one for one in replicates) / len(replicates) for p in people]
    assert found["reproduction"].value == pytest.approx(np.mean(shares))


@given(ROWS, ROWS)
def test_hellinger_equals_the_loop(people: list[tuple[int, ...]], synthetic: list[tuple[int, ...]]) -> None:
    found = Utility().estimate(Case(table(people), table(synthetic), SCENARIO), rng())["Hellinger"]
    for at, name in enumerate(("a", "b", "t")):
        one = [[(row[at],) for row in rows] for rows in (people, synthetic)]
        assert found.details["one_way"][name] == pytest.approx(reference.hellinger(*one), abs=1e-7)
    pairs = [(0, 1), (0, 2), (1, 2)]
    wanted = [
        reference.hellinger(*([(row[i], row[j]) for row in rows] for rows in (people, synthetic))) for i, j in pairs
    ]
    assert found.value == pytest.approx(np.mean(wanted), abs=1e-7)
    assert found.details["all_variables"] == pytest.approx(reference.hellinger(people, synthetic), abs=1e-7)
