"""Inverse Gaussian regression of a positive response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from divulge.outputs.models.positive import PositiveModel
from divulge.outputs.output import Example


@dataclass(frozen=True, kw_only=True)
class InverseGaussian(PositiveModel):
    """Coefficients of an inverse Gaussian regression, with a logarithmic link unless said otherwise
    (McCullagh & Nelder 1989)."""

    kind: ClassVar[str] = "inverse-gaussian"
    title: ClassVar[str] = "Inverse Gaussian regression"
    power: ClassVar[float] = 3.0
    as_glm: ClassVar[tuple[str, str] | None] = ("InverseGaussian", "Log")
    examples: ClassVar[tuple[Example, ...]] = (
        Example("Age of adults by sex", {"formula": "AGE ~ SEX", "where": "AGE >= 18", "statistics": ["se"]}),
    )
