"""What an output is at a table: figures with their labels, and how the computation ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from divulge.kernels.arrays import Floats


class Status(StrEnum):
    """How a computation ended. Anything but OK is a result with a name, never an exception and never silence."""

    OK = "ok"
    EMPTY = "empty"
    EMPTY_GROUP = "empty group"
    CONSTANT = "constant"
    SEPARATED = "separated"
    VANISHED_LEVEL = "vanished level"
    COLLINEAR = "collinear"
    NOT_CONVERGED = "not converged"
    TOO_FEW_ROWS = "too few rows"
    FAILED = "failed"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES: Mapping[Status, str] = {
    Status.OK: "Computed.",
    Status.EMPTY: "No row is left to compute it from.",
    Status.EMPTY_GROUP: "Some groups have no rows; their figures are undefined.",
    Status.CONSTANT: "A variable does not vary, so some figures are undefined.",
    Status.SEPARATED: "Some predictors separate the outcomes perfectly; the estimates have no finite value.",
    Status.VANISHED_LEVEL: "A level has no rows, so its coefficient is undefined.",
    Status.COLLINEAR: "Some columns are linear combinations of others, so their coefficients are undefined.",
    Status.NOT_CONVERGED: "The fit did not converge.",
    Status.TOO_FEW_ROWS: "There are too few rows for so many coefficients.",
    Status.FAILED: "The function could not be computed on this table.",
}


@dataclass(frozen=True, eq=False)
class Figures:
    """What an output is at a table: one number for each label; NaN where it is undefined (the status says why).

    texts: what the numbers stand for, where they are not measurements (the mode of a categorical variable).
    concerned: the labels that the status speaks of, where it speaks of some (the levels that vanished).
    keys: sums of the record keys of the people behind each number, where a method asks for them.
    """

    labels: tuple[str, ...]
    values: Floats
    status: Status = Status.OK
    se: Floats | None = None
    texts: tuple[str | None, ...] | None = None
    concerned: tuple[str, ...] = ()
    keys: Floats | None = None

    @property
    def sentence(self) -> str:
        """How the computation ended, in words: it may end well without a single figure."""
        if self.status is Status.OK and np.isnan(self.values).all():
            return "No figure is defined for these people."
        return self.status.sentence

    def followed_by(self, labels: Sequence[str], values: Floats, status: Status) -> Figures:
        """The same with further figures, which have no standard errors."""
        se = np.zeros(0) if self.se is None else self.se
        return replace(
            self,
            labels=(*self.labels, *labels),
            values=np.append(self.values, values),
            se=np.append(se, np.full(len(values), np.nan)),
            status=status,
        )
