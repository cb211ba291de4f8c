"""Survival: Kaplan–Meier steps, life tables, hazards, and the numbers at risk behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from divulge.errors import OutputError, suggest, unknown_variable
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.behind import Behind
from divulge.outputs.fields import in_field, numeric
from divulge.outputs.figures import Figures, Status
from divulge.outputs.grid import Grid, grid_of
from divulge.outputs.lowering.lowered import Block, Lowered
from divulge.outputs.lowering.rows import Groups, counted, row_weights, weight_term
from divulge.outputs.lowering.smooth import SmoothSums
from divulge.outputs.output import Example, Growth, Output
from divulge.outputs.released.precision import Released
from divulge.outputs.statbarn import Statbarn
from divulge.outputs.stated import Stated, stated_of_parts
from divulge.settings import Entries
from divulge.table import Schema, Table, Variable
from divulge.table.variable import value_text

Shown = Literal["survival", "at risk", "events", "censored", "hazard", "cumulative hazard"]
COUNTS = ("at risk", "events", "censored")

MOST_DERIVATIVES = 25_000_000
"""More figures × times are refused: their derivatives are held at once, in 200 megabytes."""


@dataclass(frozen=True, kw_only=True)
class Survival(Output):
    """The share that survives each time (Kaplan & Meier 1958), with the numbers at risk, events, and hazards.

    At each of `times`: at risk just before it; events and censored since the time before, up to and including it; the
    hazard, events ÷ at risk at that very time; its sum so far (Nelson 1972, Aalen 1978). With `breaks` a life table of
    the intervals between them (Cutler & Ederer 1958): censored ones count half, survival is that to the end of the
    interval, and the hazard is events ÷ person-time lived in it.
    """

    kind: ClassVar[str] = "survival"
    statbarn: ClassVar[Statbarn] = Statbarn.SURVIVAL
    can_suppress: ClassVar[bool] = True
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Free of illness until some ages",
            {"time": "AGE", "event": "LTILL", "observed": "Yes", "times": [20, 40, 60, 80]},
        ),
        Example(
            "By sex, with numbers at risk and cumulative hazard",
            {
                "time": "AGE",
                "event": "LTILL",
                "observed": "Yes",
                "by": ["SEX"],
                "times": [30, 60],
                "show": ["survival", "at risk", "events", "cumulative hazard"],
            },
        ),
        Example(
            "A life table",
            {
                "time": "AGE",
                "event": "LTILL",
                "observed": "Yes",
                "breaks": [0, 20, 40, 60, 80],
                "show": ["at risk", "events", "censored", "survival", "hazard"],
                "where": "TENURE = 1",
            },
        ),
    )

    time: Annotated[str, "The variable that holds how long each person was followed."]
    event: Annotated[str, "The variable that says how it ended."]
    observed: Annotated[str | None, "The value of `event` that counts; by default the second of two."] = None
    by: Annotated[tuple[str, ...], "The variables that make the groups; none: one group of all rows."] = ()
    times: Annotated[tuple[float, ...], "The times to show; none: every possible value."] = ()
    breaks: Annotated[tuple[float, ...], "The ends of the intervals of a life table, in order."] = ()
    show: Annotated[tuple[Shown, ...], "Which figures are published.", Entries(least=1, differ=True)] = ("survival",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len({self.time, self.event, *self.by}) != 2 + len(self.by):
            raise OutputError("time, event and groups must be different variables.", where="time")
        if self.times and self.breaks:
            raise OutputError("times and breaks exclude each other.", where="breaks", hint="Give one of them.")
        for field in ("times", "breaks"):
            given = getattr(self, field)
            if list(given) != sorted(set(given)) or (len(given) == 1 and field == "breaks"):
                raise OutputError("numbers in rising order are needed.", where=field)

    @property
    def growth(self) -> Growth:
        kinds = {name in COUNTS for name in self.show}
        return "neither" if len(kinds) > 1 else "extensive" if kinds == {True} else "intensive"

    def own_variables(self) -> tuple[str, ...]:
        return self.time, self.event, *self.by

    def check_fields(self, schema: Schema) -> None:
        if self.time not in schema:
            raise unknown_variable(self.time, schema.names, where="time")
        with in_field("time"):
            numeric(schema, self.time)
        self._observed(schema[self.event])
        n_groups = Groups.of(schema, self.by).n_groups
        n_times = len(self._marks(schema)) if self.breaks else schema[self.time].n_values
        n_figures = len(self.show) * n_groups * len(self._marks(schema))
        if n_figures * 2 * n_times * n_groups > MOST_DERIVATIVES:
            raise OutputError(
                f"{n_figures:,} figures of {n_times:,} times in {n_groups:,} groups are too many to look at together.",
                where="time",
                hint="Name the times to show, round the time, or take a variable out of by.",
            )

    def _observed(self, variable: Variable) -> int:
        if self.observed is None:
            if variable.n_values != 2:
                raise OutputError(
                    f"a variable with two values is needed, {variable.name!r} has {variable.n_values}.",
                    where="event",
                    hint="Say which value counts, as in observed: 1.",
                )
            return 1
        code = variable.code(self.observed)
        if code is None or code >= variable.n_values:
            raise OutputError(
                f"{variable.name!r} has no value {self.observed!r}.",
                where="observed",
                hint=suggest(self.observed, variable.tellable),
            )
        return code

    def _shown_times(self, schema: Schema) -> list[float]:
        return list(self.times) or [float(v) for v in schema[self.time].values.tolist()]

    def _marks(self, schema: Schema) -> list[str]:
        if self.breaks:
            return [f"[{a},{b})" for a, b in pairwise(value_text(float(b)) for b in self.breaks)]
        return [value_text(float(t)) for t in self._shown_times(schema)]

    def grid(self, schema: Schema) -> Grid:
        """Groups and times down, figures across."""
        groups, marks = Groups.of(schema, self.by), self._marks(schema)
        rows = [(*group, mark) for group in groups.shown(schema) for mark in marks]
        columns = [name.capitalize() for name in self.show]
        numbers = np.arange(len(rows) * len(columns)).reshape(len(columns), len(rows))
        return grid_of((*self.by, self.time), rows, columns, numbers.T, picture="steps")

    def labels(self, schema: Schema) -> tuple[str, ...]:
        marks = self._marks(schema)
        groups = Groups.of(schema, self.by).labels()
        return tuple(
            f"{name} {self.time}={mark}" + (f" | {group}" if group else "")
            for name in self.show
            for group in groups
            for mark in marks
        )

    def possible(self, schema: Schema, n_rows: int | None = None) -> tuple[Floats | float, Floats | float]:
        each = len(self.labels(schema)) // len(self.show)
        most = {"survival": 1.0, **dict.fromkeys(COUNTS, np.inf if n_rows is None or self.weights else float(n_rows))}
        if not self.breaks:
            most["hazard"] = 1.0
        return 0.0, np.repeat([most.get(name, np.inf) for name in self.show], each)

    def check_released(self, schema: Schema, released: Released, n_rows: int | None = None) -> str | None:
        shape = len(self.show), Groups.of(schema, self.by).n_groups, -1
        low, high = released.low.reshape(shape), released.high.reshape(shape)
        for i, name in enumerate(self.show):
            # The greatest that a later figure may be is at least the least that an earlier one may be, and so on.
            if name in ("survival", "at risk") and (low[i, :, 1:] > high[i, :, :-1]).any():
                return f"{name} rises with time, which it cannot."
            if name == "cumulative hazard" and (high[i, :, 1:] < low[i, :, :-1]).any():
                return f"{name} falls with time, which it cannot."
        return None

    def behind(self, table: Table) -> tuple[Behind, ...]:
        groups = Groups.of(table.schema, self.by)
        time = table.schema[self.time].numbers[table[self.time]]
        everybody, step, n_steps = self._steps(table)
        rows = everybody & (table[self.event] == self._observed(table.schema[self.event]))
        inside = rows & (step >= 0) & (step < n_steps)
        group = np.where(inside, groups.numbers(table) * n_steps + step, -1)
        of_all = np.where(everybody, groups.numbers(table), -1)
        texts = tuple(text or "all rows" for text in groups.labels())
        curves = Behind("curve", np.full(groups.n_groups, -1), of_all, names=self.by, shape=groups.shape, texts=texts)
        events = Behind("events", np.arange(groups.n_groups * n_steps), group)
        left = np.where(everybody & ~rows & (step >= 0) & (step < n_steps), groups.numbers(table) * n_steps + step, -1)
        counts = [
            Behind("count", self.show.index(name) * events.n_groups + events.figures, who)
            for name, who in (("events", group), ("censored", left))
            if name in self.show
        ]
        last = [] if self.breaks else [self._last_step(time, of_all, events, table)]
        return events, curves, *counts, *last

    def _steps(self, table: Table) -> tuple[Mask, Integers, int]:
        """Who counts, up to which time or in which interval each is followed, and how many of these there are."""
        time = table.schema[self.time].numbers[table[self.time]]
        everybody = counted(self, table, (self.time, self.event, *self.by))
        if self.breaks:
            return everybody, np.searchsorted(self.breaks, time, side="right") - 1, len(self.breaks) - 1
        shown = self._shown_times(table.schema)
        return everybody, np.searchsorted(shown, time, side="left"), len(shown)

    def _last_step(self, time: Floats, curve: Integers, events: Behind, table: Table) -> Behind:
        """Those with whom each curve ends at zero: nobody was followed longer, and their time is told."""
        shown = np.array(self._shown_times(table.schema))
        n_curves = events.n_groups // len(shown)
        longest = np.full(n_curves, -np.inf)
        np.maximum.at(longest, curve[curve >= 0], time[curve >= 0])
        is_last = (curve >= 0) & (time == np.append(longest, np.nan)[curve])
        # Where one of them has another end, or is followed beyond what is shown, the curve stays above zero.
        told = np.isfinite(longest)
        told[curve[is_last & (events.group < 0)]] = False
        step = np.minimum(np.searchsorted(shown, longest, side="left"), len(shown) - 1)
        possible = np.sort(table.schema[self.time].numbers[: table.schema[self.time].n_values])
        before = np.where(step > 0, shown[step - 1], -np.inf)
        told &= np.searchsorted(possible, shown[step], "right") - np.searchsorted(possible, before, "right") == 1
        figures = np.where(told, np.arange(n_curves) * len(shown) + step, -1)
        group = np.where(is_last & np.append(told, False)[curve], curve, -1)
        return Behind("last step", figures, group, self.time)

    def stated(self, table: Table, released: Released) -> Sequence[Stated]:
        """What the times, or the numbers of their intervals, add up to: by counts, or a curve with enough digits."""
        groups, (rows, step, n_steps) = Groups.of(table.schema, self.by), self._steps(table)
        weights = row_weights(self, table)
        rows &= weights > 0
        halves = dict(zip(self.show, released.half.reshape(len(self.show), -1).max(axis=1).tolist(), strict=True))
        is_every = not self.breaks and not self.times
        counted_out = {"events", "censored"} <= {*self.show} or ("at risk" in self.show and is_every)
        is_exact = counted_out and all(halves[name] <= 0.5 for name in COUNTS if name in halves)
        is_curve = is_every and halves.get("survival", np.inf) * rows.sum() < 0.5
        if not rows.any() or (weights[rows] != 1).any() or not (is_exact or is_curve):
            return ()
        cuts = (self.breaks, "left") if self.breaks else ((-np.inf, *self._shown_times(table.schema)), "right")
        group = np.where(rows & (step >= 0) & (step < n_steps), groups.numbers(table), -1)
        one = stated_of_parts(self.time, cuts, step, group, groups.n_groups, table)
        return [one if is_exact else replace(one, link="other")]

    def evaluate(self, table: Table) -> Figures:
        return self._sums(table.schema).evaluate(self.labels(table.schema), table, Status.EMPTY_GROUP)

    def lower(self, schema: Schema, released: Released) -> Lowered:
        return self._sums(schema).lower(released)

    def describe(self) -> str:
        what = "Life table" if self.breaks else "Survival"
        text = f"{what} of {self.time} until {self.event}" + (f" by {' × '.join(self.by)}" if self.by else "")
        return text + (f", where {self.where}" if self.where else "") + "."

    def _sums(self, schema: Schema) -> SmoothSums:
        """Censored and events of each group, at each time or in each interval."""
        groups = Groups.of(schema, (*self.by, self.time, self.event))
        n_times, n_ends = groups.shape[-2:]
        n_groups = groups.n_groups // (n_times * n_ends)
        values, shown = schema[self.time].numbers[:n_times], np.array(self._shown_times(schema))
        breaks = np.array(self.breaks)
        # A life table needs no more than who leaves in which interval, before the first and after the last.
        step = np.searchsorted(breaks, values, side="right") if self.breaks else np.arange(n_times)
        n_steps = len(breaks) + 1 if self.breaks else n_times
        is_event = np.arange(n_ends) == self._observed(schema[self.event])
        index = 2 * (n_steps * np.arange(n_groups)[:, None, None] + step[:, None]) + is_event
        block = Block((groups.term(index=index.ravel()),), 2 * n_groups * n_steps, weight=weight_term(self, schema))

        def figures(totals: Floats) -> Floats:
            exits = totals.reshape(n_groups, n_steps, 2)
            found = [
                _life_table(breaks, each[:, 1], each[:, 0])
                if self.breaks
                else _kaplan_meier(values, each[:, 1], each[:, 0], shown)
                for each in exits
            ]
            is_empty = (exits.sum(axis=(1, 2)) < _NOBODY)[:, None]
            return np.concatenate([np.where(is_empty, np.nan, [f[name] for f in found]).ravel() for name in self.show])

        def derivatives(totals: Floats) -> Floats:
            exits = totals.reshape(n_groups, n_steps, 2)
            jacobian = np.zeros((len(self.show), n_groups, len(shown), n_groups, 2 * n_steps))
            for g, each in enumerate(exits):
                found = _kaplan_meier_derivatives(values, each[:, 1], each[:, 0], shown)
                for i, name in enumerate(self.show):
                    jacobian[i, g, :, g] = found[name].reshape(len(shown), -1)
            return jacobian.reshape(-1, len(totals))

        return SmoothSums((block,), figures, None if self.breaks else derivatives)


_NOBODY = 1e-3
"""Less at risk than that is nobody: differences take some 1e-5 off or on, and a person has a weight far above it."""

_NONE_LEFT = 1e-12
"""The share that survives a time at which everybody at risk has the event: the derivative of 0 · x is not lost."""


def _kaplan_meier(values: Floats, events: Floats, censored: Floats, shown: Floats) -> dict[str, Floats]:
    """Figures at the shown times from events and censored at each value (Kaplan & Meier 1958)."""
    at_risk = _at_risk(events + censored)
    hazard = np.divide(events, at_risk, out=np.zeros_like(events), where=at_risk > _NOBODY)
    first, is_value = _values_at(values, shown)
    alive = np.append(at_risk, 0.0)[first]
    now = np.where(is_value, np.append(hazard, 0.0)[first], 0.0)
    return {
        "survival": _at(np.cumprod(1.0 - hazard), values, shown, 1.0),
        "at risk": alive,
        "events": np.diff(_at(np.cumsum(events), values, shown), prepend=0.0),
        "censored": np.diff(_at(np.cumsum(censored), values, shown), prepend=0.0),
        "hazard": np.where(alive > _NOBODY, now, np.nan),
        "cumulative hazard": _at(np.cumsum(hazard), values, shown),
    }


def _kaplan_meier_derivatives(values: Floats, events: Floats, censored: Floats, shown: Floats) -> dict[str, Floats]:
    """The same figures' derivatives, (times, values, 2): by the censored and by the events at each value.

    With n_i = Σ_{u ≥ i} (e_u + c_u) and h_i = e_i / n_i, whoever leaves at u is at risk at every i ≤ u, so that
    ∂h_i/∂c_u = −e_i / n_i² there, and an event at u adds 1 / n_u to h_u. Survival is Π (1 − h_i).
    """
    at_risk = _at_risk(events + censored)
    share = np.divide(1.0, at_risk, out=np.zeros_like(at_risk), where=at_risk > _NOBODY)
    hazard = events * share
    left: Floats = np.maximum(1.0 - hazard, _NONE_LEFT)
    place = np.arange(len(values))
    until = np.searchsorted(values, shown, side="right")
    first, is_value = _values_at(values, shown)
    before = place < until[:, None]
    later = (place >= first[:, None]).astype(np.float64)
    between = before & (place >= np.concatenate([[0], until[:-1]])[:, None])
    survival = _at(np.cumprod(left), values, shown, 1.0)[:, None]
    here = np.append(hazard * share, 0.0)[first] * is_value
    at_it = (place == first[:, None]) * is_value[:, None]
    nothing, between_them = np.zeros(before.shape), between.astype(np.float64)
    of_survival = survival * _so_far(hazard * share / left, until)
    of_hazard = -here[:, None] * later
    of_sum = -_so_far(hazard * share, until)
    return {
        "survival": _both(of_survival, of_survival - survival * before * (share / left)),
        "at risk": _both(later, later),
        "events": _both(nothing, between_them),
        "censored": _both(between_them, nothing),
        "hazard": _both(of_hazard, of_hazard + at_it * share),
        "cumulative hazard": _both(of_sum, of_sum + before * share),
    }


def _life_table(breaks: Floats, events: Floats, censored: Floats) -> dict[str, Floats]:
    """Figures of the intervals [b, next b) (Cutler & Ederer 1958).

    events, censored: in each interval, after those before the first break and before those from the last one on.
    """
    died, left, exits = events[1:-1], censored[1:-1], events + censored
    entered = _at_risk(exits)[1:-1]
    exposed = entered - left / 2
    chance = np.divide(died, exposed, out=np.zeros_like(died), where=exposed > _NOBODY)
    with np.errstate(divide="ignore", invalid="ignore"):
        hazard = died / (np.diff(breaks) * (exposed - died / 2))
    return {
        "survival": np.cumprod(1.0 - chance),
        "at risk": entered,
        "events": died,
        "censored": left,
        "hazard": np.where(exposed > _NOBODY, hazard, np.nan),
        "cumulative hazard": np.cumsum(chance),
    }


def _at_risk(exits: Floats) -> Floats:
    """Whoever leaves at a time or later is at risk at it."""
    return np.asarray(np.cumsum(exits[::-1])[::-1])


def _values_at(values: Floats, shown: Floats) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The first value at or after each shown time, and whether it is that very time."""
    first = np.searchsorted(values, shown, side="left")
    return first, np.append(values, np.nan)[first] == shown


def _at(steps: NDArray[np.floating[Any]], values: Floats, shown: Floats, start: float = 0.0) -> Floats:
    """A step function of the values at the shown times; `start` before the first value."""
    return np.concatenate([[start], steps])[np.searchsorted(values, shown, side="right")]


def _so_far(steps: Floats, until: NDArray[np.intp]) -> Floats:
    """(times, values): the sum of the steps up to the value, or up to the time where that comes first."""
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(sums[np.minimum(np.arange(1, len(steps) + 1), until[:, None])])


def _both(by_censored: Floats, by_events: Floats) -> Floats:
    return np.stack([by_censored, by_events], axis=-1)
