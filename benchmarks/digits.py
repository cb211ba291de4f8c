"""What digits cost: how many responses somebody who knows the predictors proves from printed coefficients.

Real data that come with statsmodels and lifelines; people drawn at random, a regression fitted, its coefficients
printed with so many significant digits, and the attack of `divulge.lattice.responses` made on what was printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import lifelines.datasets
import numpy as np
import pandas as pd
import statsmodels.api as sm

from divulge.lattice.bits import Bits, response_bits
from divulge.lattice.families import LINEAR, LOGISTIC, POISSON, Family, refit
from divulge.lattice.released import coefficients, printed
from divulge.lattice.responses import Recovery, recover

PEOPLE = (10, 20, 30, 40, 50, 60)
DIGITS = (2, 3, 4, 6, 8)
SAMPLES = 6
SECONDS = 2.0
"""For one attack; what is not proved by then counts as not recovered."""
SEED = 20_241


@dataclass(frozen=True)
class Case:
    """A response and predictors of a real data set, and the values that the response is known to take."""

    data: str
    load: Callable[[], pd.DataFrame]
    family: Family
    response: str
    predictors: tuple[str, ...]
    values: tuple[int, ...] = (0, 1)


def _fair() -> pd.DataFrame:
    data = sm.datasets.fair.load_pandas().data
    return data.assign(affair=(data["affairs"] > 0).astype(int))


def _lung() -> pd.DataFrame:
    data = lifelines.datasets.load_lung()
    return data.assign(died=(data["status"] == data["status"].max()).astype(int))


CASES = (
    Case("affairs", _fair, LOGISTIC, "affair", ("age", "yrs_married", "children", "religious", "educ")),
    Case(
        "election study",
        lambda: sm.datasets.anes96.load_pandas().data,
        LOGISTIC,
        "vote",
        ("TVnews", "selfLR", "age", "educ", "income"),
    ),
    Case("released prisoners", lifelines.datasets.load_rossi, LOGISTIC, "arrest", ("fin", "age", "prio", "wexp")),
    Case("breast cancer", lifelines.datasets.load_gbsg2, LOGISTIC, "cens", ("age", "tsize", "pnodes", "progrec")),
    Case("lung cancer", _lung, LOGISTIC, "died", ("age", "sex", "ph.ecog", "wt.loss")),
    Case(
        "credit card holders",
        lambda: sm.datasets.ccard.load_pandas().data,
        LOGISTIC,
        "OWNRENT",
        ("AVGEXP", "AGE", "INCOME"),
    ),
    Case(
        "days of television news",
        lambda: sm.datasets.anes96.load_pandas().data,
        LINEAR,
        "TVnews",
        ("age", "educ", "income", "PID"),
        tuple(range(8)),
    ),
    Case(
        "prior convictions",
        lifelines.datasets.load_rossi,
        POISSON,
        "prio",
        ("age", "wexp", "mar", "paro"),
        tuple(range(19)),
    ),
)
"""Six yes-or-no responses, one in whole days and one count; the card holders' predictors have decimals."""


def run() -> list[dict[str, Any]]:
    return [_line(case, n, digits) for case in CASES for n in PEOPLE for digits in DIGITS]


def _line(case: Case, n: int, digits: int) -> dict[str, Any]:
    tried = [x for x in (_attack(case, n, digits, s) for s in range(SAMPLES)) if x is not None]
    found = [x for x, _, _ in tried]
    bits = [x for _, x, _ in tried]
    return {
        "data": case.data,
        "family": case.family.name,
        "coefficients": len(case.predictors) + 1,
        "values": len(case.values),
        "people": n,
        "digits": digits,
        "residual_df": n - len(case.predictors) - 1,
        "samples": len(tried),
        "everybody": sum(bool(r.determined.all()) for r in found),
        "somebody": sum(bool(r.determined.any()) for r in found),
        "determined": _mean([float(r.determined.mean()) for r in found]),
        "unfinished": sum(not r.is_complete for r in found),
        "false": sum(wrong for _, _, wrong in tried),
        "bits_printed": _mean([b.printed for b in bits]),
        "bits_secret": _mean([b.secret for b in bits]),
        "seconds": float(np.median([r.seconds for r in found])) if found else None,
    }


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _attack(case: Case, n: int, digits: int, sample: int) -> tuple[Recovery, Bits, int] | None:
    """One attack, the bits, and how many claims were false; None where the sample has no finite fit."""
    data = case.load()[[case.response, *case.predictors]].dropna()
    rng = np.random.default_rng([SEED, n, sample])
    data = data.iloc[rng.permutation(len(data))[:n]]
    x = np.column_stack([np.ones(n), data[list(case.predictors)].to_numpy(float)])
    y = data[case.response].to_numpy(float)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return None
    start = np.zeros(x.shape[1])
    start[0] = np.log(y.mean() + 0.1) if case.family is POISSON else 0.0
    beta, converged = refit(case.family, x, y[None], start)
    if not converged[0]:
        return None
    release = coefficients(case.family, x, *printed(beta[0], digits))
    values = np.array(case.values, dtype=float)
    found = recover([release], values, n, seconds=SECONDS)
    wrong = int((found.values[found.determined] != y[found.determined]).sum())
    shifts, _ = release.says(values[0], 1.0)
    spans = np.full(n, len(values) - 1)
    return found, response_bits(shifts.astype(float), spans, x), wrong
