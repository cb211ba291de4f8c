"""k-anonymity and its relatives, risk models and linkage: by eye, and beside other programs.

Their numbers: ARX 3.9 (TestRiskMetrics), sdcMicro 5.8.1 (test_indivRisk, test_modRisks, test_recordLinkage),
pyCANON 1.0.1 (run on the table made here) and its own test on the file StudentsMath (Apache-2.0).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from divulge.errors import UnknownVariableError
from divulge.measures import Case, Estimate, Family, Scenario, measure
from divulge.measures.families.individual_risk import IndividualRisk
from divulge.measures.families.log_linear import _independent, _sample_unique_risks, _two_way
from divulge.measures.families.population_uniqueness import (
    _negative_binomial,
    _pitman,
    _Sizes,
    _slide_uniques,
    _zayatz,
)
from divulge.measures.families.record_linkage import RecordLinkage
from divulge.measures.run import _prepare
from divulge.table import table_from_frame

ADULT = {
    1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 6: 155, 7: 97, 8: 73, 9: 39, 10: 37, 11: 29, 12: 18, 13: 23, 14: 14,
    15: 15, 16: 9, 17: 11, 18: 10, 19: 10, 20: 5, 21: 3, 22: 4, 23: 3, 24: 2, 25: 1, 26: 3, 27: 5, 29: 1, 30: 2, 32: 1,
    34: 1, 35: 1, 36: 1, 45: 1,
}  # fmt: skip
"""How many classes of each size ARX's adult.csv (30,162 rows) has on its nine columns."""


def estimates(
    family: Family, people: pd.DataFrame, rows: pd.DataFrame, keys: list[str], target: str
) -> dict[str, Estimate]:
    ready = _prepare(table_from_frame(people), [table_from_frame(rows)], None, None)
    case = Case(ready.original, ready.synthetic[0], Scenario(tuple(keys), target), with_scores=True)
    return family.estimate(case, np.random.default_rng(1))


def adult() -> _Sizes:
    return _Sizes(np.array(list(ADULT), dtype=float), np.array(list(ADULT.values()), dtype=float))


def test_class_sizes_are_those_of_adult() -> None:
    assert adult().n == 30162
    assert adult().u / adult().n == pytest.approx(0.6465751607983555)  # ARX: the average risk of the sample


@pytest.mark.parametrize(("fraction", "expected"), [(0.1, 0.27684993883653597), (0.01, 0.1446083531167384)])
def test_pitman_is_that_of_arx(fraction: float, expected: float) -> None:
    assert _pitman(adult(), fraction) == pytest.approx(expected, abs=1e-9)  # ARX's own solver stops there


@pytest.mark.parametrize(("fraction", "expected"), [(0.1, 0.3207402393466189), (0.2, 0.3577099234829125)])
def test_zayatz_is_that_of_arx(fraction: float, expected: float) -> None:
    assert _zayatz(adult(), fraction) == pytest.approx(expected, abs=1e-9)  # logarithms of large factorials


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_people_who_are_nearly_all_alone_have_an_estimate(share: float) -> None:
    nearly = _Sizes.of(np.r_[np.ones(47_400), np.full(721, 2)])  # nine keys of a census: the search ran out of numbers
    assert 0 < _negative_binomial(nearly, share) <= 1


def test_negative_binomial_finds_the_uniques_of_a_population_that_follows_it() -> None:
    rng = np.random.default_rng(1)
    population = 1 + rng.negative_binomial(0.8, 0.3, 40_000)
    sizes = _Sizes.of(rng.binomial(population, 0.2))
    found = _slide_uniques(40_000, 0.2, sizes.exactly(1), sizes.exactly(2))
    assert found == pytest.approx((population == 1).sum(), rel=0.1)  # about 3 % off over seeds
    # Shlosser's number of classes is too small where most are missed; the share is then overstated, never understated.
    assert _negative_binomial(sizes, 0.2) > (population == 1).sum() / population.sum()


def test_uniqueness_is_undefined_where_the_models_have_no_solution() -> None:
    nobody_alone = _Sizes(np.array([3.0]), np.array([7.0]))
    assert np.isnan(_pitman(nobody_alone, 0.1)) or _pitman(nobody_alone, 0.1) < 1e-3
    assert np.isnan(_negative_binomial(nobody_alone, 0.1))
    assert _zayatz(nobody_alone, 0.1) == 0


EIGHT = pd.DataFrame(
    {
        "A": [2, 3, 2, 2, 3, 3, 1, 2],
        "B": [3, 3, 3, 3, 3, 3, 4, 3],
        "C": [1, 3, 1, 2, 1, 1, 1, 1],
        "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0],
        "t": list("xyxyxyxy"),
    }
)
LACKING = EIGHT.assign(A=[2, 3, 2, 2, 3, 3, 1, None], C=[1, 3, None, 2, 1, 1, None, 1])


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (EIGHT, [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]),
        (LACKING, [0.01355297, 0.08579129, 0.01050489, 0.03246611, 0.00975689, 0.00975689, 0.03931625, 0.00596255]),
    ],
    ids=["complete", "missing agrees with everything"],
)  # fmt: skip
def test_individual_risks_are_those_of_sdcmicro(frame: pd.DataFrame, expected: list[float]) -> None:
    family = IndividualRisk(weight="w", missing="wildcard")
    found = estimates(family, frame, frame, ["A", "B", "C"], "t")["individual_risk"]
    assert found.scores is not None
    assert found.scores == pytest.approx(expected, abs=1e-8)  # eight decimals are published
    assert found.value == pytest.approx(sum(expected) / 8, abs=1e-8)


def test_individual_risk_rejects_a_weight_that_is_no_number() -> None:
    with pytest.raises(UnknownVariableError):
        estimates(IndividualRisk(weight="t"), EIGHT, EIGHT, ["A", "B"], "C")


def test_modelled_risks_are_those_of_sdcmicro_where_the_population_mean_is_set_as_it_sets_it() -> None:
    columns = np.array([[2, 3, 2, 3, 3, 1, 2, 3, 2, 2], [2, 1, 2, 2, 1, 2, 1, 1, 1, 2], [5, 4, 4, 5, 4, 4, 3, 3, 2, 2]])
    cells, times = np.unique(columns, axis=1, return_counts=True)
    mu = _independent([np.bincount(c) for c in columns], cells[:, times == 1])
    alone, right = _sample_unique_risks(mu, 0.01)
    assert [float(alone.sum()) / 9, float(right.sum()) / 9] == pytest.approx([0.552916, 0.7053842], abs=1e-6)


def test_main_effects_are_what_proportional_fitting_finds_where_keys_are_independent() -> None:
    rows = [(a, b, c) for a in range(2) for b in range(3) for c in range(2) for _ in range((a + 1) * (b + 1) * (c + 2))]
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).astype(str)
    table = table_from_frame(frame)
    levels = np.array([[0, 1], [2, 0], [1, 1]])
    main = _independent([table.frequencies(k) for k in "abc"], levels)
    assert _two_way(table, list("abc"))[tuple(levels)] == pytest.approx(main)


def test_modelled_risk_falls_with_the_sampling_fraction() -> None:
    rng = np.random.default_rng(1)  # any sample with unique people
    frame = pd.DataFrame({k: rng.integers(0, 6, 60).astype(str) for k in "abt"})
    shares = [
        measure(
            frame, frame, ["a", "b"], "t", measures=["log_linear"], settings={"log_linear": {"sampling_fraction": f}}
        )
        for f in (0.5, 0.05)
    ]
    assert shares[0]["unique_in_population"].value > shares[1]["unique_in_population"].value


@pytest.mark.parametrize(
    ("masked", "linked", "bijective"),
    [
        ([(0, 0), (0, 2.1), (-2.1, 0), (0, -2.1)], None, 1.0),
        ([(2, 0), (3, 0), (4, 0), (-0.1, 0)], 0.25, 0.0),
    ],
    ids=["Herranz 2015, example 1", "Herranz 2015, example 2"],
)
def test_record_linkage_of_herranz(masked: list, linked: float | None, bijective: float) -> None:
    plain = [(1, 0), (0, 1), (-1, 0), (0, -1)] if bijective else [(1, 0), (2, 0), (3, 0), (4, 0)]
    frames = [pd.DataFrame(rows, columns=["v1", "v2"], dtype=float).assign(t="x") for rows in (plain, masked)]
    found = estimates(RecordLinkage(same_order=True), *frames, ["v1", "v2"], "t")
    assert found["linked_bijective"].value == bijective
    assert linked is None or found["linked"].value == linked


def test_record_linkage_says_why_synthetic_rows_cannot_be_linked() -> None:
    found = estimates(RecordLinkage(), EIGHT, EIGHT, ["A", "B"], "t")["linked"]
    assert not found.is_defined
    assert "belong to nobody" in found.caveats[0]


def test_equally_near_rows_share_a_link() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y"], "t": ["u", "u", "u"]})
    assert estimates(RecordLinkage(same_order=True), frame, frame, ["a"], "t")["linked"].value == pytest.approx(2 / 3)


def released() -> pd.DataFrame:
    rng = np.random.default_rng(22)  # the table that pyCANON was given
    n = 400
    return pd.DataFrame(
        {
            "area": rng.choice(list("nse"), n, p=[0.6, 0.3, 0.1]),
            "age": rng.integers(0, 6, n),
            "ill": rng.choice(["no", "flu", "hip", "eye"], n, p=[0.7, 0.15, 0.1, 0.05]),
            "pay": rng.integers(0, 9, n) ** 2,
        }
    )


@pytest.mark.parametrize(
    ("target", "models"),
    [
        ("ill", (4, 1, 1.0, 1.8622540250447226, 1.7829709631949757, 0.2875)),
        ("pay", (4, 3, 0.5, 4.2631578947368425, 1.6607312068216509, 0.37125)),
    ],
)
def test_models_of_a_release_are_those_of_pycanon(target: str, models: tuple[float, ...]) -> None:
    names = ["k_anonymity", "l_diversity", "alpha", "beta_likeness", "delta_disclosure", "t_closeness"]
    frame = released()
    found = measure(frame, frame, ["area", "age"], target, measures=names)
    assert [found[n].value for n in names] == pytest.approx(list(models))


RUGER = """
FAf76 FHp56 FBf34 FAp59 MHf73 MCp58 FBp62 MHf40 FBf82 MBp78 MBp64 FAp68 MHf39 MCf48 FCf66 MAf68 FHp72 FBf60 MCf54
MAp34 FHp30 MAf43 FHp73 MBf44 MAf39 MBf67 FHp37 MCf67 MHp32 MCp64 FAf42 MHf58 MAp33 MCf47 FBp39 MCp65 FHf36 MCp50
FCf67 FBp74 FAf75 MHp69 MHp74 MBf32 FHp52 MBp36 MHp80 FAf30 FHf51 FHf65 FHp71 MCp40 MHp50 FAf30 FBf57 MHp34 MAf72
MBf68 MHf76 MHp54 FBf56 MHp59 FAf72 FHf77 MBp38 MHp33 FAf55 MBp51 FAp69 MAp48 FBp52
"""
SMITH = """
MAp60 FHp47 MBf62 MCp55 FHp50 MHf69 MBp72 MBf80 MAf85 FBp68 MHf45 FHf82 MAp51 MCf49 FBf72 FCp89 MBp65 FAp85 MBp80
FCf65 MHf91 FCp79 MHf79 MHp62 MAp87 MBp46 MAp48 MAp87 MAp95 FAp91 FCp53 FCp83 MBf77 MBf67 MCp52 MHf57 FHf69 FHf92
FBf68 FAp48 FCp61 FAf57 FBp91 FCf84 MHp71 MAp64 FCp51 MBf95 MAp84 MHp79 FHp66 MAf76 MBf87 MCf73 FHp74 MCf60 MAp53
FCp60 MAf65 MAp52 MBp48 FCp95 FAp86 MHp82 MBf60 FHp84 MAp53 FAp71 MHf59
"""
WESSON = """
MCp51 MHf71 MBf77 FAp85 FCp89 MAf62 MHf59 MAf61 MBf89 MBp61 MBf93 MCf70 FCf61 MBp46 FHf52 FAf82 MCf59 FHp78 MBf73
FAf93 FHf88 MCf63 MAf79 MHp57 FCp91 FHf76 MCf68 MBp85 FHf53 MBp48 MHf53 MAf66 FHp83 FAf65 FHf58 MHp67 MHp57 FAf82
FCp58 FBf87 FHf68 FAf70 FBf63 MAf52 MHf72 FBf83 MCf45 MHp81 FBp65 MBf89 FCp64 FAp85 MCp90 FHf64 FCp68 FHp84 FBf83
FAp93 MCp47 FHf83 FAf53 MCp79 MAf87 MBp89 FAp56 FHp83 MCp45 MCp75 FCf58 FBf72 MCp79 MBp56 MHf94 MHp91 FBp53 MHp57
"""
"""pyCANON's file StudentsMath: of the pupils of three teachers gender, ethnic group, lunch and score."""


def students() -> pd.DataFrame:
    classes = {"Ruger": RUGER, "Smith": SMITH, "Wesson": WESSON}
    rows = [(name, *word[:3], float(word[3:])) for name, words in classes.items() for word in words.split()]
    return pd.DataFrame(rows, columns=["Teacher", "Gender", "Ethnic", "Freeredu", "Score"])


def test_models_of_pycanons_own_file_are_those_that_it_publishes() -> None:
    frame = students()
    assert len(frame) == 216
    published = {
        "k_anonymity": 1,
        "l_diversity": 1,
        "l_entropy": 1,
        "alpha": 1,
        "t_closeness": 0.41659,
        "beta_likeness": 71,
        "delta_disclosure": 4.27667,
    }
    found = measure(frame, frame, ["Teacher", "Gender", "Ethnic", "Freeredu"], "Score", measures=list(published))
    assert {n: found[n].value for n in published} == pytest.approx(published, abs=5e-6)  # five decimals are published


def test_average_prosecutor_risk_is_classes_over_people() -> None:
    frame = released()
    found = measure(frame, frame, ["area", "age"], "ill", measures=["reidentification"])
    classes = len(frame.groupby(["area", "age"]))
    assert found["prosecutor"].value == pytest.approx(classes / len(frame))
    assert found["prosecutor_highest"].value == 1 / 4
    assert found["marketer"].value == pytest.approx(classes / len(frame))
