"""The two synthesisers agree on risk at equal knowledge: TCAP and DCAP of the paper's case over ten seeds each.

All start from the granted marginals and stop at the same error. Edit rules are left out, since refused changes bend the
marginals of each search in its own way. The check fails only where a search does not get there; by how much the risks
differ is printed, and docs/synthesisers.md says why.
"""

from __future__ import annotations

import numpy as np

from benchmarks.paper_case import KEYS, TARGET, objective_of, people
from divulge.demo.census import N_ROWS
from divulge.measures import measure
from divulge.synthesisers import Descent, Evolutionary, Synthesiser
from divulge.table import Schema, Table

N_SEEDS = 10
MAE = 0.004
MEASURES = ("TCAP", "TCAP_zero", "DCAP")
WIDTH = 2.0
"""Standard errors of the difference within which the means should lie."""

PAPER_RATES = [[250 * k, 0.005 / 3**k] for k in range(5)] + [[1250, 0.00002]]
"""The paper's, held at 0.00002: from these marginals, where some groups are rare, they otherwise die out too soon."""

FALLING = [[0, 0.001], [4000, 0.0003], [8000, 0.0001], [12000, 0.00003], [16000, 0.00001]]

WAYS: dict[str, Synthesiser] = {
    "descent": Descent(start="univariate", mae=MAE),
    # Four datasets instead of 32: without crossover, the others only cost time.
    "evolutionary without crossover": Evolutionary(
        start="univariate", mae=MAE, crossover=0.0, population=4, generations=20_000, mutation=FALLING
    ),
    "evolutionary": Evolutionary(start="univariate", mae=MAE, generations=6000, mutation=PAPER_RATES),
}


def check(n_rows: int = N_ROWS, n_seeds: int = N_SEEDS) -> list[str]:
    original = people(n_rows)
    original = Table(Schema(original.schema.variables), original.columns)
    found = {way: _figures(way, original, n_seeds) for way in WAYS}
    lines = []
    for way, figures in found.items():
        shown = ", ".join(f"{name} {np.mean(values):.4g}" for name, values in figures.items())
        lines.append(f"{way}, means over {n_seeds} seeds: {shown}")
    for way in list(WAYS)[1:]:
        for name in (*MEASURES, "distinct keys"):
            ours, theirs = np.array(found["descent"][name]), np.array(found[way][name])
            difference = theirs.mean() - ours.mean()
            error = np.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
            verdict = "agree " if abs(difference) <= WIDTH * error else "DIFFER"
            lines.append(
                f"{verdict} {name}: {way} − descent {difference:+.4g}, {difference / error:+.1f} standard errors"
            )
    return lines


def _figures(way: str, original: Table, n_seeds: int) -> dict[str, list[float]]:
    objective = objective_of(original)
    figures: dict[str, list[float]] = {name: [] for name in (*MEASURES, "distinct keys", "MAE", "seconds")}
    for seed in range(1, n_seeds + 1):
        made = WAYS[way].embed(objective, original.n_rows, seed)
        mae = made.outputs[0].mae
        assert mae <= MAE, f"{way}, seed {seed}: a mean absolute error of {mae:.4f} is above {MAE}"
        risks = measure(original, made.table, KEYS, TARGET, measures=list(MEASURES))
        for name in MEASURES:
            figures[name].append(risks[name].value)
        figures["distinct keys"].append(len(made.table.to_pandas()[list(KEYS)].drop_duplicates()))
        figures["MAE"].append(mae)
        figures["seconds"].append(made.seconds)
    return figures
