"""A variable with how often each of its values occurs: what the linter looks at, and what columns are recognised by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from divulge.kernels.arrays import Codes, Integers
from divulge.table.variable import Variable

_FEW_INTEGERS = 12  # whole numbers with at most this many distinct values may be codes of categories
_FEWEST_TEXTS = 5  # with fewer rows there is no telling free text from levels
_MOSTLY_DISTINCT = 0.5
_LONG_TEXT = 20.0
_WORDS = 3.0


@dataclass(frozen=True)
class Occurrences:
    """A variable with how often each of its values occurs (missing codes apart)."""

    variable: Variable
    counts: Integers
    n_rows: int

    @classmethod
    def of(cls, variable: Variable, codes: Codes, people: Integers | None = None) -> Occurrences:
        """people: how many each row stands for; one where None."""
        counts = np.bincount(codes, people, minlength=variable.n_codes)[: variable.n_values].astype(np.int64)
        return cls(variable, counts, len(codes) if people is None else int(people.sum()))

    @cached_property
    def n_valid(self) -> int:
        """Rows that are not missing."""
        return int(self.counts.sum())

    @cached_property
    def n_distinct(self) -> int:
        """Values that occur."""
        return int((self.counts > 0).sum())

    @cached_property
    def is_text(self) -> bool:
        return self.variable.values.dtype == object

    @cached_property
    def texts(self) -> list[str]:
        """The texts that occur."""
        return [str(t) for t, n in zip(self.variable.values.tolist(), self.counts.tolist(), strict=True) if n]

    @cached_property
    def is_free_text(self) -> bool:
        """Long texts of several words that mostly differ."""
        if not self.is_text or self.n_valid < _FEWEST_TEXTS or self.n_distinct < _MOSTLY_DISTINCT * self.n_valid:
            return False
        lengths = [len(t) for t in self.texts]
        words = [t.count(" ") + 1 for t in self.texts]
        return float(np.mean(lengths)) >= _LONG_TEXT and float(np.mean(words)) >= _WORDS

    @cached_property
    def has_few_integers(self) -> bool:
        """Few whole numbers, each in many rows."""
        return (
            self.variable.kind == "numeric"
            and self.variable.values.dtype.kind == "i"
            and 2 <= self.n_distinct <= _FEW_INTEGERS
            and self.n_valid >= 10 * self.n_distinct
        )
