"""More knowledge never makes an output safer: keys that do not help are ignored."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.assess import assess
from divulge.assess.scenarios import MOST_KEY_SETS, backed_off
from divulge.scenario import Knows, Scenario
from divulge.table import Table
from tests.support.assessing import CROSSTAB, ready
from tests.support.tables import small_table

EXTRA = ("SEX", "AGE", "SMOKES")


def _people() -> Table:
    """Three people, each alone in their village; sex, age and smoking have nothing to do with anything."""
    rng = np.random.default_rng(5)
    n = 300
    village = ["x", "y", "z", *(f"v{v}" for v in rng.integers(0, 3, n - 3))]
    return small_table(
        VILLAGE=village,
        HIV=["yes" if i < 3 or p < 0.1 else "no" for i, p in enumerate(rng.random(n))],
        SEX=[int(s) for s in rng.integers(0, 2, n)],
        AGE=[int(a) for a in rng.integers(18, 90, n)],
        SMOKES=[int(s) for s in rng.integers(0, 2, n)],
        INCOME=[40 if i == 0 else int(x) for i, x in enumerate(rng.integers(1, 31, n))],
    )


TABLE = _people()
OUTPUTS = {
    "crosstab": ({"kind": "crosstab", "variables": ["VILLAGE", "HIV"], "compute": True}, "HIV", 4),
    "mean": (
        {"kind": "means", "variables": ["INCOME"], "by": ["VILLAGE"], "compute": True, "decimals": 0},
        "INCOME",
        20,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "extra"), [("crosstab", ()), *(("crosstab", one) for one in combinations(EXTRA, 1)), ("mean", EXTRA)]
)
def test_more_keys_never_hide_who_is_exposed(kind: str, extra: tuple[str, ...]) -> None:
    output, target, splits = OUTPUTS[kind]
    design = {"kind": "repeated-halves", "splits": splits, "curve": False}
    scenario = {"keys": ["VILLAGE", *extra], "target": target}
    found = assess(ready(output, table=TABLE, scenario=scenario, design=design), workers=1)
    assert found.verdict == "refuse"
    # The villages of one: the first person for certain; of the others a mean may be a common income.
    assert found.exposed[: 3 if kind == "crosstab" else 1].all()


@pytest.mark.parametrize("knows", [k for k in get_args(Knows) if k != "earlier outputs"])
def test_granted_knowledge_never_hides_who_is_exposed(knows: Knows) -> None:
    scenario = {"keys": ["VILLAGE"], "target": "HIV", "knows": knows}
    found = assess(ready(OUTPUTS["crosstab"][0], table=TABLE, scenario=scenario), workers=1)
    assert found.verdict == "refuse"
    assert found.exposed[:3].all()


@pytest.mark.slow
@settings(max_examples=8, deadline=None)  # each is two assessments, of some hundredths of a second
@given(seed=st.integers(0, 10_000), n=st.integers(60, 120), levels=st.integers(3, 30))
def test_keys_and_outputs_more_never_lower_anybodys_exposure(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, k, n).tolist() for name, k in (("A", levels), ("B", 3), ("C", 4), ("D", 2))}
    table = small_table(**columns)
    first, second = ({"kind": "crosstab", "variables": v, "compute": True} for v in (["A", "B"], ["C", "D"]))
    few = assess(ready(first, table=table, scenario={"keys": ["A"], "target": "B"}), workers=1)
    more = assess(ready(first, table=table, scenario={"keys": ["A", "C", "D"], "target": "B"}), workers=1)
    both = assess(ready(first, second, table=table, scenario={"keys": ["A"], "target": "B"}), workers=1)
    assert (few.exposed <= more.exposed).all()
    assert (few.exposed <= both.exposed).all()


def test_one_more_output_never_hides_who_is_exposed() -> None:
    table = {"kind": "crosstab", "variables": ["SEX", "SMOKES"], "compute": True}
    alone = assess(ready(OUTPUTS["crosstab"][0], table=TABLE), workers=1)
    both = assess(ready(OUTPUTS["crosstab"][0], table, table=TABLE), workers=1)
    assert (alone.exposed <= both.exposed).all()


def test_scenario_backs_off_to_the_keys_that_figures_tie_to_the_target() -> None:
    plan = ready(
        CROSSTAB,
        {"kind": "linear", "formula": "SEX ~ C(AREA) + C(ILL)", "decimals": 2, "compute": True},
    )
    keys = ("AREA", "ILL")
    found = backed_off(Scenario(keys, "SEX"), plan.outputs, plan.table.schema)
    assert [s.keys for s in found] == [keys, ("AREA",), ("ILL",)]
    found = backed_off(Scenario(("AREA", "SEX"), "ILL"), plan.outputs, plan.table.schema)
    assert [s.keys for s in found] == [("AREA", "SEX"), ("AREA",), ("SEX",)]


def test_number_of_key_sets_is_limited() -> None:
    terms = " + ".join(f"X{i}" for i in range(14))
    columns = {f"X{i}": [0, 1] * 30 for i in range(14)} | {"Y": [0, 1, 2] * 20}
    plan = ready({"kind": "linear", "formula": f"Y ~ {terms}", "compute": True}, table=small_table(**columns))
    keys = tuple(f"X{i}" for i in range(14))
    assert len(backed_off(Scenario(keys, "Y"), plan.outputs, plan.table.schema)) == MOST_KEY_SETS
