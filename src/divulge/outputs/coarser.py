"""An output computed on coarser variables: merged values, bands, top and bottom codes.

It is the same kind of output on a coarser schema, but what it says is said of the finer variables: its additive form
looks up the finer codes. So synthetic people keep their finer values, and an intruder learns of these what the coarser
figures tell, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from scipy import sparse

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind, What
from divulge.outputs.few_people import FewPeople
from divulge.outputs.figures import Figures
from divulge.outputs.grid import Grid
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Block, Lowered, Term
from divulge.outputs.lowering.residuals import Residuals
from divulge.outputs.output import Growth, Output
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.precision import Precision, Released
from divulge.outputs.spreads import Spread
from divulge.outputs.stated import Stated
from divulge.table import Condition, Schema, Table
from divulge.table.coarsening import Coarsening, coarser_schema, coarser_table

_OF_THE_KIND: tuple[str, ...] = (
    "kind",
    "statbarn",
    "can_lower",
    "why_not",
    "takes_weights",
    "can_suppress",
    "has_threshold",
)
_OF_THE_KIND += ("residuals_are_figures", "is_exact", "stays_whole", "can_condense", "is_of_sums", "is_of_order")
_OF_THE_KIND += ("acro", "examples")
"""What a coarser output takes from its kind."""


def as_read(output: Output) -> Output:
    """An output as it is to be used: where it says that variables are coarser, computed on these."""
    return _Coarser(inner=output, **_shared(output)) if output.coarser else output


def _shared(output: Output) -> dict[str, Any]:
    return {f.name: getattr(output, f.name) for f in fields(Output)}


@dataclass(frozen=True, kw_only=True)
class _Coarser(Output):
    """Any kind of output on coarser variables. inner: the same output as if its variables were coarse already."""

    can_suppress: ClassVar[bool] = True
    has_threshold: ClassVar[bool] = True

    inner: Output = field(metadata={"spec": False})

    @property
    def condenses(self) -> bool:
        return self.inner.condenses

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "inner", replace(self.inner, **{**_shared(self), "coarser": {}}))
        for name in _OF_THE_KIND:
            object.__setattr__(self, name, getattr(self.inner, name))

    @property
    def written(self) -> Output:
        return replace(self.inner, coarser=self.coarser)

    def _coarse(self, schema: Schema) -> tuple[Schema, dict[str, Integers]]:
        return coarser_schema(schema, self.coarser)

    def _coarse_table(self, table: Table) -> Table:
        return coarser_table(table, *self._coarse(table.schema))

    def check(self, schema: Schema) -> None:
        for name in self.coarser:
            if name not in schema:
                raise unknown_variable(name, schema.names, where=f"coarser.{name}")
        kept = {*([self.weights] if self.weights else [])}
        if self.where is not None:
            kept |= set(Condition.parse(self.where, schema).variables)
        for name in kept & set(self.coarser):
            raise OutputError(
                f"{name!r} is made coarser, and is needed as it is for `where` or `weights`.",
                where=f"coarser.{name}",
                hint="Leave it as it is, or write the condition by another variable.",
            )
        self.inner.check(self._coarse(schema)[0])

    # What is computed on coarse rows.

    def evaluate(self, table: Table) -> Figures:
        return self.inner.evaluate(self._coarse_table(table))

    def behind(self, table: Table) -> tuple[Behind, ...]:
        return self.inner.behind(self._coarse_table(table))

    def crowds(self, table: Table) -> Iterator[tuple[str, Integers]]:
        return self.inner.crowds(self._coarse_table(table))

    def predictions(self, table: Table, released: Released) -> Predictions | None:
        return self.inner.predictions(self._coarse_table(table), released)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        return [one.coarser(list(self.coarser)) for one in self.inner.stated(self._coarse_table(table), released)]

    def spreads(self, table: Table, released: Released) -> Sequence[Spread]:
        names = tuple(self.coarser)
        return [one.coarser(names) for one in self.inner.spreads(self._coarse_table(table), released)]

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        codes = self._coarse(table.schema)[1]
        found = self.inner.few_people(self._coarse_table(table), released, most)
        return tuple(replace(f, coding=f.coding[codes[f.response]]) if f.response in codes else f for f in found)

    def responses(self) -> tuple[str, ...]:
        return self.inner.responses()

    # What is said of the finer codes.

    def lower(self, schema: Schema, released: Released) -> Lowered:
        coarse, codes = self._coarse(schema)
        return self._of_finer(self.inner.lower(coarse, released), codes)

    def _of_finer(self, found: Lowered, codes: Mapping[str, Integers]) -> Lowered:
        """A form that looks up coarse codes, as one that looks up finer ones."""
        finer = _Finer(codes)
        blocks = tuple(finer.block(block) for block in found.blocks)
        residuals = _CoarseResiduals(found.residuals, self.coarser)
        settled = None if found.settled is None else partial(self._settled, found.settled)
        straight = None if found.straight is None else partial(self._straight, found.straight)
        return replace(found, blocks=blocks, residuals=residuals, settled=settled, straight=straight)

    def _straight(self, straight: Callable[[Table, str], Mask | None], table: Table, name: str) -> Mask | None:
        return straight(self._coarse_table(table), name)

    def _settled(self, settled: Callable[[Table], Lowered], table: Table) -> Lowered:
        return self._of_finer(settled(self._coarse_table(table)), self._coarse(table.schema)[1])

    def linear(self, schema: Schema, released: Released) -> Linear | None:
        coarse, codes = self._coarse(schema)
        found = self.inner.linear(coarse, released)
        return None if found is None else replace(found, block=_Finer(codes).block(found.block))

    # What the kind says of a coarse schema.

    def own_variables(self) -> tuple[str, ...]:
        return self.inner.own_variables()

    def labels(self, schema: Schema) -> tuple[str, ...]:
        return self.inner.labels(self._coarse(schema)[0])

    def grid(self, schema: Schema) -> Grid:
        return self.inner.grid(self._coarse(schema)[0])

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        return self.inner.possible(self._coarse(schema)[0], n_rows)

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        return self.inner.check_released(self._coarse(schema)[0], released, n_rows)

    def sums(self, schema: Schema) -> sparse.csr_array | None:
        return self.inner.sums(self._coarse(schema)[0])

    def find_label(self, text: str, schema: Schema) -> str | None:
        return self.inner.find_label(text, self._coarse(schema)[0])

    def read_value(self, label: str, text: str, schema: Schema) -> float | None:
        return self.inner.read_value(label, text, self._coarse(schema)[0])

    def found_at(self, what: What, variable: str, schema: Schema) -> tuple[tuple[str, ...], Integers] | None:
        found = self.inner.found_at(what, variable, self._coarse(schema)[0])
        return None if found is None or {variable, *found[0]} & set(self.coarser) else found

    def describe(self) -> str:
        names = ", ".join(self.coarser)
        return f"{self.inner.describe().removesuffix('.')}, with coarser {names}."

    def usual_decimals(self) -> int:
        return self.inner.usual_decimals()

    def se_precision(self, figures: Precision) -> Precision:
        return self.inner.se_precision(figures)

    def searched(self, schema: Schema) -> Mask | None:
        return self.inner.searched(self._coarse(schema)[0])

    @property
    def publishes_se(self) -> bool:
        return self.inner.publishes_se

    def searches_se(self, schema: Schema, released: Released) -> bool:
        return self.inner.searches_se(self._coarse(schema)[0], released)

    def as_released(self, released: Released, table: Table) -> Output:
        return replace(self, inner=self.inner.as_released(released, self._coarse_table(table)))

    @property
    def growth(self) -> Growth:
        return self.inner.growth

    def allowed(self, folder: Path | None = None) -> Output:
        return replace(self, inner=self.inner.allowed(folder))


@dataclass(frozen=True, eq=False)
class _CoarseResiduals:
    """Residuals that look at coarse rows where they look at rows at all."""

    inner: Residuals
    coarser: Mapping[str, Coarsening]

    @property
    def is_diagonal(self) -> bool:
        return self.inner.is_diagonal

    @property
    def counts_rows(self) -> bool:
        return self.inner.counts_rows

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        return self.inner.linearise(totals, coarser_table(table, *coarser_schema(table.schema, self.coarser)))


class _Finer:
    """Terms over coarse codes as the same terms over fine ones. A term that blocks share stays one."""

    def __init__(self, codes: Mapping[str, Integers]) -> None:
        self.codes = codes
        self.done: dict[int, tuple[Term, Term]] = {}

    def block(self, block: Block) -> Block:
        link = block.link
        if link is not None:
            link = replace(link, predictor=self._terms(link.predictor), response=self._term(link.response))
        weight = None if block.weight is None else self._term(block.weight)
        return replace(block, terms=self._terms(block.terms), link=link, weight=weight)

    def _terms(self, terms: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(self._term(term) for term in terms)

    def _term(self, term: Term) -> Term:
        if id(term) not in self.done:
            at = [self.codes.get(name) for name in term.variables]
            cells = tuple(c if i is None else c[i] for c, i in zip(term.cells, at, strict=True))
            factors = tuple(f if i is None or f is None else f[i] for f, i in zip(term.factors, at, strict=True))
            # The finer term is kept beside its coarse one: a number of the latter must not be given to another.
            self.done[id(term)] = (term, replace(term, cells=cells, factors=factors))
        return self.done[id(term)][1]
