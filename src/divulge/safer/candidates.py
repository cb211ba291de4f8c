"""Candidates: what mitigations make of outputs in trouble, one by one and together, with what each loses."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge.assess import Plan
from divulge.assess.splits.split import is_usable
from divulge.checking import make_cases
from divulge.contributions.blame import Blame, find_blame
from divulge.errors import DivulgeError
from divulge.kernels.arrays import Mask
from divulge.mitigations import MITIGATIONS
from divulge.mitigations.fewer_times import FewerTimes
from divulge.mitigations.merge_levels import MergeLevels
from divulge.mitigations.mitigation import Mitigation, Rung, Trouble
from divulge.mitigations.safe_quantiles import SafeQuantiles
from divulge.mitigations.suppress import Suppress
from divulge.mitigations.top_code import TopCode
from divulge.outputs import Output, Released
from divulge.outputs.methods.noise import Noise
from divulge.safer.both import Both
from divulge.safer.loss import Loss, find_loss
from divulge.safer.screen import is_passed, rule_setting, screen_outputs
from divulge.spec import Assessment
from divulge.table import Table

LOST = 0.15
"""How much more of the information may be lost before a variable is lost altogether."""

MOST_COARSE = 6
"""Coarser groups, the mildest first, after which it is asked what else they need."""

_AFTER_COARSER: tuple[type[Mitigation], ...] = (SafeQuantiles, FewerTimes, TopCode, Suppress)

KNOWN_SEED = Noise().seed
"""Where random numbers start if nobody says otherwise: no secret."""


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


class Candidates:
    """The outputs as they were to be released, what is wrong with them, and what can be done about it.

    exposed: people whom the assessment found to be. blame: of each output. together: outputs that a rule or a proof
    holds against each other.
    """

    def __init__(self, ready: Plan, assessment: Assessment, table: Table, exposed: Mask) -> None:
        self._ready, self._table, self._derived = ready, table, assessment.derive
        self._units = assessment.entity, assessment.holding, assessment.waiver
        n = ready.n_new
        self.outputs, self.printed = ready.outputs[:n], ready.printed[:n]
        before_it = zip(ready.earlier.kept, ready.printed[n:], strict=True)
        self._earlier = tuple((one.release, one.output, printed) for one, printed in before_it)
        self._cases = make_cases(self.outputs, self.printed, table, *self._units)
        found = screen_outputs(ready, self.outputs, self.printed)
        self._together = found.together
        self.blame: tuple[Blame, ...] = tuple(
            find_blame(case, exposed, [label for i, label in found.figures if i == case.number]) for case in self._cases
        )

    def all(self) -> list[tuple[Step, ...]]:
        """Changes of all outputs in trouble, those of least loss first; and of one of those held against each other."""
        every = range(len(self.outputs))
        troubled = [i for i in every if self.blame[i].figures.any()] or list(every)
        steps = {i: sorted(self._steps(i), key=lambda step: step.price) for i in sorted({*troubled, *self._together})}
        each = [steps[i] for i in troubled if steps[i]]
        longest = max((len(one) for one in each), default=0)
        found = [tuple(one[min(rank, len(one) - 1)] for one in each) for rank in range(longest)]
        found += self._alike(troubled, each) if len(each) > 1 else []
        # Where one alone is in trouble, its changes are there already.
        alone = [i for i in sorted(self._together) if len(each) > 1 or i not in troubled]
        return found + [(step,) for i in alone for step in steps[i]]

    def _alike(self, troubled: Sequence[int], each: Sequence[Sequence[Step]]) -> list[tuple[Step, ...]]:
        """The same change of all outputs in trouble: what one of them needs, the others beside it often do. Of what is
        done to figures by name, as withholding them, the mildest for each."""
        ways = {repr(s.mitigation): s.mitigation for one in each for s in one if s.mitigation.rung is not Rung.SUPPRESS}
        found = [[self._step(i, mitigation) for i in troubled] for mitigation in ways.values()]
        for kind in {s.mitigation.name for s in each[0] if s.mitigation.rung is Rung.SUPPRESS}:
            found.append([next((s for s in one if s.mitigation.name == kind), None) for one in each])
        whole = [tuple(s for s in steps if s is not None) for steps in found]
        return [steps for steps in whole if len(steps) == len(troubled)]

    def changed(self, steps: Sequence[Step]) -> tuple[tuple[Output, ...], tuple[Released, ...]]:
        """All outputs, with these changes, and how they are printed."""
        outputs, printed = list(self.outputs), list(self.printed)
        for step in steps:
            outputs[step.output], printed[step.output] = step.made, step.printed
        return tuple(outputs), tuple(printed)

    def passes(self, steps: Sequence[Step]) -> bool:
        """Whether rules and the audit have nothing against the outputs with these changes."""
        return is_passed(self._ready, *self.changed(steps))

    def _steps(self, number: int) -> list[Step]:
        """What can be done about one output, where anything is printed otherwise."""
        fewest = [rule_setting(self._ready, rule, "fewest") for rule in ("threshold", "small group")]
        trouble = Trouble(
            self._cases[number],
            self.blame[number].figures,
            max((f for f in fewest if f is not None), default=self._ready.policy.smallest_group),
            rule_setting(self._ready, "class disclosure", "rarest"),
            self._ready.policy.delta,
            _seed_of(self._earlier, self._table, self._derived),
            (*self._earlier, *self._beside(number)),
        )
        alone = [s for kind in MITIGATIONS for m in kind.propose(trouble) if (s := self._step(number, m)) is not None]
        mildest = [step.mitigation for step in sorted(alone, key=lambda step: step.price)]
        both = [*Both.fewer_digits(mildest, trouble), *self._withheld_after(number, trouble)]
        made = [step for one in both if (step := self._step(number, one)) is not None]
        # Groups are not merged only to be withheld.
        withheld = min((s.price for s in alone if s.mitigation.rung is Rung.SUPPRESS), default=np.inf)
        for one in self._after_coarser(number, trouble, mildest):
            step = self._step(number, one)
            if step is not None and (one.second.rung is not Rung.SUPPRESS or step.price < withheld):
                made.append(step)
        return [*alone, *made]

    def _withheld_after(self, number: int, trouble: Trouble) -> Iterator[Both]:
        """Counts of coarser groups, of which those that rules name are withheld."""
        if not (trouble.output.can_suppress and trouble.output.has_threshold and trouble.output.growth == "extensive"):
            return
        for merged in MergeLevels.leaving(trouble):
            step = self._step(number, merged)
            if step is None:
                continue
            (case,) = make_cases([step.made], [step.printed], self._table, *self._units)
            named = screen_outputs(self._ready, *self.changed([step])).figures
            left = np.array([(number, label) in named for label in case.labels], dtype=np.float64)
            yield from (
                Both(first=merged, second=withheld)
                for withheld in Suppress.propose(replace(trouble, case=case, blame=left))
            )

    def _after_coarser(self, number: int, trouble: Trouble, mildest: Sequence[Mitigation]) -> Iterator[Both]:
        """Coarser groups that do not do alone: then with codes, with quantiles for extremes, or partly withheld."""
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            return  # of counts these are found by one search
        for first in [m for m in mildest if m.rung is Rung.COARSEN][:MOST_COARSE]:
            step = self._step(number, first)
            if step is None:
                continue
            # A curve may show its single steps where no rule has anything against it.
            is_passed = self.passes((step,))
            (case,) = make_cases([step.made], [step.printed], self._table, *self._units)
            named = frozenset() if is_passed else screen_outputs(self._ready, *self.changed([step])).figures
            left = np.array([(number, label) in named for label in case.labels], dtype=np.float64)
            after = replace(trouble, case=case, blame=left)
            for kind in (FewerTimes,) if is_passed else _AFTER_COARSER:
                yield from (Both(first=first, second=second) for second in kind.propose(after))

    def _step(self, number: int, mitigation: Mitigation) -> Step | None:
        """What a mitigation makes of an output; None where it does not fit, where its figures are not defined, or where
        nothing is printed otherwise."""
        case, schema = self._cases[number], self._table.schema
        try:
            made = mitigation.apply(case.output, schema)
            made.check(schema)
            figures = made.evaluate(self._table)
            if not is_usable(figures):
                return None
            printed = made.publish(figures, schema)
            loss = find_loss(case.output, case.released, made, printed, self._table)
        except DivulgeError:
            return None
        is_changed = loss.changed > 0 or set(printed.labels) != set(case.released.labels)
        return Step(number, mitigation, made, printed, loss, bool(mitigation.loses(schema))) if is_changed else None

    def _beside(self, number: int) -> Iterator[tuple[str, Output, Released]]:
        """The other outputs that stay as they are: a finer table may not follow from the coarser one beside it."""
        for i, (output, printed) in enumerate(zip(self.outputs, self.printed, strict=True)):
            if i != number and not self.blame[i].figures.any():
                yield output.name or f"outputs[{i}]", output, printed


def _seed_of(earlier: Sequence[tuple[str, Output, Released]], table: Table, derived: Container[str]) -> int:
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
