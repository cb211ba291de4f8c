"""The seed by which proposals change counts: the same cell is printed alike, release after release."""

from __future__ import annotations

from typing import Any

from divulge.outputs import Output, Released
from divulge.safer.candidates import _seed_of
from divulge.spec import parse_output
from tests.unit.safer.test_undone import CROSSTAB, TABLE


def _released(**more: Any) -> tuple[str, Output, Released]:
    output = parse_output({**CROSSTAB, **more})
    return "before", output, output.publish(output.evaluate(TABLE), TABLE.schema)


def test_seed_of_an_earlier_release_is_taken_again() -> None:
    rounded = _released(method={"kind": "random-rounding", "base": 5, "seed": 77})
    assert _seed_of([_released(), rounded], TABLE, ()) == 77
    assert _seed_of([_released()], TABLE, ()) == _seed_of([], TABLE, ())


def test_seed_that_everybody_knows_is_not_taken_again() -> None:
    assert _seed_of([_released(method={"kind": "random-rounding", "base": 5})], TABLE, ()) == _seed_of([], TABLE, ())


def test_seed_depends_on_every_row_and_not_on_what_a_spec_derives() -> None:
    fewer = TABLE.take(list(range(TABLE.n_rows - 1)))
    assert _seed_of([], fewer, ()) != _seed_of([], TABLE, ())
    assert _seed_of([], TABLE, {"score"}) == _seed_of([], TABLE.select(["area", "ill"]), ())
