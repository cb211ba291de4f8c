"""How a regression lowers: its residuals are those of a refit."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.demo import simulated_census
from divulge.objective import Objective, Target
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.output import Output

CENSUS = simulated_census(n_rows=2000, seed=3)
OTHERS = simulated_census(n_rows=2000, seed=4)


@pytest.mark.parametrize(
    "output",
    [
        Logistic(formula="TENURE ~ AGE + SEX", decimals=4),
        Poisson(formula="LTILL ~ AGE + SEX", decimals=4),
        Multinomial(formula="MSTATUS ~ AGE + SEX", decimals=4),
    ],
    ids=lambda output: output.kind,
)
def test_residuals_are_those_of_a_refit_far_beyond_the_first_order(output: Output) -> None:
    released = output.publish(output.evaluate(CENSUS), CENSUS.schema)
    marginals = {name: CENSUS.frequencies(name) / CENSUS.n_rows for name in CENSUS.names}
    objective = Objective(CENSUS.schema, (Target(output, released),), marginals)
    refit = objective.lowered[0].residuals
    codes = np.column_stack(OTHERS.columns)
    residuals, slopes = refit.linearise(objective.totals(codes), OTHERS)
    n = len(released.values)
    exact = (output.evaluate(OTHERS).values - released.values)[:n]
    first_order = slopes[:n] @ objective.totals(codes)[: slopes.shape[1]]
    # Two samples differ by standard errors: the first order leaves some of that, the second step next to nothing.
    left = np.abs(residuals[:n] - exact).max()
    assert left < 0.1 * np.abs(first_order - exact).max()
    assert left < 0.01 * np.abs(exact).max()
