"""The intruder's scenario: what they know of a person, what they want to know, and what they know of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from divulge.errors import MeasureError

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
