"""Downstream: models that learnt from synthetic rows, on tables where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.measures.families.downstream import Downstream
from divulge.scenario import Scenario
from divulge.table import Schema, Table, Variable

SCHEMA = Schema(
    (
        Variable("area", "categorical", np.array(["n", "s", "e"], dtype=object)),
        Variable("ill", "categorical", np.array(["no", "yes"], dtype=object), missing=(None,)),
        Variable("pay", "numeric", np.arange(100)),
    )
)


def drawn(n: int, seed: int, *, is_told: bool = True) -> Table:
    """People whose area says whether they are ill, and what they earn to within ten; or whose area says nothing."""
    rng = np.random.default_rng(seed)
    area = rng.integers(0, 3, n)
    said = area if is_told else rng.integers(0, 3, n)
    return Table(SCHEMA, (area, (said == 0).astype(np.int64), 30 * said + rng.integers(0, 10, n)))


def found(target: str, synthetic: Table, holdout: Table | None = None, **settings: object) -> dict[str, Estimate]:
    keys = ("area",)
    case = Case(drawn(400, 1), synthetic, Scenario(keys, target), drawn(300, 2) if holdout is None else holdout)
    return Downstream(**settings).estimate(case, np.random.default_rng(3))  # type: ignore[arg-type]  # any seed


@pytest.mark.slow
@pytest.mark.parametrize("model", ["cart", "rf"])
def test_rows_that_keep_what_area_says_lose_nothing(model: str) -> None:
    figures = found("ill", drawn(400, 4), model=model)
    assert figures["downstream"].value == figures["downstream"].baseline == 1.0
    assert figures["downstream_loss"].value == 0.0


def test_rows_that_lost_it_predict_no_better_than_the_commonest_class() -> None:
    figures = found("ill", drawn(400, 4, is_told=False))
    assert figures["downstream"].value == pytest.approx(2 / 3, abs=0.1)  # two areas of three: 300 people, 3.7 errors
    assert figures["downstream"].baseline == 1.0
    interval = figures["downstream_loss"].interval
    assert interval is not None
    assert interval.low > 0.2


def test_numbers_are_judged_by_the_variance_explained() -> None:
    near, far = found("pay", drawn(400, 4)), found("pay", drawn(400, 4, is_told=False))
    # Uniform on ten values beside three areas thirty apart: 1 − 8.25/(8.25 + 600), to the third decimal or so.
    assert near["downstream"].value == pytest.approx(1 - 8.25 / 608.25, abs=0.005)
    assert far["downstream"].value < 0.1


def test_missing_targets_are_neither_learnt_nor_asked_for() -> None:
    some = drawn(400, 4)
    hidden = Table(SCHEMA, (some["area"], np.where(np.arange(400) % 2, 2, some["ill"]), some["pay"]))
    assert found("ill", hidden, hidden)["downstream"].n == 200


@pytest.mark.parametrize(
    ("holdout", "why"),
    [(drawn(5, 2), "at least 20"), (drawn(300, 2).take(np.zeros(50, dtype=np.int64)), "does not vary")],
)
def test_what_cannot_be_judged_says_why(holdout: Table, why: str) -> None:
    figures = found("ill", drawn(400, 4), holdout)
    assert all(np.isnan(f.value) and why in f.caveats[0] for f in figures.values())
