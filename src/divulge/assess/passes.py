"""One pass: a set of outputs through a whole design. Several outputs make one pass together and one each alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from divulge.assess.searched_halves import mean_seconds, near_suffices, run_halves
from divulge.assess.single_pass import Pass
from divulge.assess.splits.holdout import against_holdout
from divulge.assess.splits.measures import Figure
from divulge.assess.splits.rows import rows_output
from divulge.assess.splits.runner import Runner
from divulge.assess.splits.searches import KeptSearches
from divulge.assess.splits.split import Embedded, SplitResult
from divulge.assess.splits.task import Task
from divulge.assess.splits.time_left import SECOND_LOOK, SMALLER_PARTS
from divulge.assess.splits.whole import FOLLOWED, Whole, embed_whole
from divulge.assess.statistics.against_others import looks_beside
from divulge.assess.statistics.contrasts import MeasureRisk, measure_risks
from divulge.assess.statistics.counted import count_exposures
from divulge.assess.statistics.curve import Curve, Trajectory, fit_trajectory
from divulge.assess.statistics.exposure import Exposed
from divulge.assess.statistics.folds import FoldRow, fold_tables
from divulge.assess.statistics.halves import Halves, SmallerParts
from divulge.assess.statistics.intervals import Mean
from divulge.assess.statistics.lookup_results import LookupResult, best_look, looks_of, with_leaves
from divulge.assess.statistics.power import power_of
from divulge.assess.statistics.suspects import leave_out, smallest_classes, telling
from divulge.designs import BLOCK, CONFIRMING, CONFIRMING_ALONE, FEWEST_ROWS, Design, RepeatedHalves
from divulge.kernels.arrays import Floats, Mask
from divulge.measures.audited import Epsilon
from divulge.objective import Embedding
from divulge.outputs import Status
from divulge.policy import Policy
from divulge.rules import Finding, Severity
from divulge.scenario import Lookup, Scenario
from divulge.table import Table

_Measured = Sequence[Mapping[str, Figure]]
"""The measures of a scenario, split by split."""


@dataclass(frozen=True, eq=False)
class ScenarioRisk:
    """What one scenario came to. marginal_risk: None where nobody was out. contrasts: by split.

    certain: of the exposed those whose value is certain in a small class. is_exact: whether the marginal risk is that
    of the whole, counted; otherwise it is that of halves, which is larger.
    """

    scenario: Scenario
    marginal_risk: Mean | None
    measures: Mapping[str, MeasureRisk]
    sweep: Mapping[str, MeasureRisk]
    exposures: Floats
    exposed: Mask
    certain: Mask
    tolerance: float | None
    contrasts: Mapping[int, float]
    is_exact: bool
    folds: Mapping[str, tuple[FoldRow, ...]] = field(default_factory=dict)
    curve: Curve | None = None
    epsilon: Epsilon | None = None

    @classmethod
    def without_search(cls, lookup: Lookup, look: LookupResult, measures: _Measured, sweep: _Measured) -> ScenarioRisk:
        """What was counted or expected: there are no folds, no curve and no attack to audit."""
        return cls(
            scenario=lookup.scenario,
            marginal_risk=look.risk,
            measures=measure_risks(measures),
            sweep=measure_risks(sweep),
            exposures=look.exposures,
            exposed=look.exposed,
            certain=look.certain,
            tolerance=lookup.tolerance,
            contrasts=look.contrasts,
            is_exact=look.is_exact,
        )


@dataclass(frozen=True, eq=False)
class PassResult:
    """What a pass came to: the whole data embedded, every scenario, who is exposed by their contrast, what rules found.

    near: the share of each output's figures that the whole has as printed, or near enough to put them to the test.
    worst_in_splits: of each output's figures the one that was least often so, as a share of the splits that gave it.
    needs_all: whether an output cannot be computed from half of the rows, because these are too few.
    n_silent: in how many splits an output had no figure at all because of who was in, at most.
    left_out: what there was no time for, in words.
    """

    outputs: tuple[int, ...]
    whole: Embedding
    near: tuple[float, ...]
    scenarios: tuple[ScenarioRisk, ...]
    exposed: Mask
    n_splits: int
    failed: tuple[str, ...]
    n_silent: int
    in_splits: tuple[float, ...]
    mae_in_splits: tuple[float, ...]
    worst_in_splits: tuple[float, ...]
    trajectory: Trajectory | None
    power: float
    needs_all: bool
    has_contrast: bool
    seconds: Mapping[str, float]
    findings: tuple[Finding, ...]
    holdout: tuple[Mapping[str, Figure], ...]
    left_out: tuple[str, ...] = ()

    @property
    def named_by_rules(self) -> Mask:
        """The people whom a refusing rule names, without any search; each person once, however many rules name them."""
        return np.any([np.zeros_like(self.exposed), *(f.people for f in self.refusing)], axis=0)

    @property
    def refusing(self) -> tuple[Finding, ...]:
        """The findings that refuse; others are reasons to look, and say of nobody that they are exposed."""
        return tuple(f for f in self.findings if f.severity is Severity.REFUSE)

    @property
    def at_risk(self) -> Mask:
        """Who is exposed, by the contrast or by a rule."""
        return self.exposed | self.named_by_rules

    @property
    def largest_risk(self) -> float:
        """The largest marginal risk of all scenarios; NaN where there is none."""
        return max((s.marginal_risk.value for s in self.scenarios if s.marginal_risk is not None), default=float("nan"))


@dataclass(frozen=True, eq=False)
class _SplitsRun:
    """The splits of a pass, run. halves: None where the design compares nobody in with nobody out."""

    results: tuple[SplitResult, ...]
    halves: Halves | None = None
    looks: tuple[LookupResult, ...] = ()
    curves: tuple[Curve, ...] = ()
    power: float = 0.0
    needs_all: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def usable(self) -> list[SplitResult]:
        return [r for r in self.results if r.is_usable]


def run_pass(job: Pass, design: Design, policy: Policy, runner: Runner, holdout: Table | None) -> PassResult:
    """Embed the whole, run the design, and put the statistics together.

    Random halves are run block by block until they suffice, then smaller parts, then the second look at suspects.
    """
    limits, task, n_rows = job.limits, job.task, job.task.table.n_rows
    followed = job.within(limits.followed) if job.is_first else None
    searches = KeptSearches(runner.checkpoint, job.name)
    whole = embed_whole(job.within(limits.whole), job.figures, job.printed, followed, searches)
    counted = count_exposures(task.lookups, task.outputs, job.printed, task.table, policy)
    are_counted = tuple(c is not None for c in counted)
    rows = rows_output(task)
    if rows is not None and not rows.makes_rows:
        looks = looks_beside(task, whole.embedding.table, holdout)
        return _put_together(job, whole, _SplitsRun((), looks=looks), holdout)
    if n_rows < FEWEST_ROWS:
        # Too few to split; what counts say needs no split.
        looks = tuple(looks_of(None, None, counted, policy)) if all(are_counted) else ()
        run = _SplitsRun((), looks=looks, power=float(all(are_counted)), needs_all=_needs_all(job.task))
        return _put_together(job, whole, run, holdout)
    if not isinstance(design, RepeatedHalves):
        return _put_together(job, whole, _run_folds(job, design, runner), holdout)
    halves = Halves(task.lookups, len(task.scenarios), are_counted)
    runner.foresee(CONFIRMING_ALONE if not all(are_counted) and job.suspects.any() else 0)
    results, left_out = run_halves(job, design, policy, runner, halves, lambda: _is_clear(job, halves, policy))
    if not halves.masks:
        return _put_together(job, whole, _none_computed(results), holdout)
    parts = SmallerParts(halves)
    curve_splits = design.curve_at(n_rows, task.seed) if job.is_first else ()
    if curve_splits and not job.clock.suffices(len(curve_splits) // 2 + CONFIRMING, mean_seconds(results)):
        curve_splits = ()
        left_out.append("the learning curve")
    stage = f"{job.stage}, {SMALLER_PARTS}"
    smaller = job.within(limits.smaller, len(curve_splits) + CONFIRMING, results)
    for result in runner.results(job.name, stage, smaller, curve_splits, with_measures=False):
        parts.add(result)
    found, power = _exposed_in_whole(job, halves, policy, runner, results)
    looks = tuple(looks_of(halves, found, counted, policy))
    looks = with_leaves(looks, job.task.lookups, job.task.outputs, job.printed, job.task.table, policy)
    curves = parts.curves(n_rows)
    run = _SplitsRun(tuple(results), halves, looks, curves, power, left_out=tuple(left_out))
    return _put_together(job, whole, run, holdout)


def _is_clear(job: Pass, halves: Halves, policy: Policy) -> bool:
    """Whether the splits have power enough and the intervals are narrow, so that further ones would change nothing.

    Power is asked of scores alone, not of who was in: given the scores all arrangements of labels stay as likely as
    they were, and the tests after it exact, however often it is asked. Widths cost the intervals hardly anything: at
    worst 94.6 % of 40,000 held the true risk where they were prolonged from 30 splits to 60 by tens (Chow & Robbins
    1965).
    """
    if not halves.masks or halves.is_settled(policy):
        return True
    if any(2 * halves.risk(i).half_width > policy.widest_interval for i in range(len(halves.sums))):
        return False
    if not halves.tested:
        return True
    lookups, table = [s.lookup for s in halves.tested], job.task.table
    first = job.suspects | smallest_classes(lookups, table)
    found = halves.exposed(policy, first)
    return power_of(halves, telling(lookups, table), found, first, policy, is_freed=False) >= policy.power


def _exposed_in_whole(
    job: Pass, halves: Halves, policy: Policy, runner: Runner, done: Sequence[SplitResult]
) -> tuple[Exposed | None, float]:
    """Who is exposed by look-ups that need tests, and with what probability somebody would have been found.

    Halves find suspects, and so do rules and arithmetic in the whole; the second look, at nearly full size, says how
    exposed they are in this release. done: the halves, from which is known what a split takes beside its search.
    """
    if not halves.tested:
        return None, 1.0
    task, lookups, named = job.task, [s.lookup for s in halves.tested], job.suspects
    seed = task.seed
    first = named | smallest_classes(lookups, task.table)
    found = halves.exposed(policy, first)
    power = power_of(halves, telling(lookups, task.table), found, first, policy)
    suspects = found.by_any | named
    if suspects.any():
        n_splits = CONFIRMING_ALONE if named.any() else CONFIRMING
        whole, stage = Halves(task.lookups, counted=halves.counted), f"{job.stage}, {SECOND_LOOK}"
        splits, results = leave_out(suspects, lookups, n_splits, 0, seed), list[SplitResult]()
        for at in range(0, len(splits), BLOCK):
            block, n_left = splits[at : at + BLOCK], len(splits) - at
            task = job.within(job.limits.split, n_left, results or done)
            # Nearly all rows are like halves: what was in vain there, or cost too much, would be so again.
            task = replace(task, near_suffices=near_suffices(job, done) or near_suffices(job, results))
            beside = len(splits) - len(block)
            for result in runner.results(job.name, stage, task, block, with_measures=False, beside=beside):
                whole.add(result, result.split.number // BLOCK)
                results.append(replace(result, counts=()))
        found = whole.confirm(found, policy, named)
    return found, power


def _run_folds(job: Pass, design: Design, runner: Runner) -> _SplitsRun:
    """Folds are few, and the paper's table is of key subsets: all of them are swept over."""
    splits = design.splits(job.task.table.n_rows, job.task.seed)
    found = runner.results(job.name, job.stage, job.task, splits, sweep_at=tuple(s.number for s in splits))
    results = tuple(replace(result, counts=()) for result in found)
    return _SplitsRun(results) if any(r.is_usable for r in results) else _none_computed(results)


def _none_computed(results: Sequence[SplitResult]) -> _SplitsRun:
    """What no part could compute says something of the output itself: it takes nearly all rows to compute it."""
    return _SplitsRun(tuple(results), needs_all=any(o.status == Status.TOO_FEW_ROWS for o in results[0].outputs))


def _needs_all(task: Task) -> bool:
    """Whether some output cannot be computed from half of the rows, because these are too few."""
    half = task.table.take(np.arange(task.table.n_rows) % 2 == 0)
    return any(output.evaluate(half).status is Status.TOO_FEW_ROWS for output in task.outputs)


def _put_together(job: Pass, whole: Whole, run: _SplitsRun, holdout: Table | None) -> PassResult:
    usable, path = run.usable, whole.path
    every = [[r.outputs[j] for r in usable] for j in range(len(job.task.outputs))]
    by_output = [[e for e in found if not e.is_silent] for found in every]
    return PassResult(
        outputs=job.outputs,
        whole=whole.embedding,
        near=whole.near,
        scenarios=tuple(_scenario_risk(i, job.task, run) for i in range(len(job.task.backing))),
        exposed=np.any([np.zeros(job.task.table.n_rows, dtype=bool), *(look.exposed for look in run.looks)], axis=0),
        n_splits=len(usable),
        failed=tuple(r.why_not for r in run.results if r.why_not is not None),
        n_silent=max(len(found) - len(given) for found, given in zip(every, by_output, strict=True)),
        needs_all=run.needs_all,
        in_splits=tuple(float(np.mean([e.near for e in found])) if found else 1.0 for found in by_output),
        mae_in_splits=tuple(float(np.mean([e.mae for e in found])) if found else np.nan for found in by_output),
        worst_in_splits=tuple(map(_worst, by_output)),
        trajectory=None
        if path is None
        else fit_trajectory(FOLLOWED, path.scenario, path.steps, path.errors, path.risks),
        power=run.power,
        has_contrast=bool(run.looks),
        seconds={"embedding": whole.embedding.seconds, "splits": float(sum(r.seconds for r in run.results))},
        findings=job.findings,
        holdout=against_holdout(job.task, whole.embedding.table, holdout),
        left_out=run.left_out,
    )


def _scenario_risk(i: int, task: Task, run: _SplitsRun) -> ScenarioRisk:
    lookup, usable, halves, n_rows = task.lookups[i], run.usable, run.halves, task.table.n_rows
    look = best_look([run.looks[k] for k in task.backing[i]]) if run.looks else None
    nobody = np.zeros(n_rows, dtype=bool)
    main = [r for r in usable if r.split.part != "folds of folds"]
    return ScenarioRisk(
        scenario=lookup.scenario,
        marginal_risk=None if look is None else look.risk,
        measures=measure_risks([r.measures[i] for r in main]) if halves is None else halves.measures(i, main),
        sweep=measure_risks([r.sweep[i] for r in usable if r.sweep]),
        folds=fold_tables(usable, i) if halves is None else {},
        curve=run.curves[i] if run.curves else None,
        exposures=np.zeros(n_rows) if look is None else look.exposures,
        exposed=nobody if look is None else look.exposed,
        certain=nobody if look is None else look.certain,
        tolerance=lookup.tolerance,
        contrasts={} if look is None else look.contrasts,
        is_exact=look is not None and look.is_exact,
        epsilon=None if halves is None else halves.epsilon(i),
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
