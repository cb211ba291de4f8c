"""Curvature in many thresholds at once, beside one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from divulge.outputs.kinds.ordered_logit import OrderedLogit
from divulge.outputs.kinds.ordered_probit import OrderedProbit
from divulge.outputs.models.ordered import Ordered
from tests.support.tables import small_table

TABLE = small_table(
    y=[f"{(7 * i + i // 5) % 6}" for i in range(240)],
    x=[(3 * i) % 17 for i in range(240)],
)


@pytest.mark.parametrize("kind", [OrderedLogit, OrderedProbit])
def test_curvature_in_thresholds_that_no_row_shares_is_that_of_one_after_the_other(kind: type[Ordered]) -> None:
    output = kind(formula="y ~ x")
    _, rows, fit = output.fitted(TABLE)
    curve = output.curve()
    assert curve.turns == 2
    at_once = curve.information(rows, fit.beta, fit.extra)
    one_by_one = replace(curve, turns=None).information(rows, fit.beta, fit.extra)
    # The same differences; those of thresholds that a row has not are rounding.
    np.testing.assert_allclose(at_once, one_by_one, rtol=1e-9, atol=1e-9 * np.abs(one_by_one).max())
