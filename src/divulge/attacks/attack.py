"""What an attack is: a way to learn something of people from released figures, proved where it claims anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from divulge.outputs import Output, Released
from divulge.rules import Finding
from divulge.scenario import Scenario
from divulge.table import Table


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
