"""Of very many rows models learn from a sample, and their figures say so."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.comparators import Cart
from divulge.demo import simulated_health
from divulge.measures import Case, Scenario, measure
from divulge.measures.families.unique_matches import UniqueMatches
from divulge.table import Schema, Table, Variable

KEYS = ("gender", "age", "education", "income", "health_score", "disease_status")
QUICK = {"n_trees": 20, "n_resamples": 20, "n_permutations": 19}


@pytest.mark.slow
@pytest.mark.parametrize("target", ["disease_status", "income"])
def test_of_many_rows_a_sample_is_learnt_from_and_attacked_and_this_is_said(target: str) -> None:
    people, holdout = (simulated_health(600, kappa=2.0, seed=s) for s in (1, 2))
    synthetic = Cart().synthesise(people, None, np.random.default_rng(1))
    keys = [k for k in KEYS if k != target]
    found = measure(people, synthetic, keys, target, holdout=holdout, with_scores=True, measures=["rapid"],
                    settings={"rapid": {**QUICK, "most": 400}})  # fmt: skip
    whole = measure(people, synthetic, keys, target, measures=["rapid"], settings={"rapid": QUICK})
    for name in ("RAPID", "RAPID_cart", "RAPID_max"):
        for one in (found[name], found.holdout[name][0]):
            assert one.denominator == 400
            assert "a random sample of so many" in " ".join(one.caveats)
            assert one.scores is not None
            assert np.isfinite(one.scores).sum() == 400
    # Four standard errors of a share of 400 people; models of two thirds of the rows know a little less.
    assert found["RAPID"].value == pytest.approx(whole["RAPID"].value, abs=0.12)
    assert "sample" not in " ".join(whole["RAPID"].caveats)


def rows(keys: list[int], targets: list[int]) -> Table:
    levels = (("k", 12), ("t", 2))
    schema = Schema(tuple(Variable(n, "categorical", np.array([f"{n}{i}" for i in range(m)])) for n, m in levels))
    return Table(schema, (np.array(keys), np.array(targets)))


def test_baseline_that_learns_from_a_sample_says_so() -> None:
    people = rows([0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 1, 1, 1, 1])
    synthetic = rows([0, 1, 2, 3, 4, 5, 6, 6], [0, 0, 0, 0, 1, 0, 1, 1])
    holdout = rows([8, 9, 10, 11], [0, 0, 0, 0])  # all say no: any sample of them does too
    case = Case(people, synthetic, Scenario(("k",), "t"), holdout)
    whole, few = (UniqueMatches(most=n).estimate(case, np.random.default_rng(1))["PI"] for n in (4, 2))
    assert few.value == whole.value
    assert not whole.caveats
    assert few.caveats == ("The baseline learns from a random sample of 2 people.",)
