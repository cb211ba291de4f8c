"""Responses that start from released models: drawn at the released coefficients, given the other columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.kernels.balance import draw_in_balance
from divulge.kernels.lowering import predictor
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Link
from divulge.synthesisers.descent.raked import draw_around


def draw_responses(objective: Objective, codes: Codes, rng: np.random.Generator) -> set[str]:
    """Each released model's response is drawn from the model at its released coefficients, given the other columns.

    Returns the names of the responses.
    """
    done: set[str] = set()
    blocks = [block for output in objective.lowered for block in output.blocks]
    for number, block in enumerate(blocks):
        link = block.link
        if link is None or link.moment != "score" or len(link.response.variables) != 1:
            continue
        name = link.response.variables[0]
        if name not in done and not any(name in t.variables for t in link.predictor):
            done.add(name)
            _draw_response(objective, number, link, codes, rng)
    return done


def _draw_response(objective: Objective, number: int, link: Link, codes: Codes, rng: np.random.Generator) -> None:
    """Draw the response of block `number`, as far as its model and the granted marginal define one."""
    response, blocks = link.response, objective.program.blocks()
    name = response.variables[0]
    eta = np.empty((link.beta.shape[0] if link.family == "multinomial" else 1, len(codes)))
    for k in range(len(eta)):
        predictor(blocks, number, k, codes, 0, eta[k])
    cell, marginal = response.cells[0], objective.marginals[name]
    usable = (cell >= 0) & (marginal > 0)
    is_defined = np.isfinite(eta).all(axis=0)
    if not is_defined.any() or usable.sum() < 2:
        return
    factors = response.factors[0]
    scale = response.scale[np.maximum(cell, 0)]
    y = np.where(cell >= 0, (factors if factors is not None else 1.0) * scale, np.nan)
    column = codes[:, objective.schema.position(name)]
    if link.family == "multinomial":
        chosen = response.index[np.maximum(cell, 0)]
        drawn = np.where(is_defined, _classes(np.nan_to_num(eta), rng), -1)
        _put(column, drawn, np.where(usable, chosen, -1), marginal, rng)
    elif link.family == "logistic":
        drawn = np.empty(len(codes), dtype=np.int8)
        random = rng.integers(2**63, size=1, dtype=np.uint64)
        n_codes = np.array([v.n_codes for v in objective.schema])
        draw_in_balance(blocks, number, eta[0], n_codes, codes, random, drawn)
        _put(column, drawn, np.where(usable, y == 1.0, -1), marginal, rng)
    else:
        column[is_defined] = _nearest(link.family, y, usable, marginal, eta[0, is_defined], rng)


def _classes(logits: Floats, rng: np.random.Generator) -> Integers:
    """A class for every row by its probability. logits: (classes, rows), against the first class."""
    top = np.maximum(logits.max(axis=0), 0.0)
    up_to = np.exp(np.vstack([-top, logits - top]))
    for k in range(1, len(up_to)):
        up_to[k] += up_to[k - 1]
    return np.asarray((rng.random(len(top)) * up_to[-1] > up_to[:-1]).sum(axis=0))


def _put(
    column: Codes,
    drawn: NDArray[np.integer],
    group: NDArray[np.integer],
    marginal: Floats,
    rng: np.random.Generator,
) -> None:
    """Give every row a code of the class drawn for it (below 0: none), by the marginal. group: the class of a code."""
    for k in range(int(drawn.max()) + 1):
        members = np.flatnonzero(group == k)
        if not len(members):
            members = np.flatnonzero(group >= 0)
        share = marginal[members] / marginal[members].sum()
        rows = drawn == k
        column[rows] = members[0] if len(members) == 1 else rng.choice(members, np.count_nonzero(rows), p=share)


def _nearest(family: str, y: Floats, usable: Mask, marginal: Floats, eta: Floats, rng: np.random.Generator) -> Integers:
    """A code for every row, drawn from the model."""
    members = np.flatnonzero(usable)
    members = members[np.argsort(y[members], kind="stable")]
    values = y[members]
    if family != "poisson":
        return members[draw_around(values, marginal[members] / marginal[members].sum(), eta, rng)]
    drawn = rng.poisson(np.exp(np.minimum(eta, 30.0))).astype(float)
    right = np.clip(np.searchsorted(values, drawn), 1, max(len(values) - 1, 1))
    left = right - 1
    return members[np.where(drawn - values[left] <= values[np.minimum(right, len(values) - 1)] - drawn, left, right)]
