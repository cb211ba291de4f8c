"""Weights that give a table the margins of a population: raking, or iterative proportional fitting.

Deming & Stephan 1940: multiply the weights of every group by what its margin asks for, margin after margin, until all
hold. What comes out is the nearest to equal weights in Kullback–Leibler divergence (Ireland & Kullback 1968).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.errors import SpecError, suggest, unknown_variable
from divulge.kernels.arrays import Floats
from divulge.outputs.lowering.rows import Groups
from divulge.table import Schema, Table, Variable

SWEEPS = 1000
"""At most; with margins that do not contradict each other a few dozen are enough."""
TOLERANCE = 1e-10
"""Relative error of a margin at which it holds: far below what is printed."""
SAME_TOTAL = 1e-6
"""Relative difference of the sums of two margins that is taken for rounding."""


@dataclass(frozen=True, eq=False)
class Margin:
    """How many people of the population are in each group."""

    groups: Groups
    counts: Floats

    @property
    def name(self) -> str:
        return " × ".join(self.groups.names)


def read_margins(given: Mapping[str, Mapping[str, float] | Sequence[float]], schema: Schema) -> tuple[Margin, ...]:
    """Margins as the spec has them, checked against the schema and against each other."""
    if not given:
        raise SpecError("a margin of the population is needed at least.", where="teaching.weight.margins")
    margins = []
    for text, counts in given.items():
        where = f"teaching.weight.margins.{text}"
        names = [n.strip() for n in re.split(r"[&×]", text)]
        for name in names:
            if name not in schema:
                raise unknown_variable(name, schema.names, where=where)
        groups = Groups.of(schema, names)
        values = _by_name(counts, groups, schema, where) if isinstance(counts, Mapping) else list(counts)
        if len(values) != groups.n_groups:
            raise SpecError(f"{groups.n_groups:,} counts are needed, {len(values):,} are given.", where=where)
        array = np.array(values, dtype=float)
        if not np.isfinite(array).all() or (array < 0).any() or array.sum() <= 0:
            raise SpecError("counts of at least 0 are needed, and not 0 alone.", where=where)
        margins.append(Margin(groups, array))
    totals = [m.counts.sum() for m in margins]
    for margin, total in zip(margins[1:], totals[1:], strict=True):
        if abs(total - totals[0]) > SAME_TOTAL * totals[0]:
            raise SpecError(
                f"the margin of {margin.name} adds to {total:,.10g}, that of {margins[0].name} to {totals[0]:,.10g}.",
                where="teaching.weight.margins",
                hint="Margins of one population have the same total.",
            )
    return tuple(margins)


def _by_name(counts: Mapping[str, float], groups: Groups, schema: Schema, where: str) -> list[float]:
    """Counts in the order of the groups; a group is named by its values, or by what they stand for."""
    labels = groups.labels()
    if len(groups.names) == 1:
        variable = schema[groups.names[0]]
        known = dict(zip(groups.texts[0], labels, strict=True))
        known |= {
            variable.display[i]: label for i, label in enumerate(labels) if variable.display[i] not in groups.texts[0]
        }
    else:
        known = {label: label for label in labels}
    found: dict[str, float] = {}
    for name, count in counts.items():
        if name not in known:
            raise SpecError(
                f"there is no group {name!r}.",
                where=where,
                hint=suggest(name, known) or f"For example {next(iter(known))!r}.",
            )
        found[known[name]] = float(count)
    absent = [label for label in labels if label not in found]
    if absent:
        raise SpecError(f"{len(absent)} groups have no count, the first is {absent[0]}.", where=where)
    return [found[label] for label in labels]


def rake(table: Table, margins: Sequence[Margin]) -> Floats:
    """A weight for every row, so that the weighted counts are the margins (Deming & Stephan 1940)."""
    numbers = []
    for margin in margins:
        number = margin.groups.numbers(table)
        if (number < 0).any():
            raise SpecError(
                f"{int((number < 0).sum()):,} rows have no value of {margin.name}, so they cannot be weighted by it.",
                where="teaching.weight.margins",
                hint="Take a margin of variables without missing values.",
            )
        rows = np.bincount(number, minlength=len(margin.counts))
        empty = (rows == 0) & (margin.counts > 0)
        if empty.any():
            raise SpecError(
                f"nobody in the data is in {int(empty.sum())} groups of {margin.name} that the population has.",
                where="teaching.weight.margins",
                hint="Take the groups together, or give the variable frequencies in the schema.",
            )
        numbers.append(number)
    weights = np.full(table.n_rows, margins[0].counts.sum() / table.n_rows)
    worst = np.inf
    for _ in range(SWEEPS):
        worst = 0.0
        for margin, number in zip(margins, numbers, strict=True):
            now = np.bincount(number, weights, minlength=len(margin.counts))
            worst = max(worst, float(np.max(np.abs(now - margin.counts) / np.maximum(margin.counts, 1.0))))
            factor = np.divide(margin.counts, now, out=np.zeros_like(now), where=now > 0)
            weights = weights * factor[number]
        if worst <= TOLERANCE:
            return weights
    raise SpecError(
        f"no weights give all margins at once: they are still off by {worst:.2g} of a count after {SWEEPS:,} sweeps.",
        where="teaching.weight.margins",
        hint="Do the margins contradict each other, given who is in the data?",
    )


def with_weight(table: Table, name: str, title: str, weights: Floats, decimals: int) -> Table:
    """The table with one more variable, to so many decimals."""
    rounded = np.round(weights, decimals)
    values, codes = np.unique(rounded, return_inverse=True)
    variable = Variable(name, "numeric", values, title=title)
    schema = Schema((*table.schema.variables, variable), table.schema.rules)
    return Table(schema, (*table.columns, codes.ravel().astype(variable.dtype)))


def design_effect(weights: Floats) -> float:
    """How much larger the variance of a mean is by unequal weights: n Σw² / (Σw)² (Kish 1965)."""
    return float(len(weights) * (weights**2).sum() / weights.sum() ** 2)
