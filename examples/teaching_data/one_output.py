"""Experiment 1 of the teaching-data paper on simulated people: one regression, five runs.

    python -m examples.teaching_data.one_output [--generations 2000] [--runs 5]

Prints the coefficients of each run beside the original's (the paper's Table 3), the mean absolute error of the
synthetic data beside those of a holdout and of synthetic data that did see the original (Table 4), and TCAP (Table 10).
The paper's figures stand beside ours; its people were real and ours are simulated, so these agree in kind only.
"""

from __future__ import annotations

import argparse

import numpy as np

from divulge.comparators import Cart
from divulge.measures import measure
from divulge.synthesisers import embed_runs
from divulge.table import Table
from examples.teaching_data.south_yorkshire import (
    N_PEOPLE,
    halves,
    objective_of,
    paper_settings,
    regression,
    simulated_people,
)

PAPER_MAE = (0.00037, 0.00049, 0.00059, 0.00053, 0.00053)
"""Table 3, last line."""
PAPER_GENERAL, PAPER_HOLDOUT = 0.2323, 0.1460
"""Table 4, last line: synthetic data from synthpop, and the holdout."""
PAPER_TCAP = {"original, run 1": 0.733, "holdout, run 1": 0.719, "original, CART": 0.777, "baseline": 0.502}
"""Table 10, raw TCAP."""

KEYS = ("AREAP", "AGE", "SEX", "ETHGROUP", "LTILL", "TENURE")


def experiment(n: int = N_PEOPLE, generations: int = 2000, runs: int = 5, population: int = 24) -> list[str]:
    """The lines to print."""
    original, holdout = halves(simulated_people(n))
    objective = objective_of(original, [regression()])
    released = objective.targets[0].released
    made = embed_runs(paper_settings(generations, population), objective, original.n_rows, 1, runs=runs)

    lines = [f"{'coefficient':32}{'original':>10}" + "".join(f"{f'run {k + 1}':>10}" for k in range(runs))]
    for i, label in enumerate(released.labels):
        found = "".join(f"{m.outputs[0].values[i]:10.4f}" for m in made)
        lines.append(f"{label:32}{released.values[i]:10.4f}{found}")
    lines.append(f"{'mean absolute error':42}" + "".join(f"{m.outputs[0].mae:10.5f}" for m in made))
    lines.append(f"{'… in the paper':42}" + "".join(f"{e:10.5f}" for e in PAPER_MAE[:runs]))

    def error(table: Table) -> float:
        found = regression().evaluate(table).values
        both = np.isfinite(found) & np.isfinite(released.values)  # a level that is separated has no finite estimate
        return float(np.mean(np.abs(found[both] - released.values[both])))

    general = Cart().synthesise(original, None, np.random.default_rng(1))
    lines += ["", f"{'mean absolute error of':32}{'ours':>10}{'paper':>10}"]
    beside = (("run 1", made[0].outputs[0].mae, PAPER_MAE[0]), ("the holdout", error(holdout), PAPER_HOLDOUT))
    for name, ours, paper in (*beside, ("CART, which saw the original", error(general), PAPER_GENERAL)):
        lines.append(f"{name:32}{ours:10.4f}{paper:10.4f}")

    ours = {
        "original, run 1": measure(original, made[0].table, KEYS, "CARS", measures=["TCAP"])["TCAP"],
        "holdout, run 1": measure(holdout, made[0].table, KEYS, "CARS", measures=["TCAP"])["TCAP"],
        "original, CART": measure(original, general, KEYS, "CARS", measures=["TCAP"])["TCAP"],
    }
    lines += ["", f"{'TCAP of access to a car':32}{'ours':>10}{'paper':>10}"]
    lines += [f"{name:32}{e.value:10.3f}{PAPER_TCAP[name]:10.3f}" for name, e in ours.items()]
    lines.append(f"{'baseline':32}{ours['original, run 1'].baseline:10.3f}{PAPER_TCAP['baseline']:10.3f}")
    return lines


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=N_PEOPLE, help="how many, original and holdout together")
    parser.add_argument("--generations", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--population", type=int, default=24)
    given = parser.parse_args(arguments)
    print("\n".join(experiment(given.people, given.generations, given.runs, given.population)))


if __name__ == "__main__":
    main()
