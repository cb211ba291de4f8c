"""Rows that start from figures of few counts (an odds ratio, a χ² test): counts that give these as printed.

Such figures bend: far from the counts they were linearised at, the last digit is lost. But the counts are few, so that
they can be looked for by themselves, without any row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from divulge.kernels.arrays import Codes, Floats, Integers
from divulge.objective.objective import Objective
from divulge.outputs.lowering.lowered import Lowered
from divulge.synthesisers.descent.expansion import codes_with_counts, figure_of_cells

_MOST_CELLS = 64
"""Combinations of codes up to which counts are looked for by themselves; the figures of more are smooth enough."""

_AT_ONCE, _TIMES = 2_048, 400
"""Sets of counts that are tried at once, and how often at most: some tenths of a second together."""

_KEPT, _SMALL = 64, 6.0
"""Sets of counts that are gone on from, and the power of two of a small change."""


def settle_counts(objective: Objective, codes: Codes, done: set[str], rng: np.random.Generator) -> None:
    """Give the rows counts that make figures of few counts as printed.

    done: variables that are as they should be already.
    """
    fixed = set(done)
    for output in objective.lowered[: objective.n_lowered_targets]:
        residuals = output.of_counts
        if residuals is None or fixed & set(output.variables):
            continue
        index = figure_of_cells(output, objective)
        if index is None or len(index) > _MOST_CELLS:
            continue
        fixed |= set(output.variables)
        sizes = tuple(objective.schema[name].n_codes for name in output.variables)
        columns = [objective.schema.position(name) for name in output.variables]
        now = np.bincount(np.ravel_multi_index(codes[:, columns].T.astype(np.int64), sizes), minlength=len(index))
        counts = _Counts.of(objective, output, residuals, index, sizes).settled(now.astype(np.float64), rng)
        chosen = codes_with_counts(counts, len(codes), rng.integers(2**63, size=1, dtype=np.uint64))
        for column, part in zip(columns, np.unravel_index(chosen, sizes), strict=True):
            codes[:, column] = part


@dataclass(frozen=True, eq=False)
class _Counts:
    """What counts of the combinations of codes have to give.

    sums: (combinations, totals), 1 where a total counts a combination. moves: (moves, combinations), what each adds.
    bounds: for each variable, how many rows each of its codes may have.
    """

    output: Lowered
    residuals: Callable[[Floats], Floats]
    sums: Floats
    sizes: tuple[int, ...]
    moves: Floats
    bounds: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def of(
        cls,
        objective: Objective,
        output: Lowered,
        residuals: Callable[[Floats], Floats],
        index: Integers,
        sizes: tuple[int, ...],
    ) -> _Counts:
        possible = np.ones(1, dtype=bool)
        for name in output.variables:
            possible = np.outer(possible, objective.marginals[name] > 0).ravel()
        known = {o.variables[0]: o for o in objective.lowered[objective.n_lowered_targets :]}
        anything = (np.array(-np.inf), np.array(np.inf))
        bounds = tuple(
            (o.constants + o.low, o.constants + o.high) if (o := known.get(name)) is not None else anything
            for name in output.variables
        )
        sums = np.zeros((len(index), output.n_totals))
        sums[np.flatnonzero(index >= 0), index[index >= 0]] = 1.0
        return cls(output, residuals, sums, sizes, _moves(np.flatnonzero(possible & (index >= 0)), sizes), bounds)

    def settled(self, counts: Floats, rng: np.random.Generator) -> Floats:
        """Counts that give every figure as printed, or as near as was found."""
        kept, excess = counts[None], self._excess(counts[None])
        if not len(self.moves):
            return counts
        most = max(np.log2(max(counts.sum(), 2.0)) - 1, 1.0)
        for time in range(_TIMES):
            if excess[0] <= 0:
                break
            # Large changes and small ones alike: the first find the way, the last the digit. Later small ones alone,
            # from several counts: from the best a last digit may be out of reach.
            scales = most if time < _TIMES // 4 else min(most, _SMALL)
            amount = np.floor(2 ** (scales * rng.random((_AT_ONCE, 3)))) * (rng.random((_AT_ONCE, 3)) < 0.7)
            chosen = self.moves[rng.integers(len(self.moves), size=(_AT_ONCE, 3))]
            start = kept[rng.integers(1 if time < _TIMES // 8 else len(kept), size=_AT_ONCE)]
            tried = np.concatenate([kept, start + np.einsum("tk,tkc->tc", amount, chosen)])
            excess = np.concatenate([excess, self._excess(tried[len(kept) :])])
            best = np.unique(excess, return_index=True)[1][:_KEPT]  # in order, and no two alike
            kept, excess = tried[best], excess[best]
        return np.asarray(kept[0])

    def _excess(self, counts: Floats) -> Floats:
        """How far the figures of each set of counts lie outside what was printed, all together, in their own units;
        infinite where no people can have these counts."""
        possible = counts.min(axis=1) >= 0
        grid = counts.reshape(-1, *self.sizes)
        for axis, (low, high) in enumerate(self.bounds):
            held = grid.sum(axis=tuple(a + 1 for a in range(len(self.sizes)) if a != axis))
            possible &= ((held >= low) & (held <= high)).all(axis=1)
        found = np.full(len(counts), np.inf)
        if possible.any():
            residuals = self.residuals(counts[possible] @ self.sums - self.output.constants)
            beyond = np.maximum(np.maximum(self.output.low - residuals, residuals - self.output.high), 0.0)
            found[possible] = (beyond / np.maximum(self.output.unit, 1e-300)).sum(axis=1)
        return found


def _moves(cells: Integers, sizes: tuple[int, ...]) -> Floats:
    """One row to another combination; or two rows that swap the code of one variable, which keeps the marginals."""
    found = []
    unit = np.eye(int(np.prod(sizes)))
    allowed = set(cells.tolist())
    for i in cells.tolist():
        for j in cells.tolist():
            if i == j:
                continue
            found.append(unit[j] - unit[i])
            for axis in range(len(sizes)):
                a, b = list(np.unravel_index(i, sizes)), list(np.unravel_index(j, sizes))
                a[axis], b[axis] = b[axis], a[axis]
                to = [int(np.ravel_multi_index(c, sizes)) for c in (a, b)]
                if i < j and set(to) <= allowed and set(to) != {i, j}:
                    found.append(unit[to[0]] + unit[to[1]] - unit[i] - unit[j])
    return np.array(found)
