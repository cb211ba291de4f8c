"""What a search returns: the microdata, how it went, and each output recomputed exactly from the result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from divulge.kernels.arrays import Floats, Mask
from divulge.objective.objective import Objective, Target
from divulge.outputs import Status as OutputStatus
from divulge.table import Table


class Outcome(StrEnum):
    """How a search ended."""

    REPRODUCED = "reproduced"
    NEAR_ENOUGH = "near enough"
    STALLED = "stalled"
    FINISHED = "finished"
    OUT_OF_TIME = "out of time"
    INTERRUPTED = "interrupted"
    NOTHING_TO_MOVE = "nothing to move"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES = {
    Outcome.REPRODUCED: "Every released figure is reproduced at its published precision.",
    Outcome.NEAR_ENOUGH: "The mean absolute error of every output is as small as was asked for; not every released "
    "figure is reproduced at its published precision.",
    Outcome.STALLED: "The search stopped making progress before every released figure was reproduced. The outputs may "
    "contradict each other, or no data of this size may give them.",
    Outcome.FINISHED: "All generations were made before every released figure was reproduced.",
    Outcome.OUT_OF_TIME: "The time allowed was used up before every released figure was reproduced.",
    Outcome.INTERRUPTED: "The search was interrupted; this is the best so far.",
    Outcome.NOTHING_TO_MOVE: "No variable of the outputs can take another value, so there is nothing to search.",
}


@dataclass(frozen=True, eq=False)
class Reproduction:
    """One output, released and recomputed exactly from the synthetic table."""

    target: Target
    labels: tuple[str, ...]
    released: Floats
    values: Floats
    agrees: Mask
    status: OutputStatus

    @property
    def is_complete(self) -> bool:
        """Whether every released figure is reproduced at its published precision."""
        return bool(self.agrees.all())

    @property
    def errors(self) -> Floats:
        """Recomputed − released, for the figures that were released."""
        given = np.isfinite(self.released)
        return self.values[given] - self.released[given]

    @property
    def mae(self) -> float:
        """Mean absolute error; NaN where a figure is undefined."""
        return float(np.mean(np.abs(self.errors))) if self.errors.size else 0.0

    @property
    def mse(self) -> float:
        return float(np.mean(self.errors**2)) if self.errors.size else 0.0

    def as_json(self) -> dict[str, Any]:
        """The JSON names that scripts rely on."""
        figures = [
            {"label": label, "released": float(r), "value": float(v), "reproduced": bool(a)}
            for label, r, v, a in zip(self.labels, self.released, self.values, self.agrees, strict=True)
        ]
        return {
            "kind": self.target.output.kind,
            "name": self.target.output.name,
            "status": str(self.status),
            "mae": self.mae,
            "mse": self.mse,
            "reproduced": float(self.agrees.mean()) if self.agrees.size else 1.0,
            "figures": figures,
        }


def reproduce(objective: Objective, table: Table) -> tuple[Reproduction, ...]:
    """Every output recomputed exactly from a table."""
    found = []
    for target in objective.targets:
        figures = target.output.evaluate(table)
        agrees = target.released.agrees(figures.values)
        if figures.se is not None:
            agrees = agrees & target.released.agrees_se(figures.se)
        found.append(
            Reproduction(target, figures.labels, target.released.values, figures.values, agrees, figures.status)
        )
    return tuple(found)


@dataclass(frozen=True)
class TracePoint:
    """The search at one moment. errors: exact mean absolute error of each output, where it was computed."""

    steps: int
    seconds: float
    discrepancy: float
    errors: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False)
class Embedding:
    """Microdata that reproduces outputs, as far as `outcome` and `outputs` say.

    earlier: outputs that are out already and were searched for beside them; the outcome does not speak of these.
    """

    table: Table
    outcome: Outcome
    outputs: tuple[Reproduction, ...]
    seconds: float
    proposals: int
    accepted: int
    discrepancy: float
    trace: tuple[TracePoint, ...] = ()
    snapshots: tuple[Table, ...] = ()
    earlier: tuple[Reproduction, ...] = ()

    @property
    def is_complete(self) -> bool:
        return all(output.is_complete for output in self.outputs)

    def as_json(self) -> dict[str, Any]:
        return {
            "status": str(self.outcome),
            "sentence": self.outcome.sentence,
            "seconds": self.seconds,
            "proposals": self.proposals,
            "accepted": self.accepted,
            "discrepancy": self.discrepancy,
            "outputs": [output.as_json() for output in self.outputs],
            "trace": list(self.trace),
        }


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
    started: float = field(default_factory=time.perf_counter)
    proposals: int = 0
    accepted: int = 0
    trace: list[TracePoint] = field(default_factory=list)
    snapshots: list[Table] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

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
