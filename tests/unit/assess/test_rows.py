"""Released rows: people in are compared with people out where the generator is known, and averages where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.assess import Plan, assess, plan
from divulge.errors import SpecError
from divulge.reports import Html
from divulge.spec import parse_spec
from divulge.table import Table, write_table
from tests.support.assessing import ready
from tests.support.tables import small_table

ROWS = {"kind": "microdata", "variables": ["AREA", "SEX", "ILL"]}
SCENARIO = {"scenario": {"keys": ["AREA", "SEX"], "target": "ILL"}}
MANY = {**SCENARIO, "design": {"kind": "repeated-halves", "splits": 30, "curve": False}}


def test_copies_of_the_people_expose_whoever_is_alone() -> None:
    found = assess(ready({**ROWS, "generator": {"kind": "sample", "share": 1.0}}, **MANY), workers=1)
    assert found.record["verdict"] == "refuse"
    assert found.exposed.any()
    assert found.record["embedding"]["status"] == "released"
    page = Html().render(found.record)
    assert "The rows themselves are released" in page
    assert "made from the released figures alone" not in page


def test_rows_drawn_from_marginals_alone_may_leave() -> None:
    found = assess(ready({**ROWS, "generator": {"kind": "marginals"}}, **MANY), workers=1)
    assert found.record["verdict"] == "release"
    assert not found.exposed.any()


def test_same_seed_gives_the_same_record() -> None:
    def record() -> dict[str, Any]:
        made = assess(ready({**ROWS, "generator": {"kind": "cart"}}, **SCENARIO), workers=1).record
        return {k: v for k, v in made.items() if k != "timings"}

    assert record() == record()


def from_files(folder: Path, is_copy: bool, **given: Any) -> Plan:
    """The plan of released rows of unknown origin: the people's own, or rows that have nothing to do with them."""
    rng = np.random.default_rng(2)  # any seed
    # Some sixty areas of five people each, so that the people's own rows give much away.
    area, sex, ill = rng.integers(0, 60, 300), rng.integers(0, 2, 300), rng.integers(0, 3, 300)
    whole = small_table(AREA=[int(a) for a in area], SEX=[int(s) for s in sex], ILL=["xyz"[i] for i in ill])
    order = rng.permutation(whole.n_rows)
    inside, outside = whole.take(order[: len(order) // 2]), whole.take(order[len(order) // 2 :])
    strangers = Table(inside.schema, tuple(rng.permutation(c) for c in inside.columns))
    for table, name in ((inside, "in"), (outside, "out"), (inside if is_copy else strangers, "made")):
        write_table(table, folder / f"{name}.csv")
    outputs = [{**ROWS, "files": ["made.csv"]}]
    return plan(parse_spec({"data": "in.csv", "outputs": outputs, "measures": ["DCAP"], **SCENARIO, **given}, folder))


@pytest.mark.parametrize(("is_copy", "verdict"), [(True, "refuse"), (False, "review")])
def test_rows_without_a_generator_are_never_released(tmp_path: Path, is_copy: bool, verdict: str) -> None:
    found = assess(from_files(tmp_path, is_copy, holdout="out.csv"), workers=1)
    assert found.record["verdict"] == verdict
    assert any("What made the rows is not known" in reason for reason in found.record["reasons"])


def test_rows_without_a_generator_or_others_are_looked_at_by_somebody(tmp_path: Path) -> None:
    found = assess(from_files(tmp_path, is_copy=True), workers=1)
    assert found.record["verdict"] == "review"
    assert any("holdout" in line for line in found.record["settle"])


def test_rows_stand_alone_in_a_spec() -> None:
    table = {"kind": "crosstab", "variables": ["SEX"], "compute": True}
    with pytest.raises(SpecError, match="assessed alone"):
        ready({**ROWS, "generator": {"kind": "cart"}}, table)


def test_keys_that_the_rows_lack_are_drawn_from_what_is_granted() -> None:
    rows = {"kind": "microdata", "variables": ["SEX", "ILL"], "generator": {"kind": "cart"}}
    found = assess(ready(rows, **SCENARIO), workers=1)
    assert found.record["risk"][0]["keys"] == ["AREA", "SEX"]
