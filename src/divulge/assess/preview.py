"""What an assessment would do, what is wrong with its spec, and how long it would take, without doing it.

Problems are errors that the assessment would stop at, all of them and not only the first. Warnings are what it would
run into. Neither holds a value of a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from divulge.assess.forecast import Forecast, forecast
from divulge.assess.plan import DEFAULT_FAMILIES, Plan, plan
from divulge.assess.recipe import recipe_of, without_idle_digits
from divulge.assess.remarks import find_remarks
from divulge.assess.scenarios import backed_off, scenarios_for
from divulge.assess.splits.split import is_usable
from divulge.assess.statistics.power import splits_needed
from divulge.designs import FEWEST_ROWS, Design, RepeatedHalves, Split
from divulge.errors import DivulgeError, OutputError
from divulge.measures import FAMILIES
from divulge.measures.choose import choose
from divulge.outputs import Output, Released
from divulge.outputs.digits import Digits
from divulge.outputs.fields import in_field
from divulge.policy import Policy
from divulge.record import to_plain
from divulge.scenario import Scenario
from divulge.spec import Assessment, Inputs, read_policy, try_inputs
from divulge.table import Schema, Table

_HALVES_TRIED = 6
"""Halves on which every output is recomputed: a level that vanishes in one of ten halves is found more often than not
by six, and each costs no more than computing the output."""


@dataclass
class Preview:
    """What was found. Fields are None where what came before them is wrong."""

    assessment: Assessment
    schema: Schema | None = None
    table: Table | None = None
    n_rows: int | None = None
    released: list[Released | None] = field(default_factory=list)
    policy: Policy | None = None
    design: Design | None = None
    measures: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    problems: list[DivulgeError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    forecast: Forecast | None = None
    longest: float | None = None
    """Seconds after which all searches end, where many people are held together and no split is timed."""

    @property
    def is_small(self) -> bool:
        """Whether these are too few people for splits."""
        return self.n_rows is not None and self.n_rows < FEWEST_ROWS

    @property
    def splits(self) -> tuple[Split, ...]:
        if self.design is None or self.n_rows is None or self.is_small:
            return ()
        return self.design.splits(self.n_rows, self.assessment.seed)

    def as_json(self) -> dict[str, Any]:
        a = self.assessment
        return to_plain(
            {
                "can_be_assessed": not self.problems and self.table is not None,
                "problems": [p.as_json()["error"] for p in self.problems],
                "warnings": self.warnings,
                "rows": self.n_rows,
                "outputs": [
                    {"kind": o.kind, "name": o.name, "description": o.describe(), "figures": figures(self, i)}
                    for i, o in enumerate(a.outputs)
                ],
                "scenarios": [
                    {"target": s.target, "keys": s.keys, "knows": s.knows, "key_sizes": s.key_sizes}
                    for s in self.scenarios
                ],
                "design": None if self.design is None else {"kind": self.design.kind, **to_plain(self.design)},
                "splits": len(self.splits),
                "measures": self.measures,
                "policy": self.policy,
                "seconds": self.forecast,
                "longest": self.longest,
            }
        )


def figures(found: Preview, i: int) -> int | None:
    """How many figures an output has; None where it is wrong."""
    if found.schema is None:
        return None
    try:
        return len(found.assessment.outputs[i].labels(found.schema))
    except DivulgeError:
        return None


def preview(assessment: Assessment, *, with_time: bool = True, problems: Sequence[DivulgeError] = ()) -> Preview:
    """Look at everything that an assessment would use, and collect what is wrong instead of stopping at it.

    problems: what is known to be wrong already.
    """
    found = Preview(assessment, problems=list(problems))
    with _noted(found, "policy"):
        found.policy = read_policy(assessment.policy)
    found.design = assessment.design or RepeatedHalves()
    families, _ = choose(FAMILIES, assessment.measures or DEFAULT_FAMILIES, assessment.families)
    found.measures = tuple(assessment.measures) or tuple(
        m.name for family in families for m in family.measures if not m.name.endswith(("_sweep", "_sweep_zero"))
    )
    inputs = try_inputs(assessment, found.problems, "condensed")
    if inputs is None:
        return found
    found.schema, found.table, found.n_rows = inputs.schema, inputs.table, inputs.n_rows
    found.released = list(inputs.released)
    if found.table is None:
        if not found.problems:
            found.warnings.append(
                "There are no data, so this can be embedded or made into teaching data, not assessed."
            )
            with _noted(found, None):
                digits = without_idle_digits(recipe_of(assessment, inputs), None)[1]
                found.warnings += _about_digits(assessment, digits)
        return found
    _check_on_data(found, found.table)
    good = _without_problems(found, inputs)
    if good is not None:
        # What is left is what only the plan itself knows.
        with _noted(found, None):
            ready = plan(*good)
            found.scenarios = scenarios_for(good[0].scenarios, good[0].outputs, found.schema)
            remarks = find_remarks(found.table, good[0].outputs, found.scenarios)
            found.warnings += [f"{r.sentence} {r.advice}" for r in remarks]
            found.warnings += _about_digits(ready.assessment, ready.digits[: ready.n_new])
            found.warnings += _too_few_splits(ready, found.scenarios)
            if found.is_small:
                found.warnings.append(
                    f"{found.n_rows:,} people are too few to compare people in the data with people outside it; it "
                    f"takes {FEWEST_ROWS}. Rules, arithmetic and counts are asked; what only a comparison shows is "
                    "left to a checker."
                )
            elif with_time and not found.problems:
                if ready.table.people is None:
                    found.forecast = forecast(ready)
                else:
                    found.longest = None if ready.is_timed else ready.budget
    return found


def _about_digits(assessment: Assessment, digits: Sequence[Digits]) -> list[str]:
    """What is to be said of digits that tell nobody apart, that hold more than rows have, or that cannot be."""
    return [f"{assessment.place(i)}: {s}" for i, d in enumerate(digits) for s in d.sentences()]


def _too_few_splits(ready: Plan, scenarios: Sequence[Scenario]) -> list[str]:
    """Whether the design has so few splits that nobody could be found, and nothing will be released.

    What stands in one crosstab of counts needs no test.
    """
    pairs = zip(ready.outputs, ready.printed, strict=True)
    crosstabs = [set(output.counted_together(ready.table, printed)) for output, printed in pairs]
    looks = [one for s in scenarios for one in backed_off(s, ready.outputs, ready.table.schema)]
    tested = [one for one in looks if not any(crosstab >= set(one.variables) for crosstab in crosstabs)]
    if not tested or not isinstance(ready.design, RepeatedHalves) or ready.table.n_people < FEWEST_ROWS:
        return []
    needed = splits_needed(ready.table.n_people, len(tested), ready.policy.false_discoveries)
    given = ready.design.splits_wanted
    if given >= needed:
        return []
    return [
        f"{given} splits are too few to find anybody by; at least {needed} are needed, and with fewer nothing is "
        f"released. Write design: {{splits: {needed}}}, or leave it out."
    ]


def _without_problems(found: Preview, inputs: Inputs) -> tuple[Assessment, Inputs] | None:
    """The part of the assessment with which nothing is wrong so far; None where no output is left."""
    a = found.assessment
    wrong = _sections(found.problems)
    good = [i for i in range(len(a.outputs)) if a.place(i) not in wrong]
    if not good or any(place.startswith("earlier") for place in wrong):
        return None
    return (
        replace(
            a,
            outputs=tuple(a.outputs[i] for i in good),
            places=tuple(a.places[i] if a.places else i for i in good),
            scenarios=() if any(place.startswith("scenario") for place in wrong) else a.scenarios,
            policy=None if "policy" in wrong else a.policy,
        ),
        replace(inputs, released=tuple(inputs.released[i] for i in good)),
    )


@contextmanager
def _noted(found: Preview, where: str | None) -> Iterator[None]:
    """An error becomes a problem, with its place."""
    try:
        yield
    except DivulgeError as error:
        if where is not None and not (error.where or "").startswith(where):
            error.where = f"{where}: {error.where}" if error.where else where
        found.problems.append(error)


def _sections(problems: Sequence[DivulgeError]) -> set[str]:
    """Where problems are: `outputs[2]`, `scenario`."""
    return {found[0] for p in problems if (found := re.match(r"\w+(\[\d+\])?", p.where or "")) is not None}


def _check_on_data(found: Preview, table: Table) -> None:
    """Outputs that the data do not give, that halves cannot recompute, or that rest on few people."""
    smallest = found.policy.smallest_group if found.policy is not None else Policy().smallest_group
    parts = _some_halves(table, found.assessment.seed)
    mistaken = _sections(found.problems)
    for i, output in enumerate(found.assessment.outputs):
        path = found.assessment.place(i)
        if path in mistaken:
            continue
        place = path + (f" ({output.name})" if output.name else "")
        with _noted(found, None), in_field(path):
            released = found.released[i]
            if released is not None:
                output = output.as_released(released, table)
            whole = output.evaluate(table)
            if released is None and not is_usable(whole):
                raise OutputError(f"it cannot be computed from the data: {whole.sentence}")
            if released is not None:
                agrees = released.agrees(whole.values)
                wrong = int((~(agrees if whole.se is None else agrees & released.agrees_se(whole.se))).sum())
                if wrong:
                    found.warnings.append(
                        f"{place}: {wrong:,} of {len(whole.values):,} released figures are not what the data give; "
                        "divulge compute says which."
                    )
            if not (output.can_lower or output.releases_rows):
                raise OutputError(f"kind {output.kind!r} cannot be searched for: {output.why_not}")
            bad = [f.status for f in map(output.evaluate, parts) if not is_usable(f)]
            if bad:
                found.warnings.append(
                    f"{place}: in {len(bad)} of {len(parts)} random halves it cannot be computed. {bad[0].sentence} "
                    "Coarser categories would help."
                )
            _thin(found, place, output, table, smallest)


def _some_halves(table: Table, seed: int) -> list[Table]:
    if table.people is not None:
        rng = np.random.default_rng(seed)
        return [table.halved(rng)[0] for _ in range(_HALVES_TRIED)]
    halves = RepeatedHalves(splits_wanted=_HALVES_TRIED).splits(table.n_rows, seed)
    return [table.take(split.rows()[0]) for split in halves]


def _thin(found: Preview, place: str, output: Output, table: Table, smallest: int) -> None:
    """Cells, groups and levels with somebody, but fewer than the policy's smallest group; withheld cells are none."""
    withheld = 0 if output.threshold is None else output.threshold
    for what, people in output.crowds(table):
        thin = int(((people > 0) & (people >= withheld) & (people < smallest)).sum())
        if thin:
            found.warnings.append(f"{place}: {thin:,} of {len(people):,} {what} hold fewer than {smallest} people.")
