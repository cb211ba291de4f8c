"""Every family of measures keeps the promises of its room, on ordinary tables and on awkward ones."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from divulge.measures import FAMILIES, Case, Estimate, Family, Measured, Scenario, measure
from divulge.measures.run import _prepare
from divulge.record import dumps
from divulge.table import table_from_frame


def drawn(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 40, n)
    sex = rng.choice(["f", "m"], n)
    area = rng.choice(["north", "south", "east"], n, p=[0.6, 0.3, 0.1])
    home = np.where(rng.random(n) < age / 60, "own", "rent")
    frame = pd.DataFrame({"age": age, "sex": sex, "area": area, "home": home})
    return frame.mask(pd.DataFrame(rng.random((n, 4)) < [0, 0.05, 0, 0.05], columns=frame.columns))


TABLES = {
    "ordinary": (drawn(80, 1), drawn(70, 2)),
    "one row": (drawn(1, 3), drawn(1, 4)),
    "no match": (drawn(30, 5), drawn(30, 6).assign(area="elsewhere")),
    "constant target": (drawn(30, 7).assign(home="own"), drawn(30, 8).assign(home="own")),
    "level in one file": (drawn(30, 9), drawn(30, 10).assign(home="hotel")),
}


def case_of(people: pd.DataFrame, synthetic: pd.DataFrame, holdout: pd.DataFrame | None = None) -> Case:
    held = None if holdout is None else table_from_frame(holdout)
    ready = _prepare(table_from_frame(people), [table_from_frame(synthetic)], held, None)
    scenario = Scenario(("age", "sex", "area"), "home")
    return Case(ready.original, ready.synthetic[0], scenario, ready.holdout, ready.synthetic)


def estimates(family: type[Family], case: Case, seed: int = 1) -> dict[str, Estimate]:
    return family().estimate(case, np.random.default_rng(seed))


EVERY = pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize("kind", TABLES)
def test_figures_are_named_finite_or_undefined_with_a_reason(family: type[Family], kind: str) -> None:
    found = estimates(family, case_of(*TABLES[kind], holdout=TABLES["ordinary"][0]))
    about = {m.name: m for m in family.measures}
    assert found
    assert set(found) <= set(about)
    for name, figure in found.items():
        assert figure.name == name
        assert not math.isinf(figure.value)
        if math.isnan(figure.value):
            assert figure.caveats, name
        elif figure.numerator is not None and figure.denominator:
            assert figure.value == pytest.approx(figure.numerator / figure.denominator), name
        if figure.interval is not None and figure.is_defined:
            assert figure.interval.low <= figure.value <= figure.interval.high or figure.interval.method == "bootstrap"
        json.loads(dumps(figure))


@EVERY
def test_family_describes_itself(family: type[Family]) -> None:
    assert family.name == family.name.lower()
    for measured in family.measures:
        assert measured.summary.endswith(".")
        assert measured.source


@pytest.mark.slow
@EVERY
def test_same_seed_gives_the_same_figures(family: type[Family]) -> None:
    case = case_of(*TABLES["ordinary"], holdout=drawn(40, 20))
    assert dumps(estimates(family, case)) == dumps(estimates(family, case))


@pytest.mark.slow
@EVERY
def test_tables_are_not_changed(family: type[Family]) -> None:
    case = case_of(*TABLES["ordinary"], holdout=drawn(40, 20))
    before = [[c.copy() for c in t.columns] for t in (case.people, case.synthetic)]
    estimates(family, case)
    for table, columns in zip((case.people, case.synthetic), before, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(table.columns, columns, strict=True))


NO_INTERVAL = {
    "k_map": "the smallest of all classes",
    "prosecutor_highest": "the largest of all chances",
    "max_denom": "the largest of all classes",
    "mean_denom": "a description of the file",
    "baseCAPd": "what everybody knows",
    "SUDA": "a description of the file",
    "DIS_SUDA": "a model's guess from one sample",
    **dict.fromkeys(("membership_epsilon", "shadow_epsilon"), "a lower bound: one end of an interval already"),
    **dict.fromkeys(("CIO", "pMSE", "pMSE_ratio", "SPECKS", "Hellinger"), "utility: one file beside another"),
}
"""Figures about people that stand without an interval, and why."""


@pytest.fixture(scope="module")
def everything() -> Measured:
    """The whole battery with a holdout, once."""
    return measure(
        drawn(200, 31), drawn(200, 32), ["age", "sex", "area"], "home", holdout=drawn(200, 33), measures=["all"]
    )


@pytest.mark.slow
@EVERY
def test_figure_of_people_has_its_twin_for_the_holdout_or_holds_both(
    family: type[Family], everything: Measured
) -> None:
    for about in family.measures:
        if about.name not in everything.measures or about.of == "synthetic":
            continue
        holds_both = "out" in everything[about.name].details
        twin = everything.holdout.get(about.name)
        assert holds_both or twin is not None, about.name
        if twin is not None and twin[0].is_defined and everything[about.name].is_defined:
            assert about.name in everything.difference, about.name


@EVERY
def test_figure_of_people_has_an_interval(family: type[Family], everything: Measured) -> None:
    for about in family.measures:
        found = everything.measures.get(about.name)
        if about.of == "synthetic" or found is None or not found[0].is_defined:
            continue
        assert (found[0].interval is None) == (about.name in NO_INTERVAL), about.name


def test_measures_have_one_name_each() -> None:
    names = [m.name for family in FAMILIES for m in family.measures]
    assert len(set(names)) == len(names)


def test_frames_of_every_kind_are_measured_alike() -> None:
    import pyarrow as pa

    people, synthetic = TABLES["ordinary"]
    arrow = [pa.Table.from_pandas(f, preserve_index=False) for f in (people, synthetic)]
    tables = [table_from_frame(f) for f in (people, synthetic)]
    keys = ["age", "sex", "area"]
    values = [
        {n: each[0].value for n, each in measure(a, b, keys, "home").measures.items()}
        for a, b in ((people, synthetic), arrow, tables)
    ]
    assert values[0]["DiSCO"] > 0
    assert values[1] == pytest.approx(values[0], nan_ok=True)
    assert values[2] == pytest.approx(values[0], nan_ok=True)
