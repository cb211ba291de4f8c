"""Ways to change counts before they are printed: what is printed, and what whoever knows the way reads in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from divulge.errors import OutputError
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.methods import METHODS
from divulge.outputs.methods.cell_key import CellKey, _changes_of, look_up
from divulge.outputs.methods.controlled_rounding import ControlledRounding
from divulge.outputs.methods.method import Method
from divulge.outputs.methods.midpoint import Midpoint
from divulge.outputs.methods.noise import Noise
from divulge.outputs.methods.random_rounding import RandomRounding
from divulge.outputs.methods.small_counts import SmallCounts
from divulge.spec import format_output, parse_output, read_inputs, read_spec
from tests.contract.test_outputs import table_of
from tests.support.tables import small_table

TABLE = table_of("census")
OUTPUT = Crosstab(variables=("AREAP", "MSTATUS"), margins=True)
LABELS = OUTPUT.labels(TABLE.schema)
COUNTS = OUTPUT.evaluate(TABLE).values
SUMS = OUTPUT.sums(TABLE.schema)


def test_sums_of_a_crosstab_are_its_margins() -> None:
    assert SUMS is not None
    assert np.array_equal(SUMS @ COUNTS[: SUMS.shape[1]], COUNTS)


@pytest.mark.parametrize("kind", METHODS, ids=lambda k: k.kind)
@pytest.mark.parametrize("margins", [True, False], ids=["margins", "cells"])
def test_every_count_lies_where_the_method_says(kind: type[Method], margins: bool) -> None:
    sums = SUMS if margins else None
    method = kind(seed=5)  # any seed
    printed = method.apply(LABELS, COUNTS, sums)
    below, above = method.reach(printed, sums)
    inside = (
        (printed - below - 1e-9 <= COUNTS) & (printed >= 0) & (printed + above + 1e-9 >= COUNTS)
    )  # rounding of sums
    # Noise is read by an interval that holds 99 % of it.
    assert inside.mean() >= (0.95 if kind is Noise else 1.0)
    assert (printed != COUNTS).any()


@pytest.mark.parametrize("kind", METHODS, ids=lambda k: k.kind)
def test_same_seed_prints_the_same(kind: type[Method]) -> None:
    once = kind(seed=5).apply(LABELS, COUNTS, SUMS)  # any seed
    assert np.array_equal(once, kind(seed=5).apply(LABELS, COUNTS, SUMS))


@pytest.mark.parametrize("kind", METHODS, ids=lambda k: k.kind)
def test_output_with_a_method_publishes_intervals_that_hold_the_counts(kind: type[Method]) -> None:
    read = parse_output({**format_output(OUTPUT), "method": {"kind": kind.kind, "seed": 5}})
    assert parse_output(format_output(read)) == read
    released = read.publish(read.evaluate(TABLE), TABLE.schema)
    assert released.agrees(COUNTS).mean() >= (0.95 if kind is Noise else 1.0)  # as above
    assert (released.high - released.low).max() > 1.0


@pytest.mark.parametrize("kind", [ControlledRounding, SmallCounts, Noise], ids=lambda k: k.kind)
def test_margins_are_the_sums_of_what_is_printed(kind: type[Method]) -> None:
    assert SUMS is not None
    printed = kind(seed=5).apply(LABELS, COUNTS, SUMS)  # any seed
    assert np.array_equal(SUMS @ printed[: SUMS.shape[1]], printed)


def test_controlled_rounding_keeps_every_figure_within_one_base() -> None:
    printed = ControlledRounding(base=5).apply(LABELS, COUNTS, SUMS)
    assert np.abs(printed - COUNTS).max() < 5
    assert (printed % 5 == 0).all()
    assert np.array_equal(printed[COUNTS % 5 == 0], COUNTS[COUNTS % 5 == 0])


def test_handbook_interval_of_controlled_rounding_with_one_step() -> None:
    below, above = ControlledRounding(base=5, steps=1).reach(np.array([15.0]), None)
    assert (15 - below[0], 15 + above[0]) == (6, 24)


def test_interval_of_three_variables_holds_a_step_that_they_may_have_needed() -> None:
    cube = np.indices((2, 2, 2)).reshape(3, -1)
    rows = [np.ones(8, dtype=bool)]
    for a in range(3):
        rows += [cube[a] == x for x in (0, 1)]
        rows += [(cube[a] == x) & (cube[(a + 1) % 3] == y) for x in (0, 1) for y in (0, 1)]
    sums = sparse.csr_array(np.vstack([np.eye(8), np.array(rows)]).astype(float))
    counts = sums @ np.array([1.0, 7.0, 2.0, 4.0, 8.0, 3.0, 6.0, 9.0])
    method = ControlledRounding(base=5)
    printed = method.apply([""] * len(counts), counts, sums)
    below, above = method.reach(printed, sums)
    assert np.array_equal(sums @ printed[:8], printed)
    assert ((counts >= printed - below) & (counts <= printed + above)).all()
    assert set(above) == {9}
    assert set(method.reach(printed, None)[1]) == {4}


def test_controlled_rounding_of_two_by_two_is_the_nearest_that_adds() -> None:
    sums = sparse.csr_array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 1]])
    counts = sums @ np.array([2.0, 2.0, 9.0, 14.0])  # 4 of the first two is nearer to 5 than to 0
    printed = ControlledRounding(base=5).apply([""] * 6, counts, sums)
    assert sorted(printed[:2]) == [0, 5]
    assert printed[2:].tolist() == [10, 10 if printed[5] == 25 else 15, 5, printed[5]]


def test_random_rounding_is_right_on_average() -> None:
    labels = [f"X={i}" for i in range(6000)]
    printed = RandomRounding(base=3).apply(labels, np.full(6000, 4.0), None)
    assert set(printed) == {3, 6}
    # A third goes up; four standard deviations of the mean of 6,000.
    assert abs(printed.mean() - 4) < 4 * np.sqrt(2.0 / 6000)


def test_midpoint_six_is_as_opensafely_prints() -> None:
    printed = Midpoint().apply([""] * 6, np.array([0.0, 1.0, 6.0, 7.0, 12.0, 13.0]), None)
    assert printed.tolist() == [0, 3, 3, 9, 9, 15]


def test_changes_by_cell_key_have_mean_zero_and_the_variance() -> None:
    for count in (1, 3, 10):
        p, v = _changes_of(min(count, 5), 5, 3.0), np.arange(-min(count, 5), 6)
        assert abs(p @ v) < 1e-6  # the solver's tolerance
        assert abs(p @ v**2 - min(3.0, 0.9 * min(count, 5) * 5)) < 1e-5
    assert CellKey().apply(["a"], np.zeros(1), None).tolist() == [0]


def test_looked_up_changes_repeat_the_last_rows() -> None:
    table = np.arange(750.0)[:, None] * np.ones(256)
    found = look_up(np.array([0, 1, 750, 751, 1000, 1001]), np.zeros(6, dtype=np.int64), table) - [
        0,
        1,
        750,
        751,
        1000,
        1001,
    ]
    assert found.tolist() == [0, 0, 749, 500, 749, 500]


def test_method_is_refused_for_shares() -> None:
    read = parse_output(
        {"kind": "crosstab", "variables": ["SEX"], "statistic": "proportions", "method": {"kind": "midpoint"}}
    )
    with pytest.raises(Exception, match="a method changes counts"):
        read.check(TABLE.schema)


# Handbook on SDC 2025, cell keys: count, change, and the keys above the third up to the fourth.
GIVEN = (
    (0, 0, 0.0, 1.0),
    (1, -1, 0.0, 0.5),
    (1, 1, 0.5, 1.0),
    (2, 0, 0.0, 0.8),
    (2, 1, 0.8, 1.0),
    (3, -1, 0.0, 0.3),
    (3, 0, 0.3, 0.7),
    (3, 1, 0.7, 1.0),
)


def test_given_table_and_keys_change_a_count_as_the_handbook_says() -> None:
    people = small_table(x=["a"] * 3 + ["b"] * 5 + ["c"], key=[0.9, 0.3, 0.6, 0.1, 0.2, 0.3, 0.25, 0.1, 0.4])
    method = CellKey(table=GIVEN, keys="key")
    output = Crosstab(variables=("x",), method=method, compute=True)
    released = output.publish(output.evaluate(people), people.schema)
    # 0.9 + 0.3 + 0.6 has the fraction 0.8: 3 becomes 4. 5 uses the row of 3, with the key 0.95. 1 with 0.4 goes to 0.
    assert released.values.tolist() == [4, 6, 0]
    assert (released.low.tolist(), released.high.tolist()) == ([3, 5, 0], [5, 7, 1])


def test_whole_keys_are_counted_below_256_and_rows_are_used_again() -> None:
    # As the ONS has it: a change for each count and whole key; above the last count the last rows come again.
    table = tuple((n, (n * 7 + k) % 3 - 1, k / 4, (k + 1) / 4) for n in range(1, 7) for k in range(4))
    method = CellKey(table=table, keys="key", keys_below=4, repeats=2)
    counts, keys = np.arange(1.0, 13.0), np.arange(3.0, 51.0, 4.0) + np.arange(12.0)
    lookup = np.array([[(n * 7 + k) % 3 - 1 for k in range(4)] for n in range(1, 7)], dtype=float)
    expected = look_up(counts.astype(np.int64), keys.astype(np.int64) % 4, lookup, largest=6, repeats=2)
    assert method.printed([""] * 12, counts, None, keys).tolist() == expected.tolist()


def test_table_that_makes_counts_negative_is_refused() -> None:
    with pytest.raises(OutputError, match="negative"):
        CellKey(table=((1, -2, 0.0, 1.0),))


def test_spec_names_table_and_keys(tmp_path: Path) -> None:
    rows = [*(f"a,{k}" for k in (0.9, 0.3, 0.6)), *(f"b,{0.01 * i}" for i in range(1, 21))]
    (tmp_path / "d.csv").write_text("\n".join(["x,key", *rows]) + "\n", encoding="utf-8")
    listed = ", ".join(str(list(row)) for row in GIVEN)
    method = f"{{kind: cell-key, keys: key, table: [{listed}]}}"
    spec = tmp_path / "s.yaml"
    spec.write_text(f"data: d.csv\noutputs: [{{kind: crosstab, variables: [x], method: {method}}}]\n", encoding="utf-8")
    assessment = read_spec(spec)
    table = read_inputs(assessment, "needed").table
    assert table is not None
    (output,) = assessment.outputs
    assert output.publish(output.evaluate(table), table.schema).values[0] == 4
    assert parse_output(format_output(output)) == output
