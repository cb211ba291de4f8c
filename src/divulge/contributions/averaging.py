"""Counts that were changed at random, beside others: how near their best mean is to the count of a small group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from divulge.contributions.case import Case
from divulge.kernels.arrays import Floats, Integers
from divulge.outputs.behind import Behind

_MOST_SORTS = 5_000
"""Sorts of people that the counts may tell apart; finer divisions than that are left out."""

_EXACT, _UNKNOWN = 1e-9, 1e7
"""The variance of an exact count, and of one that nothing is told of; a change has 1."""


@dataclass(frozen=True, eq=False)
class _Counts:
    """The printed counts of one division of people. key: a number for the people in each group."""

    output: int
    is_drawn: bool
    group: Integers
    shown: Integers
    key: Integers


def _counts_of(cases: Sequence[Case]) -> list[_Counts]:
    """Exact counts and those changed at random, the coarsest division first; no rounded ones, which leave a range."""
    found = []
    for case in cases:
        method = case.output.method
        for behind in case.of("count") if case.output.weights is None else []:
            half = np.append(case.released.half, 0.0)[behind.figures]
            is_drawn = method is not None and method.is_drawn
            is_told = case.shown(behind) & (behind.figures >= 0) & (is_drawn or (half <= 0.5) & (method is None))
            shown = np.flatnonzero(is_told & (case.rows(behind) > 0))
            found.append(_Counts(case.number, is_drawn, behind.group, shown, people_keys(case, behind)[shown]))
    return sorted(found, key=lambda counts: len(counts.shown))


class Averaging:
    """The counts of some outputs as sums over sorts of people: people of a sort are in the same groups everywhere.

    Each exact count is an equation, each changed one an equation with an error of its own. The variance of the best
    mean of all of them (Aitken 1935) says how many draws of a count they are worth.
    """

    def __init__(self, cases: Sequence[Case]) -> None:
        n_rows = cases[0].table.n_rows
        self._sort, self._counts = np.zeros(n_rows, dtype=np.int64), list[_Counts]()
        for counts in _counts_of(cases):
            both = self._sort * (int(counts.group.max(initial=-1)) + 2) + counts.group + 1
            values, sort = np.unique(both, return_inverse=True)
            if len(values) <= _MOST_SORTS:
                self._sort = sort.reshape(-1).astype(np.int64)
                self._counts.append(counts)
        self._one_of = np.zeros(int(self._sort.max(initial=0)) + 1, dtype=np.int64)
        self._one_of[self._sort] = np.arange(n_rows)

    def draws(self, groups: Sequence[Integers], of: Sequence[int]) -> Floats:
        """How many draws each group of rows is worth by the counts of these outputs; 0 where exact ones tell it."""
        matrix, error = self._equations(of)
        asked = [self._sums(rows) for rows in groups]
        if not len(error) or not asked:
            return np.zeros(len(groups))
        n = len(self._one_of)
        system = sparse.bmat([[sparse.diags_array(error), matrix], [matrix.T, -sparse.eye_array(n) / _UNKNOWN]])
        right = np.zeros((len(error) + n, len(asked)))
        right[len(error) :] = -np.stack(asked, axis=1)
        found = splu(system.tocsc()).solve(right)[len(error) :]
        variance = (np.stack(asked, axis=1) * found).sum(axis=0)
        return np.where(variance > len(error) * _EXACT, 1 / np.maximum(variance, _EXACT), 0.0)

    def _equations(self, of: Sequence[int]) -> tuple[sparse.csr_array, Floats]:
        """Which sorts each count is the sum of, and its variance. The same people are changed once, wherever they are
        counted: another time with another change is for whoever compares printed counts."""
        rows, errors, seen = list[sparse.csr_array](), list[float](), set[tuple[bool, int]]()
        n = len(self._one_of)
        for counts in self._counts:
            new = [i for i, k in enumerate(counts.key.tolist()) if (counts.is_drawn, k) not in seen]
            seen |= {(counts.is_drawn, k) for k in counts.key.tolist()} if counts.output in of else set()
            if counts.output not in of or not new:
                continue
            home = np.full(int(counts.group.max(initial=0)) + 1, -1)
            home[counts.shown[new]] = np.arange(len(new))
            group = counts.group[self._one_of]
            at = np.where(group >= 0, home[group], -1)
            inside = np.flatnonzero(at >= 0)
            rows.append(sparse.csr_array((np.ones(len(inside)), (at[inside], inside)), shape=(len(new), n)))
            errors += [1.0 if counts.is_drawn else _EXACT] * len(new)
        whole = sparse.csr_array(sparse.vstack(rows)) if rows else sparse.csr_array((0, n))
        return whole, np.array(errors)

    def _sums(self, rows: Integers) -> Floats:
        """The sorts that a group is the sum of; none where it takes a part of one."""
        found = np.zeros(len(self._one_of))
        found[self._sort[rows]] = 1.0
        return found if np.bincount(self._sort, minlength=len(found)) @ found == len(rows) else 0.0 * found


def people_keys(case: Case, behind: Behind) -> Integers:
    """A number for the people in each group, whatever names it has; 0: nobody."""
    # Two different groups have the same number once in 2⁶³ times.
    row = np.random.default_rng(0).integers(1, 2**63 - 1, case.table.n_rows)  # any seed: it only tells rows apart
    number = np.zeros(behind.n_groups + 1, dtype=np.int64)
    np.bitwise_xor.at(number, behind.group, row)
    return number[:-1]
