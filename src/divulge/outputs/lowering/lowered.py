"""The additive form of an output: what each row adds to totals, and how totals become figures (design: "Lowering").

Output kinds build these; the search runs them and never learns which kinds exist. Totals are centred: at a table whose
own output was released they give residuals of zero within rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from divulge.kernels import lowering
from divulge.kernels.arrays import Codes, Floats, Integers, Integers32, Mask
from divulge.kernels.lowering import NOTHING
from divulge.outputs.lowering.residuals import Residuals, SizedResiduals
from divulge.outputs.lowering.sizes import MomentsByGroup
from divulge.table import Schema, Table

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
    cells: tuple[Integers32, ...]
    factors: tuple[Floats | None, ...]
    index: Integers32
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
        levels: Sequence[Integers],
        index: Integers | None = None,
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


@dataclass(frozen=True, eq=False)
class Lowered:
    """An output in additive form.

    constants: what is taken off the sums, so that totals are centred (n_totals,).
    residuals: how totals become figure now − figure released.
    low, high: the interval in which a residual counts as reproduced (n_residuals,), from the published precision,
        a suppressed cell's range, or an inequality (a maximum: no row above it).
    unit: what a residual of 1 means in the discrepancy (n_residuals,): a standard error, or a published half-unit.
    is_linear: the jacobian is the same at every table, so it need not be refreshed.
    is_bent: the totals are sums at the released figures, and say less the farther the figures now are from these: a
        coefficient printed as 0.00 may be many standard errors from 0 (`Objective.recentred`).
    sized: the residuals, where the sizes of groups have to be such that they can carry the figures.
    moments: what the figures say of whole numbers in groups, which only groups of some sizes can have.
    of_counts: residuals of many sets of totals at once, (…, totals), where these are plain counts; None: they are not.
    nearest: counts near these totals, of as many rows, with which the figures are as printed, where each term counts
        rows in bins by its last variable within groups of the others; None: that is for the search to find out.
    settled: the same near a (synthetic) table, where the sums depend on what was not released; None: they do not.
    straight: which rows of a (synthetic) table may all get another value of one variable while what each does adds up,
        where all rows together do not; None, or nothing said of the variable: that is for the search to find out.
    """

    blocks: tuple[Block, ...]
    constants: Floats
    residuals: Residuals
    low: Floats
    high: Floats
    unit: Floats
    is_linear: bool = True
    is_bent: bool = False
    sized: SizedResiduals | None = None
    moments: MomentsByGroup = field(default_factory=dict)
    of_counts: Callable[[Floats], Floats] | None = None
    nearest: Callable[[Floats], Floats] | None = None
    settled: Callable[[Table], Lowered] | None = None
    straight: Callable[[Table, str], Mask | None] | None = None
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
        return pack([self], table.schema).totals(row_codes(table)) - self.constants

    def residuals_at(self, table: Table) -> Floats:
        """Figure now − figure released, to first order, in the figures' own units."""
        return self.residuals.linearise(self.totals(table), table)[0]


def _terms_of(block: Block) -> list[Term]:
    terms = list(block.terms)
    if block.link is not None:
        terms += [*block.link.predictor, block.link.response]
    if block.weight is not None:
        terms.append(block.weight)
    return terms


def row_codes(table: Table) -> Codes:
    """A table's codes row by row, (rows, variables), in the smallest type that holds every column."""
    dtype = np.result_type(*(c.dtype for c in table.columns)) if table.columns else np.dtype(np.uint8)
    out = np.empty((table.n_rows, len(table.columns)), dtype=dtype)
    for j, column in enumerate(table.columns):
        out[:, j] = column
    return out


@dataclass(frozen=True, eq=False)
class Program:
    """Blocks of several outputs flattened for the kernels (layout in kernels/lowering.py)."""

    ints: Integers32
    floats: Floats
    n_totals: int
    longest: int
    block_variables: tuple[tuple[int, ...], ...]

    @property
    def n_blocks(self) -> int:
        return len(self.block_variables)

    def blocks(self) -> lowering.Blocks:
        """What the kernels take, with room of its own: threads must not share it."""
        classes = self.ints[: self.n_blocks * lowering.BLOCK_SIZE].reshape(-1, lowering.BLOCK_SIZE)[:, lowering.CLASSES]
        eta, mu = np.empty((2, classes.max(initial=1)))
        return lowering.Blocks(
            self.ints, self.floats, np.empty(self.longest, dtype=np.int64), np.empty(self.longest), eta, mu
        )

    def totals(self, codes: Codes, n_blocks: int | None = None) -> Floats:
        """Σ over rows of the contributions, before centring, to the first blocks or all. codes: (rows, variables)."""
        totals = np.zeros(self.n_totals)
        lowering.add_totals(self.blocks(), self.n_blocks if n_blocks is None else n_blocks, codes, totals)
        return totals

    def of_rows(self, codes: Codes, n_blocks: int | None = None) -> Floats:
        """The totals of each row by itself, (rows, totals). n_blocks: those of the first so many blocks alone."""
        n = self.n_blocks if n_blocks is None else n_blocks
        firsts = self.ints[: self.n_blocks * lowering.BLOCK_SIZE].reshape(-1, lowering.BLOCK_SIZE)
        n_totals = self.n_totals if n == self.n_blocks else int(firsts[n, lowering.FIRST_TOTAL])
        found = np.zeros((len(codes), n_totals))
        lowering.add_rows(self.blocks(), n, codes, found)
        return found


def pack(lowered: Sequence[Lowered], schema: Schema) -> Program:
    """Blocks of several outputs as one program over the schema's columns; totals follow each other in order."""
    blocks = [block for output in lowered for block in output.blocks]
    packer = _Packer(schema, len(blocks))
    for number, block in enumerate(blocks):
        packer.add(number, block)
    return packer.program()


class _Packer:
    """Appends lookups, terms and blocks to growing lists, then turns these into two arrays once."""

    def __init__(self, schema: Schema, n_blocks: int) -> None:
        self.schema = schema
        self.ints: list[Integers32] = [np.zeros(n_blocks * lowering.BLOCK_SIZE, dtype=np.int32)]
        self.floats: list[Floats] = []
        self.n_ints = n_blocks * lowering.BLOCK_SIZE
        self.n_floats = 0
        self.n_totals = 0
        self.longest = 1
        self.block_variables: list[tuple[int, ...]] = []
        self.pointers: dict[int, int] = {}

    def _put_ints(self, values: Integers32) -> int:
        self.ints.append(np.asarray(values, dtype=np.int32))
        self.n_ints += len(values)
        return self.n_ints - len(values)

    def _put_floats(self, values: Floats) -> int:
        self.floats.append(np.asarray(values, dtype=float))
        self.n_floats += len(values)
        return self.n_floats - len(values)

    def _put_term(self, term: Term) -> int:
        """The term's place; a term that several blocks share is put down once."""
        if id(term) not in self.pointers:
            record = [len(term.variables), self._put_ints(term.index), self._put_floats(term.scale)]
            for name, cells, factors in zip(term.variables, term.cells, term.factors, strict=True):
                record += [
                    self.schema.position(name),
                    self._put_ints(cells),
                    -1 if factors is None else self._put_floats(factors),
                ]
            self.pointers[id(term)] = self._put_ints(np.array(record, dtype=np.int32))
        return self.pointers[id(term)]

    def _put_terms(self, terms: Sequence[Term]) -> tuple[int, int]:
        pointers = np.array([self._put_term(t) for t in terms], dtype=np.int32)
        start = self._put_ints(pointers)
        return start, start + len(pointers)

    def add(self, number: int, block: Block) -> None:
        link = block.link
        row = np.zeros(lowering.BLOCK_SIZE, dtype=np.int32)
        terms = self._put_terms(block.terms)
        row[lowering.TERMS], row[lowering.TERMS_END] = terms
        row[lowering.RESPONSE] = -1
        row[lowering.WEIGHT] = -1 if block.weight is None else self._put_term(block.weight)
        row[lowering.COLUMNS], row[lowering.CLASSES] = block.n_columns, 1
        row[lowering.FIRST_TOTAL] = self.n_totals
        if link is not None:
            same = len(link.predictor) == len(block.terms) and all(
                a is b for a, b in zip(link.predictor, block.terms, strict=True)
            )
            predictor = terms if same else self._put_terms(link.predictor)
            beta = np.atleast_2d(link.beta)
            row[lowering.PREDICTOR], row[lowering.PREDICTOR_END] = predictor
            row[lowering.RESPONSE] = self._put_term(link.response)
            row[lowering.FAMILY], row[lowering.MOMENT] = _FAMILY[link.family], _MOMENT[link.moment]
            row[lowering.CLASSES] = beta.shape[0] if link.family == "multinomial" else 1
            row[lowering.BETA], row[lowering.BETA_COLUMNS] = self._put_floats(beta.ravel()), beta.shape[1]
        self.ints[0][number * lowering.BLOCK_SIZE :][: lowering.BLOCK_SIZE] = row
        self.n_totals += block.n_totals
        copies = max(1, -(-block.n_totals // max(block.n_columns, 1)))
        self.longest = max(self.longest, len(block.terms) * copies)
        names = {name for term in _terms_of(block) for name in term.variables}
        self.block_variables.append(tuple(sorted(self.schema.position(n) for n in names)))

    def program(self) -> Program:
        return Program(
            np.concatenate(self.ints),
            np.concatenate([np.zeros(1), *self.floats]) if not self.floats else np.concatenate(self.floats),
            self.n_totals,
            self.longest,
            tuple(self.block_variables),
        )
