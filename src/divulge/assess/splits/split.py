"""One split: the outputs recomputed on its part, microdata that reproduces them, and what that says of everybody."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.assess.splits.measures import Figure, measure_scenario
from divulge.assess.splits.rows import made_rows, rows_output
from divulge.assess.splits.standard_errors import errors_of, near_of
from divulge.assess.splits.task import Task
from divulge.designs import Split
from divulge.errors import EmbedError
from divulge.kernels.arrays import Mask
from divulge.objective import Embedding, Enough, Outcome, Reproduction
from divulge.outputs import Figures, Released, Status
from divulge.scenario import Matches
from divulge.table import Table

_USABLE = (
    Status.OK,
    Status.EMPTY_GROUP,
    Status.CONSTANT,
    Status.VANISHED_LEVEL,
    Status.COLLINEAR,
    Status.SEPARATED,
)
"""Statuses with which an output can still be released: some figures may be undefined, the others stand."""

_SILENT = (*_USABLE, Status.EMPTY)
"""Statuses that say something of who is in where no figure at all could be computed: nobody ill is in this part. What
fails for want of rows, or because a fit did not converge, says nothing of anybody."""

_NEAR_ENOUGH = 0.01
"""Mean error at which a search may stop that is for a picture alone, in standard errors of the estimates."""


@dataclass(frozen=True)
class Embedded:
    """One output of one split: how it could be computed, and how far it was reproduced.

    reproduced: share of figures as printed; near: as printed, or near enough to put them to the test.
    missed: the numbers of the figures that are not; not_given: of those that were undefined in the split.
    """

    status: str
    mae: float
    n_figures: int
    reproduced: float
    near: float
    missed: tuple[int, ...] = ()
    not_given: tuple[int, ...] = ()

    @property
    def is_silent(self) -> bool:
        """Whether the split gave no figure of the output at all."""
        return self.n_figures > 0 and len(self.not_given) == self.n_figures


@dataclass(frozen=True, eq=False)
class SplitResult:
    """What one split found. counts: one entry a scenario. why_not: why there is nothing, in words, or None.

    searching: how many of its seconds the search took.
    """

    split: Split
    outputs: tuple[Embedded, ...]
    outcome: str
    why_not: str | None
    counts: tuple[Matches, ...]
    measures: tuple[Mapping[str, Figure], ...]
    sweep: tuple[Mapping[str, Figure], ...]
    seconds: float
    searching: float = 0.0

    @property
    def is_usable(self) -> bool:
        return self.why_not is None


def is_usable(figures: Figures) -> bool:
    """Whether an output with these figures could be released at all."""
    return figures.status in _USABLE and not bool(np.isnan(figures.values).all())


def run_split(task: Task, split: Split, with_measures: bool, with_sweep: bool) -> SplitResult:
    """Recompute, embed, look everybody up.

    An output that cannot be computed because of who is in (nobody ill) is printed as a dash: of people who are out that
    is all that an intruder has. Were such splits dropped, those without whom it cannot be computed would never be out.
    """
    started = time.perf_counter()
    inside, outside = split.rows()
    part = task.table.take(inside)
    figures = [output.evaluate(part) for output in task.outputs]
    failed = [(i, f) for i, f in enumerate(figures) if not is_usable(f) and f.status not in _SILENT]
    if failed:
        i, wrong = failed[0]
        why = f"output {i + 1} ({task.outputs[i].kind}): {wrong.sentence}"
        return _nothing(split, figures, why, started)
    given = {i: task.outputs[i].publish(f, task.schema) for i, f in enumerate(figures) if is_usable(f)}
    embedding, rows = None, rows_output(task)
    try:
        if given and rows is not None:
            embedding = made_rows(task, rows, part, figures[0], given[0], split.run)
        elif given:
            shown = [figures[i] for i in given]
            settings, enough = task.synthesiser, _enough(task, figures, given, part)
            if split.is_on_curve and settings.mae is None:
                settings, enough = replace(settings, mae=near_enough(shown, list(given.values()), on_curve=True)), None
            embedding = task.recipe(given, part.n_rows).embed(settings, task.seed, run=split.run, enough=enough)
            check_whole(embedding)
    except EmbedError as error:
        return _nothing(split, figures, error.message, started)
    synthetic = _granted_rows(task, split, part.n_rows) if embedding is None else embedding.table
    found = {} if embedding is None else dict(zip(given, embedding.outputs, strict=True))
    counts = tuple(lookup.counts(synthetic) for lookup in task.lookups)
    measures: tuple[Mapping[str, Figure], ...] = ()
    sweep: tuple[Mapping[str, Figure], ...] = ()
    if with_measures:
        holdout = task.table.take(outside) if split.has_holdout else None
        measures = tuple(measure_scenario(task, s, part, synthetic, holdout) for s in task.scenarios)
        if with_sweep:
            sweep = tuple(
                measure_scenario(task, s, part, synthetic, holdout, s.key_sizes) if s.key_sizes else {}
                for s in task.scenarios
            )
    outputs = tuple(
        _embedded(f, found[i], given[i], near_of(task.outputs, i, f, found[i], part)) if i in given else _silent(f)
        for i, f in enumerate(figures)
    )
    outcome = "not run" if embedding is None else str(embedding.outcome)
    searching = 0.0 if embedding is None else embedding.seconds
    seconds = time.perf_counter() - started
    return SplitResult(split, outputs, outcome, None, counts, measures, sweep, seconds, searching)


def _granted_rows(task: Task, split: Split, n_rows: int) -> Table:
    """Rows as the granted distributions have them: what an intruder has who is shown no figure at all."""
    rng = np.random.default_rng([task.seed, _STREAM, split.run])
    marginals = task.knowledge.marginals
    drawn = (rng.choice(v.n_codes, size=n_rows, p=marginals[v.name]).astype(v.dtype) for v in task.schema)
    return Table(task.schema, tuple(drawn))


_STREAM = 9
"""First word of the key of the random stream, as in `designs.py`."""


def _enough(task: Task, figures: Sequence[Figures], given: Mapping[int, Released], part: Table) -> Enough | None:
    """How near the estimates of a part have to be; None where all figures are to be as printed.

    While last digits are tried for, only software's own standard errors count: others are worked out from every row.
    """
    if task.near_suffices:
        found = [errors_of(task.outputs, i, figures[i], printed, part) for i, printed in given.items()]
    else:
        found = [figures[i].se for i in given]
    has_some = [se is not None and bool(np.isfinite(se).any()) for se in found]
    if not (any(has_some) if task.near_suffices else all(has_some)):
        return None
    errors = [np.full(len(figures[i].labels), np.nan) if se is None else se for i, se in zip(given, found, strict=True)]
    return Enough(tuple(errors), is_final=task.near_suffices)


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
            enough.append(2 * _NEAR_ENOUGH * float(np.nanmean(figure.se)))
            continue
        least = _NEAR_ENOUGH * float(np.nanmedian(figure.se))
        rounding = float(np.median(printed.half[: len(figure.se)])) / 2
        enough.append(min(max(least, rounding), 2 * least))
    return min(enough) if np.isfinite(enough).all() else None


def _embedded(figures: Figures, reproduction: Reproduction, released: Released, near: Mask) -> Embedded:
    return Embedded(
        str(figures.status),
        reproduction.mae,
        len(near),
        _share(reproduction.agrees),
        _share(near),
        tuple(np.flatnonzero(~near).tolist()),
        tuple(np.flatnonzero(~released.is_given).tolist()),
    )


def _silent(figures: Figures) -> Embedded:
    """An output that the split could not compute: nothing of it was to be reproduced."""
    n = len(figures.labels)
    return Embedded(str(figures.status), float("nan"), n, 1.0, 1.0, (), tuple(range(n)))


def _share(mask: Mask) -> float:
    return float(mask.mean()) if mask.size else 1.0


def _nothing(split: Split, figures: Sequence[Figures], why: str, started: float) -> SplitResult:
    outputs = tuple(Embedded(str(f.status), float("nan"), len(f.labels), 0.0, 0.0) for f in figures)
    return SplitResult(split, outputs, "not run", why, (), (), (), time.perf_counter() - started)


def check_whole(embedding: Embedding) -> None:
    """Stop where the search was interrupted: half a search must not pass for a whole one."""
    if embedding.outcome is Outcome.INTERRUPTED:
        raise KeyboardInterrupt
