"""Starts from means and standard deviations of groups, and from percentages that have to add up."""

from __future__ import annotations

import numpy as np

from divulge.objective.reproduction import reproduce
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.shape import Shape
from divulge.synthesisers.descent.start import start_codes
from tests.support.objectives import objective_of
from tests.unit.synthesisers.test_last_digits import table_of

RNG = np.random.default_rng(12)  # any: groups are of hundreds
GROUP = RNG.integers(0, 3, 3000)
WAGE = np.where(RNG.random(3000) < 0.8, 0, RNG.integers(1, 200, 3000) * (1 + GROUP))
WAGE[GROUP == 2] = 7
TABLE = table_of(wage=WAGE, area=np.array(["a", "b", "c"])[GROUP])


def test_start_has_the_means_and_deviations_of_groups_nearly() -> None:
    objective = objective_of(
        TABLE,
        Means(variables=("wage",), by=("area",), decimals=2),
        Shape(variables=("wage",), show=("sd",), by=("area",), decimals=2),
    )
    means, deviations = reproduce(objective, objective.table(start_codes(objective, 3000, "model", False, (1,))))
    # Drawn from the marginal they would be a half off.
    np.testing.assert_allclose(means.values, means.released, rtol=0.03)
    np.testing.assert_allclose(deviations.values, deviations.released, rtol=0.03)
    assert deviations.values[2] == 0  # everybody has the same
    assert means.values[2] == 7


def test_start_has_groups_whose_percentages_add_up() -> None:
    cells = np.repeat(np.arange(8), [31, 150, 212, 287, 164, 118, 92, 98])  # 1,152 people: more than a thousand
    ages = np.concatenate([cells, RNG.integers(0, 8, 9000)])
    group = np.array(["ill"] * len(cells) + ["well"] * 9000)
    table = table_of(age=ages, health=group)
    objective = objective_of(table, Crosstab(variables=("age", "health"), statistic="column percentages", decimals=1))
    for seed in range(5):  # any
        codes = start_codes(objective, table.n_rows, "model", False, (seed,))
        (found,) = reproduce(objective, objective.table(codes))
        assert found.is_complete
