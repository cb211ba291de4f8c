"""What the parts of a pass share where numbers of people are expected: the groups, the whole, where people stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from divulge.assess.splits.task import Task
from divulge.assess.statistics.left_out import Crowd, pull
from divulge.fitting.combinations import LARGEST
from divulge.fitting.counts import are_counts, can_be_together
from divulge.fitting.fit import NEAR, Fitted, Fitting
from divulge.fitting.models import why_not_modelled
from divulge.fitting.scores import Place
from divulge.kernels.arrays import Floats, Mask
from divulge.objective import Reproduction, Target
from divulge.outputs import Output, Released, Status
from divulge.scenario import Scenario
from divulge.table import Schema, Table


def why_not_fitted(
    outputs: Sequence[Output], printed: Sequence[Released], scenarios: Sequence[Scenario], schema: Schema
) -> str:
    """Why numbers cannot be expected from these outputs, as the end of a sentence; empty where they can."""
    if not all(scenario.keys for scenario in scenarios):
        return "a scenario has no keys"
    counts = [are_counts(o, r, schema) for o, r in zip(outputs, printed, strict=True)]
    for output, is_count in zip(outputs, counts, strict=True):
        if not is_count and (why := why_not_modelled(output, schema)):
            return why
    tables = [i for i, is_count in enumerate(counts) if is_count]
    if tables and not can_be_together([outputs[i] for i in tables], [printed[i] for i in tables], schema):
        return "the tables count different people, or by different bands"
    if len(tables) < len(outputs) and len({(o.where, bool(o.coarser)) for o in outputs}) > 1:
        return "a model and another output are of different people, or by different bands"
    names = {n for o in outputs for n in o.uses(schema)} | {n for s in scenarios for n in s.variables}
    size = prod(schema[n].n_codes for n in names)
    return "" if size <= LARGEST else f"the variables have {size:,} possible combinations, more than {LARGEST:,}"


@dataclass(frozen=True, eq=False)
class PartResult:
    """One part of the people: what its outputs say, and what is expected from them. se: of models."""

    released: tuple[Released, ...]
    figures: tuple[Floats, ...]
    values: Floats
    se: tuple[Floats | None, ...]

    @property
    def near(self) -> tuple[Mask, ...]:
        """Which figures are as printed, or near enough to be put to the test."""
        return tuple(_is_near(r, f, s) for r, f, s in zip(self.released, self.figures, self.se, strict=True))

    @property
    def mae(self) -> tuple[float, ...]:
        """How far each output's figures are off in the mean; withheld ones do not count."""
        pairs = zip(self.released, self.figures, strict=True)
        known = [(r.values, f, np.isfinite(r.values) & np.isfinite(f)) for r, f in pairs]
        off = [np.abs(f[both] - r[both]) for r, f, both in known]
        return tuple(float(one.mean()) if one.size else 0.0 for one in off)


@dataclass(frozen=True, eq=False)
class Work:
    """The whole, fitted, and the look-ups that are read in expected numbers."""

    task: Task
    fitting: Fitting
    whole: Fitted
    printed: tuple[Released, ...]
    places: tuple[Place, ...]
    se: tuple[Floats | None, ...]

    @classmethod
    def of(cls, task: Task, printed: Sequence[Released], untold: Sequence[int], se: Sequence[Floats | None]) -> Work:
        """untold: the numbers of the look-ups that no table counts. se: of each output's figures, of all people."""
        targets = [Target(output, released) for output, released in zip(task.outputs, printed, strict=True)]
        fitting = Fitting.of(task.schema, targets, task.knowledge)
        n = task.table.n_people
        whole = fitting.fit(fitting.start(n), printed, n)
        places = tuple(Place.of(task.lookups[i], fitting.space) for i in untold)
        return cls(task, fitting, whole, tuple(printed), places, tuple(se))

    def part(self, people: Table, near: float) -> PartResult:
        """What is expected from the outputs of some of the people. Starts from the whole, which does not show.

        near: standard errors to which counts are right. 0: so that one person shows.
        """
        found = [o.evaluate(people) for o in self.task.outputs]
        released = tuple(o.publish(f, self.task.schema) for o, f in zip(self.task.outputs, found, strict=True))
        fitted = self.fitting.fit(self.whole, released, people.n_people, near)
        figures = tuple(self._figures(fitted, i, r) for i, r in enumerate(released))
        return PartResult(released, figures, fitted.values, tuple(f.se for f in found))

    def crowds(self) -> list[Crowd]:
        """The groups of people that are counted, or follow from counts."""
        table, found = self.task.table, []
        for one in self.fitting.groups:
            group = self.fitting.space.groups_of_rows(one.grouping, table)
            found.append((group, table.tally(group, one.grouping.n_groups, group >= 0)))
        for model in self.fitting.models:
            behind = (b for b in model.output.behind(table) if b.what in ("term", "saturated"))
            found += [(b.group, table.tally(b.group, b.n_groups, b.group >= 0)) for b in behind]
        return found

    def strength(self, crowds: Sequence[Crowd]) -> Floats:
        """How far one person of each row may move what is expected, at most about."""
        table = self.task.table
        found = pull(crowds, table.n_rows)
        for leverage in self.fitting.leverages(self.printed, table):
            found = found + leverage
        return found

    def near(self, number: int, reproduction: Reproduction) -> Mask:
        """Which figures of the whole are as printed, or near enough to be put to the test."""
        return _is_near(reproduction.target.released, reproduction.values, self.se[number])

    def reproduction(self, number: int) -> Reproduction:
        """How far the whole gives the figures of an output."""
        target = Target(self.task.outputs[number], self.printed[number])
        values = self._figures(self.whole, number, target.released)
        agrees = target.released.agrees(values)
        return Reproduction(target, target.released.labels, target.released.values, values, agrees, Status.OK)

    def _figures(self, fitted: Fitted, number: int, released: Released) -> Floats:
        for model in self.fitting.models:
            if model.number == number:
                return self.fitting.model_figures(fitted, model)
        found = self.fitting.figures(fitted, number, released)
        sums = self.task.outputs[number].sums(self.task.schema)
        if sums is not None and np.isnan(found).any():
            found = np.asarray(sums @ found[: sums.shape[1]])
        return found


def _is_near(released: Released, values: Floats, se: Floats | None = None) -> Mask:
    """Whether figures are as printed, or within NEAR standard errors of it. se: of models; of counts their roots."""
    if se is not None:
        with np.errstate(invalid="ignore"):
            return released.agrees(values) | (np.abs(values - released.values) <= NEAR * se)
    slack = np.maximum(0.5, NEAR * np.sqrt(np.maximum(np.nan_to_num(released.values), 0.0)))
    found: Mask = (values >= released.low - slack) & (values <= released.high + slack)
    return found
