"""A Gaussian mechanism whose ε is known, audited over and over: no bound may exceed it, none may say nothing.

In every run half of the people have a score drawn from N(μ, 1), as if they were in, and half from N(0, 1): the
trade-off of a mechanism with Gaussian noise (Dong, Roth and Su 2022), of which ε at a given δ is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.validation.results import keep
from divulge.measures.epsilon import (
    DELTA,
    LEVEL,
    Roc,
    _gaussian_epsilon,
    one_run,
    one_run_gaussian,
)

RUNS = 200
PAIRS = (3_000, 20_000)
"""People in and out, as many of each."""
NOISE = (0.5, 1.0, 2.0)
"""μ of the mechanisms: how far the scores of people in and out lie apart, in standard deviations of the noise."""

HEADLINE = "one run, Gaussian"
BOUNDS: dict[str, Callable[[Roc], float]] = {
    HEADLINE: lambda roc: roc.best_of_thresholds(one_run_gaussian),
    "one run": lambda roc: roc.best_of_thresholds(one_run),
    "GDP": Roc.gaussian,
    "Clopper–Pearson": Roc.clopper_pearson,
}


WANTED = {"GDP", HEADLINE}
"""Bounds whose median should be above half of the truth. The headline holds for one run of any mechanism that claims
Gaussian noise, and pays for it: with few people it misses."""


def check() -> list[str]:
    lines = [line for pairs in PAIRS for mu in NOISE for line in _audited(mu, pairs)]
    keep("epsilon", lines, {"runs": RUNS, "level": LEVEL, "delta": DELTA})
    for line in lines:
        said = f"{line['bound']} at ε = {line['truth']:.2f}, {line['pairs']:,} pairs"
        assert line["below"] >= 0.95, f"{said}: below the truth in {line['below']:.1%} of the runs only"
    return [
        f"ε = {x['truth']:.2f}, {x['pairs']:,} pairs, {x['bound']}: below it in {x['below']:.1%} of {RUNS} runs, "
        f"median {x['median']:.2f}" + (" (MISSED: half of the truth)" if _is_missed(x) else "")
        for x in lines
    ]


def _is_missed(line: dict[str, Any]) -> bool:
    return line["bound"] in WANTED and line["of_truth"] <= 0.5


def _audited(mu: float, pairs: int) -> list[dict[str, Any]]:
    """Every bound over all runs of one mechanism."""
    truth = _gaussian_epsilon(mu, DELTA)
    rng = np.random.default_rng([int(10 * mu), pairs])  # a stream of its own for every mechanism
    rocs = [Roc.of(rng.normal(mu, 1, pairs), rng.normal(0, 1, pairs)) for _ in range(RUNS)]
    lines: list[dict[str, Any]] = []
    for name, bound in BOUNDS.items():
        found = np.array([bound(roc) for roc in rocs])
        lines.append(
            {
                "noise": mu,
                "pairs": pairs,
                "bound": name,
                "truth": truth,
                "below": float((found <= truth).mean()),
                "median": float(np.median(found)),
                "of_truth": float(np.median(found) / truth),
            }
        )
    return lines
