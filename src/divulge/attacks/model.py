"""The model itself: whoever knows a person's predictors puts them into the released regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.attacks.attack import Attack, Submitted
from divulge.kernels.arrays import Floats
from divulge.outputs.predictions import Predictions
from divulge.rules import Finding, Severity
from divulge.scenario import EVERY
from divulge.scenario.score import EXACT_UP_TO, reach_of


@dataclass(frozen=True, kw_only=True)
class ModelItself(Attack):
    """The chance of a right prediction with a person in the data, less that without them: exact, nothing is drawn.

    It is news only for people who decide their own prediction: those whose leverage is large (Hoaglin & Welsch 1978).
    """

    name: ClassVar[str] = "the model itself"
    does: ClassVar[str] = "Predicts the response of a person from the coefficients and the person's predictors."
    source: ClassVar[str] = "Hoaglin & Welsch 1978; Cook & Weisberg 1982; Pregibon 1981"
    remedy: ClassVar[str] = "Leave out, merge or cap the predictors that set these people apart from all others."

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        found = []
        for i, (output, printed) in enumerate(zip(submitted.outputs, submitted.printed, strict=True)):
            predicted = output.predictions(submitted.table, printed)
            if predicted is None or not len(predicted.rows):
                continue
            people_of = submitted.table.people
            times = None if people_of is None else people_of[predicted.rows].astype(np.float64)
            with_them, without = predicted.scores(_tolerance(predicted, times))
            exposed = with_them - without > submitted.delta
            if not exposed.any():
                continue
            people = np.zeros(submitted.table.n_rows, dtype=bool)
            people[predicted.rows[exposed]] = True
            severity = Severity.REFUSE if _is_granted(predicted, submitted) else Severity.REVIEW
            most = int(np.argmax(np.where(exposed, with_them - without, -1.0)))
            n = submitted.table.count(people)
            sentence = (
                f"Whoever knows their predictors learns {predicted.response} of {n:,} "
                f"{'person' if n == 1 else 'people'} from the coefficients, because "
                f"{'this person decides their' if n == 1 else 'these people decide their'} own prediction (the chance "
                f"of a right guess is up to {with_them[most]:.2f}, and {without[most]:.2f} without them)."
            )
            found.append(Finding(self.name, severity, (i,), (), sentence, people, people_of))
        return found


def _tolerance(predicted: Predictions, times: Floats | None) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How near a guess must be: as for the look-up; of few different values half of the way to the next."""
    values = np.unique(predicted.own)
    if len(values) <= EXACT_UP_TO:
        return np.full(len(predicted.own), np.diff(values).min(initial=np.inf) / 2 if len(values) > 1 else 0.0)
    mean = np.average(predicted.own, weights=times)
    spread = float(np.sqrt(np.average((predicted.own - mean) ** 2, weights=times)))
    return reach_of(predicted.own, spread)


def _is_granted(predicted: Predictions, submitted: Submitted) -> bool:
    """Whether some scenario has an intruder who knows all the predictors and wants the response."""
    if not submitted.scenarios:
        return True
    return any(
        s.target in (predicted.response, EVERY) and (EVERY in s.keys or set(predicted.names) <= set(s.keys))
        for s in submitted.scenarios
    )
