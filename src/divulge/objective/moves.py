"""Which cells of an objective's variables may change, and to what, as the kernels of a search take it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from divulge.kernels.arrays import Floats, Integers
from divulge.kernels.changes import Users
from divulge.kernels.proposals import CountedTotals, Draws, Moves
from divulge.kernels.randomness import alias_table
from divulge.objective.objective import Objective


def moves_of(objective: Objective, swap_share: float, fixed: Collection[str] = ()) -> Moves:
    """Every variable that an output looks at and that has two codes or more moves, but those that are fixed."""
    used = set(objective.variables()) - set(fixed)
    movable = [
        i
        for i, v in enumerate(objective.schema)
        if v.name in used and np.count_nonzero(objective.marginals[v.name]) > 1
    ]
    share = np.full(len(movable), 1.0 / max(len(movable), 1))
    return Moves(
        variables=np.array(movable, dtype=np.int64),
        cumulative=np.append(np.cumsum(share)[:-1], 2.0),
        draws=draws_of(objective, [objective.marginals[v.name] for v in objective.schema]),
        users=users_of(objective),
        counts=_counts_of(objective, movable),
        peers=np.zeros(0, dtype=np.int64),
        rows=np.zeros(0, dtype=np.int64),
        swap_share=swap_share,
    )


def draws_of(objective: Objective, shares: Sequence[Floats]) -> Draws:
    """Codes drawn by these shares, one array for each variable of the schema."""
    schema = objective.schema
    tables = [alias_table(share) for share in shares]
    n_codes = [v.n_codes for v in schema]
    return Draws(
        n_codes=np.array(n_codes, dtype=np.int64),
        n_values=np.array([v.n_values for v in schema], dtype=np.int64),
        is_numeric=np.array([v.kind == "numeric" for v in schema], dtype=np.bool_),
        threshold=np.concatenate([threshold for threshold, _ in tables]),
        alias=np.concatenate([alias for _, alias in tables]),
        start=_starts(n_codes)[:-1],
    )


def users_of(objective: Objective) -> Users:
    """The blocks of totals that look at each variable, then all of them."""
    users: list[list[int]] = [[] for _ in objective.schema]
    for b, positions in enumerate(objective.program.block_variables):
        for position in positions:
            users[position].append(b)
    users.append(list(range(objective.program.n_blocks)))
    return Users(_starts([len(part) for part in users]), _joined(users))


def _counts_of(objective: Objective, movable: Sequence[int]) -> CountedTotals:
    """The totals that count rows of an output; known marginals are none of these."""
    found, number = [], 0
    for o, output in enumerate(objective.lowered):
        is_target = o < objective.n_lowered_targets
        for block in output.blocks:
            counts = is_target and block.link is None and output.residuals.counts_rows
            found.append(np.full(block.n_totals, number if counts else -1))
            number += 1
    movable_in = [[v for v in positions if v in movable] for positions in objective.program.block_variables]
    return CountedTotals(
        block=np.concatenate([np.zeros(0), *found]).astype(np.int64),
        variable_start=_starts([len(part) for part in movable_in]),
        variable=_joined(movable_in),
    )


def _starts(sizes: Sequence[int]) -> Integers:
    """Where each part starts when they follow each other, and where the last ends."""
    return np.cumsum([0, *sizes]).astype(np.int64)


def _joined(parts: Sequence[Sequence[int]]) -> Integers:
    return np.array([number for part in parts for number in part], dtype=np.int64)
