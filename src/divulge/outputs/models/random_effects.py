"""What models with random effects of groups share, whatever is random in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from divulge.errors import OutputError, unknown_variable
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.group_effects import GroupEffects
from divulge.outputs.models.newton import Curve
from divulge.table import Schema


class RandomEffects(GroupEffects):
    """A model that names a group, fitted by restricted likelihood or likelihood. Its fields are those of the kinds."""

    group: str
    likelihood: Literal["reml", "ml"]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.errors != "model":
            name = self.kind.replace("-", " ")
            raise OutputError(f"a {name} model has its own standard errors alone here.", where="errors")

    def grouped_by(self) -> str:
        return self.group

    def check_fields(self, schema: Schema) -> None:
        super().check_fields(schema)
        if self.group not in schema:
            raise unknown_variable(self.group, schema.names, where="group")

    def curve(self) -> Curve:
        raise NotImplementedError("rows of a group are not independent")

    def estimators(self) -> Iterator[Estimated]:
        yield self
        other: dict[str, Any] = {"likelihood": "ml" if self.likelihood == "reml" else "reml"}
        yield replace(self, **other)
