"""An objective as the arrays that the kernels of the search take: moves, working memory, edit rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Integers
from divulge.kernels.changes import Scratch
from divulge.kernels.proposals import Moves
from divulge.kernels.randomness import alias_table
from divulge.kernels.rules import Rules
from divulge.objective.objective import Objective
from divulge.table import Schema
from divulge.table.conditions import Atom, Node


def moves_of(objective: Objective, swap_share: float, step_share: float) -> Moves:
    """Which cells may change and to what: every variable that an output looks at and that has two codes or more."""
    schema = objective.schema
    blocks: list[list[int]] = [[] for _ in schema]
    for b, positions in enumerate(objective.program.block_variables):
        for position in positions:
            blocks[position].append(b)
    blocks.append(list(range(objective.program.n_blocks)))
    thresholds, aliases = [], []
    for variable in schema:
        threshold, alias = alias_table(objective.marginals[variable.name])
        thresholds.append(threshold)
        aliases.append(alias)
    used = set(objective.variables())
    movable = [
        i
        for i, v in enumerate(schema)
        if v.name in used and np.count_nonzero(objective.marginals[v.name]) > 1 and len(blocks[i])
    ]
    movable_in = [[v for v in positions if v in movable] for positions in objective.program.block_variables]
    share = np.full(len(movable), 1.0 / max(len(movable), 1))
    return Moves(
        variables=np.array(movable, dtype=np.int64),
        cumulative=np.append(np.cumsum(share)[:-1], 2.0),
        n_codes=np.array([v.n_codes for v in schema], dtype=np.int64),
        n_values=np.array([v.n_values for v in schema], dtype=np.int64),
        is_numeric=np.array([v.kind == "numeric" for v in schema], dtype=np.bool_),
        threshold=np.concatenate(thresholds),
        alias=np.concatenate(aliases),
        alias_start=np.cumsum([0, *(v.n_codes for v in schema)])[:-1].astype(np.int64),
        block_start=np.cumsum([0, *(len(b) for b in blocks)]).astype(np.int64),
        blocks=np.array([b for part in blocks for b in part], dtype=np.int64),
        total_block=_total_blocks(objective),
        block_variable_start=np.cumsum([0, *(len(m) for m in movable_in)]).astype(np.int64),
        block_variables=np.array([v for part in movable_in for v in part], dtype=np.int64),
        peers=np.zeros(0, dtype=np.int64),
        swap_share=swap_share,
        step_share=step_share,
    )


def _total_blocks(objective: Objective) -> Integers:
    """For every total that is a count of rows of an output, its block; −1 for the others, known marginals too."""
    found, number = [], 0
    for o, output in enumerate(objective.lowered):
        is_target = o < objective.n_lowered_targets
        for block in output.blocks:
            counts = is_target and block.link is None and output.residuals.counts_rows
            found.append(np.full(block.n_totals, number if counts else -1))
            number += 1
    return np.concatenate([np.zeros(0), *found]).astype(np.int64)


def scratch_of(objective: Objective) -> Scratch:
    """Working memory for one search."""
    n_totals, n_residuals = int(objective.total_start[-1]), int(objective.residual_start[-1])
    return Scratch(
        delta=np.zeros(n_totals),
        mark=np.zeros(n_totals, dtype=np.int64),
        touched=np.zeros(n_totals, dtype=np.int64),
        shift=np.zeros(n_residuals),
        shift_mark=np.zeros(n_residuals, dtype=np.int64),
        shifted=np.zeros(n_residuals, dtype=np.int64),
        shifted_size=np.zeros(n_residuals, dtype=np.int64),
        indices=np.zeros(objective.program.longest, dtype=np.int64),
        values=np.zeros(objective.program.longest),
        pull=np.zeros(n_totals),
        crowded=np.zeros(n_totals, dtype=np.int64),
        wanted=np.zeros(n_totals, dtype=np.int64),
    )


def rules_of(objective: Objective) -> Rules:
    """The schema's edit rules as postfix programs."""
    start, operation, variable = [0], [], []
    lookups: list[NDArray[np.int8]] = []
    for rule in objective.schema.parsed_rules():
        for op, var, lookup in _postfix(rule.node, objective.schema):
            operation.append(op if lookup is None else sum(map(len, lookups)))
            variable.append(var)
            if lookup is not None:
                lookups.append(lookup)
        start.append(len(operation))
    return Rules(
        start=np.array(start, dtype=np.int64),
        operation=np.array(operation, dtype=np.int64),
        variable=np.array(variable, dtype=np.int64),
        lookup=np.concatenate([np.zeros(0, np.int8), *lookups]),
    )


def _postfix(node: Node, schema: Schema) -> list[tuple[int, int, NDArray[np.int8] | None]]:
    if isinstance(node, Atom):
        ranked = np.where(node.lookup < 0, 1, 2 * node.lookup).astype(np.int8)
        return [(0, schema.position(node.variable), ranked)]
    parts = [_postfix(part, schema) for part in node.parts]
    if node.word == "not":
        return [*parts[0], (-3, 0, None)]
    # The deepest first (Sethi & Ullman 1970): no rule that fits into memory has more than `DEEPEST` waiting then.
    parts.sort(key=_depth, reverse=True)
    joined = parts[0]
    for part in parts[1:]:
        joined = [*joined, *part, (-1 if node.word == "and" else -2, 0, None)]
    return joined


def _depth(steps: list[tuple[int, int, NDArray[np.int8] | None]]) -> int:
    """How many operands wait at once, at most."""
    waiting = np.cumsum([0 if op == -3 else 1 if lookup is not None else -1 for op, _, lookup in steps])
    return int(waiting.max())
