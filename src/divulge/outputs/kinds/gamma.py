"""Gamma regression of a positive response, such as costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from divulge.outputs.models.positive import PositiveModel
from divulge.outputs.output import Example


@dataclass(frozen=True, kw_only=True)
class Gamma(PositiveModel):
    """Coefficients of a Gamma regression, with a logarithmic link unless said otherwise. Standard errors use Pearson's
    dispersion (McCullagh & Nelder 1989, 8.3.6), as R and statsmodels do."""

    kind: ClassVar[str] = "gamma"
    title: ClassVar[str] = "Gamma regression"
    power: ClassVar[float] = 2.0
    as_glm: ClassVar[tuple[str, str] | None] = ("Gamma", "Log")
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            "Age as a positive amount, by sex and tenure",
            {"formula": "AGE ~ SEX + TENURE", "where": "AGE >= 1", "statistics": ["se", "n"]},
        ),
    )
