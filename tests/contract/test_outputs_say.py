"""What every output kind says of itself to rules and audit: whose rows stand behind figures, and what these imply."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from divulge.errors import DivulgeError
from divulge.outputs import Example, Output
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.residuals import DiagonalResiduals
from tests.contract.test_outputs import CASES, output_of, published, table_of, with_one_cell_changed


@pytest.mark.parametrize(("kind", "example"), CASES)
def test_groups_behind_figures_hold_rows_of_the_table(kind: type[Output], example: Example, tmp_path: Path) -> None:
    table = table_of(example.data)
    output = output_of(kind, example, tmp_path)
    labels = output.labels(table.schema)
    for behind in output.behind(table):
        assert behind.group.shape == (table.n_rows,)
        assert behind.group.max(initial=-1) < behind.n_groups
        assert behind.figures.max(initial=-1) < len(labels)
        assert all(behind.label(g, labels) for g in range(min(behind.n_groups, 5)))
        assert not behind.shape or np.prod(behind.shape) == behind.n_groups


@pytest.mark.parametrize("kind", ["crosstab", "frequencies"])
def test_rows_behind_counts_are_the_counts(kind: str, tmp_path: Path) -> None:
    for case in (c for c in CASES if c.values[0].kind == kind):  # type: ignore[union-attr]
        output = output_of(*case.values, tmp_path)  # type: ignore[arg-type]
        if getattr(output, "statistic", "") != "counts" or output.weights is not None:
            continue
        table = table_of("census")
        figures = output.evaluate(table)
        for behind in output.behind(table):
            n = np.bincount(behind.group[behind.group >= 0], minlength=behind.n_groups)
            assert (figures.values[behind.figures] == n).all()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "example"), CASES)
def test_data_keep_the_inequalities_of_their_own_figures(kind: type[Output], example: Example, tmp_path: Path) -> None:
    table = table_of(example.data)
    output = output_of(kind, example, tmp_path)
    linear = output.linear(table.schema, published(output, table)[1])
    if linear is None:
        return
    n = linear.block.n_totals
    nothing = np.zeros(n)
    sums = Lowered((linear.block,), nothing, DiagonalResiduals(nothing), nothing, nothing, nothing)
    found = linear.combine @ sums.totals(table)
    slack = 1e-6 * (1 + np.abs(found))  # sums of floats
    assert (found >= linear.low - slack).all()
    assert (found <= linear.high + slack).all()
    assert linear.figure.shape == found.shape
    # Far away from the data they do not all hold, so that the test can fail.
    rng = np.random.default_rng(3)  # any seed: some cells changed at random
    other = table
    for name in output.own_variables() * 60:
        other = with_one_cell_changed(other, name, rng)
    found = linear.combine @ sums.totals(other)
    assert not ((found >= linear.low - slack) & (found <= linear.high + slack)).all()


FEW = ("crosstab", "fixed-effects", "linear", "logistic", "means", "poisson", "regression-tree", "shape", "two-stage")
"""Kinds of which some example says sums of responses. Others say none: their scores weigh rows by what is not printed,
or hold parameters beside the coefficients, or are not sums."""


def _few(kind: type[Output], example: Example, folder: Path, seed: int):  # type: ignore[no-untyped-def]
    """An example on 16 people, printed to one decimal, and what it says of them; None where it has no figures."""
    whole = table_of(example.data)
    rows = np.random.default_rng(seed).permutation(whole.n_rows)[:16]
    output = output_of(kind, example, folder, decimals=1, significant=None, base=None, empty="allow")
    table = whole.take(rows)
    try:
        _, released = published(output, table)
    except DivulgeError:
        return None
    return output, table, released, output.few_people(table, released, 16)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "example"), CASES)
def test_figures_of_few_people_allow_the_truth_and_every_response_that_has_them(
    kind: type[Output], example: Example, tmp_path: Path
) -> None:
    for seed in range(3):  # any
        made = _few(kind, example, tmp_path, seed)
        if made is None:
            continue
        output, table, released, few = made
        rng = np.random.default_rng(seed)
        for one in few:
            truth = one.coding[table[one.response]]
            assert one.says.agrees(truth[None]).all()
            for k in range(40):
                other = table
                for _ in range(1 + k % 3):
                    other = with_one_cell_changed(other, one.response, rng)
                    if not np.isfinite(one.coding[other[one.response]][one.rows]).all():
                        break  # a missing response: others are behind the figures then
                else:
                    if output.few_people(other, released, 16) and released.agrees(output.evaluate(other).values).all():
                        assert one.says.agrees(one.coding[other[one.response]][None]).all()


def test_kinds_of_few_people_are_those_that_say_sums_of_responses(tmp_path: Path) -> None:
    found = {
        kind.kind
        for kind, example in (c.values for c in CASES)
        for seed in range(3)
        if (made := _few(kind, example, tmp_path, seed)) is not None and made[3]
    }
    assert found == set(FEW)
