"""The additive form by its definition: a loop over rows and terms in plain Python."""

from __future__ import annotations

import math

import numpy as np

from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.table import Table


def term_of(term: Term, table: Table, row: int) -> tuple[int | None, float]:
    """(index, value); index −1 where there is no column, None where the term cannot be computed."""
    codes = [int(table[name][row]) for name in term.variables]
    cell = sum(int(cells[code]) for cells, code in zip(term.cells, codes, strict=True))
    if cell < 0:
        return None, 0.0
    value = float(term.scale[cell])
    for factors, code in zip(term.factors, codes, strict=True):
        value *= 1.0 if factors is None else float(factors[code])
    return int(term.index[cell]), value


def block_totals(block: Block, table: Table) -> np.ndarray:
    totals = np.zeros(block.n_totals)
    for row in range(table.n_rows):
        weight = 1.0
        if block.weight is not None:
            index, weight = term_of(block.weight, table, row)
            if index is None or index < 0:
                continue
        columns = [(i, v) for i, v in (term_of(t, table, row) for t in block.terms) if i is not None and i >= 0]
        for at, multiplier in _multipliers(block, table, row):
            for index, value in columns:
                totals[at * block.n_columns + index] += weight * multiplier * value
    return totals


def _multipliers(block: Block, table: Table, row: int) -> list[tuple[int, float]]:
    """(class or pair of classes, m) for a row; nothing where a value that the model needs is missing."""
    link = block.link
    if link is None:
        return [(0, 1.0)]
    response, y = term_of(link.response, table, row)
    parts = [term_of(t, table, row) for t in link.predictor]
    if response is None or any(index is None for index, _ in parts):
        return []
    beta = np.atleast_2d(link.beta)
    eta = [sum(b[i] * v for i, v in parts if i is not None and i >= 0) for b in beta]
    if link.family != "multinomial":
        e = eta[0]
        mu = {"identity": e, "logistic": 1 / (1 + math.exp(-e)), "poisson": math.exp(e)}[link.family]
        slope = {"identity": 1.0, "logistic": mu * (1 - mu), "poisson": mu}[link.family]
        kernel = {"identity": (y - e) ** 2, "logistic": y * e - math.log1p(math.exp(e)), "poisson": y * e - mu}
        return [(0, {"score": y - mu, "information": slope, "loglikelihood": kernel[link.family]}[link.moment])]
    below = 1 + sum(math.exp(e) for e in eta)
    mu_of = [math.exp(e) / below for e in eta]
    if link.moment == "score":
        return [(k, float(response == k + 1) - mu_of[k]) for k in range(len(eta))]
    if link.moment == "information":
        pairs = [(k, j) for k in range(len(eta)) for j in range(k + 1)]
        return [(p, mu_of[k] * (float(k == j) - mu_of[j])) for p, (k, j) in enumerate(pairs)]
    return [(0, (eta[response - 1] if response else 0.0) - math.log(below))]


def totals(lowered: Lowered, table: Table) -> np.ndarray:
    """Centred totals."""
    return np.concatenate([block_totals(b, table) for b in lowered.blocks]) - lowered.constants


def adds_to(lowered: Lowered, table: Table) -> np.ndarray:
    """(rows, totals): whether a row adds anything to a total, by blocks without weight and link."""
    found = [np.zeros((table.n_rows, block.n_totals), dtype=bool) for block in lowered.blocks]
    for block, own in zip(lowered.blocks, found, strict=True):
        for row in range(table.n_rows):
            for index, value in (term_of(t, table, row) for t in block.terms):
                if index is not None and index >= 0 and value != 0:
                    own[row, index] = True
    return np.concatenate(found, axis=1)
