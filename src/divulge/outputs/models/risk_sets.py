"""How a Cox model lowers. Its score is no sum over rows, since every row is at risk with others, but what one row adds
is known: δ (x − mean at its time) − e^η ∫ (x − mean) dΛ (Lin & Wei 1989). With means and hazards of the table at hand
that is linear in sums by time; times are put together where they are many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial as partial_
from typing import Any, ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.kernels.lowering import NOTHING
from divulge.outputs.figures import Status
from divulge.outputs.lowering.lowered import Block, Link, Lowered, Term
from divulge.outputs.lowering.rows import Groups, weight_term
from divulge.outputs.models.hazards import Partial, Spells, fit_hazards, partial
from divulge.outputs.models.model import Model
from divulge.outputs.models.pieces import crossed, times
from divulge.outputs.models.refit import drawn_table, inverted
from divulge.outputs.released.precision import Released
from divulge.table import Schema, Table

MOST_BINS = 120
"""Times × strata that are told apart in derivatives; means and hazards hardly change from one to the next."""


@dataclass(frozen=True, eq=False)
class HazardResiduals:
    """Coefficients of the fit − released, and rows − released where that is a figure.

    Totals, by bin of time (and stratum): Σ e^η x and Σ e^η at the exit; the same at the entry where rows enter late,
    and of events where ties are Efron's; events; then Σ x over events, and rows.
    """

    is_diagonal: ClassVar[bool] = False
    counts_rows: ClassVar[bool] = False
    spells: Callable[[Table], Spells]
    beta: Floats
    bin_of: Integers  # of each time
    n_bins: int  # times of one stratum
    n_strata: int
    enters: bool
    released_rows: float | None
    strata: Callable[[Table], Integers]

    def linearise(self, totals: Floats, table: Table) -> tuple[Floats, Floats]:
        p = len(self.beta)
        spells = self.spells(table)
        with np.errstate(all="ignore"):
            fit = fit_hazards(spells, self.beta)
            at = fit.beta if fit.status is Status.OK else self.beta
            found = partial(spells, at) if len(spells.x) else None
        jacobian = np.zeros((p, len(totals)))
        if found is None:
            residuals = np.ones(p)
        else:
            inverse, is_lost = inverted(np.where(np.isfinite(found.information), found.information, 0.0))
            residuals = at - self.beta if at is not self.beta else inverse @ found.score
            residuals = np.where(is_lost, residuals + np.sqrt(np.diagonal(inverse)), residuals)
            jacobian = inverse @ self._slopes(found, spells, self.strata(table), len(totals))
        if self.released_rows is None:
            return residuals, jacobian
        count = np.zeros((1, len(totals)))
        count[0, -1] = 1.0
        return np.append(residuals, totals[-1] - self.released_rows), np.concatenate([jacobian, count])

    def _slopes(self, found: Partial, spells: Spells, strata: Integers, n_totals: int) -> Floats:
        """∂ score / ∂ totals, (coefficients, totals). strata: the number of each stratum of the spells among all."""
        p, cells = len(self.beta), self.n_bins * self.n_strata
        # So that a bin without rows has an average too.
        weight = spells.by_time(spells.weight, spells.exit) + 1e-9
        events = spells.by_time(spells.weight * spells.seen, spells.exit) + 1e-9
        binned = partial_(self._binned, strata=strata)
        until = (
            binned(np.cumsum(found.hazard, axis=1)[..., None], weight),
            binned(np.cumsum(found.moment, axis=1), weight),
        )
        slopes = np.zeros((p, n_totals))
        start = 0
        parts = [(-until[0], until[1])]
        if self.enters:
            parts.append((until[0], -until[1]))
        if spells.is_efron:
            parts.append((binned(found.tied_hazard[..., None], events), -binned(found.tied_moment, events)))
        for hazard, moment in parts:
            for j in range(p):
                slopes[j, start + j : start + cells * p : p] = hazard[:, 0]
            start += cells * p
            slopes[:, start : start + cells] = moment.T
            start += cells
        slopes[:, start : start + cells] = -binned(found.mean, events).T
        start += cells
        slopes[:, start : start + p] = np.eye(p)
        return slopes

    def _binned(self, values: Floats, weight: Floats, strata: Integers) -> Floats:
        """Averages over the times of each bin, (strata × bins, numbers), from (strata, times, numbers)."""
        found = np.zeros((self.n_strata, self.n_bins, values.shape[2]))
        for g, stratum in enumerate(strata.tolist()):
            below = np.bincount(self.bin_of, weight[g], minlength=self.n_bins)
            for j in range(values.shape[2]):
                above = np.bincount(self.bin_of, weight[g] * values[g, :, j], minlength=self.n_bins)
                found[stratum, :, j] = above / below
        return found.reshape(-1, values.shape[2])


def lower_hazards(
    output: Any, model: Model, schema: Schema, released: Released, spells: Callable[[Table], Spells], seen: Floats
) -> Lowered:
    """The additive form of a Cox model's coefficients. output: the Cox model. seen: by code of its event."""
    has_n = released.labels[-1] == "n"
    beta = released.centre[: len(released.labels) - has_n]
    time, p = model.formula.response.variable, len(beta)
    groups = Groups.of(schema, output.strata)
    values = np.unique(model.y[np.isfinite(model.y)])
    n_bins = max(1, min(len(values), MOST_BINS // max(groups.n_groups, 1)))
    bin_of = np.arange(len(values)) * n_bins // len(values)
    known = np.isfinite(seen)
    present = {output.event: np.where(known, 1.0, np.nan)}
    weight = weight_term(output, schema, list(output.own_variables()))
    no_response = Term.constant(0, 0.0)
    link = Link("poisson", model.design.terms, no_response, beta, "information")
    plain = Link("identity", model.design.terms, no_response, beta, "information")
    exit_bin = _bins(groups, time, np.searchsorted(values, np.nan_to_num(model.y)), np.isfinite(model.y), bin_of)
    cells = groups.n_groups * n_bins
    moments = [exit_bin]
    if output.entry is not None:
        numbers = schema[output.entry].numbers
        place = np.searchsorted(values, np.nan_to_num(numbers), side="right") - 1
        moments.append(_bins(groups, output.entry, np.maximum(place, 0), np.isfinite(numbers) & (place >= 0), bin_of))
    blocks = []
    events = {output.event: seen}
    parts = [(at, present) for at in moments] + ([(exit_bin, events)] if output.ties == "efron" else [])
    for at, factor in parts:
        within = tuple(times(crossed(at, t, p), factor) for t in model.design.terms)
        blocks.append(Block(within, cells * p, link, weight))
        blocks.append(Block((times(at, factor),), cells, link, weight))
    blocks.append(Block((times(exit_bin, events),), cells, plain, weight))
    blocks.append(Block(tuple(times(t, events) for t in model.design.terms), p, plain, weight))
    if has_n:
        blocks.append(Block((Term.constant(),), 1, plain, weight))
    residuals = HazardResiduals(
        spells,
        beta,
        bin_of,
        n_bins,
        groups.n_groups,
        output.entry is not None,
        float(released.centre[-1]) if has_n else None,
        lambda table: np.unique(groups.numbers(table)[_counted(output, model, table)]),
    )
    unit = _units(spells, beta, output, schema)
    if released.se is not None:
        unit = np.where(np.nan_to_num(released.se[:p]) > 0.0, released.se[:p], unit)
    if has_n:
        unit = np.append(unit, max(released.half[-1], 0.5))
    n_totals = sum(block.n_totals for block in blocks)
    low, high = released.residual_low, released.residual_high
    return Lowered(tuple(blocks), np.zeros(n_totals), residuals, low, high, unit, is_linear=False)


def _counted(output: Any, model: Model, table: Table) -> Integers:
    kept: Integers = output.spells(model, table)[1].kept
    return kept


def _bins(groups: Groups, time: str, place: Integers, known: Mask, bin_of: Integers) -> Term:
    """One column for each stratum and bin of time."""
    level = np.where(known, bin_of[np.minimum(place, len(bin_of) - 1)], -1).astype(np.int64)
    n_bins = int(bin_of.max(initial=0)) + 1
    index = np.arange(groups.n_groups * n_bins)
    cells, stride = [np.where(level < 0, NOTHING, level).astype(np.int32)], n_bins
    for levels, size in zip(reversed(groups.levels), reversed(groups.shape), strict=True):
        cells.append(np.where(levels < 0, NOTHING, levels * stride).astype(np.int32))
        stride *= size
    names = (*groups.names, time)
    return Term(names, tuple(reversed(cells)), (None,) * len(names), index.astype(np.int32), np.ones(len(index)))


def _units(spells: Callable[[Table], Spells], beta: Floats, output: Any, schema: Schema) -> Floats:
    """About how large standard errors are if variables were independent."""
    table, share = drawn_table(list(output.uses(schema)), schema)
    with np.errstate(all="ignore"):
        found = partial(spells(table), beta).information * share
        inverse, _ = inverted(np.where(np.isfinite(found), found, 0.0))
    return np.sqrt(np.diagonal(inverse))
