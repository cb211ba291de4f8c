"""Models released with coefficients without a finite value: what −∞ and ∞ say of the rows.

Such a release says that along the direction of these coefficients no row has the other outcome (Albert & Anderson
1984). Rows in which −∞ meets ∞ (a level beside a reference level that has no positives) are not separated: of their
own coefficients only the sum is finite, and that was not released. The other coefficients are those of these rows.
"""

from __future__ import annotations

import numpy as np

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.models.matrix import columns
from divulge.outputs.models.model import Model
from divulge.table import Table

_LEAST = 1e-9
"""Information of a column, as a share of what it has where all outcomes are open, below which it has none: what rows
beyond `FAR` have is far less."""

_FARTHEST = 20.0
"""How far from 0 the sum of −∞ and ∞ is looked for: well within `FAR`."""


def with_sums(model: Model, beta: Floats, endless: Floats, table: Table, mean: float) -> Floats:
    """beta with stand-ins for −∞ and ∞ whose sums give rows in which both meet the mean response that is known.

    endless: −1 or 1 for coefficients without a finite value, else 0. table: rows as they may be; mean: of the response.
    """
    x, known = columns(model.design.terms, model.design.n_columns, table)
    x = x[known]
    is_met = ((x != 0) & (endless != 0)).any(axis=1) & (x @ endless == 0)
    if not is_met.any() or not np.isfinite(mean):
        return beta
    rarer = 1.0 if (endless > 0).sum() <= (endless < 0).sum() else -1.0
    shifts = x @ (endless == rarer)
    low, high = -_FARTHEST, _FARTHEST
    eta = x @ beta
    for _ in range(40):  # to the last bit that matters
        middle = (low + high) / 2
        if float(_model_mean(model, eta + middle * shifts).mean()) < mean:
            low = middle
        else:
            high = middle
    return beta + np.where(endless == rarer, (low + high) / 2, 0.0)


def _model_mean(model: Model, eta: Floats) -> Floats:
    """The response that rows with this predictor are expected to have."""
    eta = np.clip(eta, -700.0, 700.0)  # beyond, exponentials overflow
    return np.asarray(1.0 / (1.0 + np.exp(-eta)) if model.family == "logistic" else np.exp(np.minimum(eta, 30.0)))


def limit_inverse(information: Floats, open_information: Floats, endless: Floats) -> tuple[Floats, Mask]:
    """The inverse of what rows that are not separated say, and which columns without endless value they say nothing of.

    open_information: the same where all outcomes are open. Endless columns come last, since of them only sums can be
    known. A column that nothing is known of is taken as if half a row spoke for it alone, as in `refit.inverted`.
    """
    size = np.sqrt(np.diagonal(open_information))
    size = np.where(size > 0.0, size, 1.0)
    scaled = information / size / size[:, None]
    is_lost = (np.diagonal(scaled) < _LEAST) & (endless == 0)
    scaled = scaled + np.diag(np.where(is_lost, 0.5 / size**2, 0.0))
    order = np.argsort(endless != 0, kind="stable")
    kept = order[glm.independent(np.ascontiguousarray(scaled[np.ix_(order, order)]), _LEAST)]
    inverse = np.zeros_like(information)
    inside = glm.solve_scaled(scaled[np.ix_(kept, kept)], np.eye(len(kept)))
    if inside is not None:
        inverse[np.ix_(kept, kept)] = inside / size[kept] / size[kept][:, None]
    return inverse, is_lost


def contrary(model: Model, table: Table, beta: Floats) -> Mask:
    """Which rows have the outcome that a coefficient of −∞ or ∞ excludes (Albert and Anderson 1984).

    beta: released coefficients, class by class; with none of these without end, nobody is excluded.
    """
    n = model.design.n_columns
    ends = np.where(np.isinf(beta[: model.n_coefficients]), np.sign(beta[: model.n_coefficients]), 0.0)
    found = np.zeros(table.n_rows, dtype=bool)
    if not ends.any() or model.family == "identity":
        return found
    x, known = columns(model.design.terms, n, table)
    y = model.y[table[model.formula.response.variable]]
    along = (x @ ends.reshape(model.n_classes, n).T).T
    for k, leads in enumerate(along):
        # Without classes the event is 1; a count that goes down for ever is 0.
        has = y == k + 1 if model.classes or model.family == "logistic" else y > 0
        found |= (leads > 0) & ~has if model.family != "poisson" else False
        found |= (leads < 0) & has
    return np.asarray(found & known & np.isfinite(y))
