"""Running statistics over random halves and smaller parts: splits are added one by one, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from divulge.assess.splits.split import SplitResult
from divulge.assess.statistics.contrasts import MeasureRisk, Shares, measure_risks
from divulge.assess.statistics.curve import Curve, CurvePoint, fit_curve
from divulge.assess.statistics.epsilon import audit_halves
from divulge.assess.statistics.exposure import Exposed, ScoreSums, confirm, find_exposed
from divulge.assess.statistics.intervals import Mean, mean_over
from divulge.kernels.arrays import Mask
from divulge.measures.audited import Epsilon
from divulge.policy import Policy
from divulge.scenario import Lookup


@dataclass
class Halves:
    """What random halves say of every scenario.

    masks: who was in; blocks: of which block; numbers: the numbers of the splits. One entry a usable split.
    n_scenarios: how many of the look-ups have measures; the first ones.
    counted: which look-ups need no test, because counts say it exactly; none where nothing is said.
    """

    lookups: tuple[Lookup, ...]
    n_scenarios: int = 0
    counted: tuple[bool, ...] = ()
    sums: list[ScoreSums] = field(init=False)
    shares: list[Shares] = field(init=False)
    masks: list[Mask] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    seed: int = 0

    def __post_init__(self) -> None:
        self.sums = [ScoreSums(lookup) for lookup in self.lookups]
        self.shares = [Shares(lookup) for lookup in self.lookups[: self.n_scenarios]]

    def add(self, result: SplitResult, block: int) -> None:
        """One more split; one whose outputs could not be computed says nothing."""
        if not result.is_usable:
            return
        inside, _ = result.split.rows()
        self.masks.append(inside)
        self.blocks.append(block)
        self.numbers.append(result.split.number)
        self.seed = result.split.seed
        for total, counts in zip(self.sums, result.counts, strict=True):
            total.add(counts, inside)
        for share, counts in zip(self.shares, result.counts, strict=False):
            share.add(counts)

    def is_settled(self, policy: Policy) -> bool:
        """Whether more splits would not change the verdict: narrow intervals, and nobody who could be exposed."""
        widths = (2 * self.risk(i).half_width for i in range(len(self.sums)))
        if not self.masks or not all(width <= policy.widest_interval / 4 for width in widths):
            return False
        # Whether anybody's scores vary enough does not depend on who was in: asking it does not add to the error.
        return not any(s.can_exceed(policy.delta).any() for s in self.tested)

    @property
    def tested(self) -> list[ScoreSums]:
        """The sums of the look-ups that need tests."""
        return [s for i, s in enumerate(self.sums) if not (self.counted and self.counted[i])]

    def risk(self, scenario: int) -> Mean:
        """The marginal risk of a scenario."""
        return self.sums[scenario].marginal_risk(self.masks)

    def contrasts(self, scenario: int) -> dict[int, float]:
        """The contrast of every split, by its number: what the interval of the marginal risk is of."""
        return dict(zip(self.numbers, self.sums[scenario].freed(self.masks), strict=True))

    def epsilon(self, scenario: int) -> Epsilon | None:
        """The audited ε of a scenario."""
        return audit_halves(self.sums[scenario], self.masks, self.numbers, self.seed)

    def measures(self, scenario: int, results: Sequence[SplitResult]) -> dict[str, MeasureRisk]:
        """Every measure of a scenario. results: of the usable splits."""
        found = [r.measures[scenario] for r in results]
        return measure_risks(found, self.shares[scenario], self.masks, self.blocks)

    def exposed(self, policy: Policy, first: Mask) -> Exposed:
        """Who is exposed in halves, by the look-ups that need tests. first: who is most likely to be."""
        return find_exposed(self.tested, self.masks, self.blocks, policy.delta, policy.false_discoveries, first)

    def confirm(self, found: Exposed, policy: Policy, named: Mask) -> Exposed:
        """Those who are exposed by these splits of nearly full size too. named: whom these splits alone may show."""
        if not self.masks:
            return found
        return confirm(found, self.tested, self.masks, self.blocks, policy.delta, policy.false_discoveries, named)


@dataclass
class SmallerParts:
    """The learning curve: what parts of a quarter of the rows and less say, beside the halves."""

    halves: Halves
    contrasts: dict[str, list[list[float]]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # To these splits a person's mean over the halves is a fixed number: it frees them of who is in.
        self.means = [s.means() for s in self.halves.sums]

    def add(self, result: SplitResult) -> None:
        """One more split."""
        if not result.is_usable:
            return
        inside, outside = result.split.rows()
        self.sizes[result.split.part] = int(inside.sum())
        rows = self.contrasts.setdefault(result.split.part, [[] for _ in self.means])
        for i, (lookup, counts) in enumerate(zip(self.halves.lookups, result.counts, strict=True)):
            scores = lookup.scores(counts)[lookup.cell_of_row] - self.means[i]
            rows[i].append(float(scores[inside].mean() - scores[outside].mean()))

    def curves(self, n_rows: int) -> tuple[Curve, ...]:
        """How the marginal risk falls with the number of rows, one curve a scenario."""
        found = []
        for i in range(len(self.means)):
            points = [CurvePoint("n/2", n_rows // 2, self.halves.risk(i))]
            points += [CurvePoint(p, self.sizes[p], mean_over(rows[i])) for p, rows in self.contrasts.items()]
            found.append(fit_curve(points, n_rows))
        return tuple(found)
