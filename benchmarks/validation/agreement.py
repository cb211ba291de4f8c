"""The two synthesisers agree on risk at equal knowledge: TCAP and DCAP of the paper's case over ten seeds each.

Both start from the granted marginals and stop at the same error. The check fails only where they could not get there;
by how much the risks differ is printed, and docs/synthesisers.md says why.
"""

from __future__ import annotations

import numpy as np

from benchmarks.paper_case import KEYS, TARGET, objective_of, people
from divulge.demo.census import N_ROWS
from divulge.measures import measure
from divulge.synthesisers import Descent, Evolutionary, Synthesiser

N_SEEDS = 10
MAE = 0.004
MEASURES = ("TCAP", "TCAP_zero", "DCAP")
WIDTH = 2.0
"""Standard errors of the difference within which the means should lie."""


def check(n_rows: int = N_ROWS, n_seeds: int = N_SEEDS, generations: int = 2000) -> list[str]:
    original = people(n_rows)
    objective = objective_of(original)
    ways: dict[str, Synthesiser] = {
        "descent": Descent(start="univariate", mae=MAE, polish=False),
        "evolutionary": Evolutionary(start="univariate", mae=MAE, generations=generations),
    }
    found: dict[str, dict[str, list[float]]] = {}
    lines = []
    for way, synthesiser in ways.items():
        figures: dict[str, list[float]] = {name: [] for name in (*MEASURES, "distinct keys", "MAE")}
        for seed in range(1, n_seeds + 1):
            made = synthesiser.embed(objective, n_rows, seed)
            assert made.outputs[0].mae <= MAE, f"{way}, seed {seed}: MAE {made.outputs[0].mae:.4f} is above {MAE}"
            risks = measure(original, made.table, KEYS, TARGET, measures=list(MEASURES))
            for name in MEASURES:
                figures[name].append(risks[name].value)
            figures["distinct keys"].append(len(made.table.to_pandas()[list(KEYS)].drop_duplicates()))
            figures["MAE"].append(made.outputs[0].mae)
        found[way] = figures
        shown = ", ".join(f"{name} {np.mean(values):.4g}" for name, values in figures.items())
        lines.append(f"{way}: means over {n_seeds} seeds: {shown}")
    for name in (*MEASURES, "distinct keys"):
        ours, theirs = (np.array(found[way][name]) for way in ways)
        difference = ours.mean() - theirs.mean()
        error = np.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
        verdict = "agree" if abs(difference) <= WIDTH * error else "DIFFER"
        lines.append(f"{verdict} {name}: {difference:+.5g}, {difference / error:+.1f} standard errors ({error:.2g})")
    return lines
