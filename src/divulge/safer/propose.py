"""Proposals: mitigations screened by rules and audit, ranked by loss, and assessed as they would be released."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess import Assessed, Candidate, Plan, assess, plan
from divulge.assess.splits.checkpoint import digest_of
from divulge.assess.splits.runner import Listener
from divulge.contributions.blame import Blame
from divulge.designs import Design
from divulge.mitigations.drop_variable import DropVariable
from divulge.mitigations.mitigation import Rung
from divulge.outputs import Output, Released
from divulge.policy import Verdict
from divulge.record import to_plain
from divulge.safer.candidates import Candidates, Step
from divulge.spec import Assessment, Inputs, format_output, read_inputs

MOST_SHOWN = 5
"""Proposals that are shown."""

MOST_ASSESSED = 8
"""Candidates that are assessed in full where nothing else is said."""

AGAIN = 0.15
"""By how much more of the information another way may lose before a way is taken once more."""

MOST_LOSING = 2
"""Candidates without a variable that are assessed besides, where what was released loses more."""

MORE_SPLITS = 2
"""How often a proposal is assessed again with twice the splits, where another seed might not release it."""

CLOSE = 0.9
"""Of how wide a policy allows an interval to be: beyond it another seed may well be above the limit."""

RELEASED = 2
"""How often in a row a proposal must end in release, each time with another seed."""

FRESH = 1_000_003
"""What is added to the seed each time a proposal is assessed anew: no luck of a search is used twice."""


@dataclass(frozen=True, eq=False, repr=False)
class Proposal:
    """Outputs that were assessed as they would be released. sentence: what is done and what it costs. design: how they
    were assessed; None: as by default."""

    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    printed: tuple[Released, ...]
    sentence: str
    after: dict[str, Any] = field(repr=False)
    design: Design | None = None

    def __repr__(self) -> str:
        return self.sentence

    @property
    def verdict(self) -> str:
        return str(self.after["verdict"])

    @property
    def information(self) -> float:
        """The share of the information that is lost, in the mean over the outputs."""
        return sum(s.loss.information for s in self.steps) / len(self.outputs)

    @property
    def price(self) -> float:
        """The same, where a variable that is lost counts for more."""
        return sum(s.price for s in self.steps) / len(self.outputs)

    def as_json(self) -> dict[str, Any]:
        """As `divulge mitigate --json` prints it, but for the name of the spec."""
        return {
            "sentence": self.sentence,
            "steps": [
                {
                    "output": s.output,
                    "mitigation": s.mitigation.name,
                    "rung": s.mitigation.rung.name.lower(),
                    "settings": to_plain(s.mitigation),
                    "reading": s.mitigation.reading,
                }
                for s in self.steps
            ],
            "outputs": [format_output(o) for o in self.outputs],
            "loss": {"information": self.information, "outputs": [s.loss.as_json() for s in self.steps]},
            "after": summary(self.after),
        }


@dataclass(frozen=True, eq=False)
class Mitigated:
    """before: the record of the outputs as they were. tried: candidates that were assessed and not released."""

    assessment: Assessment
    inputs: Inputs
    before: dict[str, Any]
    blame: tuple[Blame, ...]
    proposals: tuple[Proposal, ...]
    tried: tuple[Proposal, ...]
    n_candidates: int
    seconds: float


def summary(record: dict[str, Any]) -> dict[str, Any]:
    """What a proposal shows of a record: verdict, reasons, marginal risks with intervals, how many are exposed."""
    return {
        "verdict": record["verdict"],
        "reasons": record["reasons"],
        "exposed": record["exposure"]["exposed"],
        "risk": [{"scenario": r["scenario"], "marginal_risk": r["marginal_risk"]} for r in record["risk"]],
    }


def mitigate(
    assessment: Assessment,
    *,
    inputs: Inputs | None = None,
    released_before: Sequence[Candidate] = (),
    most: int = MOST_ASSESSED,
    workers: int = 0,
    listener: Listener | None = None,
    tell: Callable[[str], None] | None = None,
    unfinished: Path | None = None,
) -> Mitigated:
    """Assess outputs; where they are not released, search for the changes of least loss with which they are.

    most: candidates that are assessed in full. tell: is told what is being done. unfinished: a folder for what is
    finished, and from which a search goes on that was interrupted.
    """
    started = time.perf_counter()
    say = tell or (lambda text: None)
    read = inputs if inputs is not None else read_inputs(assessment)
    ready = plan(assessment, read, released_before)
    kept_in = None if unfinished is None else unfinished / "before"
    before = assess(ready, folder=kept_in, resume=True, workers=workers, listener=listener)
    search = _Search(assessment, read, ready, before, unfinished)
    if before.verdict is Verdict.RELEASE:
        return search.result((), (), 0, started)
    candidates = search.candidates.all()
    say(f"{len(candidates)} candidates.")
    chosen = _chosen(candidates, most, search.candidates.passes)
    say(f"{len(chosen)} of them pass rules and audit, and are assessed.")
    kept: list[Proposal] = []
    tried: list[Proposal] = []
    for steps in chain(chosen, _losing_variables(candidates, chosen, kept, search.candidates.passes)):
        say(f"Assessing: {search.sentence(steps)}")
        proposal = search.confirmed(steps, released_before, workers, listener)
        (kept if proposal.verdict == Verdict.RELEASE else tried).append(proposal)
    return search.result(_front(kept), tried, len(kept) + len(tried), started)


class _Search:
    """One search: what was found before, and how candidates are made, screened and confirmed."""

    def __init__(
        self, assessment: Assessment, inputs: Inputs, ready: Plan, before: Assessed, unfinished: Path | None
    ) -> None:
        self.unfinished = unfinished
        assert inputs.table is not None, "outputs were assessed on it"
        self.assessment, self.inputs, self.ready, self.before, self.table = (
            assessment,
            inputs,
            ready,
            before,
            inputs.table,
        )
        self.candidates = Candidates(ready, assessment, inputs.table, before.results[0].exposed)

    def result(
        self, kept: Sequence[Proposal], tried: Sequence[Proposal], n_candidates: int, started: float
    ) -> Mitigated:
        return Mitigated(
            self.assessment,
            self.inputs,
            self.before.record,
            self.candidates.blame,
            tuple(kept),
            tuple(tried),
            n_candidates,
            time.perf_counter() - started,
        )

    def sentence(self, steps: Sequence[Step]) -> str:
        """What is done and what it costs: "Merge A and B: 3 of 240 figures change, 1.4 % of the information"."""
        parts = []
        for step in steps:
            which = f"outputs[{step.output}]: " if len(self.assessment.outputs) > 1 else ""
            loss = step.loss
            parts.append(
                f"{which}{step.mitigation.describe(self.table.schema)}: {loss.changed:,} of {loss.figures:,} figures "
                f"change, {100 * loss.information:.1f} % of the information."
            )
        return " ".join(parts)

    def confirmed(
        self, steps: tuple[Step, ...], released_before: Sequence[Candidate], workers: int, listener: Listener | None
    ) -> Proposal:
        """The whole assessment of the outputs as they would be released, with fresh random numbers."""
        outputs, printed = self.candidates.changed(steps)
        assessment = replace(self.assessment, outputs=outputs)
        kept = tuple(
            r if o is self.assessment.outputs[i] else None
            for i, (o, r) in enumerate(zip(outputs, self.inputs.released, strict=True))
        )
        inputs = replace(self.inputs, released=kept)
        name = digest_of(self.sentence(steps).encode())[:16]
        n_doubled, n_released = 0, 0
        while True:
            assessment = replace(assessment, seed=assessment.seed + FRESH)
            ready = plan(assessment, inputs, released_before)
            folder = None if self.unfinished is None else self.unfinished / f"{name}-{assessment.seed}"
            done = assess(ready, folder=folder, resume=True, workers=workers, listener=listener)
            n_released += done.verdict is Verdict.RELEASE
            more = ready.design.doubled()
            if n_doubled < MORE_SPLITS and more != ready.design and _lacks_splits(ready, done):
                assessment = replace(assessment, design=more)
                n_doubled, n_released = n_doubled + 1, 0
            elif done.verdict is not Verdict.RELEASE or n_released == RELEASED:
                return Proposal(steps, outputs, printed, self.sentence(steps), done.record, assessment.design)


def _lacks_splits(ready: Plan, done: Assessed) -> bool:
    """Whether more splits would make a release surer: without them somebody exposed would be missed half as likely as
    the policy asks, or more likely, or a marginal risk is within half its interval of its limit. Of the outputs
    together, and of each alone. What was refused or not reproduced is so with more splits as well."""
    policy, passes = ready.policy, [r for r in done.results[: 1 + ready.n_new] if r.has_contrast]
    is_reproduced = all(
        min((*r.near, *r.in_splits)) >= policy.embedded and min(r.worst_in_splits) >= policy.each_figure for r in passes
    )
    if done.verdict is Verdict.REFUSE or not is_reproduced:
        return False
    risks = [s.marginal_risk for r in passes for s in r.scenarios if s.marginal_risk is not None]
    return any(1 - r.power > (1 - policy.power) / 2 for r in passes) or any(
        # With another seed the upper bound is farther up than this less than once in ten times.
        risk.high + (risk.high - risk.low) / 2 > policy.release_risk
        or risk.high - risk.low > CLOSE * policy.widest_interval
        for risk in risks
    )


def _chosen(
    candidates: Sequence[tuple[Step, ...]], most: int, passes: Callable[[tuple[Step, ...]], bool]
) -> list[tuple[Step, ...]]:
    """Those that are assessed in full, of those that pass rules and audit: the least loss first, and a way that was
    taken already counts as dearer. The last of several merges, where none before does: what is coarser is exact, and
    reaches where rounding does not."""
    left, found = list(candidates), list[tuple[Step, ...]]()
    taken: dict[tuple[str, ...], int] = {}
    while left and len(found) < most:
        price = [sum(s.price for s in steps) + AGAIN * taken.get(_ways(steps), 0) for steps in left]
        steps = left.pop(int(np.argmin(price)))
        if passes(steps):
            found.append(steps)
            taken[_ways(steps)] = taken.get(_ways(steps), 0) + 1
    merging = [steps for steps in left if _merges(steps)]
    if len(found) == most > 1 and not any(map(_merges, found)):
        found[-1:] = list(islice(filter(passes, merging), 1)) or found[-1:]
    return found


def _losing_variables(
    candidates: Sequence[tuple[Step, ...]],
    chosen: Sequence[tuple[Step, ...]],
    kept: Sequence[Proposal],
    passes: Callable[[tuple[Step, ...]], bool],
) -> Iterator[tuple[Step, ...]]:
    """What loses a variable altogether, where all that was released loses more than dropping the worst one would."""
    others = [steps for steps in candidates if steps not in chosen and any(step.loses for step in steps)]
    dropping = [_lost(steps) for steps in candidates if all(name == DropVariable.name for name in _ways(steps))]
    n_tried = 0
    for steps in sorted(others, key=_lost):
        best = min((len(p.outputs) * p.information for p in kept), default=np.inf)
        if n_tried == MOST_LOSING or best <= max(dropping, default=np.inf) or _lost(steps) >= best:
            return
        if passes(steps):
            n_tried += 1
            yield steps


def _lost(steps: Sequence[Step]) -> float:
    return sum(step.loss.information for step in steps)


def _ways(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(step.mitigation.name for step in steps)


def _merges(steps: Sequence[Step]) -> bool:
    return all(step.mitigation.rung is Rung.COARSEN for step in steps)


def _front(kept: Sequence[Proposal]) -> list[Proposal]:
    """Those that no other beats both in loss and in risk, the least loss first. A variable that is lost counts more."""
    found: list[Proposal] = []
    lowest = np.inf
    for proposal in sorted(kept, key=lambda p: (p.price, _largest_risk(p.after))):
        risk = _largest_risk(proposal.after)
        if not found or risk < lowest:
            found.append(proposal)
            lowest = min(lowest, risk)
    return found[:MOST_SHOWN]


def _largest_risk(record: dict[str, Any]) -> float:
    """The largest upper bound of the marginal risk in a record."""
    bounds = [r["marginal_risk"]["interval"][1] for r in record["risk"] if r["marginal_risk"]]
    return max((float(b) for b in bounds if b is not None), default=float("nan"))
