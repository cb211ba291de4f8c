"""Which rows count towards an output, with what weight, in which group: by rows for `evaluate`, as terms for `lower`.

A row counts where its `where` is true, its weight is not missing, and none of the output's variables is missing
(complete cases).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.kernels.lowering import NOTHING
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.lowering.sizes import GroupKey
from divulge.outputs.output import Output
from divulge.table import Condition, Schema, Table, Variable

MOST_CELLS = 10_000_000
"""More combinations of levels than that are refused: nobody publishes such a table, and it would not fit in memory."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Combinations of the values of some variables, row-major (the last variable fastest). No variables: one group.

    levels[v][code]: the level of each code of a variable, −1 for a missing one unless missing values are a category.
    """

    names: tuple[str, ...]
    levels: tuple[Integers, ...]
    texts: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, schema: Schema, names: Sequence[str], include_missing: bool = False) -> Groups:
        """The groups that the variables span; all possible values, whether they occur or not."""
        levels, texts = [], []
        for name in names:
            variable = schema[name]
            n_levels = variable.n_codes if include_missing else variable.n_values
            numbers = np.arange(variable.n_codes)
            levels.append(np.where(numbers < n_levels, numbers, -1))
            texts.append(tuple(text or "missing" for text in variable.texts[:n_levels]))
        n_groups = reduce(lambda a, b: a * b, map(len, texts), 1)
        if n_groups > MOST_CELLS:
            raise OutputError(
                f"{' by '.join(names)} has {n_groups:,} combinations of values, more than {MOST_CELLS:,}.",
                hint="Take a variable out, or group its values.",
            )
        return cls(tuple(names), tuple(levels), tuple(texts))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.texts))

    @property
    def n_groups(self) -> int:
        return reduce(lambda a, b: a * b, self.shape, 1)

    def labels(self) -> tuple[str, ...]:
        """`SEX=1 & AREAP=57`; one empty label where there are no variables."""
        return tuple(
            " & ".join(f"{name}={text}" for name, text in zip(self.names, texts, strict=True))
            for texts in product(*self.texts)
        )

    def shown(self, schema: Schema) -> list[tuple[str, ...]]:
        """The values that make each group, as people read them: by their labels where they have any."""
        levels = zip(self.names, self.shape, strict=True)
        return list(product(*(shown_levels(schema[name], n_levels) for name, n_levels in levels)))

    def numbers(self, table: Table) -> Integers:
        """The group of each row, −1 where a value is missing."""
        number = np.zeros(table.n_rows, dtype=np.int64)
        missing = np.zeros(table.n_rows, dtype=bool)
        for name, level, size in zip(self.names, self.levels, self.shape, strict=True):
            at = level[table[name]]
            missing |= at < 0
            number = number * size + at
        return np.where(missing, -1, number)

    def term(
        self,
        index: Integers | None = None,
        scale: Floats | None = None,
        factor: tuple[str, Floats] | None = None,
    ) -> Term:
        """One column for each group, or `index` and `scale` for each; factor: times a function of one more variable.

        A factor's NaN makes the row add nothing.
        """
        names, levels = list(self.names), list(self.levels)
        factors: list[Floats | None] = [None] * len(names)
        if factor is not None:
            name, values = factor
            known = np.isfinite(values)
            names.append(name)
            levels.append(np.where(known, 0, -1).astype(np.int64))
            factors.append(np.where(known, values, 0.0))
        # A variable without values has no rows; its one cell is never reached.
        size = max(self.n_groups, 1)
        cells, stride = [], 1
        sizes = [*self.shape, *([1] if factor is not None else [])]
        for level, n in zip(reversed(levels), reversed(sizes), strict=True):
            cells.append(np.where(level < 0, NOTHING, level * stride).astype(np.int32))
            stride *= max(n, 1)
        return Term(
            tuple(names),
            tuple(reversed(cells)),
            tuple(factors),
            (np.arange(size) if index is None else index).astype(np.int32),
            np.ones(size) if scale is None else np.asarray(scale, dtype=float),
        )


def group_keys(output: Output, schema: Schema, groups: Groups, complete: Sequence[str]) -> tuple[GroupKey, ...]:
    """What says of each group which rows are in it: two groups with the same key are the same people.

    complete: the variables on which a row has to be complete to be in a group.
    """
    lacking = frozenset(name for name in complete if schema[name].is_missing.any())
    levels = product(*map(range, groups.shape))
    return tuple((output.where, lacking, frozenset(zip(groups.names, level, strict=True))) for level in levels)


def shown_levels(variable: Variable, n_levels: int) -> tuple[str, ...]:
    """The first levels of a variable, as people read them."""
    return tuple(text or "missing" for text in variable.display[:n_levels])


def counted(output: Output, table: Table, complete: Sequence[str] = ()) -> Mask:
    """The rows that count: `where` is true, and neither the weight nor any variable of `complete` is missing."""
    keep = np.ones(table.n_rows, dtype=bool)
    if output.where is not None:
        keep &= Condition.parse(output.where, table.schema).selects(table)
    for name in dict.fromkeys([*complete, *([output.weights] if output.weights else [])]):
        keep &= ~table.schema[name].is_missing[table[name]]
    return keep


def row_weights(output: Output, table: Table) -> Floats:
    """The survey weight of each row (1 without weights, 0 where it is missing)."""
    if output.weights is None:
        return np.ones(table.n_rows)
    return np.nan_to_num(table.schema[output.weights].numbers)[table[output.weights]]


def half_row(output: Output, schema: Schema) -> float:
    """Half of the least that a row can add to a count: 0.5, or half the smallest weight above 0."""
    if output.weights is None:
        return 0.5
    numbers = schema[output.weights].numbers
    return float(numbers[numbers > 0].min(initial=1.0)) / 2


def weight_term(output: Output, schema: Schema, complete: Sequence[str] = ()) -> Term | None:
    """The same as a term for `Block.weight`: its value is the row's weight, and it has no column where a row is out.

    complete: variables that may not be missing although the block's own terms do not speak of them.
    """
    names: list[str] = []
    levels: list[Integers] = []
    inside = np.ones((), dtype=bool)
    if output.where is not None:
        condition = Condition.parse(output.where, schema)
        names += condition.variables
        levels, inside = _truth_table(condition)
    sizes = [int(level.max(initial=0)) + 1 for level in levels]
    cells, stride = [], 1
    for level, size in zip(reversed(levels), reversed(sizes), strict=True):
        cells.append((level * stride).astype(np.int32))
        stride *= size
    parts: dict[str, tuple[Integers32, Floats | None]] = {
        name: (cell, None) for name, cell in zip(names, reversed(cells), strict=True)
    }
    for name in dict.fromkeys([*complete, *([output.weights] if output.weights else [])]):
        variable = schema[name]
        nothing = np.where(variable.is_missing, NOTHING, 0).astype(np.int32)
        if name != output.weights and not nothing.any():
            continue
        cell = parts[name][0] if name in parts else np.zeros(variable.n_codes, dtype=np.int32)
        factor = np.nan_to_num(variable.numbers) if name == output.weights else None
        parts[name] = (np.where(nothing < 0, NOTHING, cell).astype(np.int32), factor)
    if not parts:
        return None
    index = np.where(inside.ravel(), 0, -1).astype(np.int32)
    return Term(
        tuple(parts),
        tuple(cell for cell, _ in parts.values()),
        tuple(factor for _, factor in parts.values()),
        index,
        np.ones(len(index)),
    )


def _truth_table(condition: Condition) -> tuple[list[Integers], Mask]:
    """For each variable of a condition the class of each code, and whether each combination of classes is selected.

    Codes that no comparison tells apart are one class, so `AGE >= 18` has two however many ages there are.
    """
    patterns: dict[str, list[NDArray[np.int8]]] = {name: [] for name in condition.variables}
    for atom in condition.atoms():
        patterns[atom.variable].append(atom.lookup)
    levels, examples = [], []
    for lookups in patterns.values():
        _, first, classes = np.unique(np.stack(lookups), axis=1, return_index=True, return_inverse=True)
        levels.append(classes.ravel().astype(np.int64))
        examples.append(first)
    grid = np.meshgrid(*examples, indexing="ij")
    codes = dict(zip(patterns, grid, strict=True))
    return levels, condition.truth(lambda name: codes[name].astype(np.uint64)) == 1
