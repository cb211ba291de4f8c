"""The groups of statistics that output checkers think in."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Statbarn(StrEnum):
    """The twelve groups of statistics by what they can disclose (Green, Ritchie & White 2024, Table 1)."""

    FREQUENCIES = "frequencies"
    POSITION = "position"
    EXTREMES = "maxima and minima"
    AGGREGATES = "means, totals, other linear aggregates"
    RATIOS = "calculated odds and risk ratios"
    SURVIVAL = "hazard and survival tables"
    MODELS = "correlation coefficients and models"
    TESTS = "statistical hypothesis tests"
    SHAPE = "shape"
    MODE = "mode"
    CONCENTRATION = "non-linear concentration ratios"
    GINI = "Gini coefficients and Lorenz curves"

    @property
    def iri(self) -> str:
        """The group in the ontology of statbarns that ACRO uses, too."""
        return f"https://www.w3id.org/statbarnsdc#{_CLASSES[self]}"

    @property
    def is_safe(self) -> bool:
        """Whether the group is 'safe': released unless something unusual is found."""
        return list(Statbarn).index(self) >= list(Statbarn).index(Statbarn.MODELS)


_CLASSES: Mapping[Statbarn, str] = {
    Statbarn.FREQUENCIES: "Frequencies",
    Statbarn.POSITION: "Position",
    Statbarn.EXTREMES: "Endpoints",
    Statbarn.AGGREGATES: "LinearAggregations",
    Statbarn.RATIOS: "CalculatedRatios",
    Statbarn.SURVIVAL: "HazardSurvivalTables",
    Statbarn.MODELS: "CorrelationCoefficients",
    Statbarn.TESTS: "StatisticalHypothesisTests",
    Statbarn.SHAPE: "Shape",
    Statbarn.MODE: "Mode",
    Statbarn.CONCENTRATION: "NonLinearConcentrationRatios",
    Statbarn.GINI: "GiniCoefficient",
}
