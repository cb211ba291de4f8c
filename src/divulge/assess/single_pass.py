"""What one pass over the outputs is to do, and how long it may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from divulge.assess.budget import Clock, Limits
from divulge.assess.splits.runner import WORTH_STARTING
from divulge.assess.splits.split import SplitResult
from divulge.assess.splits.task import Task
from divulge.assess.statistics.suspects import in_small_groups, named_by_findings
from divulge.designs import BLOCK
from divulge.kernels.arrays import Mask
from divulge.outputs import Figures, Released
from divulge.rules import Finding


@dataclass(frozen=True, eq=False)
class Pass:
    """What a pass is to do. outputs: their numbers in the plan; figures, printed, findings: of these on all rows."""

    name: str
    stage: str
    outputs: tuple[int, ...]
    task: Task
    figures: tuple[Figures, ...]
    printed: tuple[Released, ...]
    findings: tuple[Finding, ...]
    named: tuple[Mask, ...]
    """Whom rules and arithmetic name, one mask a finding."""
    limits: Limits
    clock: Clock
    """When it is to end."""
    is_first: bool
    """Whether it is the pass that the record describes in full: with a learning curve, and risk against error."""

    @cached_property
    def suspects(self) -> Mask:
        """Who is looked at again whatever the splits say: people in small groups, and those whom findings name."""
        table = self.task.table
        return in_small_groups(self.task.outputs, table) | named_by_findings(self.named, table.n_rows)

    def within(self, most: float, n: int = 1, done: Sequence[SplitResult] = ()) -> Task:
        """The task with n searches that take no longer than this each, and no longer together than there is time.

        done: splits from which is known what one takes beside its search: figures, look-ups, measures.
        """
        # The first split of each process loads compiled code.
        beside = median(r.seconds - r.searching for r in done) if done else 0.0
        # Processes are started for a block that takes long.
        seconds = self.clock.limit(most, n, is_shared=True, beside=beside)
        if BLOCK * (seconds + beside) < WORTH_STARTING:
            seconds = self.clock.limit(most, n, beside=beside)
        return replace(self.task, synthesiser=replace(self.task.synthesiser, seconds=seconds))
