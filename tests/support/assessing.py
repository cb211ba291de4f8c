"""Small assessments that take a fraction of a second: three hundred people, one of them alone in area 9."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess import Plan, plan
from divulge.spec import Inputs, parse_spec
from divulge.table import Table
from tests.support.tables import small_table

CROSSTAB: dict[str, Any] = {"kind": "crosstab", "variables": ["AREA", "ILL"], "compute": True}
REGRESSION: dict[str, Any] = {"kind": "logistic", "formula": "SEX ~ C(ILL)", "decimals": 1, "compute": True}


def people(n_rows: int = 300) -> Table:
    """AREA, SEX and ILL of people who have nothing to do with each other."""
    rng = np.random.default_rng(7)  # any seed will do: nothing depends on who they are
    area = ["9", *(str(a) for a in rng.integers(1, 4, n_rows - 1))]
    sex, ill = rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows)
    return small_table(AREA=area, SEX=[int(s) for s in sex], ILL=["xyz"[i] for i in ill])


def ready(*outputs: dict[str, Any], table: Table | None = None, **given: Any) -> Plan:
    """The plan of an assessment of these outputs, with four splits unless something else is given."""
    data = people() if table is None else table
    spec = {"data": "none.csv", "outputs": list(outputs), "measures": ["DCAP"], **given}
    spec.setdefault("design", {"kind": "repeated-halves", "splits": 4, "curve": False})
    assessment = parse_spec(spec, Path())
    unknown = (None,) * len(assessment.outputs), (None,) * len(assessment.earlier)
    return plan(assessment, Inputs(data.schema, data, data.n_rows, unknown[0], None, unknown[1]))
