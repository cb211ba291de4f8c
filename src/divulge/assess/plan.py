"""What an assessment is to do, decided from the spec and the data before any work: everything is checked here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.assess.budget import BUDGET, Limits, limits_of
from divulge.assess.counted_pass import counts_suffice, spanning
from divulge.assess.earlier import Candidate, Earlier, choose_earlier, with_named
from divulge.assess.fitted.work import why_not_fitted
from divulge.assess.recipe import check_named
from divulge.assess.scenarios import scenarios_for, scenarios_with_earlier
from divulge.assess.splits.holdout import check_apart
from divulge.assess.splits.split import is_usable
from divulge.assess.statistics.sample_size import people_wanted
from divulge.checking import Profile, read_profile
from divulge.condensing.group_by import MANY
from divulge.designs import CONFIRMING, FEWEST_ROWS, Design, RepeatedHalves
from divulge.errors import EmbedError, OutputError, SpecError
from divulge.measures import FAMILIES, Family
from divulge.measures.choose import choose
from divulge.outputs import Figures, Output, Released
from divulge.outputs.digits import Digits, as_embedded, digits_of
from divulge.policy import Policy
from divulge.scenario import Scenario, granted_by
from divulge.spec import Assessment, Inputs, read_inputs, read_policy
from divulge.spec.needed import can_condense, needed_columns
from divulge.synthesisers import Descent
from divulge.table import Schema, Table

DEFAULT_FAMILIES = ("tcap", "cap", "identity")
"""What is measured where the spec does not say: what the paper reports (TCAP, DCAP) and DiSCO."""


_ASKED_FOR = "rows were asked for"


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that was decided before the first split, from the spec and the data.

    outputs: the new ones, then those that were released before about the same data. Of each:
    figures: what all rows give; printed: as it is released; disagrees: how many released figures the data do not give.
    """

    assessment: Assessment
    table: Table
    outputs: tuple[Output, ...]
    figures: tuple[Figures, ...]
    printed: tuple[Released, ...]
    disagrees: tuple[int, ...]
    design: Design
    policy: Policy
    profile: Profile
    synthesiser: Descent
    families: tuple[Family, ...]
    wanted: frozenset[str] | None
    holdout: Table | None
    earlier: Earlier
    digits: tuple[Digits, ...]
    """What the digits of each output are worth."""
    is_timed: bool = False
    """Whether the spec says how long a search may take; otherwise the assessment has a budget."""
    budget: float = BUDGET
    why_rows: str = ""
    """Why many people are assessed row by row, as the end of a sentence; empty where they are not, or are few."""

    @property
    def is_sampled(self) -> bool:
        """Whether rows are searched for in a sample of the people, beside those who may be exposed."""
        given, table = self.assessment, self.table
        if not self.why_rows or self.why_rows == _ASKED_FOR or not isinstance(self.design, RepeatedHalves):
            return False
        is_plain = not any((given.entity, given.holding, given.waiver, self.holdout))
        is_plain &= not any(o.releases_rows for o in self.outputs)
        is_plain &= granted_by(given.scenarios) != "earlier outputs"
        n_figures = sum(len(figures.values) for figures in self.figures)
        return is_plain and table.n_people > 2 * people_wanted(self.policy, n_figures)

    @property
    def n_new(self) -> int:
        return len(self.outputs) - len(self.earlier)

    def groups(self, alone: bool = True) -> list[tuple[str, tuple[int, ...]]]:
        """What is assessed, by the numbers of the outputs: all together, each new one alone, the earlier ones alone."""
        every = tuple(range(len(self.outputs)))
        if len(every) == 1:
            return [("Output 1", every)]
        if not alone and not self.earlier:
            return [("All outputs", every)]
        groups = [("All outputs", every), *((f"Output {i + 1}", (i,)) for i in every[: self.n_new])]
        return [*groups, ("Earlier outputs", every[self.n_new :])] if self.earlier else groups

    def scenarios(self, numbers: Sequence[int]) -> tuple[Scenario, ...]:
        """What a pass over these outputs faces. The earlier outputs alone face the same as all together, so that the
        difference is what is added."""
        given, schema = self.assessment.scenarios, self.table.schema
        if numbers[-1] >= self.n_new:
            return scenarios_with_earlier(given, self.outputs[: self.n_new], self.earlier.outputs, schema)
        return scenarios_for(given, [self.outputs[i] for i in numbers], schema)

    def limits(self, number: int, n_passes: int) -> Limits:
        """How long the searches of a pass may take: as long as the spec says, else their share of the budget."""
        if self.is_timed:
            return Limits(*(self.synthesiser.seconds,) * 4)
        n_rows, seed, design = self.table.n_people, self.assessment.seed, self.design
        n_smaller = len(design.curve_at(n_rows, seed)) if isinstance(design, RepeatedHalves) and number == 0 else 0
        return limits_of(number == 0, n_passes, len(design.splits(n_rows, seed)) + CONFIRMING, n_smaller, self.budget)

    def searched(self, number: int) -> tuple[Output, Released]:
        """An output and its figures as they are searched for: without digits that tell nobody apart."""
        output, released = self.outputs[number], self.printed[number]
        useful = self.digits[number].useful
        if useful is None:
            return output, released
        return replace(output, decimals=useful, significant=None, base=None), as_embedded(released, useful)

    def wrong(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """The released figures of some outputs that the data do not give, by name."""
        return tuple(n for i in numbers if self.disagrees[i] for n in _wrong(self.figures[i], self.printed[i]))


def plan(
    assessment: Assessment,
    inputs: Inputs | None = None,
    released_before: Sequence[Candidate] = (),
    *,
    condenses: bool = False,
) -> Plan:
    """Read and check everything that an assessment needs, before any work is done.

    released_before: outputs about the same data; those that share a variable are assessed together with the new ones.
    condenses: whether many people who are alike are held once, though the inputs have a row for each; rows that are
    exposed have no numbers then.
    """
    policy = read_policy(assessment.policy)
    profile = read_profile(policy.profile, assessment.folder)
    design = assessment.design or RepeatedHalves()
    check_named(assessment, len(released_before))
    families, wanted = choose(FAMILIES, assessment.measures or DEFAULT_FAMILIES, assessment.families)
    read = inputs if inputs is not None else _inputs(assessment)
    table = read.table
    assert table is not None, "data were named, and have been read"
    _check(assessment, design, read, table)
    earlier = choose_earlier(released_before, assessment.outputs, assessment.scenarios, table)
    earlier = with_named(earlier, assessment, read)
    given = (*assessment.outputs, *earlier.outputs)
    released = (*read.released, *(one.released for one in earlier.kept))
    outputs = tuple(_as_computed(o, r, table) for o, r in zip(given, released, strict=True))
    figures = tuple(output.evaluate(table) for output in outputs)
    printed = tuple(_printed(i, outputs[i], figures[i], given, table.schema) for i, given in enumerate(released))
    ready = Plan(
        assessment=assessment,
        table=table,
        outputs=outputs,
        figures=figures,
        printed=printed,
        disagrees=(
            *(_disagreeing(f, r) for f, r in zip(figures, read.released, strict=False)),
            *(0 for _ in earlier.kept),
        ),
        design=design,
        policy=policy,
        profile=profile,
        synthesiser=_synthesiser(assessment),
        families=tuple(families),
        wanted=None if wanted is None or not assessment.measures else frozenset(wanted),
        holdout=read.holdout,
        earlier=earlier,
        digits=tuple(digits_of(o, r, table) for o, r in zip(outputs, printed, strict=True)),
        is_timed="seconds" in assessment.synthesiser.given,
    )
    if table.people is not None:
        return _with_rows(ready)
    return _condensed(ready, condenses) if table.n_rows >= MANY else ready


def _inputs(assessment: Assessment) -> Inputs:
    if assessment.data is None:
        raise SpecError(
            "there are no data: people in and out of the data cannot be compared without them.",
            where="data",
            hint="Name the file of data. Without data, divulge embed makes synthetic data from the outputs.",
        )
    return read_inputs(assessment, "condensed")


def _check(assessment: Assessment, design: Design, read: Inputs, table: Table) -> None:
    """Find what would fail later: a holdout that overlaps, a design or a scenario that the data do not carry."""
    if read.holdout is not None:
        check_apart(table, read.holdout)
    if table.n_people >= FEWEST_ROWS:
        design.splits(table.n_people, assessment.seed)
    scenarios_for(assessment.scenarios, assessment.outputs, table.schema)
    _check_search("outputs", assessment.outputs)
    _check_search("earlier", assessment.earlier)


def _with_rows(ready: Plan) -> Plan:
    """The plan with a row for everybody where counts do not say enough."""
    why = _why_rows(ready)
    if not why:
        return ready
    told = replace(ready, why_rows=why if ready.table.n_people >= MANY else "")
    return told if told.is_sampled else replace(told, table=ready.table.expanded())


def _condensed(ready: Plan, condenses: bool) -> Plan:
    """The same with many people who are alike held once, where counts say everything; else with why they are not."""
    table, given = ready.table, ready.assessment
    known = [*given.outputs, *ready.earlier.outputs]
    for i, output in enumerate(known):
        if not output.condenses:
            which = f"output {i + 1}" if i < ready.n_new else "an earlier output"
            return replace(ready, why_rows=f"{which} ({output.kind}) is worked out from rows")
    if not can_condense(given):
        return replace(ready, why_rows="units, waivers or a holdout are named")
    wanted = {*needed_columns(given, table.schema, table.names, derived=True)}
    wanted |= {name for output in known for name in output.uses(table.schema)}
    smaller = replace(ready, table=table.select([n for n in table.names if n in wanted]).condensed())
    why = _why_rows(smaller)
    if why:
        return replace(ready, why_rows=why)
    return smaller if condenses else replace(ready, why_rows=_ASKED_FOR)


def _why_rows(ready: Plan) -> str:
    """Why a pass cannot do with people who are alike held once; empty where every pass can."""
    if ready.table.n_people < FEWEST_ROWS:
        return "there are few"
    if not counts_suffice(ready.families, ready.design):
        return "a measure or the design needs rows"
    for stage, numbers in ready.groups():
        outputs, printed = [ready.outputs[i] for i in numbers], [ready.printed[i] for i in numbers]
        scenarios = ready.scenarios(numbers)
        if granted_by(scenarios) == "earlier outputs":
            return "earlier outputs are granted to the intruder"
        if spanning(outputs, printed, scenarios, ready.table) is None:
            why = why_not_fitted(outputs, printed, scenarios, ready.table.schema)
            if why:
                return f"{stage.lower()}: {why}"
    return ""


def _check_search(field: str, outputs: Sequence[Output]) -> None:
    """Raise where an output cannot be searched for fast enough."""
    for i, output in enumerate(outputs):
        if output.releases_rows and (len(outputs) > 1 or field == "earlier"):
            raise SpecError(
                "released rows are assessed alone, without other outputs.",
                where=f"{field}[{i}]",
                hint="Give them a spec of their own.",
            )
        if not (output.can_lower or output.releases_rows):
            raise EmbedError(
                f"kind {output.kind!r} cannot be searched for fast enough to be assessed: {output.why_not}",
                where=f"{field}[{i}]",
                hint="Judge it by hand, or with divulge embed and the evolutionary synthesiser.",
            )


def _printed(number: int, output: Output, figures: Figures, released: Released | None, schema: Schema) -> Released:
    """An output as it is released: as it was given, else as the data give it; an undefined figure says nothing."""
    if released is not None:
        return released
    if not is_usable(figures):
        raise OutputError(
            f"the output cannot be computed from the data: {figures.sentence}", where=f"outputs[{number}]"
        )
    return output.publish(figures, schema)


def _disagreeing(figures: Figures, released: Released | None) -> int:
    """How many released figures the data do not give."""
    return 0 if released is None else len(_wrong(figures, released))


def _wrong(figures: Figures, released: Released) -> tuple[str, ...]:
    """The released figures that the data do not give, by name; standard errors are figures too."""
    names = [n for n, ok in zip(figures.labels, released.agrees(figures.values), strict=True) if not ok]
    if figures.se is not None:
        agree = released.agrees_se(figures.se)
        names += [f"the standard error of {n}" for n, ok in zip(figures.labels, agree, strict=True) if not ok]
    return tuple(names)


def _as_computed(output: Output, released: Released | None, table: Table) -> Output:
    """The same output as it is computed on a part: with the precision and the withheld cells of what was released."""
    if released is None:
        return output
    output = output.as_released(released, table)
    hidden = tuple(n for n, v in zip(released.labels, released.values, strict=True) if np.isnan(v))
    precision = released.precision
    return replace(
        output,
        released=None,
        compute=True,
        decimals=precision.decimals,
        significant=precision.significant,
        base=precision.base,
        suppressed=hidden if output.can_suppress and output.threshold is None else output.suppressed,
    )


def _synthesiser(assessment: Assessment) -> Descent:
    if assessment.synthesiser.kind is not Descent:
        raise SpecError("only descent is fast enough to repeat on many splits.", where="synthesiser.kind")
    # The start from the released model is the quick way to the same place, at the same knowledge.
    made = assessment.synthesiser.make(start="model")
    assert isinstance(made, Descent), "asked above"
    return made
