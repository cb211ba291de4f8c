"""Many parameters for few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from divulge.contributions import Case
from divulge.outputs import Statbarn
from divulge.rules.rule import Finding, Rule


@dataclass(frozen=True, kw_only=True)
class ParametersPerRow(Rule):
    """Parameters of a model as a share of the rows."""

    name: ClassVar[str] = "parameters per row"
    asks: ClassVar[str] = "A model must have far fewer parameters than rows."
    source: ClassVar[str] = "parameters > 0.33 n, strict: DataSHIELD nfilter.glm"
    statbarns: ClassVar[tuple[Statbarn, ...]] = (Statbarn.MODELS,)

    share: Annotated[float, "The largest share of parameters in rows that is allowed still."] = 0.33

    def find(self, case: Case) -> list[Finding]:
        found: list[Finding] = []
        for behind in case.of("model", "saturated"):
            n = case.rows(behind)
            many = (n > 0) & (behind.parameters > self.share * n)
            found += self.breach(case, behind, many, f"More parameters than {self.share:g} of the rows.")
        return found
