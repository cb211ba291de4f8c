"""One split: the outputs recomputed on its part, microdata that reproduces them, and what that says of everybody.

A `Task` is everything that splits share; it goes to other processes once. Granted knowledge is computed on all rows.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from divulge.assess.attacks import Attack, Counts, Lookup
from divulge.designs import Split
from divulge.errors import EmbedError
from divulge.kernels.arrays import Floats, Mask
from divulge.measures.estimate import Estimate
from divulge.measures.families.family import Family
from divulge.measures.run import measure_tables
from divulge.objective import Embedding, Objective, Outcome, Reproduction, Target
from divulge.outputs import Figures, Output, Released, Status
from divulge.synthesisers import Descent
from divulge.table import Schema, Table

USABLE = (
    Status.OK,
    Status.EMPTY_GROUP,
    Status.CONSTANT,
    Status.VANISHED_LEVEL,
    Status.COLLINEAR,
    Status.SEPARATED,
)
"""Statuses with which an output can still be released: some figures may be undefined, the others stand."""

NEAR_ENOUGH = 0.01
"""Mean error at which a split's search may stop, in standard errors of the estimates: a hundredth of what the split
itself adds to them. The whole data are embedded as printed."""

NEAR = 0.05
"""Standard errors within which an estimate is put to the test though its last digits differ. The coefficient of a
dummy for one person has about the standard deviation of the response as its error, and a numeric target counts as
hit within 0.05 of that (attacks.TOLERANCE)."""


@dataclass(frozen=True, eq=False)
class Task:
    """What all splits of one pass share: a set of outputs, the people, the attacks on them, what is granted.

    known: the variables whose marginal the intruder has, and keeps to.
    granted: earlier outputs as the intruder expects them in a part, by the number of its rows.
    """

    outputs: tuple[Output, ...]
    table: Table
    schema: Schema
    marginals: Mapping[str, Floats]
    lookups: tuple[Lookup, ...]
    families: tuple[Family, ...]
    synthesiser: Descent
    seed: int
    known: tuple[str, ...] = ()
    granted: Mapping[int, tuple[Target, ...]] = field(default_factory=dict)

    @property
    def attacks(self) -> tuple[Attack, ...]:
        return tuple(lookup.attack for lookup in self.lookups)


@dataclass(frozen=True)
class Embedded:
    """One output of one split: how it could be computed, and how far it was reproduced.

    reproduced: share of figures as printed; near: as printed, or near enough to put them to the test (NEAR).
    missed: the numbers of the figures that are not; not_given: of those that were undefined in the split.
    """

    status: str
    mae: float
    n_figures: int
    reproduced: float
    near: float
    missed: tuple[int, ...] = ()
    not_given: tuple[int, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A measure on one split, for the people who were in and for those who were out."""

    original: float
    holdout: float
    baseline: float


@dataclass(frozen=True, eq=False)
class SplitResult:
    """What one split found. counts: one entry an attack. why_not: why there is nothing, in words, or None."""

    split: Split
    outputs: tuple[Embedded, ...]
    outcome: str
    why_not: str | None
    counts: tuple[Counts, ...]
    measures: tuple[Mapping[str, Figure], ...]
    sweep: tuple[Mapping[str, Figure], ...]
    seconds: float

    @property
    def is_usable(self) -> bool:
        return self.why_not is None


def granted(table: Table, names: Sequence[str], knows: str) -> dict[str, Floats]:
    """What the intruder knows of each variable's distribution: nothing (all values alike), or its marginal."""
    if knows == "nothing":
        flat = {n: (np.arange(table.schema[n].n_codes) < table.schema[n].n_values) for n in names}
        # A variable whose every row is missing still needs a code to draw.
        return {n: (f if f.any() else ~f) / max(int(f.sum()), 1) for n, f in flat.items()}
    return {n: table.frequencies(n) / max(table.n_rows, 1) for n in names}


def is_usable(figures: Figures) -> bool:
    """Whether an output with these figures could be released at all."""
    return figures.status in USABLE and not bool(np.isnan(figures.values).all())


def publish(output: Output, figures: Figures, schema: Schema) -> Released:
    """Computed figures as they would be released; an undefined one says nothing."""
    return output.publish(figures, schema)


def embed(task: Task, released: Sequence[Released], n_rows: int, run: int, **options: Any) -> Embedding:
    """Microdata that reproduces these figures of the task's outputs."""
    targets = tuple(Target(o, r) for o, r in zip(task.outputs, released, strict=True))
    given = (*targets, *task.granted.get(n_rows, ()))
    objective = Objective(task.schema, given, task.marginals, task.known, n_rows)
    settings = options.pop("settings", task.synthesiser)
    found: Embedding = settings.embed(objective, n_rows, task.seed, run=run, **options)
    if found.outcome is Outcome.INTERRUPTED:
        # The search hands back the best so far; half a search must not pass for a whole one.
        raise KeyboardInterrupt
    if len(found.outputs) == len(targets):
        return found
    # Whether what is granted was reproduced says nothing of the outputs.
    outputs = found.outputs[: len(targets)]
    outcome = Outcome.REPRODUCED if all(o.is_complete for o in outputs) else found.outcome
    return replace(found, outputs=outputs, outcome=outcome)


def run_split(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
    """Recompute, embed, look everybody up. A split whose outputs cannot be computed says so."""
    started = time.perf_counter()
    inside, outside = split.rows()
    part = task.table.take(inside)
    figures = [output.evaluate(part) for output in task.outputs]
    unusable = [(i, f) for i, f in enumerate(figures) if not is_usable(f)]
    if unusable:
        i, wrong = unusable[0]
        why = f"output {i + 1} ({task.outputs[i].kind}): {wrong.status.sentence}"
        return _nothing(split, figures, why, started)
    released = [publish(o, f, task.schema) for o, f in zip(task.outputs, figures, strict=True)]
    mae = task.synthesiser.mae or near_enough(figures, released, on_curve=split.is_on_curve)
    settings = replace(task.synthesiser, mae=mae)
    try:
        embedding = embed(task, released, part.n_rows, split.run, settings=settings)
    except EmbedError as error:
        return _nothing(split, figures, error.message, started)
    synthetic = embedding.table
    counts = tuple(lookup.counts(synthetic) for lookup in task.lookups)
    measures: tuple[Mapping[str, Figure], ...] = ()
    sweep: tuple[Mapping[str, Figure], ...] = ()
    if with_measures:
        holdout = task.table.take(outside) if split.has_holdout else None
        measures = tuple(measured(task, a, part, synthetic, holdout, None) for a in task.attacks)
        if with_sweep:
            sweep = tuple(
                measured(task, a, part, synthetic, holdout, a.key_sizes) if a.key_sizes else {} for a in task.attacks
            )
    outputs = tuple(_embedded(f, r, given) for f, r, given in zip(figures, embedding.outputs, released, strict=True))
    seconds = time.perf_counter() - started
    return SplitResult(split, outputs, str(embedding.outcome), None, counts, measures, sweep, seconds)


def near_enough(figures: Sequence[Figures], released: Sequence[Released], *, on_curve: bool = False) -> float | None:
    """The mean absolute error at which a search may stop; None where some output has no standard errors.

    Figures as printed are off by their rounding, so where that is more, up to twice as much will do. On the learning
    curve, whose small parts have groups of a handful, the mean standard error counts: the few coefficients of such
    groups have most of the error, and hitting them takes longer than all else, for a contrast of which only the size
    is wanted.
    """
    enough = []
    for figure, printed in zip(figures, released, strict=True):
        if figure.se is None or not np.isfinite(figure.se).any():
            return None
        if on_curve:
            enough.append(2 * NEAR_ENOUGH * float(np.nanmean(figure.se)))
            continue
        least = NEAR_ENOUGH * float(np.nanmedian(figure.se))
        rounding = float(np.median(printed.half[: len(figure.se)])) / 2
        enough.append(min(max(least, rounding), 2 * least))
    return min(enough)


def near_share(reproduction: Reproduction, figures: Figures) -> float:
    """The share of figures as printed, or within NEAR standard errors of what was printed."""
    return _share(_is_near(reproduction, figures))


def _is_near(reproduction: Reproduction, figures: Figures) -> Mask:
    near = reproduction.agrees
    if figures.se is not None:
        with np.errstate(invalid="ignore"):
            near = near | (np.abs(reproduction.values - reproduction.released) <= NEAR * figures.se)
    return near


def _embedded(figures: Figures, reproduction: Reproduction, released: Released) -> Embedded:
    near = _is_near(reproduction, figures)
    return Embedded(
        str(figures.status),
        reproduction.mae,
        len(near),
        _share(reproduction.agrees),
        _share(near),
        tuple(np.flatnonzero(~near).tolist()),
        tuple(np.flatnonzero(~released.is_given).tolist()),
    )


def _share(mask: Mask) -> float:
    return float(mask.mean()) if mask.size else 1.0


def _nothing(split: Split, figures: Sequence[Figures], why: str, started: float) -> SplitResult:
    outputs = tuple(Embedded(str(f.status), float("nan"), len(f.labels), 0.0, 0.0) for f in figures)
    return SplitResult(split, outputs, "not run", why, (), (), (), time.perf_counter() - started)


def measured(
    task: Task, attack: Attack, people: Table, synthetic: Table, holdout: Table | None, sizes: tuple[int, int] | None
) -> dict[str, Figure]:
    """The measures of one attack; none where there is no key, which every measure needs."""
    if not attack.keys:
        return {}
    names = attack.variables
    found = measure_tables(
        people.select(names),
        [synthetic.select(names)],
        attack.keys,
        [attack.target],
        task.families,
        holdout=None if holdout is None else holdout.select(names),
        key_sizes=sizes,
        seed=task.seed,
    )[0]
    kept = [n for n in found.measures if (sizes is None) != n.endswith(("_sweep", "_sweep_zero"))]
    return {
        n: Figure(found.measures[n][0].value, _value(found.holdout.get(n)), _baseline(found.measures[n][0]))
        for n in kept
    }


def _value(estimates: list[Estimate] | None) -> float:
    return estimates[0].value if estimates else float("nan")


def _baseline(estimate: Estimate) -> float:
    return float("nan") if estimate.baseline is None else estimate.baseline
