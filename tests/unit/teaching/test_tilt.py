"""Where the search for a number starts: with the published mean and median, and otherwise as even as can be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.earnings import earnings_outputs, simulated_earnings
from divulge.objective import Target
from divulge.objective.knowledge import granted
from divulge.outputs import Figures
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.means import Means
from divulge.outputs.output import Output
from divulge.spec import Assessment
from divulge.spec.teaching import TeachingFields
from divulge.table import Schema, Variable, write_schema
from divulge.teaching.make import make_dataset
from divulge.teaching.tilt import _bent, tilted

VALUES = np.arange(50.0, 3001.0)


def test_mean_and_median_are_those_published() -> None:
    share = _bent(VALUES, 590.0, 505.0)
    assert share.sum() == pytest.approx(1.0)
    assert share @ VALUES == pytest.approx(590.0)
    assert share[VALUES <= 505].sum() == pytest.approx(0.5)


def test_shares_are_exponential_on_each_side_of_the_median() -> None:
    # The form of greatest entropy (Jaynes 1957): log p is a straight line, with the same slope on both sides.
    steps = np.diff(np.log(_bent(VALUES, 590.0, 505.0)))
    inside = np.delete(steps, 505 - 50)
    assert inside == pytest.approx(np.full(len(inside), inside[0]), rel=1e-6)


def test_mean_alone_tilts_all_values() -> None:
    share = _bent(VALUES, 1525.0, None)
    assert share == pytest.approx(np.full(len(VALUES), 1 / len(VALUES)))
    assert _bent(VALUES, 300.0, None) @ VALUES == pytest.approx(300.0)


@pytest.mark.parametrize(("mean", "end"), [(10.0, 0), (5000.0, -1)])
def test_mean_that_cannot_be_is_approached(mean: float, end: int) -> None:
    assert _bent(VALUES, mean, None).argmax() == range(len(VALUES))[end]


def test_groups_count_by_their_published_sizes_and_known_variables_are_left() -> None:
    sex = Variable("SEX", "categorical", np.array([1, 2]))
    schema = Schema((sex, Variable("AGE", "numeric", np.arange(0, 101)), Variable("N", "numeric", np.arange(0, 3))))
    outputs: list[Output] = [
        Means(variables=("AGE",), by=("SEX",), decimals=1),
        Frequencies(variables=("SEX",)),
    ]
    figures = ([20.0, 60.0], [300.0, 100.0])
    targets = [
        Target(o, o.publish(_figures(o, schema, values), schema)) for o, values in zip(outputs, figures, strict=True)
    ]
    before = granted(schema, targets, "marginals")
    found = tilted(before, schema, targets)
    assert found.marginals["AGE"] @ np.arange(0, 101) == pytest.approx(30.0)
    assert found.marginals["N"].tolist() == before.marginals["N"].tolist()


def _figures(output: Output, schema: Schema, values: list[float]) -> Figures:
    return Figures(output.labels(schema), np.array(values))


@pytest.mark.slow
def test_earnings_without_any_frequencies_come_out_as_printed(tmp_path: Path) -> None:
    # The shape of the paper's live test: a regression, five frequencies, five means, five medians.
    table = simulated_earnings()
    write_schema(table.schema, tmp_path / "schema.json")
    outputs = []
    for output in earnings_outputs():
        released = output.publish(output.evaluate(table), table.schema)
        outputs.append(
            replace(output, released=[float(v) for v in released.values], decimals=released.precision.decimals)
        )
    assessment = Assessment(
        outputs=tuple(outputs),
        folder=tmp_path,
        schema=tmp_path / "schema.json",
        rows=table.n_rows,
        teaching=TeachingFields(),
        seed=1,
    )
    found = make_dataset(assessment)
    assert found.n_figures == 52
    assert found.is_complete
