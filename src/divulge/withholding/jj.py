"""Secondary suppression of tables in the JJ format."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from divulge.audit.jj import JjTable
from divulge.withholding.figures import Figures
from divulge.withholding.pattern import find_pattern


def _figures_of(table: JjTable) -> Figures:
    """Cells are figures of their own; an equation is a figure that everybody knows to be zero."""
    n, more = table.n_cells, int(table.matrix.shape[0])
    sums = sparse.csr_array(sparse.vstack([sparse.eye_array(n, format="csr"), table.matrix]))
    price = np.where(table.status == "z", np.inf, np.maximum(table.price, 1.0))
    cost = np.concatenate([price, np.full(more, np.inf)])
    return Figures(sums, table.value, cost, np.minimum(table.low, table.value), np.maximum(table.high, table.value))


def withhold(table: JjTable, seconds: float = 60.0) -> JjTable:
    """The same with as many cells withheld beside the unsafe ones as these ask for, at the least price."""
    none = np.zeros(int(table.matrix.shape[0]))
    primary, up, down = (np.concatenate([x, none]) for x in (table.withheld, table.up, table.down))
    is_unsafe = np.concatenate([table.unsafe, none]) > 0
    found = find_pattern(
        _figures_of(table), primary > 0, np.where(is_unsafe, up, 0.0), np.where(is_unsafe, down, 0.0), seconds
    )
    return table.with_withheld(found[: table.n_cells])
