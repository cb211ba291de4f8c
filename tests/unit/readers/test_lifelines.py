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


def test_late_entries_are_read() -> None:
    frame = LUNG.assign(start=[10 * (k % 3) for k in range(len(LUNG))])
    frame = frame[frame.time > frame.start]
    columns = frame[["time", "status", "age", "start"]]
    fitted = CoxPHFitter().fit(columns, "time", "status", entry_col="start", fit_options={"precision": 1e-10})
    output, table = from_lifelines(fitted, decimals=5), table_from_frame(frame)
    computed = compute(output, table, read_released(output, table.schema, None, table.n_rows))
    assert computed.agrees is not None
    assert computed.agrees.all(), computed.as_json()


@pytest.mark.parametrize("more", [{"robust": True}, {"cluster_col": "sex"}])
def test_robust_and_clustered_errors_are_refused(more: dict[str, Any]) -> None:
    with pytest.raises(OutputError, match="clusters or robust"):
        from_lifelines(CoxPHFitter().fit(LUNG, "time", "status", **more))


def test_what_is_not_read_is_refused() -> None:
    with pytest.raises(OutputError, match="spline or in pieces"):
        from_lifelines(CoxPHFitter(baseline_estimation_method="spline", n_baseline_knots=3).fit(LUNG, "time", "status"))
    with pytest.raises(OutputError, match="one shape"):
        from_lifelines(WeibullAFTFitter().fit(LUNG, "time", "status", ancillary=True))
    with pytest.raises(OutputError, match="CoxPHFitter or WeibullAFTFitter"):
        from_lifelines(KaplanMeierFitter().fit(LUNG["time"], LUNG["status"]))
    with pytest.raises(OutputError, match="penalised"):
        from_lifelines(CoxPHFitter(penalizer=0.1).fit(LUNG, "time", "status"))
