"""The three experiments of Elliot, Little & Allmendinger on a simulated census of the same shape.

    python -m examples.output_risk.experiments [--runs 10] [--generations 2000]

Experiment 1 embeds the regression of all people in several runs of the paper's algorithm: TCAP of the tenure by all
subsets of three to six keys, and by six, and how it goes with the error of the embedding (Figure 3). Experiments 2 and
3 compare people who were in with people who were not, in two folds and in two folds of the first (Table 5). The
paper's figures stand beside ours; its people were real and ours are simulated, so these agree in kind only.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge.demo.census import FORMULA, N_ROWS, simulated_census
from divulge.measures import measure
from divulge.objective import Embedding, Objective, Target
from divulge.objective.knowledge import granted
from divulge.outputs.kinds.logistic import Logistic
from divulge.synthesisers import Evolutionary, embed_runs
from divulge.table import Table

KEYS = ("AREAP", "AGE", "ETHGROUP", "LTILL", "MSTATUS", "SEX")
TARGET = "TENURE"

PAPER = {"mae": 0.0004, "sweep": 0.4962, "six": 0.6317, "at_zero": 0.2279, "slope": -0.0556, "correlation": -0.9374}
"""Table 2, the text of experiment 1, and the line of Figure 3. The program counts subsets without a class as 0."""
PAPER_TABLE_5 = {
    "Fold 1": (0.523784, 0.529662),
    "Fold 2": (0.489204, 0.466176),
    "Fold-Fold 1.1": (0.504837, 0.535716),
    "Fold-Fold 1.2": (0.52773, 0.522121),
}

SNAPSHOTS = 15
"""Moments of each search at which risk and error are compared."""


def embedded(people: Table, settings: Evolutionary, runs: int, seed: int, snapshots: int = 0) -> list[Embedding]:
    """Synthetic people who reproduce the coefficients of these people, to 4 decimals, as the paper prints them."""
    output = Logistic(formula=FORMULA, decimals=4)
    released = replace(output.publish(output.evaluate(people), people.schema), se=None)  # the paper prints none
    targets = (Target(output, released),)
    counts = {name: people.frequencies(name).astype(float) for name in people.names}
    objective = Objective(people.schema, targets, granted(people.schema, targets, "marginals", counts).marginals)
    return embed_runs(settings, objective, people.n_rows, seed, runs=runs, snapshots=snapshots)


def tcap(people: Table, synthetic: Table) -> dict[str, float]:
    """TCAP by six keys, the same with non-matches as zero, and the mean over the 42 subsets of three to six keys."""
    names = ["TCAP", "TCAP_zero", "TCAP_sweep", "TCAP_sweep_zero"]
    found = measure(people, synthetic, KEYS, TARGET, key_sizes=(3, 6)).measures
    return {name: found[name][0].value for name in names if name in found}


def line(made: Sequence[Embedding], people: Table) -> tuple[float, float, float]:
    """(TCAP at error 0, slope, correlation) over all snapshots of all runs (Figure 3)."""
    errors, risks = [], []
    for one in made:
        points = [p for p in one.trace if p.errors is not None]
        for point, synthetic in zip(points, one.snapshots, strict=False):
            errors.append(float(np.mean(point.errors)))
            risks.append(measure(people, synthetic, KEYS, TARGET, measures=["TCAP_zero"])["TCAP_zero"].value)
    if len(errors) < 3:
        return (float("nan"),) * 3
    slope, at_zero = np.polyfit(errors, risks, 1)
    return float(at_zero), float(slope), float(np.corrcoef(errors, risks)[0, 1])


def experiment_1(census: Table, settings: Evolutionary, runs: int) -> list[str]:
    """All people, several runs."""
    made = embedded(census, settings, runs, 1, SNAPSHOTS)
    risks = [tcap(census, one.table) for one in made]
    mean = {name: float(np.mean([r[name] for r in risks])) for name in risks[0]}
    at_zero, slope, correlation = line(made, census)
    rows = (
        ("mean absolute error of the coefficients", float(np.mean([m.outputs[0].mae for m in made])), PAPER["mae"]),
        ("TCAP, 42 subsets of 3–6 keys, empty ones as 0", mean["TCAP_sweep_zero"], PAPER["sweep"]),
        ("TCAP, the same, empty ones left out", mean["TCAP_sweep"], None),
        ("TCAP, six keys", mean["TCAP"], PAPER["six"]),
        ("TCAP, six keys, non-matches as zero", mean["TCAP_zero"], None),
        ("… of the line of Figure 3 at error 0", at_zero, PAPER["at_zero"]),
        ("slope of that line", slope, PAPER["slope"]),
        ("correlation", correlation, PAPER["correlation"]),
    )
    head = f"Experiment 1: {census.n_rows:,} people, {runs} runs, {settings.generations:,} generations"
    lines = [f"{head:50}{'ours':>10}{'paper':>10}"]
    return lines + [f"{name:50}{ours:10.4f}{'' if paper is None else f'{paper:10.4f}'}" for name, ours, paper in rows]


def experiments_2_and_3(census: Table, settings: Evolutionary) -> list[str]:
    """Two folds, then two folds of the first: each a holdout in turn (Table 5)."""
    head = f"{'TCAP over 42 subsets of keys':24}{'in':>9}{'out':>9}{'diff.':>9}{'paper: in':>12}{'out':>9}{'diff.':>9}"
    lines = [head]
    for name, people in (("Fold", census), ("Fold-Fold 1.", census.take(slice(0, census.n_rows // 2)))):
        rows = []
        middle = people.n_rows // 2
        halves = people.take(slice(0, middle)), people.take(slice(middle, None))
        for fold in (0, 1):
            # The fold is the holdout; people are in random order.
            inside, outside = halves[1 - fold], halves[fold]
            label = f"{name}{'' if name.endswith('.') else ' '}{fold + 1}"
            synthetic = embedded(inside, settings, 1, 2 + fold)[0].table
            ours = [tcap(part, synthetic)["TCAP_sweep_zero"] for part in (inside, outside)]
            rows.append((label, ours, PAPER_TABLE_5[label]))
        figures = np.array([[o[0], o[1], o[0] - o[1], p[0], p[1], p[0] - p[1]] for _, o, p in rows])
        # The paper's standard deviations divide by the number of folds.
        every = [*figures, figures.mean(axis=0), figures.std(axis=0)]
        for label, row in zip([*(r[0] for r in rows), "Mean", "Standard deviation"], every, strict=True):
            ours, paper = ("".join(f"{v:9.4f}" for v in part) for part in (row[:3], row[3:]))
            lines.append(f"{label:24}{ours}   {paper}")
    return lines


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=N_ROWS)
    parser.add_argument("--generations", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--population", type=int, default=32)
    given = parser.parse_args(arguments)
    census = simulated_census(given.people)
    settings = Evolutionary(generations=given.generations, population=given.population)
    print("\n".join(experiment_1(census, settings, given.runs)), flush=True)
    print()
    print("\n".join(experiments_2_and_3(census, settings)))


if __name__ == "__main__":
    main()
