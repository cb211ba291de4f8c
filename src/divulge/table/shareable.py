"""A schema that is safe to send: what a table's variables are, without anything that points at people.

Identifiers, texts, postcodes and dates are named without a value. Numbers have a range that is rounded outwards. Levels
are listed where enough people have them, or where a code book lists them already.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from divulge.kernels.arrays import Integers, Mask
from divulge.table.frictionless import format_field
from divulge.table.ranges import SMALLEST_GROUP, rounded_range
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Variable, value_text

_LARGEST_LISTED = 100_000
"""Numbers that a range and a step may stand for; a longer range is written without a step, and read from the data."""
_MOST_DECIMALS = 3


@dataclass(frozen=True)
class Told:
    """What may be told of one variable. frequencies: rows by code; levels: which of its values may be told."""

    variable: Variable
    frequencies: Integers
    levels: Mask

    @property
    def counts(self) -> Integers:
        """How many rows have each value, missing codes apart."""
        return self.frequencies[: self.variable.n_values]

    @property
    def is_whole(self) -> bool:
        return bool(self.levels.all())

    @property
    def n_kept_back(self) -> int:
        """Values that occur and are not told."""
        return int(((self.counts > 0) & ~self.levels).sum())

    @property
    def texts(self) -> list[str]:
        """What is told of the levels, by their labels."""
        return [t for t, told in zip(self.variable.display, self.levels, strict=False) if told]

    @property
    def range(self) -> tuple[Any, Any] | None:
        """The range of a number, rounded outwards where few people have its ends; None where nothing may be told."""
        if self.variable.kind != "numeric" or self.variable.holds != "levels" or not self.variable.n_values:
            return None
        if self.is_whole:
            return self.variable.values[0].item(), self.variable.values[-1].item()
        return rounded_range(self.variable.values, np.where(self.levels, SMALLEST_GROUP, self.counts))


def told(
    table: Table, given: Schema | None = None, *, least: int = SMALLEST_GROUP, private: bool = False
) -> list[Told]:
    """What may be told of every variable. given: a schema that told its levels before; private: rare levels too."""
    found = []
    for variable in table.schema:
        frequencies = table.frequencies(variable.name)
        levels = _levels(variable, frequencies[: variable.n_values], given, least, private)
        found.append(Told(variable, frequencies, levels))
    return found


def _levels(variable: Variable, counts: Integers, given: Schema | None, least: int, private: bool) -> Mask:
    if variable.holds != "levels":
        return np.zeros(variable.n_values, dtype=bool)
    if private:
        return np.ones(variable.n_values, dtype=bool)
    common: Mask = (counts >= least) | (counts == 0)
    known: Collection[str] = set(given[variable.name].texts) if given is not None and variable.name in given else set()
    if not known and not variable.labels:
        return common
    listed = [v in variable.labels or value_text(v) in known for v in variable.values.tolist()]
    return common | np.array(listed, dtype=bool)


def shareable_schema(found: list[Told], rules: tuple[str, ...] = (), *, marginals: bool = False) -> dict[str, Any]:
    """The schema as plain data. marginals: with how many people have each value, where all values are told."""
    document: dict[str, Any] = {"fields": [_field(one, marginals) for one in found]}
    if rules:
        document["rules"] = list(rules)
    return document


def _field(one: Told, marginals: bool) -> dict[str, Any]:
    variable = one.variable
    if one.is_whole and variable.holds == "levels":
        return format_field(replace(variable, frequencies=one.frequencies if marginals else None))
    empty = np.empty(0, dtype=variable.values.dtype)
    if variable.kind == "categorical" and variable.holds == "levels":
        kept = variable.values[one.levels]
        labels = {v: t for v, t in variable.labels.items() if v in variable.missing or v in set(kept.tolist())}
        return format_field(replace(variable, values=kept, labels=labels, frequencies=None, is_open=True))
    field = format_field(replace(variable, values=empty, labels={}, frequencies=None, is_open=True))
    return field if one.range is None else field | _range(variable, one.range)


def _range(variable: Variable, ends: tuple[Any, Any]) -> dict[str, Any]:
    """minimum, maximum and a step on which all values lie, where these are not too many to list."""
    low, high = ends
    step = _step(variable, Decimal(str(low)))
    bounds = {"minimum": low, "maximum": high}
    if step is None or (Decimal(str(high)) - Decimal(str(low))) / step > _LARGEST_LISTED:
        return {"type": "number", "constraints": bounds}
    if isinstance(low, int):
        return {"type": "integer", "constraints": bounds} | ({} if step == 1 else {"step": int(step)})
    return {"type": "number", "constraints": bounds, "step": float(step)}


def _step(variable: Variable, low: Decimal) -> Decimal | None:
    values = variable.values
    if values.dtype.kind == "i":
        step = math.gcd(*(values - values[0]).tolist()) or 1
        return Decimal(step) if (int(values[0]) - low) % step == 0 else Decimal(1)
    decimals = max(-int(Decimal(str(v)).as_tuple().exponent) for v in values.tolist())
    return None if decimals > _MOST_DECIMALS else Decimal(1).scaleb(-max(decimals, 0))
