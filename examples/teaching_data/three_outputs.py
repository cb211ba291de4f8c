"""Experiment 2 of the teaching-data paper on simulated people: a regression and two crosstabs, in ten weightings.

    python -m examples.teaching_data.three_outputs [--generations 2000]

Prints the mean absolute error of the coefficients (the paper's Table 7), of the shares with a car by tenure (Table 8)
and by ethnic group (Table 9), for each weighting (Table 12), and last for descent, which needs no weighting. The
paper's figures stand beside ours where it prints them; its people were real and ours are simulated.
"""

from __future__ import annotations

import argparse

import numpy as np

from divulge.synthesisers import Descent
from divulge.table import Table
from examples.teaching_data.south_yorkshire import (
    N_PEOPLE,
    crosstab,
    halves,
    objective_of,
    paper_settings,
    regression,
    simulated_people,
)

WEIGHTS = (0.33, 0.25, 0.2, 0.15, 0.1, 0.05, 0.025, 0.01, 0.001, 0.0001)
"""Of the regression in runs 1–10; the two crosstabs share the rest (Table 12)."""

PAPER = {
    "run 1": (0.0034, 0.0880, 0.0455),
    "run 3": (0.0037, 0.0755, 0.0480),
    "run 5": (0.0048, 0.0584, 0.0346),
    "run 7": (0.0085, 0.0621, 0.0357),
    "run 10": (0.1078, 0.0247, 0.0192),
    "holdout": (0.1460, 0.0246, 0.0248),
}
"""The last lines of Tables 7, 8 and 9."""


def experiment(n: int = N_PEOPLE, generations: int = 2000, population: int = 24) -> list[str]:
    """The lines to print."""
    original, holdout = halves(simulated_people(n))
    settings = paper_settings(generations, population)
    lines = [
        f"{'':10}{'weights':>24}{'coefficients':>16}{'by tenure':>18}{'by ethnic group':>20}",
        f"{'':34}{'ours':>8}{'paper':>8}{'ours':>10}{'paper':>8}{'ours':>12}{'paper':>8}",
    ]
    for k, weight in enumerate(WEIGHTS):
        other = weight if k == 0 else (1 - weight) / 2  # run 1 has three times 0.33
        outputs = [regression(weight), crosstab("TENURE", other), crosstab("ETHGROUP", other)]
        made = settings.embed(objective_of(original, outputs), original.n_rows, seed=1, run=k)
        lines.append(_line(f"run {k + 1}", f"{weight:g} {other:g} {other:g}", errors(original, made.table)))
    outputs = [regression(), crosstab("TENURE"), crosstab("ETHGROUP")]
    made = Descent().embed(objective_of(original, outputs), original.n_rows, seed=1)
    lines.append(_line("descent", "none", errors(original, made.table)))
    lines.append(_line("holdout", "", errors(original, holdout)))
    return lines


def errors(original: Table, other: Table) -> tuple[float, float, float]:
    """Mean absolute errors: of the coefficients, and of the shares with a car in each tenure and each ethnic group."""
    with np.errstate(invalid="ignore"):
        coefficients = regression().evaluate(other).values - regression().evaluate(original).values
    coefficients = coefficients[np.isfinite(coefficients)]  # a level that is separated has no finite estimate
    by = [_with_car(other, name) - _with_car(original, name) for name in ("TENURE", "ETHGROUP")]
    a, b, c = (float(np.nanmean(np.abs(part))) for part in (coefficients, *by))
    return a, b, c


def _with_car(table: Table, name: str) -> np.ndarray:
    """The share of people with access to a car for each value of a variable; NaN where nobody has the value."""
    people, cars = table.frequencies(name), np.bincount(table[name], table["CARS"], table.schema[name].n_codes)
    return np.divide(cars, people, out=np.full(len(cars), np.nan), where=people > 0)


def _line(name: str, weights: str, found: tuple[float, float, float]) -> str:
    paper = [f"{p:8.4f}" for p in PAPER[name]] if name in PAPER else [" " * 8] * 3
    widths = (8, 10, 12)
    return f"{name:10}{weights:>24}" + "".join(f"{v:{w}.4f}{p}" for v, w, p in zip(found, widths, paper, strict=True))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=N_PEOPLE, help="how many, original and holdout together")
    parser.add_argument("--generations", type=int, default=2000)
    parser.add_argument("--population", type=int, default=24)
    given = parser.parse_args(arguments)
    print("\n".join(experiment(given.people, given.generations, given.population)))


if __name__ == "__main__":
    main()
