"""Released figures as linear constraints over cells: low ≤ matrix · cells ≤ high, least ≤ cells ≤ most.

A cell is a set of people whom no figure tells apart, and its value how many they are (or the sum of what they have).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import sparse

from divulge.kernels.arrays import Floats


@dataclass(frozen=True, eq=False)
class System:
    """Constraints on cells.

    matrix: (figures, cells); low, high: the interval of each figure; least, most: of each cell beforehand.
    is_whole: whether the cells are counts of people. figures, cells: what they are called.
    point: cell values that are known to keep every constraint (the data's own), where they are known. Solving around
        them keeps small intervals exact where figures are large.
    """

    matrix: sparse.csr_array
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    is_whole: bool
    figures: tuple[str, ...]
    cells: tuple[str, ...]
    point: Floats | None = None

    @classmethod
    def of(
        cls,
        cells: Sequence[str],
        figures: Mapping[str, tuple[Mapping[str, float], float, float]],
        *,
        is_whole: bool = True,
        most: float = np.inf,
        point: Sequence[float] | None = None,
    ) -> Self:
        """From names: figures maps a name to (cell: how often it counts, low, high)."""
        place = {cell: i for i, cell in enumerate(cells)}
        matrix = sparse.lil_array((len(figures), len(cells)))
        for i, (terms, _, _) in enumerate(figures.values()):
            for cell, factor in terms.items():
                matrix[i, place[cell]] = factor
        return cls(
            matrix.tocsr(),
            np.array([low for _, low, _ in figures.values()], dtype=float),
            np.array([high for _, _, high in figures.values()], dtype=float),
            np.zeros(len(cells)),
            np.full(len(cells), float(most)),
            is_whole,
            tuple(figures),
            tuple(cells),
            None if point is None else np.array(point, dtype=float),
        )

    @property
    def n_figures(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def n_cells(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def is_kept(self) -> bool:
        """Whether the point that is known keeps every constraint; then no figures contradict each other."""
        if self.point is None:
            return False
        sums = self.matrix @ self.point
        slack = 1e-9 * (1.0 + abs(self.matrix) @ np.abs(self.point))  # sums of floats depend on their order
        return bool(
            ((sums >= self.low - slack) & (sums <= self.high + slack)).all()
            and ((self.point >= self.least) & (self.point <= self.most)).all()
        )

    def with_least(self, cell: int, value: float) -> System:
        """The same, where somebody knows that a cell holds at least so much."""
        least = self.least.copy()
        least[cell] = max(least[cell], value)
        return replace(self, least=least)

    def with_known(self, cells: Sequence[int], values: Sequence[float]) -> System:
        """The same, where somebody knows what these cells hold."""
        least, most = self.least.copy(), self.most.copy()
        least[list(cells)], most[list(cells)] = values, values
        return replace(self, least=least, most=most)

    def only(self, figures: Sequence[int]) -> System:
        """The same with these figures alone."""
        kept = list(figures)
        return replace(
            self,
            matrix=self.matrix[kept],
            low=self.low[kept],
            high=self.high[kept],
            figures=tuple(self.figures[i] for i in kept),
        )
