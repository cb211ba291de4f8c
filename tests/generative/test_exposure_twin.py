"""An assessment of a table against its slow twin: the same people exposed, the same marginal risk."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.assess import assess
from tests.reference import exposure as twin
from tests.support.assessing import ready
from tests.support.tables import small_table


def _people(seed: int) -> np.ndarray:
    """Two hundred people in areas of very different sizes; the last two areas have one person each."""
    rng = np.random.default_rng(seed)
    area = np.append(rng.choice(6, 198, p=[0.4, 0.3, 0.15, 0.1, 0.04, 0.01]), [6, 7])
    return np.column_stack([area, rng.choice(3, 200, p=[0.5, 0.3, 0.2])])


def _assessed(people: np.ndarray, **output: object) -> object:
    table = small_table(AREA=[f"a{a}" for a in people[:, 0]], ILL=[f"i{i}" for i in people[:, 1]])
    spec = {"kind": "crosstab", "variables": ["AREA", "ILL"], "compute": True, **output}
    design = {"kind": "repeated-halves", "splits": 20, "curve": False}
    return assess(ready(spec, table=table, scenario={"keys": ["AREA"], "target": "ILL"}, design=design), workers=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_counts_expose_whom_the_twin_exposes_and_by_as_much(seed: int) -> None:
    people = _people(seed)
    found = _assessed(people)
    exposures = twin.exposures_in_whole(people)
    np.testing.assert_allclose(found.results[0].scenarios[0].exposures, exposures, atol=1e-12)  # rounding
    assert found.record["risk"][0]["marginal_risk"]["value"] == pytest.approx(exposures.mean())
    expected = (exposures > 0.1) | twin.certain(people, 3)
    assert np.array_equal(found.exposed, expected)


@pytest.mark.slow
def test_searches_expose_whom_the_twin_exposes_clearly() -> None:
    people = _people(1)
    # With two decimals of a per cent every count of 200 follows, but nothing says so: it has to be searched for.
    found = _assessed(people, statistic="percentages", decimals=2)
    exposures = twin.exposures_in_whole(people)
    assert found.results[0].exposed[exposures > 0.2].all()
    assert not found.results[0].exposed[exposures < 0.05].any()


@pytest.mark.slow
def test_marginal_risk_of_halves_is_the_twins_within_its_interval() -> None:
    people = _people(2)
    found = _assessed(people, statistic="percentages", decimals=2)
    scores, inside = twin.contrasts_in_halves(people, 60, 5)
    expected = float(twin.exposures_in_halves(scores, inside).mean())
    low, high = found.record["risk"][0]["marginal_risk"]["interval"]
    # The twin's own draws add to it: sixty halves know the mean to about a fifth of this interval.
    slack = 0.5 * (high - low)
    assert low - slack <= expected <= high + slack
    alone = int(np.flatnonzero(people[:, 0] == 7)[0])
    assert twin.permutation_p(scores[alone], inside[alone], 999, 1) == 0.001
