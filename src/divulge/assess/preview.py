"""What an assessment would do, what is wrong with its spec, and how long it would take, without doing it.

Problems are errors that the assessment would stop at, all of them and not only the first. Warnings are what it would
run into. Neither holds a value of a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from divulge.assess.forecast import Forecast, forecast
from divulge.assess.plan import DEFAULT_FAMILIES, plan
from divulge.assess.remarks import find_remarks
from divulge.assess.scenarios import scenarios_for, unknown_names
from divulge.assess.splits.split import is_usable
from divulge.designs import Design, RepeatedHalves, Split
from divulge.errors import DivulgeError, OutputError
from divulge.measures import FAMILIES
from divulge.measures.choose import choose
from divulge.outputs import Output, Released, read_released
from divulge.outputs.output import in_field
from divulge.policy import Policy
from divulge.record import to_plain
from divulge.scenario import Scenario
from divulge.spec import Assessment, Inputs, read_inputs, read_people, read_policy
from divulge.table import Schema, Table, read_schema
from divulge.table.condense import drawn_half

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

    @property
    def splits(self) -> tuple[Split, ...]:
        if self.design is None or self.n_rows is None:
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
    inputs = _read(found)
    if found.schema is None:
        return found
    found.released = (
        list(inputs.released)
        if inputs is not None
        else [_checked(found, i, output) for i, output in enumerate(assessment.outputs)]
    )
    found.problems += unknown_names(assessment.scenarios, found.schema)
    if found.table is not None and not found.problems:
        _check_on_data(found, found.table)
    if found.table is not None and not found.problems:
        # What is left is what only the plan itself knows.
        with _noted(found, None):
            ready = plan(assessment, inputs)
            found.scenarios = scenarios_for(assessment.scenarios, assessment.outputs, found.schema)
            remarks = find_remarks(found.table, assessment.outputs, found.scenarios)
            found.warnings += [f"{r.sentence} {r.advice}" for r in remarks]
            # What counts say takes a moment, however many people there are.
            if with_time and ready.table.people is None:
                found.forecast = forecast(ready)
    elif not found.problems:
        found.warnings.append("There are no data, so this can be embedded or made into teaching data, not assessed.")
    return found


@contextmanager
def _noted(found: Preview, where: str | None) -> Iterator[None]:
    """An error becomes a problem, with its place."""
    try:
        yield
    except DivulgeError as error:
        if where is not None and not (error.where or "").startswith(where):
            error.where = f"{where}: {error.where}" if error.where else where
        found.problems.append(error)


def _read(found: Preview) -> Inputs | None:
    """Everything that the assessment reads. Where something cannot be read: None, and each part by itself."""
    a = found.assessment
    with suppress(DivulgeError):
        inputs = read_inputs(a, "condensed")
        found.schema, found.table, found.n_rows = inputs.schema, inputs.table, inputs.n_rows
        return inputs
    schema = None
    if a.schema is not None:
        with _noted(found, "schema"):
            schema = read_schema(a.schema)
    if a.data is not None and (a.schema is None or schema is not None):
        with _noted(found, None):
            found.table = read_people(a, "data", schema, "condensed")
            schema = found.table.schema
    elif a.data is None and a.schema is None:
        with _noted(found, None):
            raise OutputError(
                "what the variables are is not known.", where="data", hint="Name a file of data, or a schema and rows."
            )
    found.schema = schema
    found.n_rows = a.rows if found.table is None else found.table.n_people
    if found.table is not None and a.rows is not None and a.rows != found.table.n_people:
        with _noted(found, None):
            raise OutputError(f"the data have {found.table.n_people:,} rows, not {a.rows:,}.", where="rows")
    return None


def _checked(found: Preview, i: int, output: Output) -> Released | None:
    """The released figures of an output; what is wrong with it becomes a problem."""
    assert found.schema is not None, "outputs are looked at where the schema is known"
    with _noted(found, None), in_field(f"outputs[{i}]"):
        output.check(found.schema)
        released = read_released(
            output, found.schema, found.assessment.folder, found.n_rows, together=found.table is None
        )
        if found.table is None and released is None:
            raise OutputError(
                "the numbers are not given, and there are no data to compute them from.", where="released"
            )
        return released
    return None


def _check_on_data(found: Preview, table: Table) -> None:
    """Outputs that the data do not give, that halves cannot recompute, or that rest on few people."""
    smallest = found.policy.smallest_group if found.policy is not None else Policy().smallest_group
    parts = _some_halves(table, found.assessment.seed)
    for i, output in enumerate(found.assessment.outputs):
        place = f"outputs[{i}]" + (f" ({output.name})" if output.name else "")
        with _noted(found, None), in_field(f"outputs[{i}]"):
            released = found.released[i]
            if released is not None:
                output = output.as_released(released, table)
            whole = output.evaluate(table)
            if released is None and not is_usable(whole):
                raise OutputError(f"it cannot be computed from the data: {whole.status.sentence}")
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
        return [drawn_half(table, rng)[0] for _ in range(_HALVES_TRIED)]
    halves = RepeatedHalves(splits_wanted=_HALVES_TRIED).splits(table.n_rows, seed)
    return [table.take(split.rows()[0]) for split in halves]


def _thin(found: Preview, place: str, output: Output, table: Table, smallest: int) -> None:
    """Cells, groups and levels with somebody, but fewer than the policy's smallest group; withheld cells are none."""
    withheld = 0 if output.threshold is None else output.threshold
    for what, people in output.crowds(table):
        thin = int(((people > 0) & (people >= withheld) & (people < smallest)).sum())
        if thin:
            found.warnings.append(f"{place}: {thin:,} of {len(people):,} {what} hold fewer than {smallest} people.")
