"""A synthetic file that copies people is found out by every measure that claims to see it; one that does not is not.

What must never happen: copies pass as safe because most comparisons on categories are ties.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from divulge.measures import Measured, measure

KEYS = ["age", "area", "job"]


def drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    area = rng.integers(0, 12, n)
    job = (age // 12 + rng.integers(0, 4, n)) % 9
    pay = np.round(200 + 10 * age + 40 * job + rng.normal(0, 120, n))
    return pd.DataFrame({"age": age, "area": area.astype(str), "job": job.astype(str), "pay": pay})


PEOPLE, HELD, FRESH = drawn(400, 1), drawn(400, 2), drawn(400, 3)
"""Three samples of one population. Seeds: any."""

FAMILIES = [
    "distances",
    "adversarial_accuracy",
    "membership",
    "shadow",
    "inference",
    "presence",
    "singling_out",
    "linkability",
]


def found(synthetic: pd.DataFrame) -> Measured:
    return measure(PEOPLE, synthetic, KEYS, "pay", holdout=HELD, measures=FAMILIES)


@pytest.fixture(scope="module")
def copied() -> Measured:
    return found(pd.concat([PEOPLE.iloc[:120], FRESH.iloc[:280]], ignore_index=True))


@pytest.fixture(scope="module")
def fresh() -> Measured:
    return found(FRESH)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["identical", "inference", "presence", "singling_out_multivariate"])
def test_copies_show_in_the_difference_between_people_and_holdout(copied: Measured, name: str) -> None:
    difference = copied.difference[name][0]
    assert difference.interval is not None
    assert difference.interval.low > 0


@pytest.mark.parametrize("name", ["DCR", "NNAA", "NNDR"])
def test_copies_bring_rows_nearer_to_people_than_to_the_holdout(copied: Measured, name: str) -> None:
    difference = copied.difference[name][0]
    assert difference.interval is not None
    assert difference.interval.high < 0


@pytest.mark.parametrize(
    ("name", "chance"),
    [
        ("DCR_share", 0.5),
        ("membership_AUC", 0.5),
        ("membership_TPR", 0.01),
        ("shadow_AUC", 0.5),
        ("shadow_TPR", 0.01),
    ],
)
def test_copies_show_in_figures_of_both_at_once(copied: Measured, name: str, chance: float) -> None:
    interval = copied[name].interval
    assert interval is not None
    assert interval.low > chance


def test_copies_are_counted(copied: Measured) -> None:
    assert copied["identical"].numerator >= 120
    assert copied["membership_TPR"].value == pytest.approx(0.3, abs=0.05)  # 120 of 400, but for chance


@pytest.mark.parametrize(
    "name", ["identical", "inference", "presence", "singling_out_multivariate", "linkability", "DCR", "NNAA", "NNDR"]
)
def test_fresh_rows_do_not_tell_people_from_the_holdout(fresh: Measured, name: str) -> None:
    interval = fresh.difference[name][0].interval
    assert interval is not None
    assert interval.low <= 0 <= interval.high


@pytest.mark.parametrize("name", ["DCR_share", "membership_AUC"])
def test_fresh_rows_are_as_near_to_either(fresh: Measured, name: str) -> None:
    interval = fresh[name].interval
    assert interval is not None
    assert interval.low <= 0.5 <= interval.high


@pytest.mark.parametrize("generator", ["cart", "copula", "marginals", "sample"])
def test_shadows_find_copies_whatever_the_intruder_believes_the_generator_to_be(generator: str) -> None:
    copies = pd.concat([PEOPLE.iloc[:200], FRESH.iloc[:200]], ignore_index=True)
    settings = {"shadow": {"generator": generator}}
    result = measure(PEOPLE, copies, KEYS, "pay", holdout=HELD, measures=["shadow"], settings=settings)
    interval = result["shadow_AUC"].interval
    assert interval is not None
    # A generator that keeps nothing but marginals gives nobody away, so there is nothing to learn from it.
    assert interval.low > 0.5 or generator == "marginals"


@pytest.mark.slow
def test_shadows_see_nothing_in_fresh_rows() -> None:
    values = [
        measure(drawn(400, s), drawn(400, s + 1), KEYS, "pay", holdout=drawn(400, s + 2), measures=["shadow"])[
            "shadow_AUC"
        ].value
        for s in (10, 20, 30, 40, 50, 60)  # any seeds, ten apart: no sample is used twice
    ]
    assert np.mean(values) == pytest.approx(0.5, abs=0.05)  # four standard errors of the mean of six


def test_shadows_need_people_to_learn_from() -> None:
    few = measure(PEOPLE, FRESH, KEYS, "pay", holdout=HELD.iloc[:40], measures=["shadow"])["shadow_AUC"]
    assert np.isnan(few.value)
    assert "at least 60 people" in few.caveats[0]


def test_ties_do_not_count_as_safe() -> None:
    # Two categories: nearly all comparisons are ties, and the strict share calls a full copy safe.
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"a": rng.choice(list("xy"), 300), "b": rng.choice(list("uv"), 300)})
    rare = people.assign(a=np.where(np.arange(300) < 20, "z", people["a"]))
    result = measure(rare, rare, ["a"], "b", holdout=people, measures=["distances"])
    share = result["DCR_share"]
    assert share.details["DCROverfittingProtection"] == 1.0
    assert share.details["ties"] > 250
    assert share.value == 1.0
    assert result["DCR_ties"].value > 0.9


def test_adversarial_accuracy_of_copies_is_not_hidden_by_ties() -> None:
    result = measure(PEOPLE, PEOPLE, KEYS, "pay", holdout=HELD, measures=["NNAA"])
    assert result["NNAA"].value < 0.1
    assert result.holdout["NNAA"][0].value == pytest.approx(0.5, abs=0.06)  # 400 people: standard error 0.018


def test_singling_out_compares_equal_numbers_of_people() -> None:
    small = measure(PEOPLE, FRESH, KEYS, "pay", holdout=HELD.iloc[:100], measures=["singling_out"])
    assert small["singling_out_multivariate"].details["people"] == 100
    interval = small.difference["singling_out_multivariate"][0].interval
    assert interval is not None
    assert interval.low <= 0 <= interval.high


@pytest.mark.parametrize("attack", ["membership", "shadow"])
def test_copies_refute_a_small_epsilon_and_fresh_rows_refute_nothing(
    copied: Measured, fresh: Measured, attack: str
) -> None:
    found = copied[f"{attack}_epsilon"]
    assert found.value > found.details["audit"]["any_mechanism"] > 0
    assert "chance alone decided" in found.caveats[0]
    assert fresh[f"{attack}_epsilon"].value == 0


@pytest.mark.slow
def test_audits_of_fresh_rows_are_wrong_no_more_often_than_they_say() -> None:
    seeds = range(100, 400, 10)  # any, ten apart: no sample is used twice
    found = [
        measure(drawn(200, s), drawn(200, s + 1), KEYS, "pay", holdout=drawn(200, s + 2), measures=["membership"])
        for s in seeds
    ]
    above = sum(m["membership_epsilon"].value > 0 for m in found)
    assert above <= 5  # 1.5 of 30 at a level of 0.05; six happen less than once in a hundred times
