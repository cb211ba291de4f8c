"""Proposals: mitigations screened by rules and audit, ranked by loss, and assessed as they would be released."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from divulge.assess import Assessed, Candidate, Plan, assess, plan
from divulge.assess.splits.checkpoint import digest_of
from divulge.assess.splits.runner import Listener
from divulge.checking import make_cases
from divulge.contributions.blame import Blame, find_blame
from divulge.designs import Design
from divulge.errors import DivulgeError
from divulge.mitigations import MITIGATIONS
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble
from divulge.outputs import Output, Released
from divulge.outputs.methods.noise import Noise
from divulge.policy import Verdict
from divulge.record import to_plain
from divulge.safer.both import Both
from divulge.safer.loss import Loss, find_loss
from divulge.safer.screen import rule_setting, screen_outputs
from divulge.spec import Assessment, Inputs, format_output, read_inputs
from divulge.table import Table

MOST_SHOWN = 5
"""Proposals that are shown."""

MOST_ASSESSED = 8
"""Candidates that are assessed in full where nothing else is said."""

AGAIN = 0.15
"""By how much more of the information another way may lose before a way is taken once more."""

MORE_SPLITS = 2
"""How often a proposal is assessed again with twice the splits, where fewer would not have found the exposed."""

LOST = 0.15
"""How much more of the information may be lost before a variable is lost altogether."""

KNOWN_SEED = Noise().seed
"""Where random numbers start if nobody says otherwise: no secret."""

FRESH = 1_000_003
"""What is added to the seed where a proposal is confirmed: no luck of the search is used twice."""


@dataclass(frozen=True, eq=False)
class Step:
    """One mitigation of one output (by number), with what it makes of it and what that loses. loses: whether of a
    variable nothing is told any more."""

    output: int
    mitigation: Mitigation
    made: Output
    printed: Released
    loss: Loss
    loses: bool = False

    @property
    def price(self) -> float:
        """By which candidates are ranked: a variable that is lost is missed more than its bits say."""
        return self.loss.information + (LOST if self.loses else 0.0)


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
        """The share of the information that is lost, over the outputs that are changed."""
        before = sum(s.loss.bits_before for s in self.steps)
        return 1.0 - sum(s.loss.bits_after for s in self.steps) / before if before > 0 else 0.0

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
    candidates = search.candidates()
    say(f"{len(candidates)} candidates.")
    chosen = _chosen(candidates, most, search.passes)
    say(f"{len(chosen)} of them pass rules and audit, and are assessed.")
    kept: list[Proposal] = []
    tried: list[Proposal] = []
    for steps in chosen:
        say(f"Assessing: {search.sentence(steps)}")
        proposal = search.confirmed(steps, released_before, workers, listener)
        (kept if proposal.verdict == Verdict.RELEASE else tried).append(proposal)
        if len(kept) == MOST_SHOWN:
            break
    return search.result(_front(kept), tried, len(chosen), started)


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
        n = ready.n_new
        self.outputs, self.printed = ready.outputs[:n], ready.printed[:n]
        before_it = zip(ready.earlier.kept, ready.printed[n:], strict=True)
        self.earlier = tuple((one.release, one.output, printed) for one, printed in before_it)
        units = assessment.entity, assessment.holding, assessment.waiver
        self.cases = make_cases(self.outputs, self.printed, self.table, *units)
        named = screen_outputs(ready, self.outputs, self.printed).figures
        exposed = before.results[0].exposed
        self.blame = tuple(
            find_blame(case, exposed, [label for i, label in named if i == case.number]) for case in self.cases
        )

    def result(
        self, kept: Sequence[Proposal], tried: Sequence[Proposal], n_candidates: int, started: float
    ) -> Mitigated:
        return Mitigated(
            self.assessment,
            self.inputs,
            self.before.record,
            self.blame,
            tuple(kept),
            tuple(tried),
            n_candidates,
            time.perf_counter() - started,
        )

    def candidates(self) -> list[tuple[Step, ...]]:
        """Changes of all outputs in trouble, the least loss first."""
        troubled = [i for i in range(len(self.outputs)) if self.blame[i].figures.any()] or list(
            range(len(self.outputs))
        )
        each = [sorted(self._steps(i), key=_by_loss) for i in troubled]
        each = [steps for steps in each if steps]
        if not each:
            return []
        longest = max(len(steps) for steps in each)
        return [tuple(steps[min(rank, len(steps) - 1)] for steps in each) for rank in range(longest)]

    def _steps(self, number: int) -> list[Step]:
        """What can be done about one output, where anything is printed otherwise."""
        case = self.cases[number]
        fewest = [rule_setting(self.ready, rule, "fewest") for rule in ("threshold", "small group")]
        trouble = Trouble(
            case,
            self.blame[number].figures,
            max((f for f in fewest if f is not None), default=self.ready.policy.smallest_group),
            rule_setting(self.ready, "class disclosure", "rarest"),
            self.ready.policy.delta,
            _seed(self.earlier, self.table, self.assessment.derive),
            (*self.earlier, *self._beside(number)),
        )
        alone = [s for kind in MITIGATIONS for m in kind.propose(trouble) if (s := self._step(number, m)) is not None]
        mildest = [step.mitigation for step in sorted(alone, key=_by_loss)]
        together = (self._step(number, both) for both in Both.of(mildest, trouble))
        return [*alone, *(step for step in together if step is not None)]

    def _step(self, number: int, mitigation: Mitigation) -> Step | None:
        """What a mitigation makes of an output; None where it does not fit, or nothing is printed otherwise."""
        case = self.cases[number]
        try:
            made = mitigation.apply(case.output, self.table.schema)
            made.check(self.table.schema)
            printed = made.publish(made.evaluate(self.table), self.table.schema)
            loss = find_loss(case.output, case.released, made, printed, self.table)
        except DivulgeError:
            return None
        is_changed = loss.changed > 0 or set(printed.labels) != set(case.released.labels)
        loses = bool(mitigation.loses(self.table.schema))
        return Step(number, mitigation, made, printed, loss, loses) if is_changed else None

    def _beside(self, number: int) -> Iterator[tuple[str, Output, Released]]:
        """The other outputs that stay as they are: a finer table may not follow from the coarser one beside it."""
        for i, (output, printed) in enumerate(zip(self.outputs, self.printed, strict=True)):
            if i != number and not self.blame[i].figures.any():
                yield output.name or f"outputs[{i}]", output, printed

    def passes(self, steps: Sequence[Step]) -> bool:
        """Whether rules and the audit have nothing against the outputs with these changes."""
        return screen_outputs(self.ready, *self._with(steps)).passes

    def _with(self, steps: Sequence[Step]) -> tuple[tuple[Output, ...], tuple[Released, ...]]:
        outputs, printed = list(self.outputs), list(self.printed)
        for step in steps:
            outputs[step.output], printed[step.output] = step.made, step.printed
        return tuple(outputs), tuple(printed)

    def sentence(self, steps: Sequence[Step]) -> str:
        """What is done and what it costs: "Merge A and B: 3 of 240 figures change, 1.4 % of the information"."""
        parts = []
        for step in steps:
            which = f"outputs[{step.output}]: " if len(self.outputs) > 1 else ""
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
        outputs, printed = self._with(steps)
        assessment = replace(self.assessment, outputs=outputs, seed=self.assessment.seed + FRESH)
        kept = tuple(
            r if o is self.assessment.outputs[i] else None
            for i, (o, r) in enumerate(zip(outputs, self.inputs.released, strict=True))
        )
        inputs = replace(self.inputs, released=kept)
        name = digest_of(self.sentence(steps).encode())[:16]
        for again in range(1 + MORE_SPLITS):
            ready = plan(assessment, inputs, released_before)
            folder = None if self.unfinished is None else self.unfinished / f"{name}-{again}"
            record = assess(ready, folder=folder, resume=True, workers=workers, listener=listener).record
            lacks_power = record["exposure"]["power"] < ready.policy.power
            more = ready.design.doubled()
            if record["verdict"] != Verdict.REVIEW or not lacks_power or more == ready.design or again == MORE_SPLITS:
                break
            assessment = replace(assessment, design=more)
        return Proposal(steps, outputs, printed, self.sentence(steps), record, assessment.design)


def _seed(earlier: Sequence[tuple[str, Output, Released]], table: Table, derived: Container[str]) -> int:
    """The seed by which earlier releases of the same data were changed, unless everybody knows it: a cell is printed as
    it was. Else one that nobody knows without the data, and that no variable which a spec derives changes."""
    used = [o.method.seed for _, o, _ in earlier if o.method is not None and o.method.seed != KNOWN_SEED]
    if used:
        return used[0]
    digest = hashlib.blake2b(digest_size=6)
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if name not in derived:
            digest.update(np.ascontiguousarray(column).tobytes())
    return int.from_bytes(digest.digest(), "big")


def _by_loss(step: Step) -> float:
    return step.price


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


def _ways(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(step.mitigation.name for step in steps)


def _merges(steps: Sequence[Step]) -> bool:
    return all(step.mitigation.rung is Rung.COARSEN for step in steps)


def _front(kept: Sequence[Proposal]) -> list[Proposal]:
    """Those that no other beats both in loss and in risk, the least loss first."""
    found: list[Proposal] = []
    lowest = np.inf
    for proposal in sorted(kept, key=lambda p: (p.information, _largest_risk(p.after))):
        risk = _largest_risk(proposal.after)
        if not found or risk < lowest:
            found.append(proposal)
            lowest = min(lowest, risk)
    return found[:MOST_SHOWN]


def _largest_risk(record: dict[str, Any]) -> float:
    """The largest upper bound of the marginal risk in a record."""
    bounds = [r["marginal_risk"]["interval"][1] for r in record["risk"] if r["marginal_risk"]]
    return max((float(b) for b in bounds if b is not None), default=float("nan"))
