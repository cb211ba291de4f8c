"""The section `teaching` of a spec: what a dataset for a class has beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

MOST_VERSIONS = 1000
"""A class is smaller."""


class WeightFields(BaseModel):
    """A survey weight, calibrated to the population."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: str = Field("WEIGHT", description="What the variable is called.")
    title: str | None = Field(None, description="What it says in the data dictionary.")
    decimals: int = Field(4, ge=0, le=9, description="To how many decimals it is written.")
    margins: dict[str, dict[str, float] | list[float]] = Field(
        description="How many people of the population have each value: {SEX: {1: 24000, 2: 26000}}, or {SEX & AREA: "
        "[…]} in the order of the values."
    )


class TeachingFields(BaseModel):
    """What a dataset for a class has beside the published figures."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    title: str | None = Field(None, description="What the data are called in files and notes.")
    rules: list[str] = Field([], description="Edit rules that every row keeps, beside those of the schema.")
    extra: str | None = Field(None, description="A schema of further variables, drawn from their frequencies.")
    weight: WeightFields | None = Field(None, description="A survey weight, calibrated to the population.")
    versions: int = Field(1, ge=1, le=MOST_VERSIONS, description="How many datasets with the same answers.")


@dataclass(frozen=True)
class WeightSettings:
    """A survey weight. margins: counts by the text of a value, or in the order of the values."""

    name: str
    title: str | None
    decimals: int
    margins: Mapping[str, Mapping[str, float] | Sequence[float]]


@dataclass(frozen=True)
class TeachingSettings:
    """The section, read."""

    title: str | None = None
    rules: tuple[str, ...] = ()
    extra: Path | None = None
    weight: WeightSettings | None = None
    versions: int = 1


NO_TEACHING = TeachingSettings()
"""Where the spec has no such section."""


def teaching_settings(fields: Any, folder: Path) -> TeachingSettings:
    """The section as settings; what is usual where there is none."""
    if fields is None:
        return NO_TEACHING
    weight = fields.weight
    return TeachingSettings(
        fields.title,
        tuple(fields.rules),
        None if fields.extra is None else folder / fields.extra,
        None if weight is None else WeightSettings(weight.name, weight.title, weight.decimals, dict(weight.margins)),
        fields.versions,
    )
