"""What a member of this room is: a frozen dataclass whose fields are its settings, with one method `estimate`.

To add a family, write one file with one such class, and name the class in FAMILIES in `families/__init__.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from divulge.measures.case import Case
from divulge.measures.estimate import Estimate
from divulge.settings import check_settings


@dataclass(frozen=True)
class Measure:
    """One figure that a family computes: its exact name, what it says in one sentence, and who defined it.

    of: whose rows it is about. What only speaks of the synthetic file is the same for the original and the holdout.
    is_share: whether it is a share of 1, so that (r_original − r_holdout)/(1 − r_holdout) means something.
    moves_with_size: whether it rests on how people compare with each other, so that original and holdout compare
        only where they are of one size.
    """

    name: str
    summary: str
    source: str
    of: Literal["people", "synthetic"] = "people"
    is_share: bool = True
    moves_with_size: bool = False


class Family(Protocol):
    """A family of measures that are computed together. Members inherit what they do not say otherwise.

    name: what people write to choose it. measures: the figures, by their exact names.
    is_default: computed where nobody chooses measures (slow families are not).
    pools: also computed with all synthetic files taken as one.
    needs_rows: whether it looks at rows; a family that needs counts alone also measures files that stay on disk.
    """

    name: ClassVar[str]
    measures: ClassVar[tuple[Measure, ...]]
    is_default: ClassVar[bool] = False
    pools: ClassVar[bool] = False
    needs_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_settings(self)

    def extra_columns(self) -> tuple[str, ...]:
        """Columns that it looks at beside the keys and the target; every table must have them."""
        return ()

    def estimate(self, case: Case, rng: np.random.Generator) -> dict[str, Estimate]:
        """The figures for one case, by name. Deterministic given `rng`; `case` is not changed.

        Input that makes no sense raises MeasureError; a figure that these data leave undefined is NaN with a caveat.
        """
        ...
