"""Tables of pandas become outputs that the frame gives."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from divulge.errors import OutputError
from divulge.outputs import read_released
from divulge.outputs.released.computed import compute
from divulge.readers.pandas import from_pandas
from divulge.table import table_from_frame
from tests.support.acro_folders import people

FRAME = people()
F = FRAME
TABLE = table_from_frame(FRAME)
OF_AGE = {"statistic": "mean", "values": "age"}


@pytest.mark.parametrize(
    ("table", "fields", "kind", "n_figures"),
    [
        (pd.crosstab(F.town, F.sex), {}, "crosstab", 6),
        (pd.crosstab(F.sex, [F.town, F.ill]), {}, "crosstab", 12),
        (pd.crosstab(F.town, F.sex, margins=True), {}, "crosstab", 6),
        (F.groupby("town").size(), {}, "crosstab", 3),
        (pd.crosstab(F.town, F.sex, values=F.age, aggfunc="mean"), OF_AGE, "means", 6),
        (F.groupby(["town", "ill"]).age.mean(), OF_AGE, "means", 6),
        (F.groupby("town").age.std(), {**OF_AGE, "statistic": "std"}, "shape", 3),
        (F.groupby("town").age.median(), {**OF_AGE, "statistic": "median"}, "position", 3),
        (F.groupby("town").age.sum(), {**OF_AGE, "statistic": "sum"}, "totals", 3),
    ],
)
def test_every_figure_is_what_the_frame_gives(table: Any, fields: dict[str, Any], kind: str, n_figures: int) -> None:
    output = from_pandas(table, **fields)
    assert output.kind == kind
    released = read_released(output, TABLE.schema, None, TABLE.n_rows, together=False)
    assert released is not None
    computed = compute(output, TABLE, released)
    assert computed.agrees is not None
    assert computed.agrees.all()
    assert len(computed.agrees) == n_figures


def test_empty_cells_are_withheld() -> None:
    table = pd.crosstab(F.town, F.ill).astype(float)
    table.loc["Ely", 1] = float("nan")
    released = read_released(from_pandas(table, threshold=10), TABLE.schema)
    assert released is not None
    at = released.labels.index("town=Ely & ill=1")
    assert (released.low[at], released.high[at]) == (0, 9)


@pytest.mark.parametrize(
    ("table", "fields", "said"),
    [
        (pd.crosstab(F.town, F.sex, normalize=True), {}, "numbers that are none"),
        (F.describe(), {}, "not named after variables"),
        (pd.crosstab(F.town, F.sex), {"statistic": "kurtosis", "values": "age"}, "'kurtosis' of 'age' is not known"),
        (pd.crosstab(F.town, F.sex, values=F.age, aggfunc=["mean", "std"]), OF_AGE, "several statistics"),
        ([1, 2], {}, "of the type 'list'"),
        (pd.crosstab(F.town, F.sex).astype(str), {}, "not a number"),
    ],
)
def test_table_that_cannot_be_read_says_why(table: Any, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(OutputError) as caught:
        from_pandas(table, **fields)
    assert said in str(caught.value)
