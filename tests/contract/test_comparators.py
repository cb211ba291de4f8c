"""Every comparator keeps the room's promises: seeds, schema, sizes, tables that leave little to learn."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from divulge.comparators import COMPARATORS, Comparator, broken_rules
from divulge.demo import simulated_health
from divulge.errors import ComparatorError
from divulge.table import Schema, Table, Variable

EVERY = pytest.mark.parametrize("make", COMPARATORS, ids=lambda c: c.kind)

MIXED = Schema(
    (
        Variable("AGE", "numeric", np.arange(0, 90), missing=(None, -9)),
        Variable("MSTATUS", "categorical", np.array(["Single", "Married", "Other"], dtype=object)),
        Variable("INCOME", "numeric", np.arange(0, 1000, 10) / 10, missing=(None,)),
        Variable("REGION", "categorical", np.arange(40), missing=(-9,)),
    ),
    rules=("AGE < 16 -> MSTATUS = Single",),
)


def mixed(n_rows: int = 300, seed: int = 5) -> Table:
    """Numbers, categories, missing codes, levels that nobody has, and an edit rule that holds."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 92, n_rows)  # 90 and 91 are the missing codes
    status = np.where(age < 16, 0, rng.integers(0, 3, n_rows))
    income = np.where(rng.random(n_rows) < 0.2, 100, np.minimum(age, 99))
    region = np.where(rng.random(n_rows) < 0.1, 40, rng.integers(0, 30, n_rows))
    return Table(MIXED, (age, status, income, region))


def digest(table: Table) -> str:
    return sha256(b"".join(c.tobytes() for c in table.columns)).hexdigest()


def run(comparator: Comparator, table: Table, n_rows: int | None = None, seed: int = 3) -> Table:
    return comparator.synthesise(table, n_rows, np.random.default_rng(seed))


@EVERY
def test_same_seed_gives_the_same_bytes(make: type[Comparator]) -> None:
    table = mixed()
    assert digest(run(make(), table)) == digest(run(make(), table))
    assert digest(run(make(), table)) != digest(run(make(), table, seed=4))


@EVERY
def test_schema_is_kept_and_the_original_is_not_changed(make: type[Comparator]) -> None:
    table = mixed()
    before = digest(table)
    made = run(make(), table)
    assert made.schema == table.schema
    assert [c.dtype for c in made.columns] == [c.dtype for c in table.columns]
    assert digest(table) == before


@EVERY
@pytest.mark.parametrize("n_rows", [1, 7, 1000])
def test_as_many_rows_are_made_as_are_asked_for(make: type[Comparator], n_rows: int) -> None:
    assert run(make(), mixed(), n_rows).n_rows == n_rows


@EVERY
def test_no_value_is_made_that_nobody_has(make: type[Comparator]) -> None:
    table = mixed()
    made = run(make(), table, 2000)
    for name in table.names:
        assert set(np.unique(made[name])) <= set(np.unique(table[name]))


@EVERY
def test_marginals_are_about_those_of_the_original(make: type[Comparator]) -> None:
    table = mixed(2000)
    made = run(make(), table, 4000 if make.kind != "sample" else None)
    for name in ("MSTATUS", "INCOME"):
        shares = table.frequencies(name) / table.n_rows
        # Five standard errors of a share of either table (the sample has 200 rows).
        tolerance = 5 * np.sqrt(0.25 / made.n_rows + 0.25 / table.n_rows)
        assert np.abs(made.frequencies(name) / made.n_rows - shares).max() < tolerance


@EVERY
def test_missing_values_are_made_too(make: type[Comparator]) -> None:
    made = run(make(), mixed(2000), 2000)
    for name in ("AGE", "INCOME", "REGION"):
        variable = made.schema[name]
        assert made.frequencies(name)[variable.n_values :].sum() > 0


@EVERY
def test_one_row_can_be_learnt_from(make: type[Comparator]) -> None:
    table = mixed(1)
    made = run(make(), table, 5)
    for name in table.names:
        assert (made[name] == table[name][0]).all()


@EVERY
def test_constant_and_all_missing_columns_stay_so(make: type[Comparator]) -> None:
    n = 60
    rng = np.random.default_rng(2)
    columns = (np.full(n, 90), rng.integers(0, 3, n), np.full(n, 17), np.full(n, 40))
    made = run(make(), Table(MIXED, columns), 50)
    assert (made["AGE"] == 90).all()
    assert (made["INCOME"] == 17).all()
    assert (made["REGION"] == 40).all()


@EVERY
def test_one_column_is_enough(make: type[Comparator]) -> None:
    made = run(make(), mixed().select(["REGION"]), 20)
    assert made.n_rows == 20


@EVERY
def test_broken_edit_rules_are_reported(make: type[Comparator]) -> None:
    original = mixed(1000)
    assert broken_rules(original) == {"AGE < 16 -> MSTATUS = Single": 0}
    broken = broken_rules(run(make(), original, 1000))
    assert list(broken) == ["AGE < 16 -> MSTATUS = Single"]
    if make.kind in ("marginals", "copula"):
        assert broken["AGE < 16 -> MSTATUS = Single"] > 50
    if make.kind == "sample":
        assert broken["AGE < 16 -> MSTATUS = Single"] == 0


@EVERY
def test_table_without_rows_is_rejected(make: type[Comparator]) -> None:
    with pytest.raises(ComparatorError, match="0 rows"):
        run(make(), mixed().take(slice(0, 0)))


@EVERY
def test_comparator_rejects_no_rows_wanted(make: type[Comparator]) -> None:
    with pytest.raises(ComparatorError, match="at least 1 synthetic row"):
        run(make(), mixed(), 0)


@EVERY
def test_comparator_says_what_it_is(make: type[Comparator]) -> None:
    assert make.summary.endswith(".")
    assert make.source
    assert make.__module__.rsplit(".", 1)[-1] == make.kind


def test_dependence_is_kept_in_the_order_of_the_room() -> None:
    table = simulated_health(1500, kappa=3.0)

    def strength(made: Table) -> float:
        return abs(float(np.corrcoef(made["age"], made["health_score"])[0, 1]))

    kept = {c.kind: strength(run(c(), table, 1500)) for c in COMPARATORS}
    assert kept["cart"] == pytest.approx(strength(table), abs=0.08)
    assert kept["copula"] == pytest.approx(strength(table), abs=0.08)
    assert kept["marginals"] < 0.1
