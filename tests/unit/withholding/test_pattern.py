"""Secondary suppression: on tables whose best pattern is known, and against every pattern of small ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, count

import numpy as np
import pytest
from scipy import sparse

from divulge.audit.report import Status
from divulge.audit.run import Submission, audit
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.spec import parse_output
from divulge.table import Table
from divulge.withholding import Figures, complete_pattern, find_pattern
from tests.reference.withholding import can_move
from tests.support.tables import small_table


def crossed(cells: list[list[float]]) -> Figures:
    """A table of two variables with its margins; the grand total is public."""
    counts = np.array(cells)
    rows, columns = counts.shape
    inner = np.eye(rows * columns)
    by_row = np.kron(np.eye(rows), np.ones((1, columns)))
    by_column = np.kron(np.ones((1, rows)), np.eye(columns))
    sums = np.vstack([inner, by_row, by_column, np.ones((1, rows * columns))])
    cost = np.append(np.ones(len(sums) - 1), np.inf)
    flat = counts.ravel()
    return Figures(sparse.csr_array(sums), flat, cost, np.zeros(len(flat)), np.full(len(flat), flat.sum()))


@pytest.mark.parametrize("seconds", [30.0, 0.0], ids=["in time", "without time"])
def test_one_primary_in_a_table_takes_three_more_cells(seconds: float) -> None:
    given = crossed([[20, 50, 10], [8, 19, 22], [17, 32, 12]])
    primary = np.arange(16) == 3  # the 8
    found = find_pattern(given, primary, np.where(primary, 3.0, 0.0), seconds=seconds)
    assert found.sum() == 4
    assert can_move(given, found, 3, 3.0)


@pytest.mark.parametrize("seed", range(3))  # a few different tables
def test_pattern_without_time_protects_every_primary_on_both_sides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = crossed(rng.integers(5, 90, (7, 6)).astype(float).tolist())
    primary = np.zeros(given.n_figures, dtype=bool)
    primary[rng.choice(42, 6, replace=False)] = True
    need = np.where(primary, 4.0, 0.0)
    for seconds in (0.0, 30.0):
        found = find_pattern(given, primary, need, need, seconds=seconds)
        assert (found >= primary).all()
        assert not found[-1], "how many people there are is public"
        assert all(can_move(given, found, t, a) for t in np.flatnonzero(primary).tolist() for a in (4.0, -4.0))


@pytest.mark.parametrize("step", [0.3, 1.0, 3.0])  # of 30 seconds: the time is up in another place each
def test_pattern_whose_time_is_up_on_the_way_protects_every_primary(step: float) -> None:
    rng = np.random.default_rng(11)  # any seed: skewed amounts, so that cheap figures help little
    given = crossed(np.round(rng.lognormal(3.0, 1.4, (9, 8)) + 1.0).tolist())
    primary = np.zeros(given.n_figures, dtype=bool)
    primary[rng.choice(72, 12, replace=False)] = True
    value = given.sums @ given.cells
    need = np.where(primary, np.ceil(0.15 * value), 0.0)
    ticks = count()
    found = find_pattern(given, primary, need, need, seconds=30.0, clock=lambda: step * next(ticks))
    targets = np.flatnonzero(primary).tolist()
    assert all(can_move(given, found, t, a * need[t]) for t in targets for a in (1.0, -1.0))
    at_once = find_pattern(given, primary, need, need, seconds=0.0)
    assert given.cost[found & ~primary].sum() <= given.cost[at_once & ~primary].sum()


def test_nothing_more_is_withheld_where_primaries_protect_each_other() -> None:
    given = crossed([[20, 50, 10], [8, 9, 22], [7, 6, 12]])
    primary = np.isin(np.arange(16), [3, 4, 6, 7])
    assert find_pattern(given, primary, np.where(primary, 3.0, 0.0)).sum() == 4


def test_need_that_nothing_meets_does_not_stop_the_others() -> None:
    given = crossed([[20, 50, 10], [8, 19, 22], [17, 32, 12]])
    primary = np.isin(np.arange(16), [3, 8])
    found = find_pattern(given, primary, np.where(primary, [3.0] * 8 + [1e6] * 8, 0.0))
    assert can_move(given, found, 3, 3.0)
    assert not can_move(given, np.isfinite(given.cost), 8, 1e6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))  # a few different tables
def test_pattern_is_as_small_as_the_smallest_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = crossed(rng.integers(1, 20, (3, 3)).astype(float).tolist())
    primary = np.zeros(16, dtype=bool)
    primary[rng.choice(9, 2, replace=False)] = True
    need = np.where(primary, 3.0, 0.0)
    found = find_pattern(given, primary, need)
    targets = np.flatnonzero(primary).tolist()
    assert all(can_move(given, found, t, 3.0) for t in targets)
    choice = np.flatnonzero(~primary & np.isfinite(given.cost))
    for size in range(int(found.sum()) - 2):
        for chosen in combinations(choice.tolist(), size):
            tried = primary.copy()
            tried[list(chosen)] = True
            assert not all(can_move(given, tried, t, 3.0) for t in targets), "a smaller pattern protects as well"


def test_completed_pattern_leaves_the_audit_nothing_to_say() -> None:
    rng = np.random.default_rng(3)  # any table with thin cells
    columns = {
        "A": rng.choice(list("abcd"), 300, p=[0.5, 0.3, 0.17, 0.03]),
        "B": rng.choice(list("xyz"), 300, p=[0.6, 0.3, 0.1]),
    }
    table = small_table(**{n: c.tolist() for n, c in columns.items()})
    output = Crosstab(variables=("A", "B"), margins=True)
    released = output.publish(output.evaluate(table), table.schema)
    primary = (released.values > 0) & (released.values < 10)
    assert primary.any()
    given = Submission(table.schema, (output,), (released,), table.n_rows, table)
    found = complete_pattern(given, primary)
    assert (found & primary).sum() == primary.sum()
    assert found.sum() > primary.sum()
    hidden = Crosstab(
        variables=("A", "B"),
        margins=True,
        suppressed=tuple(label for label, f in zip(released.labels, found, strict=True) if f),
    )
    shown = hidden.publish(hidden.evaluate(table), table.schema)
    cells = audit(Submission(table.schema, (hidden,), (shown,), table.n_rows, table)).cells
    assert {c.status for c in cells} <= {Status.PROTECTED}


def _statuses(table: Table, found: np.ndarray, labels: tuple[str, ...], beside: Submission) -> set[Status]:
    """What the audit says of a table with these figures withheld, beside the coarser one."""
    hidden = Crosstab(
        variables=("A", "B"), margins=True, suppressed=tuple(x for x, f in zip(labels, found, strict=True) if f)
    )
    shown = hidden.publish(hidden.evaluate(table), table.schema)
    cells = audit(replace(beside, outputs=(hidden,), released=(shown,))).cells
    return {c.status for c in cells if c.output == 0}


def test_pattern_of_a_hierarchy_holds_beside_the_coarser_table() -> None:
    rng = np.random.default_rng(5)  # any table with thin cells of which few are together in a group
    table = small_table(
        A=rng.choice(list("abcdef"), 400, p=[0.35, 0.25, 0.2, 0.12, 0.05, 0.03]).tolist(),
        B=rng.choice(list("xyz"), 400, p=[0.6, 0.3, 0.1]).tolist(),
    )
    fine = Crosstab(variables=("A", "B"), margins=True)
    coarse = parse_output(
        {"kind": "crosstab", "variables": ["A", "B"], "coarser": {"A": {"merge": [["a", "e"], ["b", "f"], ["c", "d"]]}}}
    )
    printed = [output.publish(output.evaluate(table), table.schema) for output in (fine, coarse)]
    alone = Submission(table.schema, (fine,), (printed[0],), table.n_rows, table)
    beside = replace(alone, earlier=(("by groups", coarse, printed[1]),))
    primary = (printed[0].values > 0) & (printed[0].values < 8)
    labels = printed[0].labels
    unaware = complete_pattern(alone, primary)
    assert _statuses(table, unaware, labels, beside) > {Status.PROTECTED}, "the coarser table must make a difference"
    assert _statuses(table, complete_pattern(beside, primary), labels, beside) == {Status.PROTECTED}
