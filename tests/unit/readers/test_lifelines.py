"""Models of lifelines are read from the object and agree with the data that they were fitted to."""

from __future__ import annotations

from typing import Any

import pytest
from lifelines import CoxPHFitter, KaplanMeierFitter, WeibullAFTFitter
from lifelines.datasets import load_lung

from divulge.errors import OutputError
from divulge.outputs import read_released
from divulge.outputs.released.computed import compute
from divulge.readers.lifelines import from_lifelines
from divulge.table import table_from_frame

pytestmark = pytest.mark.filterwarnings("ignore")  # lifelines calls pandas in ways that are going

LUNG = load_lung()[["time", "status", "age", "sex"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "fitter", [CoxPHFitter(), CoxPHFitter(strata=["sex"]), WeibullAFTFitter()], ids=["cox", "strata", "weibull"]
)
@pytest.mark.parametrize("formula", [None, "age"])
def test_model_of_lifelines_is_what_the_data_give(fitter: Any, formula: str | None) -> None:
    columns = LUNG if formula is None or getattr(fitter, "strata", None) else LUNG.drop(columns="sex")
    fitted = fitter.fit(columns, "time", "status", formula=formula)
    output = from_lifelines(fitted, decimals=4)
    table = table_from_frame(LUNG)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all(), computed.as_json()


def test_what_is_not_read_is_refused() -> None:
    with pytest.raises(OutputError, match="CoxPHFitter or WeibullAFTFitter"):
        from_lifelines(KaplanMeierFitter().fit(LUNG["time"], LUNG["status"]))
    with pytest.raises(OutputError, match="penalised"):
        from_lifelines(CoxPHFitter(penalizer=0.1).fit(LUNG, "time", "status"))
