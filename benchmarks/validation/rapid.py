"""RAPID on CART syntheses of simulated health records, beside Table 1 and Figure 5 of Templ, Thees and Müller 2026.

The paper's text leaves open which variables are the keys; its authors' simulation scripts (public, repository
qwertzlbry/RAPID) take all five others. The scripts also draw age with a deviation of 15 years between 18 and 90 and
standardise it by the sample, where the paper's appendix, and so `divulge.demo`, has 12 years, 18 to 85, fixed moments.
That costs about 0.01 of RAPID, so both are run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import truncnorm

from divulge.comparators import Cart
from divulge.demo import simulated_health
from divulge.measures import Case, Scenario
from divulge.measures.families.rapid import Rapid
from divulge.table import Schema, Table, Variable

SCENARIO = Scenario(("gender", "age", "education", "income", "health_score"), "disease_status")
N_ROWS = 1000
N_TABLE, N_FIGURE = 50, 10
"""Replications of Table 1 and of Figure 5, as in the paper."""

TABLE_1 = {"RAPID": (0.864, 0.010), "RAPID_cart": (0.876, 0.013), "RAPID_gbm": (0.875, 0.011)}
"""Mean and standard deviation over replications at κ = 10, τ = 0.3."""

FIGURE_5A = {0.0: 0.25, 100.0: 0.97}
"""The ends of the curve over κ."""

FIGURE_5B = {(0, 0.2): 0.327, (0, 0.3): 0.235, (0, 0.5): 0.099, (5, 0.3): 0.763, (20, 0.3): 0.918, (50, 0.3): 0.952}
"""Values behind Figure 5b by (κ, τ), from the table that the authors' second simulation wrote."""

Simulate = Callable[[float, int], Table]


class Line(NamedTuple):
    """One figure beside the range in which the paper has it."""

    name: str
    value: float
    low: float
    high: float

    @property
    def is_within(self) -> bool:
        return self.low <= self.value <= self.high

    def __str__(self) -> str:
        mark = "ok " if self.is_within else "OFF"
        return f"{mark} {self.name:58} {self.value:6.3f} in [{self.low:.3f}, {self.high:.3f}]"


def check() -> list[str]:
    """Table 1 within 2 standard deviations (1 with the scripts' ages), Figure 5 within 0.04."""
    quick = {"n_resamples": 0, "n_permutations": 0}
    suite, forest = Rapid(attackers=("rf", "gbm", "cart"), **quick), Rapid(attackers=("rf",), **quick)
    lines = []
    for title, simulate, width in (("appendix", of_the_paper, 2), ("scripts", of_the_scripts, 1)):
        runs = [replicate(simulate, 10.0, seed, suite) for seed in range(1, N_TABLE + 1)]
        for name, (value, sd) in TABLE_1.items():
            low, high = value - width * sd, value + width * sd
            lines.append(Line(f"Table 1, {title}: κ = 10, {name}", _mean(runs, name), low, high))
    at = {
        k: [replicate(of_the_paper, k, seed, forest) for seed in range(1, N_FIGURE + 1)]
        for k in (0.0, 1.0, 5.0, 20.0, 50.0, 100.0)
    }
    for kappa, value in FIGURE_5A.items():
        lines.append(Line(f"Figure 5a: κ = {kappa:g}", _mean(at[kappa], "RAPID"), value - 0.04, value + 0.04))
    steps = np.diff([_mean(at[k], "RAPID") for k in sorted(at)])
    lines.append(Line("Figure 5a: the smallest step from one κ to the next", float(steps.min()), 0.0, 1.0))
    for (kappa, tau), value in FIGURE_5B.items():
        found = _mean(at[float(kappa)], "RAPID", f"{tau:.2f}")
        lines.append(Line(f"Figure 5b: κ = {kappa}, τ = {tau}", found, value - 0.04, value + 0.04))
    shown = [str(line) for line in lines]
    assert all(line.is_within for line in lines), "\n  ".join(["figures outside the paper's range:", *shown])
    return shown


def replicate(simulate: Simulate, kappa: float, seed: int, family: Rapid) -> dict[str, dict[str, float]]:
    """Simulate, synthesise, attack. By measure: its value, and its share at risk at every τ of the curve."""
    people = simulate(kappa, seed)
    rng = np.random.default_rng([seed, 2026])
    synthetic = Cart().synthesise(people, None, rng)
    found = family.estimate(Case(people, synthetic, SCENARIO), rng)
    figures = {}
    for name, estimate in found.items():
        curve = estimate.details.get("curve", {"thresholds": [], "shares": []})
        figures[name] = {"value": estimate.value}
        figures[name] |= {f"{t:.2f}": s for t, s in zip(curve["thresholds"], curve["shares"], strict=True)}
    return figures


def of_the_paper(kappa: float, seed: int) -> Table:
    """As in the appendix, on the grid of `divulge.demo`."""
    return simulated_health(N_ROWS, kappa=kappa, seed=seed)


def of_the_scripts(kappa: float, seed: int) -> Table:
    """As the authors' scripts draw them: wider ages, moments of the sample, continuous values."""
    rng = np.random.default_rng([seed, 15])
    signal, noise = np.sqrt(kappa / (1 + kappa)), np.sqrt(1 / (1 + kappa))
    age = truncnorm.rvs(-27 / 15, 45 / 15, 45, 15, size=N_ROWS, random_state=rng)
    status, a = rng.normal(size=N_ROWS), (age - age.mean()) / age.std(ddof=1)
    schooling = signal * (0.8 * status - 0.4 * a) + noise * rng.normal(size=N_ROWS)
    e = 1 * (schooling >= -0.3) + (schooling >= 0.7)
    pay = signal * (0.5 * status + 0.3 * a + 0.25 * e) + noise * rng.normal(size=N_ROWS)
    i = (pay - pay.mean()) / pay.std(ddof=1)
    health = signal * (0.6 * status - 0.5 * a + 0.2 * e + 0.2 * i) + noise * rng.normal(size=N_ROWS)
    logits = np.column_stack(
        [0 * a, -1.5 + kappa * (0.8 * a - 0.3 * i - 0.2 * e), -1.3 + kappa * (a - 0.2 * i - 0.1 * e)]
    )
    disease = (rng.random(N_ROWS)[:, None] >= softmax(logits, axis=1).cumsum(axis=1)[:, :-1]).sum(axis=1)
    male = rng.random(N_ROWS) < expit(signal * (0.3 * status - 0.2 * a + 0.2 * e))
    codes = [male.astype(int), age, e, np.exp(10 + pay), 100 * expit(health), disease]
    variables, columns = [], []
    for old, values in zip(simulated_health(1).schema, codes, strict=True):
        if old.kind == "numeric":
            levels, values = np.unique(values, return_inverse=True)
            old = Variable(old.name, "numeric", levels)
        variables.append(old)
        columns.append(values)
    return Table(Schema(tuple(variables)), tuple(columns))


def _mean(runs: list[dict[str, dict[str, float]]], measure: str, figure: str = "value") -> float:
    return float(np.mean([run[measure][figure] for run in runs]))
