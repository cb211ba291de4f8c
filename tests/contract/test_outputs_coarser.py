"""Every kind of output can be computed on coarser variables, and says of the finer ones what the coarse figures say."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import DivulgeError
from divulge.outputs import Example, Output, as_read
from divulge.outputs.lowering.rows import counted
from divulge.spec import format_output, parse_output
from divulge.table import Condition, Table
from divulge.table.coarsening import Coarsening, coarser_schema, coarser_table
from tests.contract.test_outputs import LOWERED, output_of, precise, published, table_of


def coarse(output: Output, table: Table) -> Output | None:
    """The same output with the last two values of a variable merged, or the top of it coded; None where none can be."""
    kept = {output.weights} | (set(Condition.parse(output.where, table.schema).variables) if output.where else set())
    for name in reversed(output.own_variables()):
        variable = table.schema[name]
        if name in kept or variable.n_values < 3:
            continue
        merged = Coarsening(merge=(tuple(variable.values.tolist()[-2:]),))
        for step in (merged, Coarsening(top=float(np.nan_to_num(variable.numbers[variable.n_values - 2])))):
            made = as_read(dataclasses.replace(output, coarser={name: step}))
            try:
                made.check(table.schema)
                made.lower(table.schema, published(made, table)[1])
            except DivulgeError:
                continue
            return made
    return None


CASES = [case for case in LOWERED if "suppressed" not in case.values[1].fields]  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "example"), CASES)
def test_coarse_output_is_the_kind_on_coarse_rows_and_lowers_to_fine_ones(
    kind: type[Output], example: Example, tmp_path: Path
) -> None:
    table = table_of(example.data)
    made = coarse(precise(output_of(kind, example, tmp_path)), table)
    if made is None:
        pytest.skip("no variable of it can be made coarser")
    by_hand = coarser_table(table, *coarser_schema(table.schema, made.coarser))
    plain = dataclasses.replace(made.written, coarser={})
    figures, released = published(made, table)
    assert figures.labels == plain.labels(by_hand.schema)
    assert np.array_equal(figures.values, plain.evaluate(by_hand).values, equal_nan=True)
    fine, coarse_form = made.lower(table.schema, released), plain.lower(by_hand.schema, released)
    # The same sums, whether rows are coarse or terms look up fine codes; the order of adding differs.
    assert np.allclose(fine.totals(table), coarse_form.totals(by_hand), atol=1e-9, rtol=1e-9)
    assert np.allclose(fine.residuals_at(table), coarse_form.residuals_at(by_hand), atol=1e-9, rtol=1e-9)
    assert parse_output(format_output(made)) == made
    assert counted(made, table).sum() == counted(plain, by_hand).sum()


def test_variable_that_chooses_the_rows_is_not_made_coarser() -> None:
    table = table_of("census")
    document = {"kind": "crosstab", "variables": ["SEX"], "where": "AGE >= 18", "coarser": {"AGE": {"top": 80}}}
    with pytest.raises(DivulgeError, match="needed as it is for `where`"):
        parse_output(document).check(table.schema)


def test_coarser_field_is_never_ignored() -> None:
    table = table_of("census")
    read = parse_output({"kind": "crosstab", "variables": ["ETHGROUP"], "coarser": {"ETHGROUP": {"merge": [[1, 2]]}}})
    with pytest.raises(DivulgeError, match="was not made coarser"):
        read.written.check(table.schema)
