"""Noise: numbers of a known distribution added to counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.outputs.methods.noise import Noise
from divulge.table import Schema


@dataclass(frozen=True, kw_only=True)
class AddNoise(Mitigation):
    """Add noise to counts."""

    name: ClassVar[str] = "add-noise"
    rung: ClassVar[Rung] = Rung.PERTURB
    costs: ClassVar[str] = "Every count is off by noise of a known size; margins add up."
    reading: ClassVar[str] = (
        "As intervals that hold 99 % of the noise; several releases of the same counts would average it out."
    )

    method: Noise = field(default_factory=Noise)

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        if trouble.output.growth == "extensive" and trouble.output.has_threshold:
            for epsilon in (1.0, 0.5, 0.2):
                yield cls(method=Noise(epsilon=epsilon, seed=trouble.seed))
            yield cls(method=Noise(distribution="poisson", seed=trouble.seed))

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, method=self.method, base=None, decimals=None, significant=None)

    def describe(self, schema: Schema) -> str:
        del schema
        return self.method.phrase()
