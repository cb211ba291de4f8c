"""What an assessment is to do, decided from the spec and the data before any work: everything is checked here."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess.attacks import attacks_of
from divulge.assess.cumulative import NOTHING, Candidate, Earlier, choose_earlier, with_named
from divulge.assess.splits.holdout import check_apart
from divulge.designs import Design, check_rows, make_design
from divulge.errors import DivulgeError, EmbedError, SpecError, suggest
from divulge.measures import FAMILIES, Family
from divulge.measures.choose import choose
from divulge.outputs import Output, Released, Statbarn
from divulge.policy import Policy, make_policy
from divulge.spec import Assessment, Inputs, read_inputs
from divulge.spec.document import read_document
from divulge.synthesisers import SYNTHESISERS, Descent
from divulge.table import Table

DEFAULT_FAMILIES = ("tcap", "cap", "identity")
"""What is measured where the spec does not say: what the paper reports (TCAP, DCAP) and DiSCO."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that was decided before the first split, from the spec and the data."""

    assessment: Assessment
    table: Table
    outputs: tuple[Output, ...]
    released: tuple[Released | None, ...]
    disagrees: tuple[int, ...]
    design: Design
    policy: Policy
    synthesiser: Descent
    families: tuple[Family, ...]
    wanted: frozenset[str] | None
    holdout: Table | None = None
    earlier: Earlier = NOTHING
    """What was released before about the same data; outputs, released and disagrees end with these."""

    @property
    def n_new(self) -> int:
        return len(self.outputs) - len(self.earlier)


def plan(assessment: Assessment, inputs: Inputs | None = None, released_before: Sequence[Candidate] = ()) -> Plan:
    """Read and check everything that an assessment needs, before any work is done.

    released_before: outputs about the same data; those that share a variable are assessed together with the new ones.
    """
    policy = read_policy(assessment.policy)
    section = assessment.design
    design = make_design(section.kind if section else None, section.values if section else {})
    if assessment.data is None and inputs is None:
        raise SpecError(
            "there are no data: people in and out of the data cannot be compared without them.",
            where="data",
            hint="Name the file of data. Without data, divulge embed makes synthetic data from the outputs.",
        )
    for scenario in assessment.scenarios:
        if scenario.knows == "earlier outputs" and not (assessment.earlier or released_before):
            raise SpecError("no earlier outputs are named.", where="scenario.knows", hint="Name them under earlier.")
    families, wanted = choose(FAMILIES, assessment.measures or DEFAULT_FAMILIES, {})
    read = inputs if inputs is not None else read_inputs(assessment)
    assert read.table is not None, "data were named, and have been read"
    check_rows(read.table.n_rows)
    if read.holdout is not None:
        check_apart(read.table, read.holdout)
    design.splits(read.table.n_rows, assessment.seed)
    attacks_of(assessment.scenarios, assessment.outputs, read.table.schema)
    disagrees = tuple(
        0 if r is None else int((~r.agrees(o.evaluate(read.table).values)).sum())
        for o, r in zip(assessment.outputs, read.released, strict=True)
    )
    outputs = tuple(_as_computed(o, r) for o, r in zip(assessment.outputs, read.released, strict=True))
    for name, given in (("outputs", outputs), ("earlier", assessment.earlier)):
        blocked = next((i for i, o in enumerate(given) if not o.can_lower), None)
        if blocked is not None:
            one = given[blocked]
            raise EmbedError(
                f"kind {one.kind!r} cannot be searched for fast enough to be assessed: {one.why_not}",
                where=f"{name}[{blocked}]",
                hint="Judge it by hand, or with divulge embed and the evolutionary synthesiser.",
            )
    earlier = choose_earlier(released_before, assessment.outputs, assessment.scenarios, read.table)
    earlier = with_named(earlier, assessment, read)
    outputs += tuple(_as_computed(o, r) for o, r in zip(earlier.outputs, earlier.released, strict=True))
    return Plan(
        assessment,
        read.table,
        outputs,
        (*read.released, *earlier.released),
        (*disagrees, *(0 for _ in earlier.outputs)),
        design,
        policy,
        _synthesiser(assessment, outputs),
        tuple(families),
        None if wanted is None or not assessment.measures else frozenset(wanted),
        read.holdout,
        earlier,
    )


def read_policy(given: Path | Mapping[str, Any] | None) -> Policy:
    """The policy that a spec names, or gives itself, or the default one."""
    if isinstance(given, Path):
        return make_policy(read_document(given))
    return make_policy(given)


def _as_computed(output: Output, released: Released | None) -> Output:
    """The same output as it is computed on a part: with the precision and the withheld cells of what was released."""
    if released is None:
        return output
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


def _synthesiser(assessment: Assessment, outputs: Sequence[Output]) -> Descent:
    section = assessment.synthesiser
    # The start from the released model is the quick way to the same place, at the same knowledge. Pairs of moves are
    # for the last digits of estimates; whole counts are put right faster by annealing.
    usual: dict[str, Any] = {
        "start": "model",
        "polish": any(o.statbarn is Statbarn.MODELS for o in outputs),
    }
    if section is None:
        return Descent(**usual)
    kinds = {s.kind: s for s in SYNTHESISERS}
    if section.kind not in kinds:
        raise SpecError(
            f"there is no synthesiser {section.kind!r}.",
            where="synthesiser.kind",
            hint=suggest(section.kind, kinds) or f"The synthesisers are: {', '.join(kinds)}.",
        )
    if section.kind != Descent.kind:
        raise SpecError("only descent is fast enough to repeat on many splits.", where="synthesiser.kind")
    names = [f.name for f in dataclasses.fields(Descent)]
    for name in section.values:
        if name not in names:
            raise SpecError(
                f"there is no setting {name!r}.", where=f"synthesiser.{name}", hint=f"It has: {', '.join(names)}."
            )
    try:
        return Descent(**usual | dict(section.values))
    except DivulgeError as error:
        error.where = f"synthesiser.{error.where}" if error.where else "synthesiser"
        raise
    except TypeError:
        raise SpecError("a setting cannot be what is given.", where="synthesiser") from None
