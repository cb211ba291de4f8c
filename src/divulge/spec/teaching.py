"""The section `teaching` of a spec: what a dataset for a class has beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from divulge.settings import Range, check_settings


@dataclass(frozen=True, kw_only=True)
class WeightFields:
    """A survey weight, calibrated to the population."""

    name: Annotated[str, "What the variable is called."] = "WEIGHT"
    title: Annotated[str | None, "What it says in the data dictionary."] = None
    decimals: Annotated[int, "To how many decimals it is written.", Range(least=0, most=9)] = 4
    margins: Annotated[
        Mapping[str, Mapping[str, float] | tuple[float, ...]],
        "How many people of the population have each value: {SEX: {1: 24000, 2: 26000}}, or {SEX & AREA: "
        "[…]} in the order of the values.",
    ]

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, kw_only=True)
class TeachingFields:
    """What a dataset for a class has beside the published figures."""

    title: Annotated[str | None, "What the data are called in files and notes."] = None
    rules: Annotated[tuple[str, ...], "Edit rules that every row keeps, beside those of the schema."] = ()
    extra: Annotated[Path | None, "A schema of further variables, drawn from their frequencies."] = None
    weight: Annotated[WeightFields | None, "A survey weight, calibrated to the population."] = None
    # A class is smaller than a thousand.
    versions: Annotated[int, "How many datasets with the same answers.", Range(least=1, most=1000)] = 1

    def __post_init__(self) -> None:
        check_settings(self)
