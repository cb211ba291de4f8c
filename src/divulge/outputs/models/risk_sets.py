"""How a Cox model lowers. Its score is no sum over rows, since every row is at risk with others, but what one row adds
is known: δ (x − mean at its time) − e^η ∫ (x − mean) dΛ (Lin & Wei 1989). With means and hazards of the table at hand
that is linear in sums by time; so is the information, whose derivative along c is δ V(c) + e^η ∫ ((c'x − c'mean)² −
V(c)) dΛ. Sums over those at risk are by bins of time where times are many; sums over events are not: who is at risk
does not change with who has the event, so that what events add is exact, and the last digits are found among them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from divulge.kernels import glm
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.lowering import NOTHING
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.models.baseline import Baseline
from divulge.outputs.models.design import schema_counts
from divulge.outputs.models.hazards import Partial, Spells
from divulge.outputs.models.model import Model
from divulge.outputs.models.pieces import crossed, times
from divulge.outputs.models.refit import about_rows, drawn_table, inverted, pair_of_terms
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table

_MOST_BINS = 120
"""Times × strata that are told apart among those at risk; means and hazards hardly change from one to the next."""

_MOST_TOTALS = 60_000
"""Totals up to which events are counted by every single time; beyond, by the same bins."""

_MOST_BITS = 45.0
"""Bits of coefficients and standard errors up to which both are looked for together. Measured on lung and colon: with
38 all are found, with 55 not even the coefficients."""


@dataclass(frozen=True, eq=False)
class _Bins:
    """Times put together. of_time: the bin of each time."""

    of_time: Integers
    n: int
    n_strata: int

    @classmethod
    def of(cls, n_times: int, n: int, n_strata: int) -> _Bins:
        n = max(1, min(n, n_times))
        return cls(np.arange(n_times) * n // max(n_times, 1), n, n_strata)

    @property
    def cells(self) -> int:
        return self.n * self.n_strata

    def averaged(self, values: Floats, weight: Floats, strata: Integers) -> Floats:
        """Averages over the times of each bin, (strata × bins, …), from (strata, times, …). strata: the number of each
        stratum at hand among all."""
        found = np.zeros((self.n_strata, self.n, *values.shape[2:]))
        below = np.zeros((len(strata), self.n))
        above = np.zeros((len(strata), self.n, *values.shape[2:]))
        for g in range(len(strata)):
            np.add.at(below[g], self.of_time, weight[g])
            np.add.at(above[g], self.of_time, weight[g].reshape(-1, *(1,) * (values.ndim - 2)) * values[g])
        found[strata] = above / below.reshape(*below.shape, *(1,) * (values.ndim - 2))
        return found.reshape(self.cells, *values.shape[2:])

    def term(self, groups: Groups, time: str, place: Integers, known: Mask) -> Term:
        """One column for each stratum and bin. place: the number of the time of each code of a variable."""
        level = np.where(known, self.of_time[np.clip(place, 0, len(self.of_time) - 1)], -1).astype(np.int64)
        index = np.arange(self.cells)
        cells, stride = [np.where(level < 0, NOTHING, level).astype(np.int32)], self.n
        for levels, size in zip(reversed(groups.levels), reversed(groups.shape), strict=True):
            cells.append(np.where(levels < 0, NOTHING, levels * stride).astype(np.int32))
            stride *= size
        names = (*groups.names, time)
        return Term(names, tuple(reversed(cells)), (None,) * len(names), index.astype(np.int32), np.ones(len(index)))


@dataclass(frozen=True, eq=False)
class _HazardResiduals:
    """Coefficients of the fit − released, its baseline − released, rows − released where that is a figure, then
    standard errors − released.

    Totals, by bin of time (and stratum): Σ e^η xx' where there are standard errors, Σ e^η x and Σ e^η at the exit; the
    same at the entry where rows enter late; the same of events by single times where ties are Efron's; events by single
    times; then Σ x over events, and rows.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    spells: Callable[[Table], Spells]
    beta: Floats
    at_risk: _Bins
    at_events: _Bins
    enters: bool
    released_rows: float | None
    strata: Callable[[Table], Integers]
    se: Floats | None
    baseline: Baseline
    shown: Floats
    """What was released of the baseline."""

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        spells, given = self.spells(table), np.isfinite(self.se if self.se is not None else np.zeros(0))
        if not len(spells.x):
            n = len(self.beta) + self.baseline.n + int(given.sum())
            return self._with_rows(np.ones(n), np.zeros((n, len(totals))), totals)
        with np.errstate(all="ignore"):
            found = spells.partial(self.beta)
        inverse, is_lost = inverted(np.where(np.isfinite(found.information), found.information, 0.0))
        variance = np.maximum(np.diagonal(inverse), np.finfo(float).tiny)
        residuals = self._refitted(spells, inverse @ np.nan_to_num(found.score), is_lost)
        residuals = np.where(is_lost, residuals + np.sqrt(variance), residuals)
        strata = self.strata(table)
        slopes = _Slopes(self, found, spells, strata)
        jacobian = inverse @ slopes.of_score(len(totals))
        if self.baseline.n:
            fitted = self.beta + np.where(is_lost, 0.0, residuals)
            figures = self.baseline.figures(spells, fitted, strata)
            known = np.nan_to_num(figures, nan=0.0)
            by_totals = self.baseline.by_hazards(known)[:, None] * slopes.of_baseline(jacobian)
            jacobian = np.concatenate([jacobian, by_totals])
            residuals = np.append(residuals, known - self.shown)
        if self.se is not None:
            se = np.sqrt(variance[given])
            residuals = np.append(residuals, se - self.se[given])
            of_errors = slopes.of_information(inverse[given], len(totals)) / (-2.0 * se)[:, None]
            jacobian = np.concatenate([jacobian, of_errors])
        return self._with_rows(residuals, jacobian, totals)

    def _with_rows(self, residuals: Floats, jacobian: Floats, totals: Floats) -> tuple[Floats, Floats]:
        """With the number of rows, where that is a figure."""
        if self.released_rows is None:
            return residuals, jacobian
        at = len(self.beta) + self.baseline.n
        count = np.zeros((1, len(totals)))
        count[0, -1] = 1.0
        n = totals[-1] - self.released_rows
        return np.insert(residuals, at, n), np.concatenate([jacobian[:at], count, jacobian[at:]])

    def _refitted(self, spells: Spells, change: Floats, is_lost: Mask) -> Floats:
        """Coefficients of the refit − released: a second step of Newton's, for what the first one leaves."""
        with np.errstate(all="ignore"):
            there = spells.partial(self.beta + change)
            step = glm.solve_scaled(there.information, there.score)
            alone = 1.0 / np.sqrt(np.maximum(np.diagonal(there.information), np.finfo(float).tiny))
        # Far away the second step may lead anywhere.
        if is_lost.any() or step is None or not np.all(np.abs(step) <= alone):
            return change
        return np.asarray(change + step)


class _Slopes:
    """∂ score, ∂ information and ∂ baseline / ∂ totals at a table."""

    def __init__(self, of: _HazardResiduals, found: Partial, spells: Spells, strata: Integers) -> None:
        # So that a bin without rows has an average too.
        weight = spells.by_time(spells.weight, spells.exit) + 1e-9
        events = spells.by_time(spells.weight * spells.seen, spells.exit) + 1e-9
        self.p, self.has_pairs = len(of.beta), of.se is not None
        self.of, self.found, self.spells, self.strata = of, found, spells, strata
        self.weight, self.events = weight, events
        sums = [np.cumsum(s, axis=1) for s in (found.hazard, found.moment, found.square)]
        until = [of.at_risk.averaged(s, weight, strata) for s in sums]
        self.parts = [(1.0, until)]
        if of.enters:
            self.parts.append((-1.0, until))
        if spells.is_efron:
            tied = (found.tied_hazard, found.tied_moment, found.tied_square)
            self.parts.append((-1.0, [of.at_events.averaged(s, events, strata) for s in tied]))
        mean, spread = _exactly(found, spells, of.beta) if spells.is_efron else (found.mean, found.spread)
        self.mean = of.at_events.averaged(mean, events, strata)
        self.spread = of.at_events.averaged(spread, events, strata)

    def of_score(self, n_totals: int) -> Floats:
        """(coefficients, totals)"""
        p, slopes, start = self.p, np.zeros((self.p, n_totals)), 0
        for sign, (hazard, moment, _) in self.parts:
            cells = len(hazard)
            start += cells * p * (p + 1) // 2 if self.has_pairs else 0
            for j in range(p):
                slopes[j, start + j : start + cells * p : p] = -sign * hazard
            start += cells * p
            slopes[:, start : start + cells] = sign * moment.T
            start += cells
        slopes[:, start : start + len(self.mean)] = -self.mean.T
        start += len(self.mean)
        slopes[:, start : start + p] = np.eye(p)
        return slopes

    def of_baseline(self, of_coefficients: Floats) -> Floats:
        """(figures, totals): of Λ, through those at risk, the events, and the coefficients, whose slopes are given."""
        of, found, spells, strata = self.of, self.found, self.spells, self.strata
        shown, start, n_totals = of.baseline, 0, of_coefficients.shape[1]
        slopes = np.zeros((shown.n_strata, len(shown.last), n_totals))
        slopes[strata] = shown.by_coefficients(spells, of.beta, found) @ of_coefficients

        def put(bins: _Bins, values: Floats, weight: Floats) -> None:
            each = bins.averaged(values, weight, strata).reshape(bins.n_strata, bins.n, -1)
            for g in strata.tolist():
                slopes[g, :, start + g * bins.n : start + (g + 1) * bins.n] += each[g].T

        for number, (sign, (hazard, _, _)) in enumerate(self.parts):
            cells = len(hazard)
            start += cells * (self.p * (self.p + 1) // 2 if self.has_pairs else 0) + cells * self.p
            if number == 1 + of.enters:
                put(of.at_events, shown.at_times(spells, of.beta, found.tied_bend), self.events)
            else:
                put(of.at_risk, -sign * shown.by_risk(spells, of.beta, found.bend), self.weight)
            start += cells
        put(of.at_events, shown.at_times(spells, of.beta, _step_of_event(found, spells, of.beta)), self.events)
        return slopes.reshape(shown.n, n_totals)

    def of_information(self, directions: Floats, n_totals: int) -> Floats:
        """(directions, totals): of c' information c for every row c."""
        slopes = np.zeros((len(directions), n_totals))
        rows, columns = np.tril_indices(self.p)
        for k, c in enumerate(directions):
            start = 0
            pair = c[rows] * c[columns] * np.where(rows == columns, 1.0, 2.0)
            for sign, (hazard, moment, square) in self.parts:
                along = -2.0 * np.outer(moment @ c, c)
                for values in (np.outer(hazard, pair), along, np.einsum("i,tij,j->t", c, square, c)):
                    slopes[k, start : start + values.size] = sign * values.ravel()
                    start += values.size
            slopes[k, start : start + len(self.spread)] = np.einsum("i,tij,j->t", c, self.spread, c)
        return slopes


def _exactly(found: Partial, spells: Spells, beta: Floats) -> tuple[Floats, Floats]:
    """What an event takes off score and information, by stratum and time. With the correction for tied events the
    change is exact for one row of each; derivatives are not exact where events are tied."""
    turned, rows = spells.turned()
    with np.errstate(all="ignore"):
        other = turned.partial(beta)
    at = spells.stratum[rows], spells.exit[rows]
    x, risk = spells.x[rows], np.exp(spells.x[rows] @ beta)
    sign = (1.0 - 2.0 * spells.seen[rows]) * spells.counts[rows] / spells.weight[rows]
    hazard, moment, square = found.tied_hazard[at], found.tied_moment[at], found.tied_square[at]
    mean, spread = found.mean.copy(), found.spread.copy()
    mean[at] = sign[:, None] * (other.event_mean - found.event_mean)[at]
    mean[at] += risk[:, None] * (hazard[:, None] * x - moment)
    crossed = x[:, :, None] * moment[:, None, :]
    tied = hazard[:, None, None] * x[:, :, None] * x[:, None, :] - crossed - crossed.transpose(0, 2, 1) + square
    spread[at] = sign[:, None, None] * (other.event_spread - found.event_spread)[at] + risk[:, None, None] * tied
    return np.nan_to_num(mean), np.nan_to_num(spread)


def _step_of_event(found: Partial, spells: Spells, beta: Floats) -> Floats:
    """What one more event adds to the hazard, by stratum and time: 1/S0; where events are tied, exactly for one row."""
    risk = np.exp(spells.x @ beta)
    s0 = spells.at_risk(spells.weight * risk)
    steps = np.divide(1.0, s0, out=np.zeros_like(s0), where=s0 > 0.0)
    if spells.is_efron:
        turned, rows = spells.turned()
        at = spells.stratum[rows], spells.exit[rows]
        sign = (1.0 - 2.0 * spells.seen[rows]) * spells.counts[rows] / spells.weight[rows]
        with np.errstate(all="ignore"):
            change = sign * (turned.partial(beta).hazard - found.hazard)[at]
        steps[at] = np.nan_to_num(change - risk[rows] * found.tied_bend[at])
    return steps


def lower_hazards(
    output: Any, model: Model, schema: Schema, released: Released, spells: Callable[[Table], Spells], seen: Floats
) -> Lowered:
    """The additive form of a Cox model's figures. output: the Cox model. seen: by code of its event."""
    has_n = released.labels[-1] == "n"
    baseline = output.baseline_of(model, schema)
    p = len(released.labels) - has_n - baseline.n
    beta = released.centre[:p]
    shown = released.centre[p : p + baseline.n]
    events = events_of(schema, released, output.event, seen)
    se = released.se[:p] if released.se is not None and output.errors == "model" else None
    if not carries(released, p, events):
        se = None
    groups = Groups.of(schema, output.strata)
    values = np.unique(model.y[np.isfinite(model.y)])
    n_strata = max(groups.n_groups, 1)
    at_risk = _Bins.of(len(values), _MOST_BINS // n_strata, n_strata)
    at_events = _Bins.of(len(values), len(values), n_strata)
    width = (p * (p + 1) // 2 if se is not None else 0) + p + 2
    if at_events.cells * width > _MOST_TOTALS:
        at_events = at_risk
    blocks = _blocks(output, model, schema, (at_risk, at_events, groups), (beta, seen, values, se is not None))
    if has_n:
        link = blocks[-1].link
        blocks.append(Block((Term.constant(),), 1, link, blocks[-1].weight))
    residuals = _HazardResiduals(
        spells,
        beta,
        at_risk,
        at_events,
        output.entry is not None,
        float(released.centre[-1]) if has_n else None,
        lambda table: np.unique(groups.numbers(table)[_counted(output, model, table)]),
        se,
        baseline,
        shown,
    )
    unit = _units(spells, beta, output, schema)
    if released.se is not None:
        unit = np.where(np.nan_to_num(released.se[:p]) > 0.0, released.se[:p], unit)
    unit = np.append(unit, np.maximum(baseline.errors(shown, events), released.half[p : p + baseline.n]))
    if has_n:
        unit = np.append(unit, max(released.half[-1], 0.5))
    low, high = released.residual_low, released.residual_high
    if se is not None:
        given = np.isfinite(se)
        half = released.se_half[:p][given]
        low, high = np.append(low, -half), np.append(high, half)
        # A standard error is itself known to one part in √(2 events).
        unit = np.append(unit, np.maximum(se[given] / np.sqrt(2.0 * events), half))
    return Lowered(
        tuple(blocks),
        np.zeros(sum(block.n_totals for block in blocks)),
        residuals,
        low,
        high,
        unit,
        is_linear=False,
        straight=None if at_events is at_risk else lambda *said: output.straight(model, *said),
    )


def events_of(schema: Schema, released: Released, event: str, seen: Floats) -> float:
    """About how many events there are, as the rows that were released and the schema's frequencies say."""
    counts = schema_counts(schema)(event)
    share = counts[np.nan_to_num(seen) > 0.0].sum() / max(float(counts.sum()), 1.0)
    is_n = released.labels[-1] == "n"
    return max(about_rows(("n",) if is_n else (), released.centre[-1:], schema) * float(share), 1.0)


def carries(released: Released, p: int, events: float) -> bool:
    """Whether events can carry the standard errors of p coefficients too. One event changes a coefficient by about
    se/√events, and a standard error by se/(2 events)."""
    if released.se is None:
        return False
    se = np.nan_to_num(released.se[:p])
    steps = (se / np.sqrt(events) / released.half[:p], np.nan_to_num(se / (2.0 * events) / released.se_half[:p]))
    return float(np.log2(np.maximum(np.concatenate(steps), 1.0)).sum()) <= _MOST_BITS


def _blocks(
    output: Any,
    model: Model,
    schema: Schema,
    where: tuple[_Bins, _Bins, Groups],
    what: tuple[Floats, Floats, Floats, bool],
) -> list[Block]:
    """Totals as `_HazardResiduals` lists them. where: bins, strata. what: coefficients, events by code, times, and
    whether there are standard errors."""
    (at_risk, at_events, groups), (beta, seen, values, has_pairs) = where, what
    p, terms, time = len(beta), model.design.terms, model.formula.response.variable
    weight = weight_term(output, schema, list(output.own_variables()))
    no_response = Term.constant(0, 0.0)
    link = Link("poisson", terms, no_response, beta, "information")
    plain = Link("identity", terms, no_response, beta, "information")
    place, known = np.searchsorted(values, np.nan_to_num(model.y)), np.isfinite(model.y)
    present = {output.event: np.where(np.isfinite(seen), 1.0, np.nan)}
    events = {output.event: seen}
    at_event = at_events.term(groups, time, place, known)
    parts = [(at_risk, at_risk.term(groups, time, place, known), present)]
    if output.entry is not None:
        numbers = schema[output.entry].numbers
        start = np.searchsorted(values, np.nan_to_num(numbers), side="right") - 1
        is_late = np.isfinite(numbers) & (start >= 0)
        parts.append((at_risk, at_risk.term(groups, output.entry, start, is_late), present))
    if output.ties == "efron":
        parts.append((at_events, at_event, events))
    pairs = [pair_of_terms(terms[a], terms[c]) for a in range(len(terms)) for c in range(a + 1)]
    blocks = []
    for bins, at, factor in parts:
        sums = [(pairs, p * (p + 1) // 2)] if has_pairs else []
        for each, n in (*sums, (terms, p)):
            blocks.append(Block(tuple(times(crossed(at, t, n), factor) for t in each), bins.cells * n, link, weight))
        blocks.append(Block((times(at, factor),), bins.cells, link, weight))
    blocks.append(Block((times(at_event, events),), at_events.cells, plain, weight))
    blocks.append(Block(tuple(times(t, events) for t in terms), p, plain, weight))
    return blocks


def _counted(output: Any, model: Model, table: Table) -> Integers:
    kept: Integers = output.spells(model, table)[1].kept
    return kept


def _units(spells: Callable[[Table], Spells], beta: Floats, output: Any, schema: Schema) -> Floats:
    """About how large standard errors are if variables were independent."""
    table, share = drawn_table(list(output.uses(schema)), schema)
    with np.errstate(all="ignore"):
        found = spells(table).partial(beta).information * share
        inverse, _ = inverted(np.where(np.isfinite(found), found, 0.0))
    return np.sqrt(np.diagonal(inverse))
