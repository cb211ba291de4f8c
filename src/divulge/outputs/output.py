"""The shape of an output: its fields are the spec's fields, and it can compute, publish and lower itself.

A kind is one file with one frozen dataclass. What it must write: `kind`, `statbarn`, `examples`, its own fields,
`own_variables`, `labels`, `evaluate`, `lower`, `describe`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind, What, crowds_of
from divulge.outputs.few_people import FewPeople
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.linear import Linear
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.methods import METHODS
from divulge.outputs.methods.method import Method
from divulge.outputs.predictions import Predictions
from divulge.outputs.released.labels import named_by
from divulge.outputs.released.precision import Base, Decimals, Precision, Released, Significant, printed
from divulge.outputs.spreads import Spread
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import Stated
from divulge.settings import Kinds, OnlyIf, Range, check_settings
from divulge.table import Condition, Schema, Table
from divulge.table.coarsening import Coarsening


@dataclass(frozen=True)
class Example:
    """A worked example of a kind: its fields, on one of the demo data sets. Catalogue and contract suite run it.

    code: what stands in the file that a `function` names.
    """

    title: str
    fields: Mapping[str, Any]
    data: Literal["census", "health", "cps"] = "census"
    code: str | None = None


Growth = Literal["extensive", "intensive", "neither"]
"""Figures that double with the number of rows (counts), that stay (shares), or that do neither (a standard error)."""

ReleasedField = Mapping[str, Any] | Sequence[Any] | str | None
"""What the spec may say: {label: value}, values in the order of the labels, or the name of a CSV file."""


@dataclass(frozen=True, kw_only=True)
class Output:
    """What every kind of output has. Help texts of the fields are their annotations' second part."""

    kind: ClassVar[str]
    statbarn: ClassVar[Statbarn]
    can_lower: ClassVar[bool] = True
    why_not: ClassVar[str] = ""
    """Why the kind cannot lower, in one sentence."""
    releases_rows: ClassVar[bool] = False
    """Whether rows themselves are released, in which people are looked up; otherwise rows are searched for."""
    takes_weights: ClassVar[bool] = True
    can_suppress: ClassVar[bool] = False
    """Whether figures may be withheld."""
    has_se: ClassVar[bool] = False
    """Whether its figures have standard errors that may be released with them."""
    has_threshold: ClassVar[bool] = False
    """Whether figures are counts, which are withheld below a threshold."""
    residuals_are_figures: ClassVar[bool] = True
    """Whether the first residuals of the lowered form are figures less what was released; not where it holds bounds."""
    is_exact: ClassVar[bool] = True
    """Whether residuals inside their intervals mean figures as printed, at every table; False: to first order only."""
    stays_whole: ClassVar[bool] = False
    """Whether figures of whole numbers are whole numbers."""
    acro: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """What ACRO and pandas call it: an aggregate or a method, with the fields that say which of the kind it is."""
    is_of_sums: ClassVar[bool] = False
    """Whether figures follow from sums of responses, of their squares and products; is_of_order: from their order."""
    is_of_order: ClassVar[bool] = False
    can_condense: ClassVar[bool] = False
    """Whether its figures, and who stands behind them, can be worked out from rows that stand for several people."""
    examples: ClassVar[tuple[Example, ...]] = ()

    name: Annotated[str | None, "What to call the output in reports."] = None
    where: Annotated[str | None, "A condition: only the rows for which it is true count, as in `AGE >= 18`."] = None
    weights: Annotated[str | None, "A variable that holds survey weights.", OnlyIf("takes_weights")] = None
    released: Annotated[
        ReleasedField, "The released numbers: {label: value}, a list in the order of the labels, or a CSV file."
    ] = field(default=None, hash=False)
    compute: Annotated[bool, "Compute the numbers from the data instead of reading `released`."] = False
    decimals: Decimals = None
    significant: Significant = None
    base: Base = None
    suppressed: Annotated[tuple[str, ...], "Labels of the cells that are withheld.", OnlyIf("can_suppress")] = ()
    threshold: Annotated[
        float | None,
        "Suppressed cells hold less than this; computed ones below it are withheld.",
        OnlyIf("has_threshold"),
        Range(above=0),
    ] = None
    coarser: Annotated[
        Mapping[str, Coarsening],
        "Variables that it is computed on coarsely: {ETHGROUP: {merge: [[4, 5]]}}, {AGE: {bands: [0, 16, 65]}}.",
    ] = field(default_factory=dict, hash=False)
    method: Annotated[
        Method | None,
        "How counts are changed before they are printed, as everybody may know; rounded to the nearest if absent.",
        OnlyIf("has_threshold"),
        Kinds("method", METHODS),
    ] = None
    empty: Annotated[Literal["refuse", "allow"], "Whether groups without rows are refused, or have no figure."] = (
        "refuse"
    )
    weight: Annotated[float, "How much the output counts in the search, relative to the others.", Range(least=0)] = 1.0

    def __post_init__(self) -> None:
        """Check the fields that every kind has. A kind with checks of its own calls this first."""
        check_settings(self)
        Precision(self.decimals, self.significant, self.base)
        if self.compute and self.released is not None:
            hint = "Leave compute out: released numbers are checked against the data where there are any."
            raise OutputError("the numbers are both given and to be computed.", where="compute", hint=hint)

    # What a kind writes.

    def own_variables(self) -> tuple[str, ...]:
        """The variables that the kind itself speaks of, each once."""
        raise NotImplementedError

    def labels(self, schema: Schema) -> tuple[str, ...]:
        """One label a figure, known without data: every possible value has its figure."""
        raise NotImplementedError

    def evaluate(self, table: Table) -> Figures:
        """The exact figures from a table, on its complete cases and the subpopulation `where`."""
        raise NotImplementedError

    def lower(self, schema: Schema, released: Released) -> Lowered:
        """The additive form whose residuals are figure now − released (see `lowered.py`)."""
        raise NotImplementedError

    def describe(self) -> str:
        """One plain sentence."""
        raise NotImplementedError

    # What a kind may write differently.

    def grid(self, schema: Schema) -> Grid:
        """Where the figures stand when people look at them, each in one place; by default one below the other."""
        labels = self.labels(schema)
        return grid_of(("Figure",), [(label,) for label in labels], ("Value",), np.arange(len(labels)))

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        """How a class recomputes it with pandas, scipy and statsmodels: lines of code from `rows`, the rows that count,
        to `found`, the figures in their order or by their labels. has_se: whether standard errors were published."""
        del schema, has_se
        return None

    def found_at(self, what: What, variable: str, schema: Schema) -> tuple[tuple[str, ...], Integers] | None:
        """Where a count, mean or median is published: the variables of the groups, and the figures group by group."""
        del what, variable, schema
        return None

    def crowds(self, table: Table) -> Iterator[tuple[str, Integers]]:
        """Cells, groups or levels, by name, and how many people are in each: previews look for thin ones among them."""
        return crowds_of(self.behind(table), table)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        """Whose rows stand behind the figures, for rules of output checking; nothing where that cannot be said."""
        return ()

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        """What the figures state as sums, where it does not follow from the groups behind them."""
        del table, released
        return ()

    def spreads(self, table: Table, released: Released) -> Sequence[Spread]:
        """What the figures state of how far people lie from each other, as sums of powers."""
        del table, released
        return ()

    def predictions(self, table: Table, released: Released) -> Predictions | None:
        """What a regression predicts of the people it was fitted to; None for other outputs."""
        del table, released
        return None

    def linear(self, schema: Schema, released: Released) -> Linear | None:
        """What the figures say of the rows as linear inequalities; None where they are not linear (most models)."""
        del schema, released
        return None

    def tied(self, schema: Schema) -> tuple[tuple[str, ...], ...]:
        """Sets of variables that figures tie together, by which people are looked up; by default all in one set."""
        return (self.uses(schema),)

    def counted_together(self, table: Table, released: Released) -> tuple[str, ...]:
        """The variables whose joint counts, of all rows, the figures are exactly; none where they are not."""
        del table, released
        return ()

    def as_rows(self, schema: Schema, released: Released) -> Table | None:
        """The rows that exact counts are, each with how many people have it; None where figures are no such counts."""
        del schema, released
        return None

    def few_people(self, table: Table, released: Released, most: int) -> tuple[FewPeople, ...]:
        """Figures of so few people that their responses may follow from them; none where there are none."""
        del table, released, most
        return ()

    def responses(self) -> tuple[str, ...]:
        """Variables whose values figures of few people may tell, to whoever knows all others; by default none."""
        return ()

    def excluded(self, table: Table, released: Released) -> Mask:
        """Which rows nobody can have, by figures without a finite value; where figures are sums, these say it."""
        del released
        return np.zeros(table.n_rows, dtype=bool)

    def check_fields(self, schema: Schema) -> None:
        """Raise where the fields make no sense for these variables; `where` of the error is the field."""

    def sums(self, schema: Schema) -> sparse.csr_array | None:
        """Which figures are sums of which cells, (figures, cells); None where every figure stands alone."""
        del schema
        return None

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        """The least and the greatest value of the figures (a proportion: 0 and 1). n_rows: of the table, if known."""
        del schema, n_rows
        return -np.inf, np.inf

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        """What is wrong with released figures that lie in range each but not together (margins that do not add up)."""
        del schema, released, n_rows
        return None

    def usual_decimals(self) -> int:
        """To how many decimals computed figures are published where the spec does not say."""
        return 4  # as the regression of Elliot, Little & Allmendinger is printed

    def find_label(self, text: str, schema: Schema) -> str | None:
        """The label that a released figure's name stands for, where programs write it in other ways; None: as it is."""
        del text, schema
        return None

    @property
    def publishes_se(self) -> bool:
        """Whether computed standard errors are part of what is released: only where they are asked for."""
        return False

    def as_released(self, released: Released, table: Table) -> Output:
        """The same output with what released figures say of how they were made: the estimator of standard errors."""
        del released, table
        return self

    def searches_se(self, schema: Schema, released: Released) -> bool:
        """Whether released standard errors are lowered with the figures; where not, no search is held to them."""
        del schema, released
        return True

    def searched(self, schema: Schema) -> Mask | None:
        """Which figures the search is held to; None: all. Others follow from these but for last digits (a p value)."""
        del schema
        return None

    def read_value(self, label: str, text: str, schema: Schema) -> float | None:
        """The number behind a released text that is no number (a mode given as `Married`); None where there is none."""
        del label, text, schema
        return None

    def allowed(self, folder: Path | None = None) -> Output:
        """The same output, with the user's leave to run code that it names. folder: where names of files start."""
        del folder
        return self

    def placed(self, folder: Path) -> Output:
        """The same output, with the folder where names of its files start."""
        del folder
        return self

    def released_rows(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows that are released, where rows are, on the schema of the people that they were made from."""
        raise NotImplementedError

    @property
    def makes_rows(self) -> bool:
        """Whether it is known which rows would be released if other people were in the data."""
        return False

    def rows_of(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows that would be released if these were the people, where that is known."""
        raise NotImplementedError

    @property
    def written(self) -> Output:
        """The output as a spec has it."""
        return self

    @property
    def condenses(self) -> bool:
        """Whether it can be worked out from condensed people as it stands: by its kind, and without weights."""
        return self.can_condense and self.weights is None

    @property
    def growth(self) -> Growth:
        """What becomes of the figures when every row is there twice."""
        return "intensive"

    # What every kind has.

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """All variables it needs: its own, the weights', and those of `where`."""
        names = [*self.own_variables(), *([self.weights] if self.weights else [])]
        if self.where is not None:
            names += Condition.parse(self.where, schema).variables
        return tuple(dict.fromkeys(names))

    def check(self, schema: Schema) -> None:
        """Raise where the output cannot be computed from tables of this schema."""
        if self.where is not None:
            with in_field("where"):
                Condition.parse(self.where, schema)
        if self.weights is not None:
            with in_field("weights"):
                held = numeric(schema, self.weights)
                if held.numbers[: held.n_values].min(initial=0.0) < 0:
                    raise OutputError(f"weights of at least 0 are needed, {self.weights!r} has negative values.")
        if self.coarser:
            raise OutputError("this output was not made coarser.", where="coarser", hint="Read it with parse_output.")
        if self.method is not None and self.growth != "extensive":
            raise OutputError("a method changes counts, and these figures are none.", where="method")
        for name in self.own_variables():
            if name not in schema:
                raise unknown_variable(name, schema.names, where=self.field_of(name))
        self.check_fields(schema)

    def field_of(self, variable: str) -> str | None:
        """The field that names a variable, for the message."""
        for key, value in vars(self).items():
            listed = list(value) if isinstance(value, tuple) else [value]
            if key == "formula" or variable in listed:
                return f"{key}[{listed.index(variable)}]" if isinstance(value, tuple) else key
        return None

    def precision(self) -> Precision:
        """How the figures are printed where they are computed."""
        if (self.decimals, self.significant, self.base) == (None, None, None):
            return Precision(decimals=self.usual_decimals())
        return Precision(self.decimals, self.significant, self.base)

    def possible_where(self, hidden: Mask, schema: Schema, n_rows: int | None = None) -> tuple[Floats, Floats]:
        """The range of each figure. Where groups may be empty, a withheld figure need not exist: any number will do."""
        least, most = (np.broadcast_to(np.asarray(b, dtype=float), hidden.shape) for b in self.possible(schema, n_rows))
        if self.empty == "refuse":
            return least, most
        return np.where(hidden, -np.inf, least), np.where(hidden, np.inf, most)

    def se_precision(self, figures: Precision) -> Precision:
        """How standard errors are printed: as the kind's field `se_decimals` says, else as the figures are."""
        decimals = vars(self).get("se_decimals")
        return figures if decimals is None else Precision(decimals=decimals)

    def publish(self, figures: Figures, schema: Schema) -> Released:
        """Computed figures as they would be released: rounded, and withheld below the threshold."""
        precision = self.precision()
        se_precision = self.se_precision(precision)
        values, method = figures.values, self.method
        shown = values if method is None else method.printed(figures.labels, values, self.sums(schema), figures.keys)
        hidden = named_by(self.suppressed, figures.labels, schema)
        if self.threshold is not None:
            with np.errstate(invalid="ignore"):
                hidden |= figures.values < self.threshold
        released = printed(
            figures.labels,
            precision.rounded(shown),
            precision,
            suppressed=hidden,
            threshold=self.threshold,
            possible=self.possible_where(hidden, schema),
            se=None if figures.se is None or not self.publishes_se else se_precision.rounded(figures.se),
            se_precision=se_precision,
        )
        return Output.as_known(self, released, schema)  # no guess at what has no end: the fit knows it

    def as_known(self, released: Released, schema: Schema, n_rows: int | None = None) -> Released:
        """Printed figures with the intervals that they have for somebody who knows the method."""
        if self.method is None:
            return released
        given = np.isfinite(released.values)
        below, above = self.method.reach(np.where(given, released.values, 0.0), self.sums(schema))
        return released.within(below, above, self.possible_where(~given, schema, n_rows))
