"""What a search returns: the microdata, how it went, and each output recomputed exactly from the result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from divulge.objective.reproduction import Reproduction
from divulge.table import Table


class Outcome(StrEnum):
    """How a search ended."""

    REPRODUCED = "reproduced"
    NEAR_ENOUGH = "near enough"
    NEAREST = "nearest"
    STALLED = "stalled"
    FINISHED = "finished"
    OUT_OF_TIME = "out of time"
    INTERRUPTED = "interrupted"
    NOTHING_TO_MOVE = "nothing to move"
    RELEASED = "released"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES = {
    Outcome.REPRODUCED: "Every released figure is reproduced at its published precision.",
    Outcome.NEAR_ENOUGH: "The mean absolute error of every output is as small as was asked for; not every released "
    "figure is reproduced at its published precision.",
    Outcome.NEAREST: "Every released figure is reproduced but for those that no people of this number can have; these "
    "are as near as they can be.",
    Outcome.STALLED: "The search stopped making progress before every released figure was reproduced. The outputs may "
    "contradict each other, or no data of this size may give them.",
    Outcome.FINISHED: "All generations were made before every released figure was reproduced.",
    Outcome.OUT_OF_TIME: "The time allowed was used up before every released figure was reproduced.",
    Outcome.INTERRUPTED: "The search was interrupted; this is the best so far.",
    Outcome.NOTHING_TO_MOVE: "No variable of the outputs can take another value, so there is nothing to search.",
    Outcome.RELEASED: "The rows themselves are released, so there is nothing to search for.",
}


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
