"""Every counted figure equals its plain twin: random tables, missing values, levels that one file alone has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from divulge.measures import FAMILIES, Exclusions
from divulge.measures.families.identity import Identity
from divulge.measures.families.tcap import Tcap
from divulge.measures.run import Measured, measure_tables
from divulge.table import Schema, Table, Variable
from tests.reference import measures as reference

Rows = list[tuple[Any, ...]]

_LEVELS = st.sampled_from(["a", "b", "c", None])
_ROWS = st.lists(st.tuples(_LEVELS, _LEVELS, _LEVELS), min_size=1, max_size=14)
_NO_MATCH: Rows = [("z", "z", "a"), ("z", "y", "b")]
_CONSTANT: Rows = [("a", "a", "a"), ("a", "b", "a"), ("b", "b", "a")]


def table(rows: Sequence[tuple[Any, ...]], names: Sequence[str] = ("k", "l", "t")) -> Table:
    """A table whose every column lists its values in the order in which they come, so that files differ in theirs."""
    variables, columns = [], []
    for j, name in enumerate(names):
        seen = list(dict.fromkeys(r[j] for r in rows if r[j] is not None))
        values = np.array(seen, dtype=object)
        missing = (None,) if any(r[j] is None for r in rows) else ()
        variables.append(Variable(name, "categorical", values, missing=missing))
        columns.append(np.array([seen.index(r[j]) if r[j] is not None else len(seen) for r in rows]))
    return Table(Schema(tuple(variables)), tuple(columns))


def measured(people: Rows, synthetic: Rows, **options: Any) -> Measured:
    families = [family() for family in FAMILIES if not family.needs_rows or family.name == "msu_overlap"]
    return measure_tables(table(people), [table(synthetic)], ["k", "l"], ["t"], families, **options)[0]


def paired(rows: Rows) -> list[reference.Row]:
    return [((k, m), t) for k, m, t in rows]


def assert_equal(found: Measured, expected: dict[str, float]) -> None:
    for name, value in expected.items():
        # NaN is right where the twin is undefined too; sums of shares in another order differ in the last digits.
        assert found[name].value == pytest.approx(value, abs=1e-12, nan_ok=True), name


@given(_ROWS, _ROWS)
@example([("a", "a", "a")], [("a", "a", "a")])
@example(_CONSTANT, _NO_MATCH)
@example(_CONSTANT, _CONSTANT)
@example([("a", "a", "only here")], [("a", "a", "only there")])
def test_figures_equal_their_definitions(people: Rows, synthetic: Rows) -> None:
    found = measured(people, synthetic)
    assert_equal(found, reference.figures(paired(people), paired(synthetic)))
    precision, recall = reference.group_disclosure(paired(people), paired(synthetic), 0.9)
    assert_equal(found, {"group_disclosure": precision, "group_disclosure_recall": recall})


@given(_ROWS, _ROWS, st.sampled_from([0, 1, 2, 3]), st.booleans(), st.booleans(), st.booleans())
def test_exclusions_zero_cells_of_attribute_measures_alone(
    people: Rows, synthetic: Rows, limit: int, level: bool, missing: bool, pair: bool
) -> None:
    values = {j: {r[j] for r in [*people, *synthetic]} for j in range(3)}
    level = level and "a" in values[2]
    pair = pair and "b" in values[1] and "c" in values[2]
    exclusions = Exclusions(
        (("t", "a"),) if level else (), ("t", "k") if missing else (), (("l", "b", "t", "c"),) if pair else (), limit
    )
    some_lack = any(r[2] is None for r in people)

    def is_out(row: reference.Row) -> bool:
        (k, m), t = row
        lacks = missing and (k is None or (t is None and some_lack))
        return (level and t == "a") or lacks or (pair and (m, t) == ("b", "c"))

    found = measured(people, synthetic, exclusions=exclusions)
    expected = reference.figures(paired(people), paired(synthetic), is_out, limit)
    if limit:
        # A limit on cells says nothing about key combinations.
        del expected["TCAP_ratio"]
    assert_equal(found, expected)
    plain = measured(people, synthetic)
    for name in ("UiO", "UiS", "UiOiS", "repU", "baseCAPd"):
        assert found[name].value == plain[name].value


@given(_ROWS, _ROWS, st.sampled_from([0.3, 0.5, 2 / 3, 0.9, 1.0]))
def test_lower_certainty_equals_its_definition(people: Rows, synthetic: Rows, tau: float) -> None:
    found = measure_tables(table(people), [table(synthetic)], ["k", "l"], ["t"], [Tcap(tau)])[0]
    expected = reference.figures(paired(people), paired(synthetic), tau=tau)
    assert_equal(found, {k: v for k, v in expected.items() if k.startswith(("TCAP", "WEAP")) and k != "TCAP_ratio"})


@given(_ROWS, _ROWS)
def test_sweep_equals_one_run_per_key_subset(people: Rows, synthetic: Rows) -> None:
    found = measured(people, synthetic, key_sizes=(1, 2))
    single = []
    for keys in (["k"], ["l"], ["k", "l"]):
        places = [["k", "l"].index(k) for k in keys]
        twin = reference.figures(
            [(tuple(q[j] for j in places), t) for q, t in paired(people)],
            [(tuple(q[j] for j in places), t) for q, t in paired(synthetic)],
        )
        single.append((keys, twin))
    rows = found["TCAP_sweep"].details["subsets"]
    assert [r["keys"] for r in rows] == [keys for keys, _ in single]
    for row, (_, twin) in zip(rows, single, strict=True):
        for name in ("TCAP", "DCAP", "DiSCO"):
            assert row[name] == pytest.approx(twin[name], abs=1e-12, nan_ok=True)
    defined = [t["TCAP"] for _, t in single if not math.isnan(t["TCAP"])]
    mean = sum(defined) / len(defined) if defined else math.nan
    assert_equal(found, {"TCAP_sweep": mean, "TCAP_sweep_zero": sum(defined) / 3})


@given(_ROWS, _ROWS, st.sampled_from([0, 1, 2]))
def test_scores_of_rows_sum_to_the_figure(people: Rows, synthetic: Rows, limit: int) -> None:
    limited = measured(people, synthetic, with_scores=True, exclusions=Exclusions(denominator_limit=limit))
    for name in ("DCAP", "DiSCO", "Dorig"):
        assert limited[name].scores.mean() == pytest.approx(limited[name].value), name  # type: ignore[union-attr]
    found = measured(people, synthetic, with_scores=True)
    expected = [reference.share(r, paired(synthetic)) for r in paired(people)]
    scores = found["DCAP_matched"].scores
    assert scores is not None
    assert scores == pytest.approx([math.nan if e is None else e for e in expected], nan_ok=True)
    for name in ("DCAP", "UiO", "UiOiS", "repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO"):
        whole = found[name].scores
        assert whole is not None
        assert whole.mean() == pytest.approx(found[name].value), name


@given(_ROWS, _ROWS)
def test_msu_overlap_equals_its_definition(people: Rows, synthetic: Rows) -> None:
    found = measured(people, synthetic)
    precision, recall = reference.msu_overlap(people, synthetic)
    assert_equal(found, {"MSU_overlap": precision, "MSU_overlap_recall": recall})


@given(_ROWS, _ROWS, st.sampled_from([0, 1]), st.sampled_from([0.3, 0.5, 0.8]))
def test_two_way_check_equals_its_definition(people: Rows, synthetic: Rows, rows: int, share: float) -> None:
    family = Identity(two_way=(rows, share))
    found = measure_tables(table(people), [table(synthetic)], ["k", "l"], ["t"], [family])[0]
    flagged = {
        (["k", "l"].index(p["key"]), p["level"], p["target_level"]): p["rows"]
        for p in found["DiSCO"].details["two_way"]
    }
    expected = {
        (j, level or "missing", target or "missing"): n
        for (j, level, target), n in reference.two_way(paired(people), paired(synthetic), rows, share).items()
    }
    assert flagged == expected


@given(_ROWS, _ROWS)
def test_order_of_rows_and_of_levels_changes_nothing(people: Rows, synthetic: Rows) -> None:
    a, b = measured(people, synthetic), measured(people[::-1], synthetic[::-1])
    for name, (figure,) in a.measures.items():
        assert b[name].value == pytest.approx(figure.value, nan_ok=True), name
