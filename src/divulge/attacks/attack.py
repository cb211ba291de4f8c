"""What an attack is: a way to learn something of people from released figures, proved where it claims anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.lattice.bits import Bits
from divulge.outputs import Output, Released
from divulge.rules import Finding
from divulge.scenario import Scenario
from divulge.table import Table

_ALIKE = 2
"""A value of at most so many people tells who they are. A value of more people is only a count."""

_MOST_LESS = 12
"""It is asked of at most so many digits what their loss would do. Programs print up to sixteen."""


@dataclass(frozen=True, eq=False)
class Submitted:
    """What is attacked: outputs as they are printed, the people behind them, and what intruders are granted.

    delta: by how much being in must raise the chance of a right guess for somebody to be exposed.
    """

    outputs: tuple[Output, ...]
    printed: tuple[Released, ...]
    table: Table
    scenarios: tuple[Scenario, ...]
    delta: float = 0.1

    def grants(self, *knows: str) -> bool:
        """Whether some scenario grants one of these."""
        return any(scenario.knows in knows for scenario in self.scenarios)


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One way to use a release. name: as findings are headed; remedy: what would make the output safe."""

    name: ClassVar[str]
    does: ClassVar[str]
    source: ClassVar[str]
    remedy: ClassVar[str]

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        """What the attack gets out of the outputs."""
        raise NotImplementedError


def print_less(bits: Callable[[int], Bits]) -> str:
    """How many digits have to go until the figures no longer hold all that people have. bits: with so many less."""
    less = next((k for k in range(1, _MOST_LESS + 1) if not bits(k).is_determined), _MOST_LESS)
    return f"Print {less} digit{'s' * (less > 1)} less."


def hardly_shared(values: Integers | Floats) -> Mask:
    """Who has a value that at most one other person has. Each of two knows the value of the other."""
    _, number, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[number.ravel()] <= _ALIKE)
