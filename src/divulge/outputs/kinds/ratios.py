"""Odds ratios, risk ratios and risk differences of an outcome between groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from scipy.special import ndtri

from divulge.errors import OutputError, suggest
from divulge.kernels.arrays import Floats
from divulge.outputs.behind import Behind
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, counted, shown_levels, weight_term
from divulge.outputs.lowering.smooth import SmoothSums
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.table import Schema, Table, Variable


@dataclass(frozen=True, kw_only=True)
class Ratios(Output):
    """How many times the odds (or the risk) of an outcome in each group are those in the reference group.

    Intervals are those of the logarithm (Woolf 1955 for odds, Katz et al. 1978 for risks) or of the difference itself
    (Wald). A group without rows on both sides has no odds ratio.
    """

    kind: ClassVar[str] = "ratios"
    statbarn: ClassVar[Statbarn] = Statbarn.RATIOS
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Odds of renting, women against men", {"outcome": "TENURE", "exposure": "SEX"}),
        Example(
            "Risk of illness by tenure, with 95 % intervals",
            {"outcome": "LTILL", "event": "Yes", "exposure": "TENURE", "measure": "risk", "interval": 0.95},
        ),
        Example(
            "Difference of risks between areas",
            {
                "outcome": "TENURE",
                "exposure": "AREAP",
                "reference": "58",
                "measure": "difference",
                "where": "AGE >= 16",
            },
        ),
    )

    outcome: Annotated[str, "The variable that holds the outcome."]
    exposure: Annotated[str, "The variable that makes the groups."]
    measure: Annotated[Literal["odds", "risk", "difference"], "Ratio of odds, ratio of risks, or their difference."] = (
        "odds"
    )
    event: Annotated[str | None, "The value of the outcome that counts; by default the second of two."] = None
    reference: Annotated[str | None, "The group that others are compared with; by default the first."] = None
    interval: Annotated[float | None, "The level of the confidence intervals to publish, such as 0.95."] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.outcome == self.exposure:
            raise OutputError("outcome and exposure must differ.", where="exposure")
        if self.interval is not None and not 0 < self.interval < 1:
            raise OutputError(
                f"a level between 0 and 1 is needed, {self.interval:g} is given.", where="interval", hint="Write 0.95."
            )

    @property
    def growth(self) -> Growth:
        return "intensive" if self.interval is None else "neither"

    def own_variables(self) -> tuple[str, ...]:
        return self.outcome, self.exposure

    def check_fields(self, schema: Schema) -> None:
        self._event(schema[self.outcome])
        self._reference(schema[self.exposure])
        if schema[self.exposure].n_values < 2:
            raise OutputError(f"two groups are needed, {self.exposure!r} has one value.", where="exposure")

    def _event(self, variable: Variable) -> int:
        if self.event is None:
            if variable.n_values != 2:
                raise OutputError(
                    f"a variable with two values is needed, {variable.name!r} has {variable.n_values}.",
                    where="outcome",
                    hint="Say which value counts, as in event: 3.",
                )
            return 1
        return _code(variable, self.event, "event")

    def _reference(self, variable: Variable) -> int:
        return 0 if self.reference is None else _code(variable, self.reference, "reference")

    def labels(self, schema: Schema) -> tuple[str, ...]:
        variable = schema[self.exposure]
        reference = self._reference(variable)
        groups = [f"{variable.name}={t}" for i, t in enumerate(variable.texts[: variable.n_values]) if i != reference]
        ends = [""] if self.interval is None else ["", "low ", "high "]
        return tuple(f"{end}{group}" for group in groups for end in ends)

    def grid(self, schema: Schema) -> Grid:
        variable = schema[self.exposure]
        shown = enumerate(shown_levels(variable, variable.n_values))
        rows = [(text,) for i, text in shown if i != self._reference(variable)]
        title = {"odds": "Odds ratio", "risk": "Risk ratio", "difference": "Difference of risk"}[self.measure]
        columns = (title,) if self.interval is None else (title, "Low", "High")
        return grid_of((self.exposure,), rows, columns, np.arange(len(rows) * len(columns)))

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        if self.measure == "difference":
            # An interval of a difference may reach beyond −1 and 1.
            return (-1.0, 1.0) if self.interval is None else (-np.inf, np.inf)
        return 0.0, np.inf

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        if self.interval is None:
            return None
        value, low, high = released.values.reshape(-1, 3).T
        half = 2 * released.half.reshape(-1, 3)[:, 0]
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero((low > value + half) | (high < value - half))
        if len(wrong):
            return f"{released.labels[3 * int(wrong[0])]!r} lies outside its own interval."
        return None

    def behind(self, table: Table) -> tuple[Behind, ...]:
        exposure, outcome = table.schema[self.exposure], table.schema[self.outcome]
        is_event = table[self.outcome] == self._event(outcome)
        group = 2 * table[self.exposure].astype(np.int64) + is_event
        group = np.where(counted(self, table, (self.outcome, self.exposure)), group, -1)
        texts = [f"{self.exposure}={t}" for t in exposure.texts[: exposure.n_values]]
        named = tuple(f"{text} & {self.outcome} {is_so}" for text in texts for is_so in ("other", "event"))
        return (Behind("ratio", np.full(len(named), -1), group, texts=named),)

    def evaluate(self, table: Table) -> Figures:
        return self._sums(table.schema).evaluate(self.labels(table.schema), table, Status.EMPTY_GROUP)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        what = {"odds": "Odds ratios", "risk": "Risk ratios", "difference": "Differences of risk"}[self.measure]
        text = f"{what} of {self.outcome} by {self.exposure}"
        text += f" with {100 * self.interval:g} % intervals" if self.interval is not None else ""
        return text + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> SmoothSums:
        """Rows without and with the event, in each group."""
        outcome, exposure = schema[self.outcome], schema[self.exposure]
        event, reference = self._event(outcome), self._reference(exposure)
        groups = Groups.of(schema, (self.exposure, self.outcome))
        n_groups, n_values = groups.shape
        index = 2 * np.repeat(np.arange(n_groups), n_values) + np.tile(np.arange(n_values) == event, n_groups)
        block = Block((groups.term(index=index),), 2 * n_groups, weight=weight_term(self, schema))
        z = 0.0 if self.interval is None else float(ndtri(0.5 + self.interval / 2))

        def figures(totals: Floats) -> Floats:
            pairs = totals.reshape(*totals.shape[:-1], n_groups, 2)
            others = np.arange(n_groups) != reference
            found = _compared(self.measure, pairs[..., 1], pairs[..., 0], reference, z)[..., others, :]
            shown = found if self.interval is not None else found[..., :1]
            return np.asarray(shown.reshape(*totals.shape[:-1], -1))

        return SmoothSums((block,), figures, are_counts=self.weights is None)


def _code(variable: Variable, value: str, field: str) -> int:
    code = variable.code(value)
    if code is None or code >= variable.n_values:
        raise OutputError(
            f"{variable.name!r} has no value {value!r}.",
            where=field,
            hint=suggest(value, variable.tellable),
        )
    return code


def _compared(measure: str, events: Floats, without: Floats, reference: int, z: float) -> Floats:
    """(…, groups, 3): each group compared with the reference, and the ends of its interval; NaN where undefined."""
    # Central differences take some ten-thousandths off a cell; an occupied one has at least a row.
    a, b = np.where(events > 1e-3, events, 0.0), np.where(without > 1e-3, without, 0.0)
    n, base = a + b, slice(reference, reference + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        risk = a / n
        if measure == "difference":
            value = risk - risk[..., base]
            variance = risk * (1 - risk) / n
            width = z * np.sqrt(variance + variance[..., base])
            return np.stack([value, value - width, value + width], axis=-1)
        if measure == "odds":
            value = (a / b) / (a[..., base] / b[..., base])
            variance = 1 / a + 1 / b
        else:
            value = risk / risk[..., base]
            variance = 1 / a - 1 / n
        width = z * np.sqrt(variance + variance[..., base])
        return np.stack([value, value * np.exp(-width), value * np.exp(width)], axis=-1)
