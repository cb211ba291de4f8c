"""The audit of whole submissions: outputs in, cells with proofs out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from divulge.audit.report import Audited, Cell, Status
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.outputs import OUTPUTS, Output
from divulge.rules import Severity
from divulge.table import Table
from tests.support.tables import repeated, small_table
from tests.unit.audit.systems import COUNTIES, REGIONS, SIZES

KINDS = {kind.kind: kind for kind in OUTPUTS}


def submitted(table: Table, *outputs: tuple[str, dict[str, Any]], **more: Any) -> Submission:
    made: list[Output] = [KINDS[kind](compute=True, **fields) for kind, fields in outputs]
    released = tuple(o.publish(o.evaluate(table), table.schema) for o in made)
    return Submission(table.schema, tuple(made), released, table.n_rows, table, **more)


def told(found: Audited) -> list[Cell]:
    return [c for c in found.cells if c.status is not Status.PROTECTED]


def _regions() -> Table:
    county = {cell: name for name, cells in COUNTIES.items() for cell in cells}
    size = {cell: name for name, cells in SIZES.items() for cell in cells}
    rows = [cell for cell, n in REGIONS.items() for _ in range(n)]
    return small_table(region=rows, county=[county[r] for r in rows], size=[size[r] for r in rows])


def _by(name: str, cells: dict[str, str]) -> tuple[str, dict[str, Any]]:
    hidden = [f"{name}={group} & region={c}" for group, inside in cells.items() for c in inside if c in "ABKLM"]
    hidden += [f"region={c}" for c in "ABKLM"]
    return "crosstab", {"variables": [name, "region"], "margins": True, "suppressed": hidden, "name": name}


def test_each_of_two_linked_tables_is_protected_and_both_reveal_a_cell() -> None:
    table = _regions()
    settings = AuditSettings(narrowest=1.0)  # exact values alone, as sdcTable's attack has it
    for one in (_by("county", COUNTIES), _by("size", SIZES)):
        assert told(audit(submitted(table, one), settings)) == []
    found = audit(submitted(table, _by("county", COUNTIES), _by("size", SIZES)), settings)
    exact = {c.label: c for c in told(found)}
    assert {label for label in exact if label.endswith("region=K")} == set(exact)
    assert (exact["region=K"].low, exact["region=K"].high) == (3, 3)
    assert exact["region=K"].chain.endswith(" = 3")
    assert {f.rule for f in found.findings} == {"exact figure"}
    assert found.findings[0].severity is Severity.REFUSE


def test_two_tables_that_differ_by_a_condition_give_those_in_between_away() -> None:
    table = small_table(**repeated(x=[("p", 20), ("q", 30)]), age=[17] * 2 + [40] * 48, z=[i % 3 for i in range(50)])
    count = ("crosstab", {"variables": ["x"]})
    adults = ("crosstab", {"variables": ["x"], "where": "age >= 18"})
    found = audit(submitted(table, count, adults, ("crosstab", {"variables": ["z"]})))
    (cell,) = told(found)
    assert cell.output is None
    assert cell.label == "age=17 & x=p"
    assert (cell.low, cell.high) == (2, 2)
    assert cell.chain == "outputs[0]: x=p − outputs[1]: x=p = 20 − 18 = 2"
    assert found.findings[0].people == 2


def test_breach_names_the_earlier_release() -> None:
    table = small_table(**repeated(x=[("p", 20), ("q", 30)]), age=[17] * 2 + [40] * 48)
    earlier = KINDS["crosstab"](compute=True, variables=["x"])
    before = ("release 7", earlier, earlier.publish(earlier.evaluate(table), table.schema))
    adults = ("crosstab", {"variables": ["x"], "where": "age >= 18"})
    # Nobody says how many rows there are.
    assert told(audit(replace(submitted(table, adults), n_rows=None))) == []
    (cell,) = told(audit(replace(submitted(table, adults, earlier=(before,)), n_rows=None)))
    assert cell.chain == "release 7: x=p − outputs[0]: x=p = 20 − 18 = 2"


def test_figures_that_no_data_have_are_named() -> None:
    table = small_table(**repeated(x=[("p", 4), ("q", 3)]))
    output = KINDS["crosstab"](variables=["x"], margins=True, released=[4, 3, 8])
    released = output.publish(output.evaluate(table), table.schema)
    wrong = np.array([4.0, 3.0, 8.0])
    released = type(released)(released.labels, wrong, wrong, wrong, released.half, released.precision)
    found = audit(Submission(table.schema, (output,), (released,)))
    assert [f.rule for f in found.findings] == ["contradiction"]
    assert set(found.findings[0].figures) == {"x=p", "x=q", "total"}
    assert found.cells == ()


def test_what_is_not_linear_is_said_to_be_out_of_reach() -> None:
    table = small_table(v=[float(i % 7) for i in range(30)], z=[float(i % 5) for i in range(30)])
    found = audit(submitted(table, ("linear", {"formula": "v ~ z"})))
    assert found.unreached[0][0] == 0
    assert "linear" in found.unreached[0][1]
    assert found.findings == ()


def test_rounded_total_gives_a_rounded_cell_away() -> None:
    # 10 people; 8 rounded to base 5 is 10 (8 to 12), and the others are printed in full.
    table = small_table(**repeated(x=[("p", 8), ("q", 2)]))
    rounded = ("crosstab", {"variables": ["x"], "base": 5})
    found = {c.label: c for c in audit(submitted(table, rounded)).cells}
    # The number of rows is known: p is 8 to 10, and q 0 to 2.
    assert (found["x=p"].low, found["x=p"].high) == (8, 10)
    assert (found["x=q"].low, found["x=q"].high) == (0, 2)
    assert found["x=p"].status is Status.NARROW


def test_mean_bounds_who_has_which_value() -> None:
    # Two people of 30 and 40 possible: a mean of 40 is both 40.
    table = small_table(v=[40, 40, 30], g=["a", "a", "b"])
    found = audit(submitted(table, ("means", {"variables": ["v"], "by": ["g"]}), ("crosstab", {"variables": ["g"]})))
    assert {c.label: c.low for c in told(found)} == {"v=40 & g=a": 2.0, "v=30 & g=b": 1.0} or {
        c.label: c.low for c in told(found)
    } == {"g=a & v=40": 2.0, "g=b & v=30": 1.0}


def test_mean_and_spread_of_a_small_group_leave_one_sample() -> None:
    table = small_table(v=[30, 31, *[i % 60 for i in range(40)]], g=["a"] * 2 + ["b"] * 40)
    mean = ("means", {"variables": ["v"], "by": ["g"], "decimals": 1})
    spread = ("shape", {"variables": ["v"], "by": ["g"], "decimals": 1})
    (found,) = [f for f in audit(submitted(table, mean, spread)).findings if f.rule == "few samples"]
    assert found.severity is Severity.REFUSE
    assert found.people == 2
    assert "30" not in found.sentence  # no value of a row
    assert "31" not in found.sentence


def test_withheld_total_needs_room_for_the_largest_contributor() -> None:
    # 100 of 104: the rest is 4; p = 10 % of 100 less 4 is 6 on each side. Known: 104 + q's 50 = 154 in all.
    table = small_table(v=[100, 3, 1, 20, 30], g=["p"] * 3 + ["q"] * 2)
    shown = ("totals", {"variables": ["v"]})
    hidden = ("totals", {"variables": ["v"], "by": ["g"], "suppressed": ["v | g=p", "v | g=q"]})
    protected = audit(submitted(table, shown, hidden))
    assert {c.status for c in protected.cells if c.output == 1} == {Status.PROTECTED}
    half = ("totals", {"variables": ["v"], "by": ["g"], "suppressed": ["v | g=p"]})
    (cell,) = [c for c in audit(submitted(table, shown, half)).cells if c.output == 1]
    assert cell.status is Status.EXACT
    assert cell.chain == "outputs[0]: v − outputs[1]: v | g=q = 154 − 50 = 104"


def _amounts(*values: int) -> Table:
    """The same two groups, with so many possible amounts that sums are the unknowns."""
    return small_table(v=[*values, *range(1000, 1050)], g=["p"] * 3 + ["q"] * 2 + ["r"] * 50)


def test_amounts_are_audited_by_their_sums() -> None:
    shown = ("totals", {"variables": ["v"]})
    half = ("totals", {"variables": ["v"], "by": ["g"], "suppressed": ["v | g=p"]})
    (cell,) = audit(submitted(_amounts(100, 3, 1, 20, 30), shown, half)).cells
    assert (cell.low, cell.high, cell.status) == (104, 104, Status.EXACT)
    hidden = ("totals", {"variables": ["v"], "by": ["g"], "suppressed": ["v | g=p", "v | g=q"]})
    found = {c.label: c for c in audit(submitted(_amounts(100, 3, 1, 20, 30), shown, hidden)).cells}
    assert (found["v | g=p"].low, found["v | g=p"].high) == (0, 154)
    assert {c.status for c in found.values()} == {Status.PROTECTED}


@pytest.mark.parametrize(("second", "status"), [(6, Status.PROTECTED), (5, Status.NARROW)])
def test_withheld_amount_stays_open_by_its_protection_level_on_both_sides(second: int, status: Status) -> None:
    # 100 of 104: 10 % of 100 less the rest of 1 is 9; above 104 there are 5 or 6 in q, and 9 are needed.
    table = _amounts(100, 3, 1, second + 2, 1)
    shown = ("totals", {"variables": ["v"]})
    hidden = ("totals", {"variables": ["v"], "by": ["g"], "suppressed": ["v | g=p", "v | g=q"]})
    cells = {c.label: c for c in audit(submitted(table, shown, hidden)).cells}
    assert cells["v | g=p"].high == 104 + second + 3
    assert cells["v | g=p"].status is status


def test_spent_time_is_said() -> None:
    table = _regions()
    found = audit(submitted(table, _by("county", COUNTIES), _by("size", SIZES)), AuditSettings(seconds=0.0))
    assert any("Time ran out" in note for note in found.notes)
    assert all(c.chain == "" for c in found.cells)
    # What was not tried is not released without a look.
    assert [f.severity.value for f in found.findings if f.rule == "not reached"] == ["review"]


@pytest.mark.parametrize("most", [4, 60_000])
def test_parts_tied_by_margins_reveal_the_same_cell(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("divulge.audit.partition.MOST_TOGETHER", most)
    found = audit(submitted(_regions(), _by("county", COUNTIES), _by("size", SIZES)), AuditSettings(narrowest=1.0))
    exact = {c.label: (c.low, c.high) for c in told(found)}
    assert exact["region=K"] == (3, 3)
    assert any("fit together" in note for note in found.notes) == (most == 4)


def test_total_of_an_amount_over_everybody_is_audited_too() -> None:
    table = small_table(income=list(range(1000, 1300)))
    found = audit(submitted(table, ("totals", {"variables": ("income",)})))
    assert told(found) == []
    assert found.unreached == ()


def test_withheld_figures_that_were_not_tried_are_a_review() -> None:
    table = _amounts(100, 3, 1, 20, 1)
    hidden = ("totals", {"variables": ["v"], "by": ["g"], "suppressed": ["v | g=p", "v | g=q"]})
    given = submitted(table, ("totals", {"variables": ["v"]}), hidden)
    found = audit(given, AuditSettings(seconds=0.0))
    assert [(f.severity.value, f.outputs) for f in found.findings if f.rule == "not reached"] == [("review", (1,))]
    assert not [f for f in audit(given).findings if f.rule == "not reached"]
