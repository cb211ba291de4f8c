"""Structural checks of a fitted classifier, which need no attack (Smith, Preen, McCarthy et al. 2022): how many people
stand behind each answer that it gives, and whether it has parameters enough to hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats

LEAST = 10
"""People behind an answer, and residual degrees of freedom: fewer are named."""

_ALIKE = 6
"""Decimals to which predicted probabilities count as the same answer."""


@dataclass(frozen=True)
class Structure:
    """What was found. smallest: people who share the rarest vector of predicted probabilities. thin: vectors that fewer
    than `LEAST` share. never: classes that some vector rules out. small: classes of which a vector stands for some
    people, and for fewer than `LEAST`. residual_df: people less parameters; None where the parameters are not known.
    """

    people: int
    smallest: int
    thin: int
    never: tuple[str, ...]
    small: tuple[str, ...]
    residual_df: int | None

    @property
    def is_clean(self) -> bool:
        return not self.sentences()

    def sentences(self) -> tuple[str, ...]:
        """What a checker should know, each in a sentence; none where nothing was found."""
        found = []
        if self.residual_df is not None and self.residual_df < LEAST:
            found.append(
                f"The model has {self.people - self.residual_df:,} parameters for {self.people:,} people: it has room "
                "to hold each of them."
            )
        if self.thin:
            found.append(
                f"{self.thin:,} different answers are given to fewer than {LEAST} people each, the rarest to "
                f"{self.smallest}."
            )
        if self.never:
            found.append(f"Some answers rule out a class for everybody who gets them: {', '.join(self.never)}.")
        if self.small:
            found.append(f"Some answers stand for fewer than {LEAST} people of a class: {', '.join(self.small)}.")
        return tuple(found)


def structure_of(probabilities: Floats, classes: Sequence[str], parameters: int | None = None) -> Structure:
    """The structure behind what a model predicts for the people it was fitted to, (people, classes)."""
    if probabilities.ndim != 2 or probabilities.shape[1] != len(classes) or not len(probabilities):
        raise OutputError(f"a row of {len(classes)} probabilities is needed for each person.")
    answers, counts = np.unique(np.round(probabilities, _ALIKE), axis=0, return_counts=True)
    expected = answers * counts[:, None]
    never = (answers <= 10.0**-_ALIKE).any(axis=0)
    small = ((expected > 0.0) & (expected < LEAST) & (answers > 10.0**-_ALIKE)).any(axis=0)
    return Structure(
        people=len(probabilities),
        smallest=int(counts.min()),
        thin=int((counts < LEAST).sum()),
        never=tuple(classes[i] for i in np.flatnonzero(never).tolist()),
        small=tuple(classes[i] for i in np.flatnonzero(small).tolist()),
        residual_df=None if parameters is None else len(probabilities) - parameters,
    )
