"""From a spec without data to tables whose published figures come out as printed, as many versions as asked for.

Original data are not read here, whatever the spec names: only released numbers, schema and number of rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.assess.recipe import Recipe, recipe_of
from divulge.errors import SchemaError, SpecError
from divulge.kernels.arrays import Floats
from divulge.objective import Embedding, Outcome, Progress, Target
from divulge.record import to_plain
from divulge.scenario import Knowledge
from divulge.spec import Assessment, Inputs, read_inputs
from divulge.spec.teaching import TeachingFields, WeightFields
from divulge.synthesisers import Descent, Evolutionary, Synthesiser
from divulge.table import EditRule, Schema, Table, read_schema
from divulge.teaching.raking import Margin, design_effect, rake, read_margins, with_weight
from divulge.teaching.tilt import tilted

_ATTEMPTS = 12
"""Searches from different starts until one reproduces every figure. About half of those of a regression with crosstabs
do, so all twelve miss once in some thousand versions."""

HELD = 8
"""Attempts that also keep to the frequencies of the schema; the others give them up, since these and the published
figures may come from different people."""

SECONDS = 120.0
"""No further attempt for a version is begun after this."""


@dataclass(frozen=True, eq=False)
class Version:
    """One dataset. embedding: the search behind it; weights: of every row, where a weight was asked for."""

    table: Table
    embedding: Embedding
    attempts: int
    seconds: float
    weights: Floats | None = None

    @property
    def n_missed(self) -> int:
        """Published figures that do not come out as printed."""
        return _missed(self.embedding)

    @property
    def design_effect(self) -> float | None:
        return None if self.weights is None else design_effect(self.weights)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Everything that is written for a class."""

    assessment: Assessment
    schema: Schema
    knowledge: Knowledge
    targets: tuple[Target, ...]
    versions: tuple[Version, ...]
    margins: tuple[Margin, ...]
    seed: int
    earlier: tuple[Target, ...] = ()
    """What was published before; reproduced beside the targets."""

    @property
    def settings(self) -> TeachingFields:
        return self.assessment.teaching

    @property
    def published(self) -> tuple[Target, ...]:
        """The outputs, and what was published before."""
        return (*self.targets, *self.earlier)

    @property
    def n_figures(self) -> int:
        return sum(len(t.released.labels) for t in self.targets)

    @property
    def is_complete(self) -> bool:
        """Whether every published figure comes out as printed in every version."""
        return all(v.n_missed == 0 for v in self.versions)

    @property
    def extra(self) -> tuple[str, ...]:
        """Variables that no output speaks of: drawn from their frequencies, related to nothing."""
        used = {name for t in self.published for name in t.output.uses(self.schema)}
        return tuple(name for name in self.schema.names if name not in used)

    def as_json(self) -> dict[str, Any]:
        return {
            "status": "reproduced" if self.is_complete else "not reproduced",
            "rows": self.versions[0].table.n_rows,
            "figures": self.n_figures,
            "made up": list(self.extra),
            "knowledge": dict(self.knowledge.sources),
            "versions": [
                {
                    **to_plain(v.embedding.as_json()),
                    "seconds": v.seconds,
                    "attempts": v.attempts,
                    "missed": v.n_missed,
                    "design_effect": v.design_effect,
                }
                for v in self.versions
            ],
        }


def _missed(embedding: Embedding) -> int:
    return int(sum((~one.agrees).sum() for one in embedding.outputs))


def _read_class_inputs(assessment: Assessment) -> Inputs:
    """Schema and released numbers, with the rules and variables that the class has beside them; no data."""
    without = replace(assessment, data=None, holdout=None)
    if assessment.schema is None:
        raise SpecError(
            "a schema is needed: teaching data are made without the original.",
            where="schema",
            hint="divulge inspect DATA --save-schema S.json writes one; add --marginals where frequencies are public.",
        )
    if assessment.rows is None:
        raise SpecError("how many rows the class gets is needed.", where="rows", hint="Write for example rows: 4027.")
    inputs = read_inputs(without)
    schema, settings = inputs.schema, assessment.teaching
    if settings.extra is not None:
        more = read_schema(settings.extra)
        twice = [name for name in more.names if name in schema]
        if twice:
            raise SchemaError(f"{twice[0]!r} is in both schemas.", where="teaching.extra", hint="Keep it in one.")
        schema = Schema((*schema.variables, *more.variables), (*schema.rules, *more.rules))
    for i, text in enumerate(settings.rules):
        try:
            EditRule.parse(text, schema)
        except Exception as error:
            if hasattr(error, "where"):
                error.where = f"teaching.rules[{i}]"
            raise
    schema = replace(schema, rules=(*schema.rules, *settings.rules))
    schema.check_closed()
    if settings.weight is not None and settings.weight.name in schema:
        raise SpecError(
            f"there is a variable {settings.weight.name!r} already.", where="teaching.weight.name", hint="Rename one."
        )
    return replace(inputs, schema=schema)


def make_dataset(
    assessment: Assessment,
    *,
    versions: int | None = None,
    seed: int | None = None,
    seconds: float = SECONDS,
    listener: Callable[[int, int, Progress], None] | None = None,
) -> Dataset:
    """Make the versions. listener: told the version, the attempt and how far that is."""
    inputs = _read_class_inputs(assessment)
    weight = assessment.teaching.weight
    margins = () if weight is None else read_margins(weight.margins, inputs.schema)
    recipe = _recipe(assessment, inputs)
    first = assessment.seed if seed is None else seed
    wanted = assessment.teaching.versions if versions is None else versions
    made = []
    for version in range(wanted):

        def listen(attempt: int, progress: Progress, version: int = version) -> None:
            if listener is not None:
                listener(version, attempt, progress)

        found = _search(recipe, _synthesiser(assessment, seconds), first, version, seconds, listen)
        made.append(_with_weight(found, weight, margins))
        if found.embedding.outcome is Outcome.INTERRUPTED:
            break
    published = recipe.outputs, tuple(made), margins, first, recipe.earlier
    return Dataset(assessment, inputs.schema, recipe.knowledge, *published)


def _recipe(assessment: Assessment, inputs: Inputs) -> Recipe:
    """What every version is made from: as `embed` would, with marginals that fit the published figures."""
    # A class is given the schema, and so knows its frequencies, whatever an intruder is said to know.
    knowing = tuple(replace(s, knows="marginals") if s.knows == "nothing" else s for s in assessment.scenarios)
    recipe = recipe_of(replace(assessment, scenarios=knowing), inputs)
    targets = (*recipe.outputs, *recipe.earlier)
    knowledge = tilted(recipe.knowledge, inputs.schema, targets)
    # Published counts say how their variables are distributed, whatever the schema says of other people.
    counted = {n for t in targets if t.output.growth == "extensive" for n in t.output.own_variables()}
    known = tuple(name for name in knowledge.known if name not in counted)
    return replace(recipe, knowledge=knowledge, known=known)


def _search(
    recipe: Recipe,
    synthesiser: Synthesiser,
    seed: int,
    version: int,
    seconds: float,
    listen: Callable[[int, Progress], None],
) -> Version:
    """The first attempt that reproduces every figure, or the one that misses fewest."""
    started = time.perf_counter()
    # The paper's algorithm takes minutes for an attempt, and more of them would not end differently.
    attempts = 1 if isinstance(synthesiser, Evolutionary) else _ATTEMPTS
    best: Embedding | None = None
    done = 0
    for attempt in range(attempts):
        if attempt == HELD:
            recipe = replace(recipe, known=())
        found = recipe.embed(
            synthesiser,
            seed,
            run=version * _ATTEMPTS + attempt,
            listener=lambda progress, attempt=attempt: listen(attempt, progress),  # type: ignore[misc]
        )
        done = attempt + 1
        if best is None or _missed(found) < _missed(best):
            best = found
        if best.is_complete or found.outcome is Outcome.INTERRUPTED or time.perf_counter() - started > seconds:
            break
    assert best is not None, "there is one attempt at least"
    return Version(best.table, best, done, time.perf_counter() - started)


def _synthesiser(assessment: Assessment, seconds: float) -> Synthesiser:
    chosen = assessment.synthesiser
    usual = {"seconds": seconds} if chosen.kind is Descent else {}
    return chosen.make(**usual)


def _with_weight(found: Version, settings: WeightFields | None, margins: tuple[Margin, ...]) -> Version:
    if settings is None:
        return found
    weights = rake(found.table, margins)
    total = margins[0].counts.sum()
    title = settings.title or f"Weight to the population of {total:,.0f} (simulated)"
    table = with_weight(found.table, settings.name, title, weights, settings.decimals)
    return replace(found, table=table, weights=np.round(weights, settings.decimals))
