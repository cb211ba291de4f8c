"""What a method is: counts in, printed numbers out; and how far from a printed number the count behind it may be.

Everything but the seed is taken to be known to everybody: a method that must be kept secret protects nobody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from scipy import sparse

from divulge.kernels.arrays import Floats
from divulge.settings import Range, check_settings


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to change counts before they are printed. Its fields are its settings."""

    kind: ClassVar[str]
    is_drawn: ClassVar[bool] = True
    """Whether each cell is changed at random on its own, so that sums of others tell more of it."""

    seed: Annotated[int, "Where the random numbers start; the custodian's secret.", Range(least=0, below=2**63)] = 1

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def key_variable(self) -> str | None:
        """The variable of record keys that it needs; None: none."""
        return None

    def printed(
        self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None, keys: Floats | None
    ) -> Floats:
        """What is printed. keys: sums of the record keys behind each count, where the method asks for them."""
        del keys
        return self.apply(labels, counts, sums)

    def apply(self, labels: Sequence[str], counts: Floats, sums: sparse.csr_array | None) -> Floats:
        """What is printed. sums: which figures are sums of which cells (figures, cells); None: none of any."""
        raise NotImplementedError

    def reach(self, printed: Floats, sums: sparse.csr_array | None) -> tuple[Floats, Floats]:
        """How far below and above each printed number the count may be, as whoever knows the method can tell."""
        raise NotImplementedError

    def describe(self) -> str:
        """What was done, as it may stand below a released table."""
        raise NotImplementedError

    def draws(self, labels: Sequence[str], counts: Floats) -> Floats:
        """A number between 0 and 1 for each cell: the same for the same cell and count, whichever table it stands in.

        A cell that is printed twice is then printed alike, and nothing is learnt from the second time.
        """
        found = np.empty(len(labels))
        for i, (label, count) in enumerate(zip(labels, counts.tolist(), strict=True)):
            parts = "&".join(sorted(part.strip() for part in label.split("&")))
            digest = hashlib.blake2b(f"{self.seed}|{parts}|{count:g}".encode(), digest_size=8).digest()
            found[i] = int.from_bytes(digest, "big") / 2.0**64
        return found


def cells_of(counts: Floats, sums: sparse.csr_array | None) -> Floats:
    """The counts of the cells themselves, which come before their sums."""
    return counts if sums is None else counts[: sums.shape[1]]
