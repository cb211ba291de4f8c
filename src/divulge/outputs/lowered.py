"""The additive form of an output: what each row adds to totals, and how totals become figures (design: "Lowering").

Output kinds build these; the search runs them and never learns which kinds exist. Totals are centred: at a table whose
own output was released they give residuals of zero within rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from divulge.kernels import lowering
from divulge.kernels.lowering import NOTHING, Program
from divulge.table import Schema, Table

Floats = NDArray[np.float64]
Family = Literal["identity", "logistic", "poisson", "multinomial"]
Moment = Literal["score", "information", "loglikelihood"]

_FAMILY: Mapping[str, int] = {
    "identity": lowering.IDENTITY,
    "logistic": lowering.LOGISTIC,
    "poisson": lowering.POISSON,
    "multinomial": lowering.MULTINOMIAL,
}
_MOMENT: Mapping[str, int] = {
    "score": lowering.SCORE,
    "information": lowering.INFORMATION,
    "loglikelihood": lowering.LOGLIKELIHOOD,
}


@dataclass(frozen=True, eq=False)
class Term:
    """For a row, at most one non-zero column: an index and a value, both looked up from the row's codes.

    cell = Σ_v cells[v][code of v]; negative (any part NOTHING): the term cannot be computed for the row, which then
    adds nothing to a plain block through this term, and nothing at all to a block with a link (complete cases only).
    value = scale[cell] · Π_v factors[v][code of v]; index = index[cell], −1: no column for this row (a reference
    level), which leaves the row in. A term without variables is a constant: cell 0.
    """

    variables: tuple[str, ...]
    cells: tuple[NDArray[np.int32], ...]
    factors: tuple[Floats | None, ...]
    index: NDArray[np.int32]
    scale: Floats

    @classmethod
    def constant(cls, index: int = 0, value: float = 1.0) -> Term:
        """The same column and value for every row (an intercept)."""
        return cls((), (), (), np.array([index], dtype=np.int32), np.array([value]))

    @classmethod
    def lookup(cls, variable: str, values: Floats, index: int = 0) -> Term:
        """One column whose value is a function of one variable; NaN (a missing value) makes the row add nothing."""
        known = np.isfinite(values)
        cells = np.where(known, 0, NOTHING).astype(np.int32)
        return cls(
            (variable,), (cells,), (np.where(known, values, 0.0),), np.array([index], dtype=np.int32), np.ones(1)
        )

    @classmethod
    def cross(
        cls,
        variables: Sequence[str],
        levels: Sequence[NDArray[np.int64]],
        index: NDArray[np.int64] | None = None,
        scale: Floats | None = None,
        factors: Sequence[Floats | None] | None = None,
    ) -> Term:
        """One column for each combination of levels. `levels[v][code]` is a level number, −1: the row adds nothing.

        index, scale: per combination in row-major order (the last variable fastest); by default the combination's own
        number and 1. The combinations are those of the highest level numbers + 1.
        """
        sizes = [int(level.max(initial=0)) + 1 for level in levels]
        cells, stride = [], 1
        for level, size in zip(reversed(levels), reversed(sizes), strict=True):
            cells.append(np.where(level < 0, NOTHING, level * stride).astype(np.int32))
            stride *= size
        return cls(
            tuple(variables),
            tuple(reversed(cells)),
            tuple(factors) if factors is not None else (None,) * len(cells),
            (np.arange(stride) if index is None else np.asarray(index)).astype(np.int32),
            np.ones(stride) if scale is None else np.asarray(scale, dtype=float),
        )


@dataclass(frozen=True, eq=False)
class Link:
    """A model at its released coefficients: η = Σ predictor terms · beta, with what is summed of it.

    moment: score y − μ(η); information dμ/dη (pairs of classes (k, j ≤ k), row by row, for multinomial); loglikelihood:
    the kernel of it (identity: the squared residual). For multinomial the response term's index is the class number, 0
    the reference, and beta is (classes − 1, columns); otherwise its value is y.
    """

    family: Family
    predictor: tuple[Term, ...]
    response: Term
    beta: Floats
    moment: Moment = "score"


@dataclass(frozen=True, eq=False)
class Block:
    """Totals that share a multiplier: Σ_rows weight(row) · m(row) · Σ_terms value · e[index].

    n_columns: how many columns the terms index (for multinomial, for each class or pair of classes).
    weight: a term whose value multiplies the row (a subpopulation, a survey weight); None: 1.
    """

    terms: tuple[Term, ...]
    n_columns: int
    link: Link | None = None
    weight: Term | None = None

    @property
    def n_totals(self) -> int:
        if self.link is None or self.link.family != "multinomial" or self.link.moment == "loglikelihood":
            return self.n_columns
        classes = int(self.link.beta.shape[0])
        return self.n_columns * (classes if self.link.moment == "score" else classes * (classes + 1) // 2)


class Head(Protocol):
    """How totals become residuals (figure now − figure released, in the figure's own units)."""

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        """(residuals, jacobian) at these centred totals of this (synthetic) table.

        The jacobian is (residuals, totals), or (totals,) where each residual belongs to one total (diagonal).
        """
        ...


@dataclass(frozen=True, eq=False)
class DiagonalHead:
    """Each total is one figure: residual = slope · total."""

    slope: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        return self.slope * totals, self.slope


@dataclass(frozen=True, eq=False)
class LinearHead:
    """Residuals are fixed linear combinations of totals: residual = matrix · totals."""

    matrix: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        return self.matrix @ totals, self.matrix


@dataclass(frozen=True, eq=False)
class SmoothHead:
    """Figures are a smooth function of raw totals (a correlation, an odds ratio): residual = f(totals) − released."""

    function: Callable[[Floats], Floats]
    released: Floats
    constants: Floats

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        del table
        raw = totals + self.constants
        figures = self.function(raw)
        jacobian = np.empty((len(figures), len(raw)))
        for j in range(len(raw)):
            # Central differences: totals are sums over rows, so a step of 1e-5 of their size is far above rounding.
            step = 1e-5 * max(1.0, abs(raw[j]))
            up, down = raw.copy(), raw.copy()
            up[j] += step
            down[j] -= step
            jacobian[:, j] = (self.function(up) - self.function(down)) / (2 * step)
        return figures - self.released, jacobian


@dataclass(frozen=True, eq=False)
class Lowered:
    """An output in additive form.

    constants: what is taken off the sums, so that totals are centred (n_totals,).
    low, high: the interval in which a residual counts as reproduced (n_residuals,), from the published precision,
        a suppressed cell's range, or an inequality (a maximum: no row above it).
    unit: what a residual of 1 means in the discrepancy (n_residuals,): a standard error, or a published half-unit.
    is_linear: the jacobian is the same at every table, so it need not be refreshed.
    """

    blocks: tuple[Block, ...]
    constants: Floats
    head: Head
    low: Floats
    high: Floats
    unit: Floats
    is_linear: bool = True
    variables: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = [name for block in self.blocks for term in _terms_of(block) for name in term.variables]
        object.__setattr__(self, "variables", tuple(dict.fromkeys(names)))

    @property
    def n_totals(self) -> int:
        return sum(block.n_totals for block in self.blocks)

    @property
    def n_residuals(self) -> int:
        return len(self.unit)

    def totals(self, table: Table) -> Floats:
        """The centred totals of a table."""
        return sum_totals(self, table) - self.constants

    def residuals(self, table: Table) -> Floats:
        """Figure now − figure released, to first order, in the figures' own units."""
        return self.head.linearise(self.totals(table), table)[0]


def _terms_of(block: Block) -> list[Term]:
    terms = list(block.terms)
    if block.link is not None:
        terms += [*block.link.predictor, block.link.response]
    if block.weight is not None:
        terms.append(block.weight)
    return terms


def row_codes(table: Table) -> NDArray[np.unsignedinteger]:
    """A table's codes row by row, (rows, variables), in the smallest type that holds every column."""
    dtype = np.result_type(*(c.dtype for c in table.columns)) if table.columns else np.dtype(np.uint8)
    out = np.empty((table.n_rows, len(table.columns)), dtype=dtype)
    for j, column in enumerate(table.columns):
        out[:, j] = column
    return out


def sum_totals(lowered: Lowered, table: Table) -> Floats:
    """Σ over rows of the contributions, before centring."""
    program = pack([lowered], table.schema)
    totals = np.zeros(lowered.n_totals)
    size = lowering.longest_contribution(program)
    lowering.add_totals(program, row_codes(table), totals, np.empty(size, dtype=np.int64), np.empty(size))
    return totals


def pack(lowered: Sequence[Lowered], schema: Schema) -> Program:
    """Blocks of several outputs as one flat program over the schema's columns; totals follow each other in order."""
    packer = _Packer(schema)
    for output in lowered:
        for block in output.blocks:
            packer.add(block)
    return packer.program()


class _Packer:
    """Appends terms and blocks to growing lists, then turns these into arrays once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.part_start = [0]
        self.parts: list[tuple[int, int, int]] = []
        self.cells: list[NDArray[np.int32]] = []
        self.factors: list[Floats] = []
        self.tables: list[int] = []
        self.index: list[NDArray[np.int32]] = []
        self.scale: list[Floats] = []
        self.blocks: list[list[int]] = []
        self.beta: list[Floats] = []
        self.n_totals = 0

    def _add_terms(self, terms: Sequence[Term]) -> tuple[int, int]:
        first = len(self.tables)
        for term in terms:
            for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
                at = -1
                if factors is not None:
                    at = sum(map(len, self.factors))
                    self.factors.append(factors)
                self.parts.append((self.schema.position(name), sum(map(len, self.cells)), at))
                self.cells.append(cells)
            self.part_start.append(len(self.parts))
            self.tables.append(sum(map(len, self.index)))
            self.index.append(term.index)
            self.scale.append(term.scale)
        return first, len(self.tables)

    def add(self, block: Block) -> None:
        link = block.link
        terms = self._add_terms(block.terms)
        weight = self._add_terms([block.weight])[0] if block.weight is not None else -1
        row = [*terms, 0, 0, -1, weight, lowering.PLAIN, 0, block.n_columns, 1, 0, 0, self.n_totals]
        if link is not None:
            # The score sums the very terms that make the predictor: they are packed once.
            same = len(link.predictor) == len(block.terms) and all(
                a is b for a, b in zip(link.predictor, block.terms, strict=True)
            )
            predictor = terms if same else self._add_terms(link.predictor)
            response = self._add_terms([link.response])[0]
            beta = np.atleast_2d(link.beta)
            classes = beta.shape[0] if link.family == "multinomial" else 1
            row[2:5] = [*predictor, response]
            row[6:8] = [_FAMILY[link.family], _MOMENT[link.moment]]
            row[9:12] = [classes, sum(map(len, self.beta)), beta.shape[1]]
            self.beta.append(beta.ravel())
        self.blocks.append(row)
        self.n_totals += block.n_totals

    def program(self) -> Program:
        blocks = np.array(self.blocks, dtype=np.int64).reshape(-1, 13)
        parts = np.array(self.parts, dtype=np.int64).reshape(-1, 3)

        def joined(arrays: list[NDArray[np.generic]], dtype: type) -> NDArray[np.generic]:
            return np.concatenate([np.zeros(0, dtype), *arrays]).astype(dtype)

        return Program(
            part_start=np.array(self.part_start, dtype=np.int64),
            part_variable=np.ascontiguousarray(parts[:, 0]),
            part_cells=np.ascontiguousarray(parts[:, 1]),
            part_factors=np.ascontiguousarray(parts[:, 2]),
            cells=joined(self.cells, np.int32),  # type: ignore[arg-type]
            factors=joined(self.factors, np.float64),  # type: ignore[arg-type]
            term_table=np.array(self.tables, dtype=np.int64),
            column=joined(self.index, np.int32),  # type: ignore[arg-type]
            scale=joined(self.scale, np.float64),  # type: ignore[arg-type]
            block_terms=np.ascontiguousarray(blocks[:, 0:2]),
            block_predictor=np.ascontiguousarray(blocks[:, 2:4]),
            block_response=np.ascontiguousarray(blocks[:, 4]),
            block_weight=np.ascontiguousarray(blocks[:, 5]),
            block_family=np.ascontiguousarray(blocks[:, 6]),
            block_moment=np.ascontiguousarray(blocks[:, 7]),
            block_columns=np.ascontiguousarray(blocks[:, 8]),
            block_classes=np.ascontiguousarray(blocks[:, 9]),
            block_beta=np.ascontiguousarray(blocks[:, 10]),
            block_predictor_columns=np.ascontiguousarray(blocks[:, 11]),
            block_offset=np.ascontiguousarray(blocks[:, 12]),
            beta=joined(self.beta, np.float64),  # type: ignore[arg-type]
        )
