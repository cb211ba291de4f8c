"""Tables in the JJ format of tau-ARGUS: cells with values, prices and protection levels, tied by equations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from divulge.kernels.arrays import Floats, Mask
from divulge.withholding import Figures


@dataclass(frozen=True, eq=False)
class JjTable:
    """value, price: of each cell. status: u unsafe, s safe, z published in any case. low, high: between which limits
    everybody knows it to be. down, up: by how much an unsafe one must stay open. matrix: equations that are zero.
    """

    value: Floats
    price: Floats
    status: NDArray[np.str_]
    low: Floats
    high: Floats
    down: Floats
    up: Floats
    matrix: sparse.csr_array

    @property
    def n_cells(self) -> int:
        return len(self.value)

    @property
    def unsafe(self) -> Mask:
        return self.status == "u"

    @classmethod
    def read(cls, file: Path) -> Self:
        lines = file.read_text(encoding="utf-8").split("\n")
        n = int(lines[1])
        parts = [line.split() for line in lines[2 : 2 + n]]
        equations = lines[3 + n : 3 + n + int(lines[2 + n])]
        rows, columns, factors = [], [], []
        for i, equation in enumerate(equations):
            terms = equation.split(":")[1].replace("(", " ").replace(")", " ").split()
            for cell, factor in zip(terms[::2], terms[1::2], strict=True):
                rows.append(i)
                columns.append(int(cell))
                factors.append(float(factor))
        matrix = sparse.csr_array((factors, (rows, columns)), shape=(len(equations), n))
        value, price, low, high, down, up = (np.array([float(p[k]) for p in parts]) for k in (1, 2, 4, 5, 6, 7))
        return cls(value, price, np.array([p[3] for p in parts]), low, high, down, up, matrix)

    def write(self, file: Path) -> None:
        columns = zip(self.value, self.price, self.status, self.low, self.high, self.down, self.up, strict=True)
        lines = ["0", str(self.n_cells)]
        for i, (value, price, status, *rest) in enumerate(columns):
            lines.append(f" {i} {value:.2f} {price:.0f} {status} {' '.join(f'{x:.2f}' for x in rest)} 0.00")
        lines.append(str(self.matrix.shape[0]))
        for i in range(int(self.matrix.shape[0])):
            at = slice(self.matrix.indptr[i], self.matrix.indptr[i + 1])
            terms = zip(self.matrix.indices[at].tolist(), self.matrix.data[at].tolist(), strict=True)
            said = " ".join(f"{cell} ({factor:.0f})" for cell, factor in terms)
            lines.append(f"0 {at.stop - at.start} : {said}")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def figures(self) -> Figures:
        """Cells are figures of their own; an equation is a figure that everybody knows to be zero."""
        n, more = self.n_cells, int(self.matrix.shape[0])
        sums = sparse.csr_array(sparse.vstack([sparse.eye_array(n, format="csr"), self.matrix]))
        price = np.where(self.status == "z", np.inf, np.maximum(self.price, 1.0))
        cost = np.concatenate([price, np.full(more, np.inf)])
        return Figures(sums, self.value, cost, np.minimum(self.low, self.value), np.maximum(self.high, self.value))
