"""Tables in the JJ format of τ-ARGUS: cells with values, prices and protection levels, tied by equations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from divulge.audit.bounds import find_bounds
from divulge.audit.budget import Budget
from divulge.audit.proofs import prove_value
from divulge.audit.report import Audited, Cell, Proved, Status
from divulge.audit.system import System
from divulge.errors import NotATableError
from divulge.kernels.arrays import Floats, Mask
from divulge.rules import Severity
from divulge.table.files.readable import check_readable

SUFFIX = ".jj"

MOST_CHAINS = 40
"""Proofs that are written out."""


@dataclass(frozen=True, eq=False)
class JjTable:
    """value, price: of each cell. status: u unsafe, s safe, z published in any case, m withheld for the sake of others.
    low, high: between which limits everybody knows it to be. down, up: by how much an unsafe one must stay open.
    matrix: equations that are zero.
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

    @property
    def withheld(self) -> Mask:
        return ~np.isin(self.status, ["s", "z"])

    @classmethod
    def read(cls, file: Path) -> Self:
        check_readable(file)
        try:
            return cls._parse(file.read_text(encoding="utf-8"))
        except (ValueError, IndexError):
            raise NotATableError(
                f"{file.name!r} is no table in the JJ format.",
                hint="It has a line 0, the number of cells, a line for each, the number of equations, a line for each.",
            ) from None

    @classmethod
    def _parse(cls, text: str) -> Self:
        lines = text.split("\n")
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

    def with_withheld(self, cells: Mask) -> Self:
        """The same with more cells withheld."""
        return replace(self, status=np.where(cells & ~self.withheld, "m", self.status))

    def system(self, *, by_limits: bool = False) -> System:
        """What is published as constraints. by_limits: everybody knows each cell's own limits; else that none is
        negative (unless one is)."""
        shown = ~self.withheld
        sums = self.matrix @ self.value
        nothing = 0.0 if self.value.min(initial=0.0) >= 0 else -np.inf
        low = np.minimum(self.low, self.value) if by_limits else np.full(self.n_cells, nothing)
        high = np.maximum(self.high, self.value) if by_limits else np.full(self.n_cells, np.inf)
        return System(
            self.matrix,
            sums,
            sums,
            np.where(shown, self.value, low),
            np.where(shown, self.value, high),
            False,
            tuple(f"equation {i}" for i in range(int(self.matrix.shape[0]))),
            tuple(f"cell {i}" for i in range(self.n_cells)),
            self.value,
        )

    def audit(self, *, by_limits: bool = False, seconds: float = 60.0) -> Audited:
        """The interval of every withheld cell, and whether unsafe ones stay as open as the file asks for."""
        budget = Budget(seconds)
        system = self.system(by_limits=by_limits)
        withheld = np.flatnonzero(self.withheld)
        targets = sparse.eye_array(self.n_cells, format="csr")[withheld]
        found = find_bounds(system, targets, budget)
        cells, n_chains = [], 0
        for i, low, high, is_sharp in zip(withheld.tolist(), found.low, found.high, found.is_sharp, strict=True):
            slack = 1e-6 * (1.0 + abs(self.value[i]))
            is_open = low <= self.value[i] - self.down[i] + slack and high >= self.value[i] + self.up[i] - slack
            status = Status.PROTECTED if is_open or not self.unsafe[i] else Status.NARROW
            # Values have two decimals: what is known to within one of them is known.
            status = Status.EXACT if high - low < max(0.01, slack) else status
            chain = ""
            if status is Status.EXACT and n_chains < MOST_CHAINS and not budget.is_spent:
                chain = _chain(system, i, budget)
                n_chains += 1
            cells.append(Cell(0, f"cell {i}", float(low), float(high), status, chain, bool(is_sharp)))
        notes = [f"Time ran out: {found.n_unreached:,} intervals are not final."] if found.n_unreached else []
        unsafe = {f"cell {i}" for i in np.flatnonzero(self.unsafe).tolist()}
        spare = [c for c in cells if c.status is Status.EXACT and c.label not in unsafe]
        if spare:
            notes.append(
                f"{len(spare):,} of the cells withheld for the sake of others follow exactly, and protect nothing."
            )
        told = _findings([c for c in cells if c.label in unsafe])
        return Audited(tuple(cells), told, (), tuple(notes), system.n_figures, self.n_cells)


def _chain(system: System, cell: int, budget: Budget) -> str:
    """The published cells that give a withheld one, as one sum."""
    target = np.zeros(system.n_cells)
    target[cell] = 1.0
    hidden = np.flatnonzero(system.least < system.most)
    # Equations over the withheld cells alone: what is published is a number in them.
    known = system.matrix @ np.where(system.least < system.most, 0.0, system.least)
    left = System(
        sparse.csr_array(system.matrix[:, hidden]),
        system.low - known,
        system.high - known,
        system.least[hidden],
        system.most[hidden],
        False,
        system.figures,
        tuple(system.cells[i] for i in hidden.tolist()),
        None if system.point is None else system.point[hidden],
    )
    proof = prove_value(left, target[hidden], budget)
    return "" if proof is None else " and ".join(step.figure for step in proof.steps)


def _findings(cells: list[Cell]) -> tuple[Proved, ...]:
    found = []
    for status, severity, words in (
        (Status.EXACT, Severity.REFUSE, "exactly"),
        (Status.NARROW, Severity.REVIEW, "more closely than they ask for"),
    ):
        mine = tuple(c.label for c in cells if c.status is status)
        if mine:
            noun = "unsafe cell follows" if len(mine) == 1 else "unsafe cells follow"
            found.append(Proved(f"{status} figure", severity, (0,), mine, f"{len(mine):,} {noun} {words}."))
    return tuple(found)
