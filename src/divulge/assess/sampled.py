"""Many people whose outputs must be searched for row by row: suspects by themselves, the rest by a sample.

What a search costs grows with the number of rows, and what one person adds to a figure falls with it. So whoever may
be exposed in the whole is found there: the people of small groups, those far from the others (leverage), those whom
rules and arithmetic name. They are all taken, and of the others a sample of such a size that the marginal risk is
known as precisely as the policy asks. Among fewer people each counts for more than in the whole, so risks should be
overstated. Only suspects are ever called exposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.assess.arithmetic import Arithmetic
from divulge.assess.passes import PassResult, ScenarioRisk
from divulge.assess.plan import Plan
from divulge.assess.single_pass import Pass
from divulge.assess.statistics.intervals import Mean
from divulge.assess.statistics.left_out import MOST_SUSPECTS, pull
from divulge.assess.statistics.sample_size import people_wanted, precision_of
from divulge.assess.statistics.suspects import named_by_findings
from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.outputs import Figures, Output, Released
from divulge.outputs.digits import as_embedded, digits_of
from divulge.table import Table, Variable

_EACH_GROUP = 40
"""People of every group behind a figure who are taken at least: twice as many as may be exposed by its size alone."""

_FINE = 1000
"""Values of a number above which it is put on a grid: look-ups tell numbers apart to a twentieth of their spread."""

_MOST_FILLED = 100_000
"""People who are taken for the sake of one way of grouping, at most about."""

_TAG = 12
"""First word of the key of the random stream, as in `designs.py`."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the people. row: of the plan's table, one entry a person who is taken; suspects: of these.

    n_suspects: how many there are in all; n_drawn: how many were drawn beside them.
    """

    table: Table
    row: Integers
    suspects: Mask
    n_suspects: int
    n_drawn: int

    @classmethod
    def of(cls, ready: Plan, arithmetic: Arithmetic) -> Sample:
        """The suspects of all outputs together, and the rest by chance."""
        table, every = ready.table, range(len(ready.outputs))
        people = table.times.astype(np.int64)
        strength = _strength(ready.outputs, table)
        strength[named_by_findings(arithmetic.named(every, ready), table.n_rows)] = np.inf
        # One person moves what is expected of them by no more than about their strength; twice that is sure.
        rows = np.flatnonzero(2 * strength > ready.policy.delta)
        n_suspects = int(people[rows].sum())
        rows = rows[np.argsort(-strength[rows], kind="stable")]
        rows = rows[np.cumsum(people[rows]) <= MOST_SUSPECTS]
        is_suspect = np.zeros(table.n_rows, dtype=bool)
        is_suspect[rows] = True
        rng = np.random.default_rng([_TAG, ready.assessment.seed])
        wanted = people_wanted(ready.policy, sum(len(f.values) for f in ready.figures))
        taken = _drawn(np.where(is_suspect, 0, people), wanted, rng)
        taken[is_suspect] = people[is_suspect]
        _fill_groups(ready.outputs, table, people, taken, rng)
        row = np.repeat(np.arange(table.n_rows), taken)
        held = Table(table.schema, tuple(column[row] for column in table.columns))
        conditions = {n for o in ready.outputs for n in o.uses(table.schema) if n not in o.own_variables()}
        held = _on_a_grid(held, is_suspect[row], conditions)
        return cls(held, row, is_suspect[row], n_suspects, int((~is_suspect[row]).sum()))

    @property
    def power(self) -> float:
        """The share of the suspects who were taken."""
        return float(self.suspects.sum()) / self.n_suspects if self.n_suspects else 1.0

    def job(self, given: Pass) -> Pass:
        """The same pass over these people: outputs as they would be computed from them."""
        outputs = given.task.outputs
        figures = tuple(output.evaluate(self.table) for output in outputs)
        printed = tuple(_embedded(o, f, self.table) for o, f in zip(outputs, figures, strict=True))
        named = tuple(mask[self.row] for mask in given.named)
        return replace(given, figures=figures, printed=printed, named=named)

    def spread(self, found: PassResult, n_rows: int) -> PassResult:
        """What was found of these people, as told of all. Whoever was not taken is not exposed."""
        scenarios = tuple(self._of_all(risk, n_rows) for risk in found.scenarios)
        nobody = np.zeros(n_rows, dtype=bool)
        exposed = np.any([nobody, *(s.exposed for s in scenarios)], axis=0)
        return replace(found, scenarios=scenarios, exposed=exposed, power=found.power * self.power)

    def _of_all(self, risk: ScenarioRisk, n_rows: int) -> ScenarioRisk:
        # Of the others nothing is known: they are in no class of exposures.
        exposures = np.full(n_rows, np.nan)
        exposures[self.row] = risk.exposures
        return replace(
            risk,
            exposures=exposures,
            exposed=self._mask(risk.exposed, n_rows),
            certain=self._mask(risk.certain, n_rows),
            marginal_risk=None if risk.marginal_risk is None else self._wider(risk.marginal_risk),
        )

    def _mask(self, people: Mask, n_rows: int) -> Mask:
        found = np.zeros(n_rows, dtype=bool)
        found[self.row[people & self.suspects]] = True
        return found

    def _wider(self, risk: Mean) -> Mean:
        """The interval with what the choice of people adds, at most."""
        more = precision_of(self.n_drawn)
        below, above = risk.value - risk.low, risk.high - risk.value
        return replace(
            risk, low=risk.value - float(np.hypot(below, more)), high=risk.value + float(np.hypot(above, more))
        )

    def told(self, record: dict[str, Any], ready: Plan) -> dict[str, Any]:
        """The record with what it says of the sample. Figures are those of everybody: the sample's own tell nobody."""
        for section, printed in zip(record["outputs"], ready.printed, strict=False):
            for cell, value in zip(section["values"], printed.values.tolist(), strict=True):
                cell |= {"released": value if np.isfinite(value) else None, "value": None}
                cell.pop("se_released", None)
                cell.pop("se", None)
        record["sampled"] = {
            "people": ready.table.n_people,
            "drawn": self.n_drawn,
            "suspects": int(self.suspects.sum()),
            "precision": precision_of(self.n_drawn),
            "why": ready.why_rows,
        }
        return record


def _on_a_grid(table: Table, suspects: Mask, named: set[str]) -> Table:
    """The same people with fine numbers put to the nearest of about a thousand that some of them have.

    Suspects keep theirs. A search tries every possible number, so there must not be too many. named: variables that
    conditions name, which stay as they are.
    """
    variables: list[Variable] = []
    columns: list[Codes] = []
    for variable, column in zip(table.schema, table.columns, strict=True):
        codes = column.astype(np.int64)
        known = codes[codes < variable.n_values]
        if variable.kind != "numeric" or variable.n_values <= _FINE or variable.name in named or not len(known):
            variables.append(variable)
            columns.append(column)
            continue
        numbers, used = variable.numbers[: variable.n_values], np.unique(known)
        middles = (numbers[used][1:] + numbers[used][:-1]) / 2
        # As many people between two of them, and as far from each other: both ends of a skewed distribution have some.
        even = np.linspace(numbers[used[0]], numbers[used[-1]], _FINE // 2)
        grid = np.sort(known)[np.linspace(0, len(known) - 1, _FINE // 2).astype(np.int64)]
        own = codes[suspects & (codes < variable.n_values)]
        grid = np.unique(np.concatenate([grid, used[np.searchsorted(middles, even)], own]))
        place = np.arange(variable.n_codes) - variable.n_values + len(grid)
        place[: variable.n_values] = np.searchsorted((numbers[grid][1:] + numbers[grid][:-1]) / 2, numbers)
        values = variable.values[grid]
        kept = {*values.tolist(), *variable.missing}
        labels = {value: text for value, text in variable.labels.items() if value in kept}
        variables.append(replace(variable, values=values, labels=labels, frequencies=None))
        columns.append(place.astype(variables[-1].dtype)[codes])
    return Table(replace(table.schema, variables=tuple(variables)), tuple(columns))


def _embedded(output: Output, figures: Figures, table: Table) -> Released:
    printed = output.publish(figures, table.schema)
    useful = digits_of(output, printed, table).useful
    return printed if useful is None else as_embedded(printed, useful)


def _strength(outputs: Sequence[Output], table: Table) -> Floats:
    """How far one person of each row may move the figures, at most about: one over the size of their groups, and how
    far they lie from the others of the group, as a share of all squares (leverage; Hoaglin & Welsch 1978)."""
    found = np.zeros(table.n_rows)
    everybody = np.zeros(table.n_rows, dtype=np.int64)
    for output in outputs:
        seen = set()
        for behind in output.behind(table):
            if behind.names and (behind.variable, behind.names) in seen:
                continue  # another statistic of the same people
            seen.add((behind.variable, behind.names))
            found += pull([(behind.group, table.tally(behind.group, behind.n_groups, behind.group >= 0))], table.n_rows)
            if behind.variable is not None and _is_number(table, behind.variable):
                found += _far(table, behind.variable, behind.group, behind.n_groups)
        for name in output.uses(table.schema):
            if _is_number(table, name):
                found += _far(table, name, everybody, 1)
    return found


def _is_number(table: Table, name: str) -> bool:
    return table.schema[name].kind == "numeric"


def _far(table: Table, name: str, group: Integers, n_groups: int) -> Floats:
    """The share of each row's person in the squares around the mean of their group."""
    values = table.schema[name].numbers[table[name]]
    inside = (group >= 0) & np.isfinite(values)
    own, value, times = group[inside], values[inside], table.times[inside]
    n = np.bincount(own, times, minlength=n_groups)
    mean = np.bincount(own, times * value, minlength=n_groups) / np.maximum(n, 1)
    squares = (value - mean[own]) ** 2
    total = np.bincount(own, times * squares, minlength=n_groups)
    found = np.zeros(table.n_rows)
    found[inside] = squares / np.maximum(total, np.finfo(float).tiny)[own]
    return found


def _drawn(people: Integers, wanted: int, rng: np.random.Generator) -> Integers:
    """How many of each row are among so many people drawn at random."""
    n = int(people.sum())
    if n <= wanted:
        return people.copy()
    chosen = np.sort(rng.choice(n, wanted, replace=False, shuffle=False))
    return np.bincount(np.searchsorted(np.cumsum(people), chosen, side="right"), minlength=len(people))


def _fill_groups(
    outputs: Sequence[Output], table: Table, people: Integers, taken: Integers, rng: np.random.Generator
) -> None:
    """Take more people of groups that have too few, in place: a figure of nobody is no figure."""
    for behind in (b for output in outputs for b in output.behind(table)):
        inside = np.flatnonzero(behind.group >= 0)
        least = max(1, min(_EACH_GROUP, _MOST_FILLED // behind.n_groups))
        lacking = least - np.bincount(behind.group[inside], taken[inside], minlength=behind.n_groups)
        rows = inside[lacking[behind.group[inside]] > 0]
        if not len(rows):
            continue
        rows = rng.permutation(rows)
        rows = rows[np.argsort(behind.group[rows], kind="stable")]
        group, more = behind.group[rows], (people - taken)[rows]
        up_to = np.cumsum(more) - more
        first = np.unique(group, return_index=True)[1]
        before = up_to - np.repeat(up_to[first], np.diff([*first, len(group)]))
        taken[rows] += np.clip(lacking[group].astype(np.int64) - before, 0, more)
