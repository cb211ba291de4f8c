"""All rows: the released figures embedded as printed, and risk against error on the way of a second search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.assess.splits.measures import measure_scenario
from divulge.assess.splits.rows import released_rows, rows_output
from divulge.assess.splits.searches import KeptSearches
from divulge.assess.splits.split import near_enough
from divulge.assess.splits.standard_errors import near_of
from divulge.assess.splits.task import Task
from divulge.measures.families.tcap import Tcap
from divulge.objective import Embedding
from divulge.outputs import Figures, Released

FIGURE_3_AT_MOST = 200
"""Figures up to which the search is followed from afar (Figure 3); with more, every snapshot costs a count of all."""

SNAPSHOTS = 15
"""Moments of the search at which risk and error are compared."""

FOLLOWED = "TCAP_zero"
"""The measure that is followed, as in the paper."""


@dataclass(frozen=True)
class _SearchPath:
    """Risk and mean absolute error at some moments of one search; steps: how many changes had been proposed."""

    scenario: str
    steps: tuple[int, ...]
    errors: tuple[float, ...]
    risks: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Whole:
    """The whole data embedded. near: of each output, the share of figures as printed or near enough to be tested."""

    embedding: Embedding
    near: tuple[float, ...]
    path: _SearchPath | None


def embed_whole(
    task: Task,
    figures: Sequence[Figures],
    printed: Sequence[Released],
    followed_task: Task | None,
    searches: KeptSearches,
) -> Whole:
    """Embed all rows. figures: of the outputs, computed from all rows; printed: as they are released.

    followed_task: the same with the time that the search has which is followed for the picture; None: no picture.
    searches: makes the searches, or has them from a run that was interrupted.
    """
    rows = rows_output(task)
    if rows is not None:
        return Whole(released_rows(task, rows, figures[0], printed[0]), (1.0,), None)
    recipe = task.recipe(dict(enumerate(printed)), task.table.n_rows)
    whole = searches.embed(recipe, task.synthesiser, task.seed, run=10_000)
    found = enumerate(zip(figures, whole.outputs, strict=True))
    tested = [near_of(task.outputs, i, f, r, task.table) for i, (f, r) in found]
    near = tuple(float(one.mean()) if one.size else 1.0 for one in tested)
    scenario = next((s for s in task.scenarios if s.keys), None)
    if followed_task is None or scenario is None or sum(len(p.labels) for p in printed) > FIGURE_3_AT_MOST:
        return Whole(whole, near, None)
    afar = replace(followed_task.synthesiser, start="univariate", mae=near_enough(figures, printed))
    followed = searches.embed(recipe, afar, task.seed, run=10_001, snapshots=SNAPSHOTS)
    points = [(int(point.steps), float(np.mean(point.errors))) for point in followed.trace if point.errors is not None]
    paper = replace(task, families=(Tcap(),))
    risks = [measure_scenario(paper, scenario, task.table, s, None)[FOLLOWED].original for s in followed.snapshots]
    steps, errors = tuple(s for s, _ in points), tuple(e for _, e in points)
    return Whole(whole, near, _SearchPath(scenario.describe(), steps, errors, tuple(risks)))
