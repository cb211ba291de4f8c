"""Responses drawn in balance, by definition: a design matrix, and a loop over its rows."""

from __future__ import annotations

import numpy as np

from divulge.kernels.balance import ENOUGH, STRENGTH
from divulge.outputs.lowering.lowered import Block
from divulge.table import Table
from tests.reference.lowering import term_of


def draw_in_balance(block: Block, table: Table, uniform: np.ndarray) -> np.ndarray:
    """uniform: a number in [0, 1) for every row."""
    assert block.link is not None
    x, eta = np.zeros((table.n_rows, block.n_columns)), np.zeros(table.n_rows)
    for row in range(table.n_rows):
        for term in block.link.predictor:
            index, value = term_of(term, table, row)
            assert index is not None
            if index >= 0:
                x[row, index] += value
                eta[row] += np.ravel(block.link.beta)[index] * value
        if block.weight is not None:
            index, weight = term_of(block.weight, table, row)
            x[row] *= 0.0 if index is None or index < 0 else weight
    mean_square = (x[:ENOUGH] ** 2).mean(axis=0)
    share = (x[:ENOUGH] != 0).mean(axis=0)
    pull = STRENGTH * np.where(mean_square > 0, np.sqrt(share) / np.where(mean_square > 0, mean_square, 1.0), 1.0)
    score, drawn = np.zeros(block.n_columns), np.zeros(table.n_rows, dtype=int)
    mu = 1 / (1 + np.exp(-eta))
    for row in range(table.n_rows):
        drawn[row] = uniform[row] < mu[row] - x[row] @ (pull * score)
        score += x[row] * (drawn[row] - mu[row])
    return drawn
