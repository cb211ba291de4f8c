"""Simulated earnings of the shape of the teaching-data paper's live test: income, five groupings, one regression.

Elliot, Little & Allmendinger 2024, section 5: a linear model of income, the frequencies of five variables, and the
conditional means and medians of income on each of them.
"""

from __future__ import annotations

import numpy as np

from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position
from divulge.outputs.output import Output
from divulge.table import Schema, Table, Variable

GROUPS = {"SEX": (0.49, 0.51), "ETHNIC": (0.87, 0.03, 0.06, 0.04), "EDUCATION": (0.2, 0.35, 0.15, 0.3)}
GROUPS |= {"DISABLED": (0.93, 0.07), "UKBORN": (0.86, 0.14)}
EFFECTS = {"SEX": (0, -0.25), "ETHNIC": (0, -0.1, -0.05, -0.12), "EDUCATION": (0, 0.15, 0.3, 0.55)}
EFFECTS |= {"DISABLED": (0, -0.1), "UKBORN": (0, -0.03)}


def simulated_earnings(n_rows: int = 20_000, seed: int = 1) -> Table:
    """Weekly earnings in steps of 1, log-normal around what the groups make of them."""
    rng = np.random.default_rng(seed)
    columns, level = [], np.full(n_rows, 6.1)  # e^6.1, about 450 a week
    for name, shares in GROUPS.items():
        codes = rng.choice(len(shares), n_rows, p=shares)
        columns.append(codes)
        level += np.array(EFFECTS[name])[codes]
    income = np.clip(np.round(np.exp(rng.normal(level, 0.5))), 50, 3000).astype(int) - 50
    variables = [Variable(n, "categorical", np.arange(1, len(s) + 1)) for n, s in GROUPS.items()]
    schema = Schema((*variables, Variable("INCOME", "numeric", np.arange(50, 3001))))
    return Table(schema, (*columns, income))


def earnings_outputs() -> tuple[Output, ...]:
    """Eleven outputs and their printed precision: pounds and pence, coefficients to two decimals."""
    model = Linear(formula="INCOME ~ " + " + ".join(f"C({name})" for name in GROUPS), decimals=2)
    described: list[Output] = [model]
    for name in GROUPS:
        described.append(Frequencies(variables=(name,)))
        described.append(Means(variables=("INCOME",), by=(name,), decimals=2))
        described.append(Position(variables=("INCOME",), by=(name,), decimals=2))
    return tuple(described)
