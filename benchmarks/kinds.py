"""How far and how fast each kind is embedded: at 3 decimals, on 5,000 people of the Current Population Surveys.

Seconds are of this processor; a search ends after SECONDS of the clock, so that a busy machine reaches less. It starts
from the figures, as `divulge embed` and `divulge assess` do.
"""

from __future__ import annotations

import os
import sys
from time import process_time
from typing import Any

from divulge.demo import cps_extract
from divulge.objective import Objective, Target
from divulge.outputs import OUTPUTS
from divulge.outputs.output import Output
from divulge.synthesisers import Descent
from divulge.table import Table

ROWS = 5_000
DECIMALS = 3
WARMING = 1.0
"""Of the clock, for a search before the one that counts: kernels of the last digits are compiled after the others."""

SECONDS = 20.0
"""Four times what the table asks for, since the machine may be busy."""

_RICH = {"event": "50000+."}
FIELDS: dict[str, dict[str, Any]] = {
    "frequencies": {"variables": ["education"]},
    "histogram": {"variable": "age", "breaks": [15, 30, 45, 60, 75, 100]},
    "scatter": {"x": "age", "y": "weeks_worked", "x_breaks": [15, 40, 65, 100], "y_breaks": [0, 1, 40, 52]},
    "crosstab": {"variables": ["education", "sex"]},
    "tree": {
        "response": "income",
        "variables": ["age", "sex"],
        "leaves": ["age <= 30", "age > 30 and sex = Male", "age > 30 and sex = Female"],
    },
    "regression-tree": {
        "response": "age",
        "variables": ["sex", "weeks_worked"],
        "leaves": ["weeks_worked <= 20", "weeks_worked > 20 and sex = Male", "weeks_worked > 20 and sex = Female"],
        "show": ["n", "mean", "mse"],
    },
    "means": {"variables": ["age"], "by": ["education"]},
    "totals": {"variables": ["weeks_worked"], "by": ["sex"]},
    "position": {"variables": ["age"], "by": ["sex"], "quantiles": [0.25, 0.5, 0.75]},
    "box-plot": {"variables": ["age"], "by": ["sex"]},
    "extremes": {"variables": ["age"], "by": ["sex"]},
    "shape": {"variables": ["age"], "by": ["sex"], "show": ["sd", "skewness"]},
    "mode": {"variables": ["education"], "by": ["sex"]},
    "herfindahl": {"variables": ["weeks_worked"], "by": ["sex"]},
    "gini": {"variables": ["weeks_worked"], "by": ["sex"]},
    "ratios": {"outcome": "income", "exposure": "sex"},
    "survival": {"time": "age", "event": "income", "observed": "50000+.", "times": [30, 50, 70]},
    "correlation": {"variables": ["age", "weeks_worked", "wage_per_hour"]},
    "rank-correlation": {"variables": ["age", "weeks_worked"]},
    "linear": {"formula": "age ~ sex + weeks_worked", "statistics": ["se", "n"]},
    "fixed-effects": {"formula": "age ~ sex + weeks_worked", "absorb": "education"},
    "random-intercept": {"formula": "age ~ sex", "group": "education"},
    "random-slope": {"formula": "weeks_worked ~ age", "group": "education", "slope": "age"},
    "two-stage": {"formula": "age ~ weeks_worked", "instruments": "sex"},
    "quantile-regression": {"formula": "age ~ sex + weeks_worked"},
    "logistic": {"formula": "income ~ age + sex", "statistics": ["se", "n"], **_RICH},
    "probit": {"formula": "income ~ age + sex", **_RICH},
    "cloglog": {"formula": "income ~ age + sex", **_RICH},
    "binomial": {"formula": "weeks_worked ~ sex", "trials": "age", "where": "age >= 52"},
    "poisson": {"formula": "weeks_worked ~ age + sex", "statistics": ["se", "n"]},
    "negative-binomial": {"formula": "weeks_worked ~ age + sex"},
    "zero-inflated": {"formula": "weeks_worked ~ age + sex"},
    "gamma": {"formula": "age ~ sex + weeks_worked"},
    "inverse-gaussian": {"formula": "age ~ sex"},
    "multinomial": {"formula": "citizenship ~ age"},
    "ordered-logit": {"formula": "education ~ age", "where": "age >= 25"},
    "ordered-probit": {"formula": "education ~ age", "where": "age >= 25"},
    "marginal-effects": {"formula": "income ~ age + sex", **_RICH},
    "cox": {"formula": "age ~ sex", "event": "income", "observed": "50000+."},
    "weibull": {"formula": "age ~ sex", "event": "income", "observed": "50000+."},
    "chi-squared": {"variables": ["sex", "income"]},
    "t-test": {"variable": "age", "by": "sex"},
    "f-test": {"formula": "age ~ education"},
    "anova": {"formula": "age ~ sex + income"},
}
"""By kind: what is embedded. Counts have no decimals."""


def run() -> list[dict[str, Any]]:
    table = cps_extract().take(slice(0, 50_000, 50_000 // ROWS))
    kinds = [kind for kind in OUTPUTS if kind.can_lower and not kind.releases_rows]
    for kind in kinds:
        _embedded(kind, table, WARMING)  # what is compiled once is not part of what a search takes
    return [_embedded(kind, table, SECONDS) for kind in kinds]


def _embedded(kind: type[Output], table: Table, seconds: float) -> dict[str, Any]:
    fields = FIELDS[kind.kind]
    plain = kind(**fields)
    output = plain if plain.usual_decimals() == 0 else kind(**{"decimals": DECIMALS, **fields})
    released = output.publish(output.evaluate(table), table.schema)
    marginals = {v.name: table.frequencies(v.name) / table.n_rows for v in table.schema}
    objective = Objective(table.schema, (Target(output, released),), marginals)
    start = process_time()
    found = Descent(seconds=seconds, start="model").embed(objective, table.n_rows, seed=1)
    taken = process_time() - start
    is_held = output.searched(table.schema)
    agrees = released.agrees(output.evaluate(found.table).values)
    agrees = agrees if is_held is None else agrees[is_held]
    line = {
        "kind": kind.kind,
        "figures": len(agrees),
        "reproduced": int(agrees.sum()),
        "seconds": round(taken, 2),
        "outcome": str(found.outcome),
        "load": round(os.getloadavg()[0], 1),
    }
    if seconds > WARMING:
        print(line, file=sys.stderr, flush=True)
    return line
