"""Variables that others decide: tables of regions and of counties are about the same people."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.audit.hierarchies import find_decided
from divulge.audit.run import AuditSettings, audit
from divulge.table import Table
from tests.support.tables import small_table
from tests.unit.audit.systems import COUNTIES, REGIONS, SIZES
from tests.unit.audit.test_run import submitted, told

ONE_WAY = (
    ("crosstab", {"variables": ["region"], "suppressed": [f"region={r}" for r in "ABKLM"], "name": "regions"}),
    ("crosstab", {"variables": ["county"], "name": "counties"}),
    ("crosstab", {"variables": ["size"], "name": "sizes"}),
)


def _regions(rules: tuple[str, ...] = (), times: int = 1) -> Table:
    county = {cell: name for name, cells in COUNTIES.items() for cell in cells}
    size = {cell: name for name, cells in SIZES.items() for cell in cells}
    rows = [cell for cell, n in REGIONS.items() for _ in range(n * times)]
    return small_table(rules, region=rows, county=[county[r] for r in rows], size=[size[r] for r in rows])


def test_three_tables_of_one_variable_each_reveal_a_region() -> None:
    # sdcTable's example: K = small − county 1 − N = 30 − 20 − 7 = 3, though no table has two of the variables.
    found = audit(submitted(_regions(), *ONE_WAY), AuditSettings(narrowest=1.0))
    (cell,) = told(found)
    assert (cell.label, cell.low, cell.high) == ("region=K", 3, 3)
    assert cell.chain == "sizes: size=small − regions: region=N − counties: county=county 1 = 30 − 7 − 20 = 3"
    assert "region decides county, which is taken to be known." in found.notes


def test_regions_that_lie_in_two_counties_reveal_nothing() -> None:
    table = _regions()
    other = np.array(table["county"])
    at = int(np.flatnonzero(table["region"] == table["region"][-1])[0])
    other[at] = 1 - other[at]
    moved = Table(table.schema, (table["region"], other, table["size"]))
    assert {(d.finer, d.coarser) for d in find_decided(("region", "county"), moved.schema, moved)} == set()
    assert told(audit(submitted(moved, *ONE_WAY), AuditSettings(narrowest=1.0))) == []


def test_values_that_one_person_each_has_decide_nothing() -> None:
    table = small_table(income=list(range(30)), sex=["f", "m", "m"] * 10)
    assert find_decided(("income", "sex"), table.schema, table) == ()


def test_of_a_chain_the_finest_decides_all() -> None:
    block = [str(i) for i in range(12) for _ in range(6)]
    table = small_table(
        block=block, town=[f"t{int(b) // 3}" for b in block], land=["x" if int(b) < 6 else "y" for b in block]
    )
    found = find_decided(("land", "town", "block"), table.schema, table)
    assert {(d.finer, d.coarser) for d in found} == {("block", "town"), ("block", "land")}


def test_edit_rules_say_it_without_data() -> None:
    rules = ("region in {A, B, I, J} -> county = 'county 1'", "region in {K, L, M, N} -> county = 'county 2'")
    schema = _regions(rules).schema
    (decided,) = find_decided(("region", "county"), schema, None)
    assert [schema["county"].texts[c] for c in decided.codes] == ["county 1"] * 4 + ["county 2"] * 4
    assert find_decided(("region", "county"), _regions().schema, None) == ()


@pytest.mark.parametrize("is_known", [True, False])
def test_combinations_that_edit_rules_forbid_hold_nobody(is_known: bool) -> None:
    rules = ("age = child -> work = no",) if is_known else ()
    table = small_table(rules, age=["child"] * 9 + ["adult"] * 20, work=["no"] * 14 + ["yes"] * 15)
    hidden = [f"age={a} & work={w}" for a in ("child", "adult") for w in ("no", "yes")]
    shown = ("crosstab", {"variables": ["age", "work"], "margins": True, "suppressed": hidden})
    exact = {c.label: c.low for c in told(audit(submitted(table, shown))) if c.low == c.high}
    assert exact.get("age=adult & work=no") == (5 if is_known else None)
