"""How a search is going: the trace that it leaves, and what a progress bar is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from divulge.kernels.compiling import working_time
from divulge.objective.embedding import Embedding, Outcome, TracePoint
from divulge.objective.objective import Objective
from divulge.objective.reproduction import Reproduction, reproduce
from divulge.table import Table


@dataclass(frozen=True)
class Progress:
    """What a progress bar shows: the stage, how far it is (0 … 1), and seconds left where that can be said honestly."""

    stage: str
    share: float
    discrepancy: float
    seconds_left: float | None


Listener = Callable[[Progress], None]


@dataclass
class Log:
    """Collects the trace while a search runs, and tells the listener. Not part of the result."""

    listener: Listener | None = None
    snapshots_wanted: int = 0
    started: float = field(default_factory=working_time)
    proposals: int = 0
    accepted: int = 0
    trace: list[TracePoint] = field(default_factory=list)
    snapshots: list[Table] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return working_time() - self.started

    def note(
        self, stage: str, share: float, discrepancy: float, table: Callable[[], Table], objective: Objective
    ) -> None:
        """A moment of the search. Snapshots (and the exact errors that go with them) are taken only if wanted."""
        errors = None
        if len(self.snapshots) < self.snapshots_wanted:
            snapshot = table()
            errors = tuple(output.mae for output in reproduce(objective, snapshot))
            self.snapshots.append(snapshot)
        self.trace.append(TracePoint(self.proposals, self.seconds, discrepancy, errors))
        if self.listener is not None:
            left = self.seconds * (1 - share) / share if share > 0 else None
            self.listener(Progress(stage, share, discrepancy, left))

    def finish(
        self,
        objective: Objective,
        table: Table,
        outcome: Outcome,
        discrepancy: float,
        verified: tuple[Reproduction, ...] | None = None,
    ) -> Embedding:
        """The result, with every output recomputed exactly: nothing is called reproduced that was not verified.

        verified: every output recomputed from this table, where that was done already.
        """
        seconds = self.seconds
        outputs = verified or reproduce(objective, table)
        complete = all(output.is_complete for output in outputs)
        # Whoever asked for an interruption must hear of it, even where nothing was left to do.
        if complete and outcome is not Outcome.INTERRUPTED:
            outcome = Outcome.REPRODUCED
        elif outcome is Outcome.REPRODUCED:
            outcome = Outcome.STALLED
        return Embedding(
            table,
            outcome,
            outputs,
            seconds,
            self.proposals,
            self.accepted,
            discrepancy,
            tuple(self.trace),
            tuple(self.snapshots),
        )
