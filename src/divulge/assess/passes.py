"""One pass: a set of outputs through a whole design. Several outputs make one pass together and one each alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from divulge.assess.attacks import Attack, Lookup
from divulge.assess.splits.checkpoint import Checkpoint
from divulge.assess.splits.split import (
    Embedded,
    Figure,
    SplitResult,
    Task,
    embed,
    granted,
    is_usable,
    measured,
    near_enough,
    near_share,
    publish,
)
from divulge.assess.splits.workers import Crew
from divulge.assess.statistics.contrasts import MeasureRisk, Shares, measure_risks
from divulge.assess.statistics.curve import Curve, CurvePoint, Trajectory, fit_curve, fit_trajectory
from divulge.assess.statistics.exposure import Exposed, Sums, confirm, find_exposed
from divulge.assess.statistics.intervals import Mean, mean_over
from divulge.designs import BLOCK, Design, RepeatedHalves, Split, enough_splits
from divulge.errors import DesignError, OutputError
from divulge.kernels.arrays import Floats, Mask
from divulge.measures.families.family import Family
from divulge.measures.families.tcap import Tcap
from divulge.objective import Embedding
from divulge.outputs import Output, Released
from divulge.policy import Policy
from divulge.rules import Finding
from divulge.synthesisers import Descent
from divulge.table import Table

FIGURE_3_AT_MOST = 200
"""Figures up to which the search is followed from afar (Figure 3); with more, every snapshot costs a count of all."""

SNAPSHOTS = 15
"""Moments of the search at which risk and error are compared."""


@dataclass(frozen=True)
class FoldRow:
    """A row of a table like the paper's Table 5: a fold, or the mean or the standard deviation of those above it."""

    label: str
    original: float
    holdout: float
    difference: float


@dataclass(frozen=True, eq=False)
class AttackRisk:
    """What one attack found. marginal_risk: None where nobody was out. contrasts: by split, what its interval is of."""

    attack: Attack
    marginal_risk: Mean | None
    measures: Mapping[str, MeasureRisk]
    sweep: Mapping[str, MeasureRisk]
    folds: Mapping[str, tuple[FoldRow, ...]]
    curve: Curve | None
    exposures: Floats
    p_values: Floats
    exposed: Mask
    tolerance: float | None
    contrasts: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class PassResult:
    """What a pass found: the whole data embedded, every attack, who is exposed by their contrast, what rules found.

    near: the share of each output's figures that the whole has as printed, or near enough to put them to the test.
    worst_in_splits: of each output's figures the one that was least often so, as a share of the splits that gave it.
    """

    outputs: tuple[int, ...]
    whole: Embedding
    near: tuple[float, ...]
    attacks: tuple[AttackRisk, ...]
    exposed: Mask
    n_splits: int
    failed: tuple[str, ...]
    in_splits: tuple[float, ...]
    mae_in_splits: tuple[float, ...]
    worst_in_splits: tuple[float, ...]
    trajectory: Trajectory | None
    can_find_one: bool
    has_contrast: bool
    seconds: Mapping[str, float]
    findings: tuple[Finding, ...] = ()
    holdout: tuple[Mapping[str, Figure], ...] = ()

    @property
    def at_risk(self) -> Mask:
        """Who is exposed, by the contrast or by a rule."""
        return np.any([self.exposed, *(f.people for f in self.findings)], axis=0)


def make_task(
    outputs: Sequence[Output],
    attacks: Sequence[Attack],
    table: Table,
    families: Sequence[Family],
    synthesiser: Descent,
    seed: int,
) -> Task:
    """What the splits of one pass share: only the variables that the outputs and the attacks speak of."""
    wanted = {n for o in outputs for n in o.uses(table.schema)} | {n for a in attacks for n in a.variables}
    names = tuple(n for n in table.names if n in wanted)
    people = table.select(names)
    knows = "nothing" if all(a.knows == "nothing" for a in attacks) else "marginals"
    marginals = granted(people, names, knows)
    lookups = tuple(Lookup.of(a, people, marginals) for a in attacks)
    known = names if knows == "marginals" else ()
    return Task(tuple(outputs), people, people.schema, marginals, lookups, tuple(families), synthesiser, seed, known)


def run_pass(
    name: str,
    indices: Sequence[int],
    task: Task,
    released: Sequence[Released | None],
    design: Design,
    policy: Policy,
    crew: Crew,
    checkpoint: Checkpoint,
    stage: str,
) -> PassResult:
    """Embed the whole, run the design, and put the statistics together."""
    whole, near, trajectory = _whole(task, released)
    seed, n_rows = task.seed, task.table.n_rows
    splits = design.splits(n_rows, seed)
    sums = [Sums(lookup) for lookup in task.lookups]
    shares = [Shares(lookup) for lookup in task.lookups]
    results: list[SplitResult] = []
    masks: list[Mask] = []
    is_halves = isinstance(design, RepeatedHalves)
    # Each block ends with the question whether the next one is needed.
    blocks = [splits[i : i + BLOCK] for i in range(0, len(splits), BLOCK)] if is_halves else [splits]
    used: tuple[int, ...] = ()
    block_of: list[int] = []
    for b, block in enumerate(blocks):
        # Folds are few, and the paper's table is of key subsets; of thirty halves one says enough.
        sweep_at = (0,) if is_halves else tuple(s.number for s in block)
        for result in crew.run(name, stage, task, block, checkpoint, sweep_at=sweep_at):
            inside, _ = result.split.rows()
            if result.is_usable and is_halves:
                masks.append(inside)
                block_of.append(b)
                for total, share, counts in zip(sums, shares, result.counts, strict=True):
                    total.add(counts, inside)
                    share.add(counts)
            results.append(replace(result, counts=()))
        used = (*used, len(block))
        if isinstance(design, RepeatedHalves) and design.stop_early and b + 1 < len(blocks) and masks:
            narrow = all(2 * s.marginal_risk(masks).half_width <= policy.widest_interval / 4 for s in sums)
            # Whether anybody's scores vary enough does not depend on who was in: such looks do not add to the error.
            if narrow and not any(s.can_exceed(policy.delta).any() for s in sums):
                break
    _check_any(results)
    curves = _curves(name, design, task, sums, masks, crew, checkpoint, stage) if is_halves else {}
    found = find_exposed(sums, masks, block_of, policy.delta, policy.false_discoveries) if is_halves else None
    if isinstance(design, RepeatedHalves) and found is not None and found.by_any.any():
        found = _confirmed(name, design, task, found, policy, crew, checkpoint, stage)
    is_enough = found is None or can_find_one(found, used, policy)
    main = [r for r in results if r.is_usable and r.split.part != "folds of folds"]
    measures = [
        measure_risks([r.measures[i] for r in main], share if is_halves else None, masks, block_of)
        for i, share in enumerate(shares)
    ]
    return _put_together(
        indices, task, whole, near, trajectory, results, sums, masks, measures, curves, found, is_enough
    )


def _confirmed(
    name: str,
    design: RepeatedHalves,
    task: Task,
    found: Exposed,
    policy: Policy,
    crew: Crew,
    checkpoint: Checkpoint,
    stage: str,
) -> Exposed:
    """Those who are exposed when fresh splits are added."""
    splits = design.confirming(task.table.n_rows, task.seed)
    again = [Sums(lookup) for lookup in task.lookups]
    masks: list[Mask] = []
    blocks: list[int] = []
    for result in crew.run(name, f"{stage}, the exposed again", task, splits, checkpoint, with_measures=False):
        if not result.is_usable:
            continue
        masks.append(result.split.rows()[0])
        blocks.append(result.split.number // BLOCK)
        for total, counts in zip(again, result.counts, strict=True):
            total.add(counts, masks[-1])
    return confirm(found, again, masks, blocks, policy.delta, policy.false_discoveries) if masks else found


def can_find_one(found: Exposed, blocks: tuple[int, ...], policy: Policy) -> bool:
    """Whether one exposed person alone could be told from chance with so many splits."""
    return enough_splits(blocks, found.n_tested * found.n_attacks, policy.false_discoveries)


def _whole(task: Task, released: Sequence[Released | None]) -> tuple[Embedding, tuple[float, ...], Trajectory | None]:
    """The released figures of all rows embedded as printed, and risk against error on the way of a second search."""
    figures = [o.evaluate(task.table) for o in task.outputs]
    for i, f in enumerate(figures):
        if released[i] is None and not is_usable(f):
            raise OutputError(
                f"the output cannot be computed from the data: {f.status.sentence}", where=f"outputs[{i}]"
            )
    given = [
        r if r is not None else publish(o, f, task.schema)
        for o, f, r in zip(task.outputs, figures, released, strict=True)
    ]
    n_rows = task.table.n_rows
    whole = embed(task, given, n_rows, run=10_000)
    near = tuple(near_share(r, f) for r, f in zip(whole.outputs, figures, strict=True))
    attack = next((a for a in task.attacks if a.keys), None)
    if attack is None or sum(len(g.labels) for g in given) > FIGURE_3_AT_MOST:
        return whole, near, None
    afar = replace(task.synthesiser, start="univariate", polish=False, mae=near_enough(figures, given))
    path = embed(task, given, n_rows, run=10_001, settings=afar, snapshots=SNAPSHOTS)
    followed = [(point.steps, np.mean(point.errors)) for point in path.trace if point.errors is not None]
    steps, errors = [int(s) for s, _ in followed], [float(e) for _, e in followed]
    paper = replace(task, families=(Tcap(),))
    risks = [measured(paper, attack, task.table, s, None, None)["TCAP_zero"].original for s in path.snapshots]
    return whole, near, fit_trajectory("TCAP_zero", attack.describe(), steps, errors, risks)


def _check_any(results: Sequence[SplitResult]) -> None:
    if any(r.is_usable for r in results):
        return
    raise DesignError(
        f"in none of {len(results)} splits could the outputs be computed; {results[0].why_not}",
        where="outputs",
        hint="Coarser categories, so that no level vanishes in a part of the data; or judge the output by hand.",
    )


def _curves(
    name: str,
    design: Any,
    task: Task,
    sums: Sequence[Sums],
    masks: Sequence[Mask],
    crew: Crew,
    checkpoint: Checkpoint,
    stage: str,
) -> dict[int, Curve]:
    splits: tuple[Split, ...] = design.curve_at(task.table.n_rows, task.seed)
    found: dict[str, list[list[float]]] = {}
    sizes: dict[str, int] = {}
    # To the splits of the curve a person's mean over the halves is a fixed number: it frees them of who is in.
    means = [s.means() for s in sums]
    for result in crew.run(name, f"{stage}, smaller parts", task, splits, checkpoint, with_measures=False):
        if not result.is_usable:
            continue
        inside, _ = result.split.rows()
        sizes[result.split.part] = int(inside.sum())
        rows = found.setdefault(result.split.part, [[] for _ in sums])
        for i, (lookup, counts) in enumerate(zip(task.lookups, result.counts, strict=True)):
            scores = lookup.scores(counts)[lookup.cell_of_row] - means[i]
            rows[i].append(float(scores[inside].mean() - scores[~inside].mean()))
    n_rows = task.table.n_rows
    curves = {}
    for i, total in enumerate(sums):
        points = [CurvePoint("n/2", n_rows // 2, total.marginal_risk(masks))]
        points += [CurvePoint(part, sizes[part], mean_over(rows[i])) for part, rows in found.items()]
        curves[i] = fit_curve(points, n_rows)
    return curves


def _put_together(
    indices: Sequence[int],
    task: Task,
    whole: Embedding,
    near: tuple[float, ...],
    trajectory: Trajectory | None,
    results: Sequence[SplitResult],
    sums: Sequence[Sums],
    masks: Sequence[Mask],
    measures: Sequence[Mapping[str, MeasureRisk]],
    curves: Mapping[int, Curve],
    found: Exposed | None,
    is_enough: bool,
) -> PassResult:
    usable = [r for r in results if r.is_usable]
    nobody = np.zeros(task.table.n_rows, dtype=bool)
    is_halves = found is not None
    attacks = []
    for i, lookup in enumerate(task.lookups):
        attacks.append(
            AttackRisk(
                lookup.attack,
                sums[i].marginal_risk(masks) if is_halves else None,
                measures[i],
                measure_risks([r.sweep[i] for r in usable if r.sweep]),
                _fold_tables(usable, i) if not is_halves else {},
                curves.get(i),
                found.exposures[i] if found else np.zeros(len(nobody)),
                found.p_values[i] if found else np.ones(len(nobody)),
                found.by_each[i] if found else nobody,
                lookup.tolerance,
                dict(zip((r.split.number for r in usable), sums[i].freed(masks), strict=True)) if is_halves else {},
            )
        )
    n_outputs = len(task.outputs)
    return PassResult(
        tuple(indices),
        whole,
        near,
        tuple(attacks),
        found.by_any if found else nobody,
        len(usable),
        tuple(r.why_not for r in results if r.why_not is not None),
        tuple(float(np.mean([r.outputs[j].near for r in usable])) for j in range(n_outputs)),
        tuple(float(np.mean([r.outputs[j].mae for r in usable])) for j in range(n_outputs)),
        tuple(_worst([r.outputs[j] for r in usable]) for j in range(n_outputs)),
        trajectory,
        is_enough,
        is_halves,
        {"embedding": whole.seconds, "splits": float(sum(r.seconds for r in results))},
    )


def _worst(found: Sequence[Embedded]) -> float:
    """The smallest share of splits in which one and the same figure was reproduced, of those in which it was given."""
    size = max((e.n_figures for e in found), default=0)
    missed, given = np.zeros(size), np.zeros(size)
    for one in found:
        given += 1
        given[list(one.not_given)] -= 1
        missed[list(one.missed)] += 1
    return float(1 - (missed / np.maximum(given, 1)).max(initial=0.0))


def _fold_tables(results: Sequence[SplitResult], attack: int) -> dict[str, tuple[FoldRow, ...]]:
    """For each measure a row a fold, then their mean and standard deviation (Elliot et al., Table 5); folds of folds
    after the folds, with their own. The paper's standard deviations divide by the number of folds, and so do these."""
    parts = dict.fromkeys(r.split.part for r in results)
    names = dict.fromkeys(n for r in results for n in _all_measures(r, attack))
    tables: dict[str, tuple[FoldRow, ...]] = {}
    for name in names:
        rows: list[FoldRow] = []
        for part in parts:
            found = [(r.split.label, _all_measures(r, attack)[name]) for r in results if r.split.part == part]
            figures = np.array([[f.original, f.holdout, f.original - f.holdout] for _, f in found])
            rows += [FoldRow(label, *map(float, row)) for (label, _), row in zip(found, figures, strict=True)]
            rows.append(FoldRow("Mean", *map(float, figures.mean(axis=0))))
            rows.append(FoldRow("Standard deviation", *map(float, figures.std(axis=0))))
        tables[name] = tuple(rows)
    return tables


def _all_measures(result: SplitResult, attack: int) -> Mapping[str, Figure]:
    return {**result.measures[attack], **(result.sweep[attack] if result.sweep else {})}
