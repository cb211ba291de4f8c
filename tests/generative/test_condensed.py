"""People who are alike held once give the same answers as a row for each: outputs, rules, audit, look-ups, measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.assess.statistics.counted import count_exposures, read_off
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.checking import check_outputs, make_cases, read_profile
from divulge.errors import DivulgeError, OutputError
from divulge.measures import FAMILIES
from divulge.measures.run import measure_tables
from divulge.outputs import Status
from divulge.policy import Policy
from divulge.scenario import Knowledge, Lookup, Scenario
from divulge.spec import parse_output
from divulge.table import Schema, Table, Variable

_NAMES = ("A", "B", "C")


@st.composite
def tables(draw: st.DrawFn, missing: bool = True) -> Table:
    """Up to forty people on three variables of few values, one of them numeric, so that many are alike."""
    sizes = [draw(st.integers(1, 3)) for _ in _NAMES]
    gone = [draw(st.booleans()) if missing else False for _ in _NAMES]
    n = draw(st.integers(1, 40))
    variables, columns = [], []
    for name, size, may_miss in zip(_NAMES, sizes, gone, strict=True):
        is_number = name == "C"
        values = np.arange(size) if is_number else np.array([f"{name.lower()}{i}" for i in range(size)], dtype=object)
        kind: Any = "numeric" if is_number else "categorical"
        variables.append(Variable(name, kind, values, missing=(None,) if may_miss else ()))
        columns.append(np.array(draw(st.lists(st.integers(0, size - 1 + may_miss), min_size=n, max_size=n))))
    return Table(Schema(tuple(variables)), tuple(columns))


_OUTPUTS = st.sampled_from(
    [
        {"kind": "crosstab", "variables": ["A", "B"]},
        {"kind": "crosstab", "variables": ["A", "B", "C"], "margins": True},
        {"kind": "crosstab", "variables": ["A", "C"], "where": "C >= 1"},
        {"kind": "crosstab", "variables": ["B", "A"], "missing": "include"},
        {"kind": "crosstab", "variables": ["A", "B"], "threshold": 3},
        {"kind": "crosstab", "variables": ["A", "B"], "base": 5},
        {"kind": "crosstab", "variables": ["A", "B"], "statistic": "row percentages"},
        {"kind": "frequencies", "variables": ["A", "C"]},
        {"kind": "frequencies", "variables": ["B"], "statistic": "proportions"},
        {"kind": "means", "variables": ["C"], "by": ["A"]},
        {"kind": "means", "variables": ["C"], "by": ["A", "B"], "where": "C >= 1"},
        {"kind": "totals", "variables": ["C"], "by": ["B"]},
        {"kind": "totals", "variables": ["C"], "by": ["B"], "statistic": "percentages"},
        {"kind": "shape", "variables": ["C"], "by": ["A"], "show": ["sd", "skewness"]},
        {"kind": "position", "variables": ["C"], "by": ["A"], "quantiles": [0.0, 0.1, 0.5, 0.75], "iqr": True},
    ]
).map(lambda document: parse_output({**document, "compute": True}))


def _fits(output: Any, schema: Schema) -> bool:
    """Whether there are values enough for this output."""
    try:
        output.check(schema)
    except OutputError:
        return False
    return True


_MODELS = st.sampled_from(
    [
        {"kind": "linear", "formula": "C ~ C(A) + B", "statistics": ["se", "r2", "loglik", "n"]},
        {"kind": "linear", "formula": "C ~ C(A) * C(B)", "where": "C >= 1", "statistics": ["f", "mean"]},
        {"kind": "logistic", "formula": "B ~ C(A) + C", "event": "b0", "statistics": ["se", "r2", "n", "p"]},
        {"kind": "poisson", "formula": "C ~ C(A)", "statistics": ["se", "loglik"]},
        {"kind": "multinomial", "formula": "A ~ C", "statistics": ["r2", "loglik", "n"]},
    ]
).map(lambda document: parse_output({**document, "compute": True}))


@given(tables(), _MODELS)
def test_models_of_condensed_people_are_those_of_the_rows(table: Table, output: Any) -> None:
    try:
        output.check(table.schema)
    except OutputError:
        return  # too few values for this model
    by_row, by_people = output.evaluate(table), output.evaluate(table.condensed())
    assert by_row.status is by_people.status
    # Sums in another order differ in the last digits; where nothing but rounding is left over, F has none.
    assert by_people.values == pytest.approx(by_row.values, rel=1e-6, abs=1e-6, nan_ok=True)
    assert by_people.se == pytest.approx(by_row.se, rel=1e-6, abs=1e-6, nan_ok=True)
    crowds = [[(name, n.tolist()) for name, n in output.crowds(t)] for t in (table, table.condensed())]
    assert crowds[0] == crowds[1]
    sizes = [
        [t.tally(b.group, b.n_groups, b.group >= 0).tolist() for b in output.behind(t) if b.what != "saturated"]
        for t in (table, table.condensed())
    ]
    assert sizes[0] == sizes[1]


@pytest.mark.slow
@given(tables(), st.lists(_MODELS, min_size=1, max_size=2))
def test_rules_find_the_same_of_models(table: Table, outputs: list[Any]) -> None:
    found = []
    for held in (table, table.condensed()):
        try:
            cases = make_cases(outputs, [None] * len(outputs), held)
        except DivulgeError:
            return  # too few values for this model, or nothing to compute it from
        checked = check_outputs(cases, read_profile(None)).findings
        found.append([(f.rule, f.severity, f.figures, f.sentence, f.n_people) for f in checked])
    assert found[0] == found[1]


@given(tables())
def test_rows_come_back_from_what_they_were_condensed_to(table: Table) -> None:
    held = table.condensed()
    assert held.n_people == table.n_people == table.n_rows
    assert held.n_rows == len(np.unique(np.column_stack(table.columns), axis=0))
    order = np.lexsort(table.columns[::-1])
    assert held.expanded().equals(table.take(order))
    assert held.condensed().equals(held)
    assert table.take(order[::-1]).condensed().equals(held)


@given(tables(), _OUTPUTS)
def test_figures_and_crowds_are_the_same(table: Table, output: Any) -> None:
    if not _fits(output, table.schema):
        return
    by_row, by_people = output.evaluate(table), output.evaluate(table.condensed())
    assert by_row.status is by_people.status
    # Sums of squares in another order differ in the last digits.
    assert by_people.values == pytest.approx(by_row.values, rel=1e-9, abs=1e-9, nan_ok=True)
    crowds = [[(name, n.tolist()) for name, n in output.crowds(t)] for t in (table, table.condensed())]
    assert crowds[0] == crowds[1]


@pytest.mark.slow
@given(tables(), st.lists(_OUTPUTS, min_size=1, max_size=3))
def test_rules_and_audit_find_the_same(table: Table, outputs: list[Any]) -> None:
    if not all(_fits(output, table.schema) for output in outputs):
        return
    found = []
    # As in `divulge audit`: enough time that it never ends early here.
    settings, profile = AuditSettings(seconds=60.0), read_profile(None)
    for held in (table, table.condensed()):
        cases = make_cases(outputs, [None] * len(outputs), held)
        released = tuple(case.released for case in cases)
        given_in = Submission(held.schema, tuple(outputs), released, held.n_people, held)
        findings = [finding.as_json() for finding in check_outputs(cases, profile).findings]
        found.append((findings, audit(given_in, settings).as_json()))
    assert found[0] == found[1]


@given(tables(), tables())
def test_look_ups_find_the_same_people(people: Table, synthetic: Table) -> None:
    people, synthetic = _aligned(people, synthetic)
    lookup = Lookup.of(Scenario(("A", "B"), "C"), people, _marginals(people))
    by_row, by_people = lookup.counts(synthetic), lookup.counts(synthetic.condensed())
    assert by_row.near.tolist() == by_people.near.tolist()
    assert by_row.matched.tolist() == by_people.matched.tolist()
    assert by_row.certain.tolist() == by_people.certain.tolist()


@given(tables(missing=False))
def test_exact_exposures_are_the_same(table: Table) -> None:
    output = parse_output({"kind": "crosstab", "variables": ["A", "B", "C"], "compute": True})
    found = []
    for held in (table, table.condensed()):
        printed = output.publish(output.evaluate(held), held.schema)
        lookup = Lookup.of(Scenario(("A", "B"), "C"), held, _marginals(held))
        (counted,) = count_exposures([lookup], [output], [printed], held, Policy())
        assert counted is not None, "every variable stands in the crosstab"
        exposed = counted.exposed(0.1)
        found.append((counted.risk.value, held.count(exposed), held.count(counted.certain)))
    # Sums in another order differ in the last digits.
    assert found[1][0] == pytest.approx(found[0][0], abs=1e-12)
    assert found[1][1:] == found[0][1:]


@given(tables(missing=False))
def test_the_rows_that_counts_are_give_these_counts(table: Table) -> None:
    output = parse_output({"kind": "crosstab", "variables": ["B", "A"], "compute": True, "margins": True})
    printed = output.publish(output.evaluate(table), table.schema)
    rows = output.as_rows(table.schema, printed)
    assert rows is not None
    assert np.array_equal(output.evaluate(rows).values, printed.values)
    rounded = replace(output, base=5)
    assert rounded.as_rows(table.schema, rounded.publish(rounded.evaluate(table), table.schema)) is None


@given(tables(), tables())
def test_measures_that_count_are_the_same(people: Table, synthetic: Table) -> None:
    people, synthetic = _aligned(people, synthetic)
    families = [family() for family in FAMILIES if not family.needs_rows]
    by_row, by_people = (
        measure_tables(a, [b], ["A", "B"], ["C"], families)[0]
        for a, b in ((people, synthetic), (people.condensed(), synthetic.condensed()))
    )
    assert by_row.measures.keys() == by_people.measures.keys()
    for name, (one,) in by_row.measures.items():
        assert by_people.measures[name][0].value == pytest.approx(one.value, abs=1e-12, nan_ok=True), name


@given(tables(), st.integers(0, 2**32))
def test_a_half_and_the_rest_are_everybody(table: Table, seed: int) -> None:
    held = table.condensed()
    inside, outside = held.halved(np.random.default_rng(seed))
    assert inside.n_people == held.n_people // 2
    assert inside.n_people + outside.n_people == held.n_people
    both = Table(
        held.schema,
        tuple(np.concatenate(c) for c in zip(inside.expanded().columns, outside.expanded().columns, strict=True)),
    )
    assert both.condensed().equals(held)


def test_halves_vary_as_halves_of_rows_do() -> None:
    held = Table(Schema((Variable("A", "numeric", np.arange(2)),)), (np.arange(2),), np.array([30, 70]))
    rng = np.random.default_rng(1)  # any seed will do
    drawn = [held.halved(rng)[0].frequencies("A")[0] for _ in range(2000)]
    # Hypergeometric: mean 15, variance 50·0.3·0.7·50/99 = 5.30; four standard errors of 2,000 draws.
    assert np.mean(drawn) == pytest.approx(15, abs=4 * np.sqrt(5.30 / 2000))
    assert np.var(drawn) == pytest.approx(5.30, abs=4 * 5.30 * np.sqrt(2 / 2000))


def test_more_combinations_than_64_bits_hold_are_still_told_apart() -> None:
    rng = np.random.default_rng(2)  # any seed will do
    schema = Schema(tuple(Variable(f"V{i}", "numeric", np.arange(250)) for i in range(12)))
    columns = tuple(rng.integers(0, 250, 200).astype(np.uint8) for _ in range(12))
    twice = Table(schema, tuple(np.concatenate([c, c]) for c in columns))
    assert twice.condensed().equals(Table(schema, columns, np.full(200, 2)).condensed())


def _aligned(*given_tables: Table) -> tuple[Table, ...]:
    from divulge.table import align

    return align(*given_tables)


def _marginals(table: Table) -> Any:
    counts = {n: table.frequencies(n).astype(float) for n in table.names}
    return Knowledge.of(table.schema, "marginals", counts).marginals


@given(tables())
def test_reading_a_table_tells_of_each_what_the_table_with_and_without_them_tells(table: Table) -> None:
    output = parse_output({"kind": "crosstab", "variables": ["A", "B", "C"], "compute": True})
    held = table.condensed()
    if output.evaluate(held).status is not Status.OK:
        return
    rows = output.as_rows(held.schema, output.publish(output.evaluate(held), held.schema))
    assert rows is not None
    for keys, target in ((("A", "B"), "C"), (("B",), "A")):
        lookup = Lookup.of(Scenario(keys, target), held, _marginals(held))
        found = read_off(lookup, rows, held, Policy())
        prior = _marginals(held)[target][held[target]]
        for row in range(held.n_rows):
            scores = [_read(output, t, keys, target, held, row, prior[row]) for t in (held, _without(held, row))]
            # Quotients of small whole numbers.
            assert found.exposures[row] == pytest.approx(scores[0] - scores[1], abs=1e-12)


def _without(table: Table, row: int) -> Table:
    """The people but one of this row."""
    assert table.people is not None
    fewer = table.people - (np.arange(table.n_rows) == row)
    kept = fewer > 0
    return Table(table.schema, tuple(c[kept] for c in table.columns), fewer[kept])


def _read(output: Any, table: Table, keys: Any, target: str, held: Table, row: int, prior: float) -> float:
    """The slow twin: the table computed, its margins summed by name, the score of a person read off."""
    values = {v.name: v.values.tolist() for v in held.schema}
    cells = output.evaluate(table).values.reshape([len(values[n]) for n in output.variables])
    codes = {n: int(held[n][row]) for n in (*keys, target)}
    if any(codes[n] >= len(values[n]) for n in codes):
        return prior
    of_keys = cells[tuple(codes[n] if n in keys else slice(None) for n in output.variables)].sum()
    of_both = cells[tuple(codes.get(n, slice(None)) for n in output.variables)].sum()
    return float((of_both + prior) / (of_keys + 1))
