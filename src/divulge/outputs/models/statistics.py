"""What is published beside coefficients, from sums over rows: R², the log-likelihood and the number of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import gammaln

from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.lowered import Block, Term
from divulge.outputs.lowering.rows import weight_term
from divulge.outputs.models.model import Model, Statistic
from divulge.outputs.output import Output
from divulge.table import Schema


def count_blocks(output: Output, model: Model, schema: Schema) -> list[Block]:
    """Rows; Σ log weight; then Σ weight of: 1, y, and y² (linear) or log y! (Poisson); or 1 and each class."""
    names = model.variables(output.weights)
    plain = weight_term(replace(output, weights=None), schema, names)
    weighted = weight_term(output, schema, names)
    response = model.formula.response.variable
    rows = [Term.constant(0)]
    if output.weights is not None:
        numbers = schema[output.weights].numbers
        positive = numbers > 0.0
        rows = [
            Term.lookup(output.weights, np.where(positive, 1.0, np.nan), 0),
            Term.lookup(output.weights, np.where(positive, np.log(np.where(positive, numbers, 1.0)), np.nan), 1),
        ]
    terms = [Term.constant(0)]
    if model.classes:
        known = np.isfinite(model.y)
        terms.append(Term.cross((response,), (np.where(known, np.nan_to_num(model.y), -1).astype(np.int64),)))
        terms[1] = replace(terms[1], index=terms[1].index + 1)
        n_sums = 2 + model.n_classes
    else:
        functions = [model.y]
        if model.family == "identity":
            functions.append(model.y**2)
        elif model.family == "poisson":
            functions.append(gammaln(model.y + 1.0))
        terms += [Term.lookup(response, f, i + 1) for i, f in enumerate(functions)]
        n_sums = 1 + len(functions)
    return [Block(tuple(rows), 2, weight=plain), Block(tuple(terms), n_sums, weight=weighted)]


def statistics_of(model: Model, names: tuple[Statistic, ...], raw: Floats) -> Floats:
    """The statistics of a refit from its kernel and counts (the totals of the blocks above, in order)."""
    kernel, n_rows, log_weight, weight, *sums = raw.tolist()
    found: dict[str, float] = {"n": n_rows}
    weight = max(weight, np.finfo(float).tiny)
    if model.family == "identity":
        residual = max(kernel, np.finfo(float).tiny)
        total = sums[1] - (sums[0] ** 2 / weight if model.design.spans_constant else 0.0)
        # A response that hardly varies leaves nothing to explain, rather than R² without bounds.
        found["r2"] = 1.0 - residual / max(total, residual)
        n = max(n_rows, 1.0)
        found["loglik"] = -0.5 * n * (np.log(2.0 * np.pi * residual / n) + 1.0) + 0.5 * log_weight
        return np.array([found[name] for name in names])
    parts = np.array([sums[0], weight - sums[0]]) if model.family == "logistic" else np.array(sums)
    if model.family == "poisson":
        parts = parts[:1]
    # Half a row speaks for a class that nobody is in, as in `inverted`: else R² would have no bounds.
    parts = np.maximum(parts, 0.5 * weight / max(n_rows, 1.0))
    null = float((parts * np.log(parts / weight)).sum())
    likelihood = kernel
    if model.family == "poisson":
        null, likelihood = null - sums[0] - sums[1], kernel - sums[1]
    found["loglik"] = likelihood
    found["r2"] = 1.0 - likelihood / null if null else 0.0
    return np.array([found[name] for name in names])
