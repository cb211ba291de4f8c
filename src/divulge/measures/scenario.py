"""The intruder's scenario, and the case that a family of measures is given: aligned tables of people and synthetic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from divulge.errors import MeasureError
from divulge.table import Table

Knowledge = Literal["nothing", "marginals"]


@dataclass(frozen=True)
class Scenario:
    """What the intruder knows of a person (`keys`), wants to know (`target`), and knows of the data (`knows`).

    key_sizes: the smallest and largest number of keys for sweeps over key subsets; None is all keys at once.
    """

    keys: tuple[str, ...]
    target: str
    key_sizes: tuple[int, int] | None = None
    knows: Knowledge = "marginals"

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(self.keys))
        if not self.keys:
            raise MeasureError("the intruder knows no key: at least one key is needed.", where="keys")
        twice = sorted({k for k in self.keys if self.keys.count(k) > 1})
        if twice:
            raise MeasureError(f"{', '.join(map(repr, twice))} is named as a key more than once.", where="keys")
        if self.target in self.keys:
            raise MeasureError(
                f"{self.target!r} is both a key and the target: what the intruder knows already cannot be learnt.",
                where="target",
                hint="Take it out of the keys, or choose another target.",
            )
        if self.key_sizes is not None:
            low, high = self.key_sizes
            if not 1 <= low <= high <= len(self.keys):
                raise MeasureError(
                    f"key sizes {low}–{high} do not fit {len(self.keys)} keys.",
                    where="key_sizes",
                    hint=f"Give a range within 1–{len(self.keys)}.",
                )

    @property
    def variables(self) -> tuple[str, ...]:
        """The keys, then the target."""
        return (*self.keys, self.target)


@dataclass(frozen=True, eq=False)
class Case:
    """What a family of measures is given. All tables share one schema: equal codes mean equal values.

    people: who is attacked. This is the original; `for_holdout` gives the same case with the holdout in its place,
        and a family computes both alike without knowing which it is given.
    synthetic: the one synthetic table that the intruder sees (or all of them as one, for measures that pool).
    replicates: all synthetic tables, for measures that compare them with each other.
    holdout: people of the same kind who were not in the data, for measures that need both at once.
    """

    people: Table
    synthetic: Table
    scenario: Scenario
    holdout: Table | None = None
    replicates: tuple[Table, ...] = ()

    def for_holdout(self) -> Case:
        """The same attack on the holdout."""
        if self.holdout is None:
            raise MeasureError("there is no holdout.", hint="Give a table of people who were not in the data.")
        return replace(self, people=self.holdout, holdout=None)
