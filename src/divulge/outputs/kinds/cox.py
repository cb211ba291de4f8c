"""Cox regression: proportional hazards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError, unknown_variable
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
from divulge.outputs.lowering.lowered import Lowered
from divulge.outputs.lowering.rows import Groups, counted
from divulge.outputs.models.baseline import At, Baseline
from divulge.outputs.models.behind import model_behind
from divulge.outputs.models.durations import event_behind, event_values
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.hazards import Spells
from divulge.outputs.models.matrix import ModelRows, model_rows
from divulge.outputs.models.model import Model, number_response
from divulge.outputs.models.newton import Estimate
from divulge.outputs.models.risk_sets import carries, events_of, lower_hazards
from divulge.outputs.models.standard_errors import Scores
from divulge.outputs.output import Example, Growth
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table, Variable
from divulge.table.variable import value_text


@dataclass(frozen=True, kw_only=True)
class Cox(Estimated):
    """Coefficients (log hazard ratios) of a proportional hazards model (Cox 1972), with ties by Efron 1977 or Breslow
    1974. With `entry`, rows are at risk from then on: people whose covariates change have several rows."""

    kind: ClassVar[str] = "cox"
    is_of_order: ClassVar[bool] = True
    title: ClassVar[str] = "Cox regression"
    statsmodels: ClassVar[str] = "PHReg"
    has_intercept: ClassVar[bool] = False
    ratio: ClassVar[str] = "hazard ratio"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age at illness by sex and tenure",
            {
                "formula": "AGE ~ SEX + TENURE",
                "event": "LTILL",
                "observed": "Yes",
                "where": "AGE <= 60",
                "statistics": ["se"],
            },
        ),
        Example(
            "Breslow's ties, stratified by sex",
            {"formula": "AGE ~ TENURE", "event": "LTILL", "observed": "Yes", "ties": "breslow", "strata": ["SEX"]},
        ),
        Example(
            "With the baseline's survival",
            {"formula": "AGE ~ TENURE", "event": "LTILL", "observed": "Yes", "times": [30, 60, 80], "decimals": 3},
        ),
    )

    formula: Annotated[str, "The model, as in `DAYS ~ AGE + C(AREA)`: the time is on the left."]
    event: Annotated[str, "The variable that says whether the event was seen."]
    observed: Annotated[str | None, "The value that says so; by default the second of two."] = None
    ties: Annotated[Literal["efron", "breslow"], "How tied times count: efron (R) or breslow (Stata)."] = "efron"
    strata: Annotated[tuple[str, ...], "Variables whose groups have a baseline hazard each."] = ()
    entry: Annotated[str | None, "The variable of the time from which on a row is at risk."] = None
    times: Annotated[tuple[float, ...], "The times at which the baseline is published, in order; none: it is not."] = ()
    baseline: Annotated[Literal["survival", "cumulative hazard"], "What is published of the baseline."] = "survival"
    at: Annotated[
        At,
        "Whose baseline it is, by covariates: at zero (Stata), at their means (lifelines), or at "
        "the means of those with other values than −1, 0 and 1, the rest at zero (R).",
    ] = "zero"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.errors in ("HC1", "HC2", "HC3", "quasi", "cluster", "survey"):
            raise OutputError(
                f"standard errors {self.errors} of Cox models are not computed.",
                where="errors",
                hint="Robust: HC0 (R), robust-ml (Stata); clustered: cluster-plain (R), cluster-ml (Stata).",
            )

    def further(self, schema: Schema) -> tuple[str, ...]:
        """The baseline, by stratum and time."""
        time = self.formula.partition("~")[0].strip()
        said = [f"baseline {self.baseline} {time}={value_text(float(t))}" for t in self.times]
        groups = Groups.of(schema, self.strata).labels()
        return tuple(text + (f" | {group}" if group else "") for group in groups for text in said)

    def range_of(self, label: str) -> tuple[float, float]:
        del label
        return 0.0, 1.0 if self.baseline == "survival" else np.inf

    def baseline_of(self, model: Model, schema: Schema) -> Baseline:
        """What is published of the baseline."""
        values = np.unique(model.y[np.isfinite(model.y)])
        n_strata = max(Groups.of(schema, self.strata).n_groups, 1)
        return Baseline(_shown_times(values, self.times), n_strata, self.baseline == "survival", self.at)

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return number_response(formula, variable, counts)

    def needs(self) -> tuple[str, ...]:
        return (self.event, *self.strata, *(() if self.entry is None else (self.entry,)), *super().needs())

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        event_values(schema, self.event, self.observed)
        if list(self.times) != sorted(set(self.times)):
            raise OutputError("numbers in rising order are needed.", where="times")
        for i, name in enumerate(self.strata):
            if name not in schema:
                raise unknown_variable(name, schema.names, where=f"strata[{i}]")
        if not self.model(schema).design.n_columns:
            raise OutputError("at least one covariate is needed.", where="formula")

    def second(self, schema: Schema) -> tuple[str, Floats] | None:
        return self.event, event_values(schema, self.event, self.observed)

    def behind(self, table: Table) -> tuple[Behind, ...]:
        model = self.model_in(table)
        whole, *more = model_behind(self, table, model)
        found = (whole, *more, event_behind(whole, table, self.event, self.observed))
        if not self.times:
            return found
        time = model.y[table[model.formula.response.variable]]
        seen = event_values(table.schema, self.event, self.observed)[table[self.event]] == 1.0
        group = Groups.of(table.schema, self.strata).numbers(table)
        inside = (whole.group >= 0) & counted(self, table, self.needs()) & seen
        figures = model.n_coefficients + np.arange(len(self.further(table.schema)))
        return *found, Behind("events", figures, _steps_of(time, self.times, group, inside))

    def spells(self, model: Model, table: Table, is_collapsed: bool = True) -> tuple[Spells, ModelRows]:
        """The rows at risk. is_collapsed: those that are alike as one."""
        rows = model_rows(self, model, table, self.needs(), self.second(table.schema), is_collapsed)
        times = np.unique(model.y[np.isfinite(model.y)])
        exits = np.searchsorted(times, rows.y)
        entry = np.full(rows.size, -1)
        if self.entry is not None:
            start = table.schema[self.entry].numbers[table[self.entry][rows.kept]]
            entry = np.searchsorted(times, start, side="right") - 1  # at risk after it
            # Whoever leaves before they enter was never at risk.
            inside = entry < exits
            rows, entry, exits = rows.where(inside), entry[inside], exits[inside]
        stratum = Groups.of(table.schema, self.strata).numbers(table)[rows.kept]
        _, number = np.unique(stratum, return_inverse=True)
        made = Spells(
            rows.x, rows.weight, rows.counts, entry, exits, rows.second, number, len(times), self.ties == "efron"
        )
        return made, rows

    def fitted(self, table: Table) -> tuple[Model, ModelRows, Estimate]:
        model = self.model_in(table)
        spells, rows = self.spells(model, table)
        fit = spells.fit(np.zeros(model.design.n_columns))
        strata = np.unique(Groups.of(table.schema, self.strata).numbers(table)[rows.kept])
        shown = self.baseline_of(model, table.schema).figures(spells, fit.beta, strata)
        return model, rows, replace(fit, extra=shown)

    def lower_coefficients(self, schema: Schema, released: Released) -> Lowered:
        model = self.model(schema)
        seen = event_values(schema, self.event, self.observed)
        return lower_hazards(self, model, schema, released, lambda table: self.spells(model, table)[0], seen)

    def searches_se(self, schema: Schema, released: Released) -> bool:
        """Where events can carry all digits."""
        base, p = self.of_coefficients(schema, released), self.model(schema).n_coefficients
        events = events_of(schema, base, self.event, event_values(schema, self.event, self.observed))
        return self.errors == "model" and carries(base, p, events)

    def straight(self, model: Model, table: Table, name: str) -> Mask | None:
        """Rows whose event may be seen or not, each by itself: with Breslow's ties all, with Efron's one of those who
        leave at the same time."""
        if name != self.event:
            return None
        found = np.ones(table.n_rows, dtype=bool)
        if self.ties == "efron":
            spells, rows = self.spells(model, table)
            found[:] = False
            found[rows.kept[spells.turned()[1]]] = True
        return found

    @property
    def growth(self) -> Growth:
        """Twice as many people have other ties, which Efron's way takes into account."""
        return "neither" if self.ties == "efron" else super().growth

    def errors_of(self, rows: ModelRows, fit: Estimate, table: Table) -> Floats:
        """Robust and clustered ones by the rows' score residuals (Lin & Wei 1989). The baseline has none."""
        of_baseline = np.full(len(fit.extra), np.nan)
        if self.errors == "model" or not fit.keep.any():
            return np.append(super().errors_of(rows, replace(fit, extra=np.zeros(0)), table), of_baseline)
        spells, each = self.spells(self.model_in(table), table, is_collapsed=False)
        parts = spells.score_residuals(np.nan_to_num(fit.beta))
        scores = Scores(parts, np.nan_to_num(fit.inverse()), None, int(fit.keep.sum()))
        return np.append(self.by_scores(scores, each, fit, table), of_baseline)

    def estimators(self) -> Iterator[Estimated]:
        yield self
        if self.errors == "model":
            yield from (replace(self, errors=errors) for errors in ("HC0", "robust-ml"))

    def describe(self) -> str:
        by: Any = f", stratified by {' × '.join(self.strata)}" if self.strata else ""
        return super().describe()[:-1] + f", until {self.event}{by}."


def _shown_times(times: Floats, shown: tuple[float, ...]) -> Integers:
    """For each time that is shown the number of the last one up to it; −1: none."""
    return np.searchsorted(times, shown, side="right") - 1


def _steps_of(times: Floats, shown: tuple[float, ...], group: Integers, rows: Mask) -> Integers:
    """The step of each row, by group: the first shown time that its own is not beyond; −1: none."""
    step = np.searchsorted(shown, times, side="left")
    return np.where(rows & (step < len(shown)), group * len(shown) + step, -1)
