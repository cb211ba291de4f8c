"""One recipe for every door: embed these outputs under this knowledge.

`embed`, `teach`, every split of an assessment and the service use it, so earlier outputs mean the same in all of them:
what is out already is searched for together with the outputs. Where the scenario takes it as granted
(`knows: earlier outputs`) it counts little, so that the outputs prevail where the two contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from divulge.errors import SpecError
from divulge.objective import Embedding, Enough, Objective, Outcome, Target
from divulge.objective.knowledge import granted
from divulge.objective.log import Listener
from divulge.outputs import Output, Released
from divulge.outputs.digits import Digits, as_embedded, digits_of, widened
from divulge.outputs.fields import in_field
from divulge.outputs.released.computed import compute
from divulge.scenario import Knowledge, granted_by
from divulge.spec import Assessment, Inputs
from divulge.synthesisers import Synthesiser, embed_runs
from divulge.table import Schema, Table

LIGHT = 0.01
"""What granted outputs count in the search: should they contradict the outputs, these prevail."""


@dataclass(frozen=True, eq=False)
class Recipe:
    """What is to be embedded. earlier: what is out already, and is searched for beside the outputs.

    known: the variables to whose marginals the search keeps; all that the knowledge has, where None.
    printed: the outputs where no people can have some figures as printed, and these are searched for as near as can be.
    """

    schema: Schema
    outputs: tuple[Target, ...]
    knowledge: Knowledge
    n_rows: int
    earlier: tuple[Target, ...] = ()
    known: tuple[str, ...] | None = None
    printed: tuple[Target, ...] = ()

    @cached_property
    def objective(self) -> Objective:
        """What a synthesiser is given: no table is in it."""
        known = self.knowledge.known if self.known is None else self.known
        targets = (*self.outputs, *self.earlier)
        return Objective(self.schema, targets, self.knowledge.marginals, known, self.n_rows)

    def embed(
        self,
        synthesiser: Synthesiser,
        seed: int,
        *,
        run: int = 0,
        listener: Listener | None = None,
        snapshots: int = 0,
        enough: Enough | None = None,
    ) -> Embedding:
        """Microdata that reproduces the outputs. enough: how near will do where digits are not to be had."""
        objective = self.objective
        found = synthesiser.embed(
            objective, self.n_rows, seed, run=run, listener=listener, snapshots=snapshots, enough=enough
        )
        return self.judged_by_outputs(found)

    def embed_runs(
        self, synthesiser: Synthesiser, seed: int, *, runs: int, workers: int, listener: Listener | None = None
    ) -> list[Embedding]:
        """The same so many times, each from random numbers of its own."""
        found = embed_runs(
            synthesiser, self.objective, self.n_rows, seed, runs=runs, workers=workers, listener=listener
        )
        return [self.judged_by_outputs(one) for one in found]

    def judged_by_outputs(self, found: Embedding) -> Embedding:
        """The result of a search for this objective; whether earlier outputs were reproduced says nothing of it."""
        n = len(self.outputs)
        outputs, earlier = found.outputs[:n], found.outputs[n:]
        if self.printed:
            outputs = tuple(one.judged(target) for one, target in zip(outputs, self.printed, strict=True))
        is_complete = all(o.is_complete for o in outputs) and found.outcome is not Outcome.INTERRUPTED
        outcome = Outcome.REPRODUCED if is_complete else found.outcome
        if outcome is Outcome.REPRODUCED and not is_complete:
            outcome = Outcome.NEAREST
        return replace(found, outputs=outputs, outcome=outcome, earlier=earlier)


def recipe_of(assessment: Assessment, inputs: Inputs) -> Recipe:
    """The recipe of a spec. Data at hand are used here alone: to compute numbers that the spec does not give, and to
    count what the scenario grants."""
    if inputs.n_rows is None:
        raise SpecError(
            "how many rows the outputs were computed on is needed.", where="rows", hint="Write for example rows: 50357."
        )
    if inputs.n_rows < 1:
        raise SpecError(f"at least one row is needed, rows says {inputs.n_rows}.", where="rows")
    targets = _targets("outputs", assessment.outputs, inputs.released, inputs.table)
    earlier = _targets("earlier", assessment.earlier, inputs.earlier, inputs.table)
    knows = granted_by(assessment.scenarios)
    if knows == "earlier outputs":
        check_named(assessment)
        earlier = tuple(map(as_granted, earlier))
    table = inputs.table
    counts = None if table is None else {name: table.frequencies(name).astype(float) for name in table.names}
    knowledge = granted(inputs.schema, (*targets, *earlier), knows, counts)
    return Recipe(inputs.schema, targets, knowledge, inputs.n_rows, earlier)


MOST_DRAWN = 200_000
"""Rows up to which some are drawn to see what a digit is worth; with more, every figure is taken as printed."""


def without_idle_digits(recipe: Recipe, table: Table | None) -> tuple[Recipe, tuple[Digits, ...]]:
    """The recipe with figures to the digits that tell people apart, and what the digits of each output are worth.

    Figures that no people can have are searched for as near as can be. table: the data, where there are any. Otherwise
    rows are drawn as the granted marginals have them: what one row moves a figure by is of the same size in any rows.
    """
    rows, knowledge = table, recipe.knowledge
    if rows is None and recipe.n_rows <= MOST_DRAWN:
        rng = np.random.default_rng([_STREAM, recipe.n_rows])
        marginals = knowledge.marginals
        columns = (rng.choice(v.n_codes, recipe.n_rows, p=marginals[v.name]).astype(v.dtype) for v in recipe.schema)
        rows = Table(recipe.schema, tuple(columns))
    if rows is None:
        return recipe, (Digits(()),) * len(recipe.outputs)
    # Of a variable of which nothing is known it is known which values nobody has.
    said = {
        name: np.where(share > 0, np.nan, 0.0) if knowledge.sources[name] == "uniform" else share
        for name, share in knowledge.marginals.items()
    }
    found = tuple(
        digits_of(t.output, t.released, rows, is_data=table is not None, marginals=said) for t in recipe.outputs
    )
    outputs = [
        t if d.useful is None else replace(t, released=as_embedded(t.released, d.useful))
        for t, d in zip(recipe.outputs, found, strict=True)
    ]
    if all(d.reach is None for d in found):
        return replace(recipe, outputs=tuple(outputs)), found
    within = [
        t if d.reach is None else replace(t, released=widened(t.released, d.reach))
        for t, d in zip(outputs, found, strict=True)
    ]
    return replace(recipe, outputs=tuple(within), printed=tuple(outputs)), found


_STREAM = 11
"""First word of the key of the random stream, as in `designs.py`."""


def as_granted(target: Target) -> Target:
    """An earlier output that the intruder takes as given: it counts little beside the outputs."""
    return replace(target, output=replace(target.output, weight=LIGHT * target.output.weight))


def check_named(assessment: Assessment, n_released_before: int = 0) -> None:
    """Raise where a scenario grants earlier outputs and there are none."""
    if granted_by(assessment.scenarios) == "earlier outputs" and not (assessment.earlier or n_released_before):
        raise SpecError("no earlier outputs are named.", where="scenario.knows", hint="Name them under earlier.")


def _targets(
    field: str, outputs: Sequence[Output], given: Sequence[Released | None], table: Table | None
) -> tuple[Target, ...]:
    """Outputs with their figures: as released, else as the data give them."""
    found = []
    for i, (output, released) in enumerate(zip(outputs, given, strict=True)):
        with in_field(f"{field}[{i}]"):
            if released is None:
                assert table is not None, "numbers that are not given are computed from the data"
                released = compute(output, table).released
            found.append(Target(output, released))
    return tuple(found)
