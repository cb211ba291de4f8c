"""Models of linearmodels and pyfixest, and tables of great_tables, are what the data give; where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from divulge.errors import OutputError
from divulge.notebook import _output as output_of
from divulge.outputs import read_released
from divulge.outputs.released.computed import compute
from divulge.readers.great_tables import from_great_tables
from divulge.readers.linearmodels import from_linearmodels
from divulge.readers.pyfixest import from_pyfixest
from divulge.table import table_from_frame

pytestmark = pytest.mark.filterwarnings("ignore")  # what those libraries warn of is theirs

RNG = np.random.default_rng(1)  # any seed: some hundred people with a weak relation
N = 400
FRAME = pd.DataFrame({"age": RNG.integers(20, 60, N), "race": RNG.integers(1, 4, N), "town": RNG.integers(1, 30, N)})
FRAME["union"] = RNG.integers(0, 2, N)
FRAME["wage"] = np.round(5 + 0.2 * FRAME.age + FRAME.race + RNG.normal(0, 3, N))


def agrees(result: Any, kind: str) -> None:
    output, table = output_of(result), table_from_frame(FRAME)
    assert output.kind == kind
    output.check(table.schema)
    released = read_released(output, table.schema, None, N, together=False)
    assert released is not None
    found = compute(output, table, released)
    assert found.agrees is not None
    assert found.agrees.all(), [n for n, a in zip(released.labels, found.agrees, strict=True) if not a]


@pytest.mark.parametrize("cov_type", ["unadjusted", "robust"])
@pytest.mark.parametrize("debiased", [False, True])
def test_two_stage_least_squares_of_linearmodels(cov_type: str, debiased: bool) -> None:
    models = pytest.importorskip("linearmodels", reason="linearmodels is not installed, whose results the test reads.")
    model = models.IV2SLS.from_formula("wage ~ 1 + age + [union ~ race]", FRAME)
    agrees(model.fit(cov_type=cov_type, debiased=debiased), "two-stage")


def test_panel_and_plain_regressions_of_linearmodels() -> None:
    models = pytest.importorskip("linearmodels", reason="linearmodels is not installed, whose results the test reads.")
    panel = FRAME.assign(turn=FRAME.groupby("town").cumcount()).set_index(["town", "turn"])
    model = models.PanelOLS.from_formula("wage ~ age + union + EntityEffects", panel)
    agrees(model.fit(cov_type="unadjusted"), "fixed-effects")
    with pytest.raises(OutputError, match="unadjusted"):
        from_linearmodels(model.fit(cov_type="clustered", cluster_entity=True))
    plain = models.IV2SLS.from_formula("wage ~ 1 + age + C(race)", FRAME)
    agrees(plain.fit(cov_type="unadjusted", debiased=True), "linear")
    with pytest.raises(OutputError, match="divide by n"):
        from_linearmodels(plain.fit(cov_type="unadjusted"))


@pytest.mark.parametrize(
    ("formula", "vcov", "kind"),
    [
        ("wage ~ age + C(race)", "iid", "linear"),
        ("wage ~ age", "HC1", "linear"),
        ("wage ~ age*union", "hetero", "linear"),
        ("wage ~ age | union ~ race", "hetero", "two-stage"),
        ("wage ~ age", {"CRV1": "town"}, "linear"),
        ("wage ~ age + union | town", "iid", "fixed-effects"),
        ("wage ~ age | union ~ race", "iid", "two-stage"),
    ],
)
def test_regressions_of_pyfixest(formula: str, vcov: Any, kind: str) -> None:
    models = pytest.importorskip("pyfixest", reason="pyfixest is not installed, whose results the test reads.")
    agrees(models.feols(formula, FRAME, vcov=vcov), kind)


def test_weights_of_linearmodels_are_refused() -> None:
    models = pytest.importorskip("linearmodels", reason="linearmodels is not installed, whose results the test reads.")
    model = models.IV2SLS.from_formula("wage ~ 1 + age + [union ~ race]", FRAME, weights=FRAME.race)
    with pytest.raises(OutputError, match="has weights"):
        from_linearmodels(model.fit())


def test_several_fixed_effects_of_pyfixest_are_refused() -> None:
    models = pytest.importorskip("pyfixest", reason="pyfixest is not installed, whose results the test reads.")
    with pytest.raises(OutputError, match="one set of fixed effects"):
        from_pyfixest(models.feols("wage ~ age | town + race", FRAME, vcov="iid"))


def test_tables_of_great_tables() -> None:
    tables = pytest.importorskip("great_tables", reason="great_tables is not installed, whose tables the test reads.")
    counts = pd.crosstab(FRAME.race, FRAME.union).reset_index()
    counts.columns = pd.Index([str(c) for c in counts.columns])
    plain = tables.GT(counts, rowname_col="race")
    with pytest.raises(OutputError, match="which variable heads"):
        output_of(plain)
    agrees(from_great_tables(plain, columns="union"), "crosstab")
    agrees(plain.tab_spanner("union", columns=["0", "1"]), "crosstab")


@pytest.mark.parametrize("read", [from_linearmodels, from_pyfixest, from_great_tables])
def test_what_is_no_such_object_is_refused(read: Callable[[Any], Any]) -> None:
    with pytest.raises(OutputError, match="is needed"):
        read(3)
