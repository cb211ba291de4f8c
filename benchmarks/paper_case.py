"""The paper's case on the simulated census: a logistic regression with 23 coefficients printed to 4 decimals."""

from __future__ import annotations

from dataclasses import replace

from divulge.demo.census import FORMULA, N_ROWS, simulated_census
from divulge.objective import Objective, Target
from divulge.objective.knowledge import granted
from divulge.outputs.kinds.logistic import Logistic
from divulge.table import Table

KEYS = ("AREAP", "AGE", "ETHGROUP", "LTILL", "MSTATUS", "SEX")
TARGET = "TENURE"

PAPER_GENERATIONS, PAPER_POPULATION = 2000, 32


def people(n_rows: int = N_ROWS, seed: int = 1) -> Table:
    """The original."""
    return simulated_census(n_rows, seed)


def objective_of(table: Table) -> Objective:
    """What a synthesiser is given of it: the coefficients as printed, the schema, the marginals."""
    output = Logistic(formula=FORMULA, decimals=4)
    # The paper prints no standard errors.
    released = replace(output.publish(output.evaluate(table), table.schema), se=None)
    targets = (Target(output, released),)
    counts = {v.name: table.frequencies(v.name).astype(float) for v in table.schema}
    return Objective(table.schema, targets, granted(table.schema, targets, "marginals", counts).marginals)
