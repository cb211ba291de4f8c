"""What a rule is: a look at an output and the rows behind it, which ends in a sentence and the people it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from divulge.kernels.arrays import Mask
from divulge.outputs import Output, Released
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Finding:
    """What a rule found. sentence: in plain words, without any value. people: whose values are given away."""

    rule: str
    sentence: str
    people: Mask

    @property
    def n_people(self) -> int:
        return int(self.people.sum())


class Rule(Protocol):
    """A rule of output checking. summary: what it says in one sentence; source: who says so."""

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]

    def find(self, output: Output, table: Table, released: Released, fewest: int) -> Finding | None:
        """What the rule has against these released figures; None where it has nothing.

        fewest: how many people must stand behind a figure that is somebody's value.
        """
        ...
