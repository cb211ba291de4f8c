"""Tables 10 and 11 of the teaching-data paper on simulated people: what a class could find out about anybody.

    python -m examples.teaching_data.risk [--generations 2000]

Table 10: TCAP of access to a car, with everything else as keys. Table 11: each of the other variables as the target in
turn, with all remaining ones as keys. In: people of the original; out: people of the holdout. The paper's figures stand
beside ours; its people were real and ours are simulated, so these agree in kind only.
"""

from __future__ import annotations

import argparse

import numpy as np

from divulge.comparators import Cart
from divulge.measures import measure
from divulge.measures.estimate import calibrated
from divulge.table import Table
from examples.teaching_data.south_yorkshire import (
    N_PEOPLE,
    halves,
    objective_of,
    paper_settings,
    regression,
    simulated_people,
)

TARGETS = ("AREAP", "AGE", "SEX", "ETHGROUP", "LTILL", "TENURE")

PAPER_10 = {
    "original, original": (1.000, 1.000),
    "original, synthetic": (0.733, 0.464),
    "holdout, synthetic": (0.719, 0.437),
    "original, CART": (0.777, 0.552),
    "baseline": (0.502, 0.000),
}
PAPER_11 = {
    "original, original": (1, 1, 1, 1, 1, 1),
    "original, synthetic": (0.296, 0, 0.543, 0.953, 0.583, 0.367),
    "holdout, synthetic": (0.299, 0, 0.516, 0.949, 0.576, 0.377),
    "original, CART": (0.481, 0.194, 0.682, 0.984, 0.744, 0.569),
    "baseline": (0.292, 0.029, 0.504, 0.976, 0.534, 0.302),
}


def tables(n: int = N_PEOPLE, generations: int = 2000, population: int = 24) -> list[str]:
    """The lines to print."""
    original, holdout = halves(simulated_people(n))
    synthetic = (
        paper_settings(generations, population).embed(objective_of(original, [regression()]), original.n_rows, 1).table
    )
    general = Cart().synthesise(original, None, np.random.default_rng(1))
    pairs = {
        "original, original": (original, original),
        "original, synthetic": (original, synthetic),
        "holdout, synthetic": (holdout, synthetic),
        "original, CART": (original, general),
    }

    def tcap(people: Table, made: Table, target: str) -> tuple[float, float]:
        """(TCAP, baseline); without a class that is certain it is 0, as in the paper."""
        keys = [name for name in original.names if name != target]
        found = measure(people, made, keys, target, measures=["TCAP"])["TCAP"]
        return float(np.nan_to_num(found.value)), float(found.baseline)

    base = tcap(original, original, "CARS")[1]
    lines = [f"{'Table 10: access to a car':28}{'TCAP':>9}{'calibrated':>12}{'paper: TCAP':>13}{'calibrated':>12}"]
    for name, paper in PAPER_10.items():
        value = base if name == "baseline" else tcap(*pairs[name], "CARS")[0]
        lines.append(f"{name:28}{value:9.3f}{calibrated(value, base):12.3f}{paper[0]:13.3f}{paper[1]:12.3f}")
    lines += ["", f"{'Table 11: the others':28}" + "".join(f"{t:>10}" for t in (*TARGETS, "mean"))]
    for name, paper_row in PAPER_11.items():
        ours = [tcap(*pairs.get(name, (original, original)), t)[name == "baseline"] for t in TARGETS]
        for label, row in ((name, ours), ("  in the paper", list(paper_row))):
            lines.append(f"{label:28}" + "".join(f"{v:10.3f}" for v in (*row, float(np.mean(row)))))
    return lines


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--people", type=int, default=N_PEOPLE, help="how many, original and holdout together")
    parser.add_argument("--generations", type=int, default=2000)
    parser.add_argument("--population", type=int, default=24)
    given = parser.parse_args(arguments)
    print("\n".join(tables(given.people, given.generations, given.population)))


if __name__ == "__main__":
    main()
