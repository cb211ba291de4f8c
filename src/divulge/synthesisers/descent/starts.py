"""Where a search starts: codes drawn uniformly, from the granted marginals, or from the released outputs themselves."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from divulge.errors import EmbedError
from divulge.kernels import lowering
from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.kernels.balance import draw_in_balance
from divulge.kernels.randomness import alias_table, draw_codes, stream
from divulge.kernels.rules import Rules, redraw_until_kept, swap_until_kept
from divulge.objective.compiled import moves_of, rules_of
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.released.precision import SLACK

Start = Literal["uniform", "univariate", "model"]

LARGEST_EXPANSION = 1_000_000
"""Cells of a crosstab that are expanded into rows at the start; larger ones are left to the search."""


def start_codes(objective: Objective, n_rows: int, start: Start, keep: bool, key: tuple[int, ...]) -> Codes:
    """Codes (rows, variables) to start from. keep: the granted marginals exactly, not only in expectation."""
    schema = objective.schema
    dtype = np.result_type(*(v.dtype for v in schema))
    codes = np.empty((n_rows, len(schema)), dtype=dtype)
    for j, variable in enumerate(schema):
        share = objective.marginals[variable.name]
        if start == "uniform":
            share = (share > 0).astype(float)
        rng = stream(*key, j)
        if keep:
            codes[:, j] = _exactly(share, n_rows, rng)
        else:
            threshold, alias = alias_table(share)
            draw_codes(rng, threshold, alias, codes, j)
    if start == "model" and not keep:
        _expand_crosstabs(objective, codes, np.random.default_rng([*key, 1]))
    rules = rules_of(objective)
    _keep_rules(objective, rules, codes, keep, stream(*key, len(schema)))
    if start == "model" and not keep:
        drawn = _draw_responses(objective, codes, np.random.default_rng([*key, 2]))
        if drawn & {schema.names[k] for k in rules.variable}:
            _keep_rules(objective, rules, codes, keep, stream(*key, len(schema) + 1))
    return codes


def _exactly(share: Floats, n_rows: int, rng: NDArray[np.uint64]) -> Integers:
    """Codes whose counts are n · share, rounded by largest remainder, in random order."""
    exact = share / share.sum() * n_rows
    counts = np.floor(exact).astype(np.int64)
    short = n_rows - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:short]] += 1
    listed = np.repeat(np.arange(len(share)), counts)
    return listed[np.argsort(np.random.default_rng(rng).random(n_rows), kind="stable")]


def _expand_crosstabs(objective: Objective, codes: Codes, rng: np.random.Generator) -> None:
    """Rows drawn from released crosstabs: the largest first, then those that share no variable with it."""
    done: set[str] = set()
    outputs = objective.lowered[: objective.n_lowered_targets]  # known marginals are drawn from already
    found = [(o, cells) for o in outputs if (cells := _cells_of(o, objective)) is not None]
    for output, index in sorted(found, key=lambda f: -len(f[1])):
        if done & set(output.variables):
            continue
        counts = _counts(output, index, len(codes), rng)
        if counts.sum() <= 0:
            continue
        chosen = _exactly(counts, len(codes), rng.integers(2**63, size=1, dtype=np.uint64))
        sizes = [objective.schema[n].n_codes for n in output.variables]
        for name, part in zip(output.variables, np.unravel_index(chosen, sizes), strict=True):
            codes[:, objective.schema.position(name)] = part
        done |= set(output.variables)


MOST_SLOTS = 1_000_000_000
"""Rows that cells could hold beyond their least, together, up to which NumPy draws from them."""


def _counts(output: Lowered, index: Integers, n_rows: int, rng: np.random.Generator) -> Floats:
    """A count for every combination of codes: whole numbers within the released intervals, drawn so that they add to n.

    Of all the rows that withheld and rounded cells may hold, each is as likely as any other to be there. Where no such
    counts exist, as released.
    """
    figure = np.maximum(index, 0)
    centre = output.constants[figure]
    least = np.maximum(np.ceil(centre + output.low[figure] - SLACK), 0.0)
    most = np.floor(centre + output.high[figure] + SLACK)
    least, most = np.where(index >= 0, least, 0.0), np.where(index >= 0, most, 0.0)
    left = n_rows - least.sum()
    slots = np.minimum(most - least, max(left, 0.0))
    if left < 0 or slots.min(initial=0.0) < 0 or not left <= slots.sum() < MOST_SLOTS:
        return np.where(index >= 0, np.maximum(centre, 0.0), 0.0)
    loose = np.flatnonzero(slots)
    if len(loose):
        least[loose] += rng.multivariate_hypergeometric(slots[loose].astype(np.int64), int(left), method="marginals")
    return least


def _cells_of(output: Lowered, objective: Objective) -> Integers | None:
    """The figure (−1: none) that counts each combination of codes, for a plain crosstab of counts; otherwise None."""
    if not output.residuals.is_diagonal or len(output.blocks) != 1:
        return None
    block = output.blocks[0]
    term = block.terms[0]
    if block.link is not None or block.weight is not None or set(term.variables) != set(output.variables):
        return None
    sizes = [objective.schema[n].n_codes for n in output.variables]
    if np.prod([float(s) for s in sizes]) > LARGEST_EXPANSION or any(f is not None for f in term.factors):
        return None
    order = [term.variables.index(n) for n in output.variables]
    cell = np.zeros(sizes, dtype=np.int64)
    for axis, at in enumerate(order):
        shape = [1] * len(sizes)
        shape[axis] = sizes[axis]
        cell = cell + term.cells[at].astype(np.int64).reshape(shape)
    flat = cell.ravel()
    index = np.where(flat >= 0, term.index[np.maximum(flat, 0)], -1)
    used = index[index >= 0]
    if len(np.unique(used)) != len(used):
        return None
    return index


def _draw_responses(objective: Objective, codes: Codes, rng: np.random.Generator) -> set[str]:
    """Each released model's response is drawn from the model at its released coefficients, given the other columns.

    Returns the names of the responses.
    """
    done: set[str] = set()
    program, number = objective.program, -1
    n_codes = np.array([v.n_codes for v in objective.schema])
    for output in objective.lowered:
        for block in output.blocks:
            number += 1
            link = block.link
            if link is None or link.moment != "score" or len(link.response.variables) != 1:
                continue
            name = link.response.variables[0]
            if name in done or any(name in t.variables for t in link.predictor):
                continue
            done.add(name)
            at = objective.schema.position(name)
            classes = link.beta.shape[0] if link.family == "multinomial" else 1
            eta = np.empty((classes, len(codes)))
            for k in range(classes):
                lowering.predictor(program.ints, program.floats, number, k, codes, 0, eta[k])
            cell = link.response.cells[0]
            known = cell >= 0
            marginal = objective.marginals[name]
            usable = known & (marginal > 0)
            is_defined = np.isfinite(eta).all(axis=0)
            if not is_defined.any() or usable.sum() < 2:
                continue
            factors = link.response.factors[0]
            scale = link.response.scale[np.maximum(cell, 0)]
            y = np.where(known, (factors if factors is not None else 1.0) * scale, np.nan)
            if link.family == "multinomial":
                chosen = link.response.index[np.maximum(cell, 0)]
                drawn = np.where(is_defined, _classes(np.nan_to_num(eta), rng), -1)
                _put(codes[:, at], drawn, np.where(usable, chosen, -1), marginal, rng)
            elif link.family == "logistic":
                drawn = np.empty(len(codes), dtype=np.int8)
                random = rng.integers(2**63, size=1, dtype=np.uint64)
                draw_in_balance(program.ints, program.floats, number, eta[0], n_codes, codes, random, drawn)
                _put(codes[:, at], drawn, np.where(usable, y == 1.0, -1), marginal, rng)
            else:
                codes[is_defined, at] = _nearest(link.family, y, usable, marginal, eta[0, is_defined], rng)
    return done


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
    """The code whose value is nearest to a draw from the model."""
    members = np.flatnonzero(usable)
    members = members[np.argsort(y[members], kind="stable")]
    values = y[members]
    if family == "poisson":
        drawn = rng.poisson(np.exp(np.minimum(eta, 30.0))).astype(float)
    else:
        share = marginal[members] / marginal[members].sum()
        variance = float(share @ (values - share @ values) ** 2)
        # What the predictor leaves of the response's variance; a tenth at least, so that rows differ.
        drawn = eta + rng.normal(size=len(eta)) * np.sqrt(max(variance - float(np.var(eta)), 0.1 * variance))
    right = np.clip(np.searchsorted(values, drawn), 1, max(len(values) - 1, 1))
    left = right - 1
    return members[np.where(drawn - values[left] <= values[np.minimum(right, len(values) - 1)] - drawn, left, right)]


MOST_SWAPS = 200
"""Rows with which one that breaks a rule tries to swap a value."""


def _keep_rules(objective: Objective, rules: Rules, codes: Codes, keep: bool, rng: NDArray[np.uint64]) -> None:
    """Change rows that break an edit rule until they keep all; EmbedError where that does not succeed.

    Values are swapped, which keeps the marginals; where that is not enough, and they need not be kept, redrawn.
    """
    if len(rules.start) == 1:
        return
    variables = np.unique(rules.variable)
    left = swap_until_kept(rules, codes, rng, variables, MOST_SWAPS)
    if left and not keep:
        moves = moves_of(objective, 0.0, 0.0)
        drawn_from = moves.n_codes, moves.threshold, moves.alias, moves.alias_start
        left = redraw_until_kept(rules, *drawn_from, codes, rng, variables)
    if left:
        raise EmbedError(
            f"{left:,} of {len(codes):,} rows could not be drawn so that they keep the edit rules.",
            hint="Check that the rules do not contradict each other or the granted marginals.",
        )
