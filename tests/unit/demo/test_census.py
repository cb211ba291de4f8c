"""The simulated census is what it says: the paper's variables, its regression, and plausible people."""

from __future__ import annotations

import re
from hashlib import sha256

import numpy as np
import pytest
import statsmodels.formula.api as smf

from divulge.demo.census import COEFFICIENTS, CONSTANT, PER_YEAR_OF_AGE, simulated_census
from divulge.errors import UsageError
from divulge.table import Condition, Table


@pytest.fixture(scope="module")
def census() -> Table:
    return simulated_census()


def _share(census: Table, condition: str, among: str) -> float:
    within = Condition.parse(among, census.schema).selects(census)
    return float(Condition.parse(condition, census.schema).selects(census)[within].mean())


def test_census_has_as_many_people_as_the_paper(census: Table) -> None:
    assert len(census) == 50_357
    assert census.names == ("AGE", "AREAP", "ETHGROUP", "LTILL", "MSTATUS", "SEX", "TENURE")


def test_census_is_the_same_bytes_for_the_same_seed(census: Table) -> None:
    digest = sha256(b"".join(column.tobytes() for column in census.columns)).hexdigest()
    # Drawn once and written down: another platform or another version of numpy must give these bytes too.
    assert digest[:16] == "d3422f0bf571be15"
    assert not simulated_census(seed=2).equals(census)


@pytest.mark.parametrize("seed", [0, 1])
def test_people_do_not_depend_on_what_others_draw_with_the_same_seed(seed: int) -> None:
    census = simulated_census(20_000, seed=seed)
    for drawn in (np.random.default_rng(seed).random(20_000), np.random.PCG64([seed]).random_raw(20_000)):
        for name in census.names:
            # Four standard errors of the correlation of independent numbers.
            assert abs(np.corrcoef(census[name], drawn)[0, 1]) < 4 / 20_000**0.5, name


def test_smaller_census_is_the_start_of_a_larger_one(census: Table) -> None:
    assert simulated_census(1000).equals(census.take(slice(0, 1000)))


@pytest.mark.slow
def test_tenure_follows_the_coefficients_of_the_paper(census: Table) -> None:
    frame = census.to_pandas().astype({"TENURE": int})
    fit = smf.logit("TENURE ~ AGE + C(AREAP) + C(ETHGROUP) + C(LTILL) + C(MSTATUS) + C(SEX)", frame).fit(disp=0)
    assert len(fit.params) == 23
    for term, estimate in fit.params.items():
        level = re.fullmatch(r"C\((\w+)\)\[T\.(\d+)\]", term)
        published = COEFFICIENTS[level[1]][int(level[2])] if level else {"AGE": PER_YEAR_OF_AGE}.get(term, CONSTANT)
        # Three standard errors: 23 draws of a standard normal stay within with probability 0.94, and the seed is fixed.
        assert abs(estimate - published) < 3 * fit.bse[term], term


def test_guessing_tenure_from_its_marginal_is_right_about_half_of_the_time(census: Table) -> None:
    p = census.frequencies("TENURE") / len(census)
    assert float((p**2).sum()) == pytest.approx(0.5, abs=0.1)


def test_no_child_is_married(census: Table) -> None:
    census.check_rules()
    assert _share(census, "MSTATUS = Single", "AGE < 16") == 1.0
    assert _share(census, "MSTATUS = Single", "AGE >= 16") < 0.5


@pytest.mark.parametrize(
    ("condition", "less", "more"),
    [
        ("MSTATUS = Widowed", "AGE < 50", "AGE >= 75"),
        ("LTILL = Yes", "AGE < 30", "AGE >= 65"),
        ("SEX = Female", "AGE < 50", "AGE >= 80"),
        ("ETHGROUP != White", "AREAP = Solihull", "AREAP = Birmingham"),
        ("ETHGROUP != White", "AGE >= 65", "AGE < 16"),
        ("LTILL = Yes", "ETHGROUP = White and AGE < 60", "ETHGROUP = Pakistani and AGE >= 40 and AGE < 60"),
    ],
)
def test_people_are_plausible(census: Table, condition: str, less: str, more: str) -> None:
    assert _share(census, condition, less) * 1.2 < _share(census, condition, more)


def test_areas_have_about_their_share_of_each_group(census: Table) -> None:
    assert _share(census, "AREAP = Birmingham", "AGE >= 0") == pytest.approx(0.377, abs=0.01)
    assert _share(census, "ETHGROUP != White", "AREAP = Birmingham") == pytest.approx(0.215, abs=0.02)
    assert _share(census, "ETHGROUP != White", "AREAP = Solihull") == pytest.approx(0.03, abs=0.01)


def test_every_category_occurs(census: Table) -> None:
    assert all(np.all(census.frequencies(name) > 0) for name in census.names)


def test_every_variable_is_called_simulated(census: Table) -> None:
    assert all("simulated" in str(variable.title) for variable in census.schema)


@pytest.mark.parametrize("request_", [{"n_rows": 0}, {"n_rows": 10, "seed": -1}])
def test_census_rejects_no_rows_and_negative_seeds(request_: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        simulated_census(**request_)
