"""The schema's edit rules as programs that the kernels run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.rules import Rules
from divulge.objective.objective import Objective
from divulge.table import Schema
from divulge.table.conditions import Atom, Node

_Step = tuple[int, int, NDArray[np.int8] | None]
"""An operation, the variable it looks at, and the truth for each of its codes (None: it looks at none)."""


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


def _postfix(node: Node, schema: Schema) -> list[_Step]:
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


def _depth(steps: list[_Step]) -> int:
    """How many operands wait at once, at most."""
    waiting = np.cumsum([0 if op == -3 else 1 if lookup is not None else -1 for op, _, lookup in steps])
    return int(waiting.max())
