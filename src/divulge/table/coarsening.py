"""Coarser variables: values merged, numbers in bands, and the ends of a range taken together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated

import numpy as np

from divulge.errors import SpecError
from divulge.kernels.arrays import Integers
from divulge.settings import check_settings
from divulge.table.schema import Schema
from divulge.table.table import Table
from divulge.table.variable import Value, Variable, value_text

N_NAMED = 3
"""Values that a merged one is called after; of more, the first and how many others."""


@dataclass(frozen=True)
class Coarsening:
    """How one variable is made coarser. Merged values and bands are categories; top and bottom leave numbers."""

    merge: Annotated[tuple[tuple[Value, ...], ...], "Values that become one, a list for each."] = ()
    bands: Annotated[tuple[float, ...], "Where bands of numbers start; the last has no end."] = ()
    top: Annotated[float | None, "Numbers above this become this."] = None
    bottom: Annotated[float | None, "Numbers below this become this."] = None

    def __post_init__(self) -> None:
        check_settings(self)
        if any(len(group) < 2 for group in self.merge):
            raise SpecError(
                "two values or more become one, a list has fewer.",
                where="merge",
                hint="Write [[4, 5]] to merge 4 and 5.",
            )
        if self.bands and (self.merge or self.top is not None or self.bottom is not None):
            raise SpecError("bands exclude merge, top and bottom.", where="bands", hint="Give one of them.")
        if list(self.bands) != sorted(set(self.bands)):
            raise SpecError("bands start at rising numbers.", where="bands")

    def apply(self, variable: Variable) -> tuple[Variable, Integers]:
        """The coarser variable, and its code for every code of the finer one. Missing codes stay as they are."""
        if self.bands:
            found, code_of = _in_bands(variable, self.bands)
        else:
            found, code_of = variable, np.arange(variable.n_codes)
            for bound, is_top in ((self.top, True), (self.bottom, False)):
                if bound is not None:
                    found, step = _clipped(found, bound, is_top)
                    code_of = step[code_of]
            if self.merge:
                found, step = _merged(found, self.merge)
                code_of = step[code_of]
        if variable.frequencies is not None:
            sums = np.bincount(code_of, variable.frequencies, minlength=found.n_codes)
            found = replace(found, frequencies=sums.astype(np.int64))
        return found, code_of

    def describe(self, variable: Variable) -> str:
        """In words: "1 and 2 merged", with what values stand for."""
        shown = dict(zip(variable.texts, variable.display, strict=True))
        parts = [
            " and ".join(shown.get(value_text(v), value_text(v)) for v in group) + " merged" for group in self.merge
        ]
        if self.bands:
            parts.append(f"in {len(self.bands)} bands")
        parts += [f"top-coded at {self.top:g}"] if self.top is not None else []
        parts += [f"bottom-coded at {self.bottom:g}"] if self.bottom is not None else []
        return ", ".join(parts)


def coarser_schema(schema: Schema, given: Mapping[str, Coarsening]) -> tuple[Schema, dict[str, Integers]]:
    """The schema with some variables made coarser, and for each of these the new code of every code.

    Edit rules speak of the finer values; they are left out.
    """
    found, codes = replace(schema, rules=()), {}
    for name, coarsening in given.items():
        coarse, codes[name] = coarsening.apply(schema[name])
        found = found.with_variable(coarse)
    return found, codes


def coarser_table(table: Table, schema: Schema, codes: Mapping[str, Integers]) -> Table:
    """The rows in terms of a coarser schema."""
    columns = [
        codes[name].astype(schema[name].dtype)[column] if name in codes else column
        for name, column in zip(table.names, table.columns, strict=True)
    ]
    return Table(schema, tuple(columns), table.people)


def _merged(variable: Variable, groups: Sequence[Sequence[Value]]) -> tuple[Variable, Integers]:
    target = np.arange(variable.n_values)
    for group in groups:
        found = [variable.code(value) for value in group]
        unknown = [v for v, c in zip(group, found, strict=True) if c is None or c >= variable.n_values]
        if unknown:
            raise SpecError(f"{variable.name!r} has no value {unknown[0]!r}.", where=f"coarser.{variable.name}.merge")
        inside = np.array([c for c in found if c is not None])
        if (target[inside] != inside).any() or len(set(found)) < len(found):
            raise SpecError("a value is merged twice.", where=f"coarser.{variable.name}.merge")
        target[inside] = inside.min()
    return _grouped(variable, target, None)


def _in_bands(variable: Variable, starts: Sequence[float]) -> tuple[Variable, Integers]:
    numbers = _numbers(variable, "bands")
    if numbers.min(initial=np.inf) < starts[0]:
        raise SpecError(
            f"the first band of {variable.name!r} starts above its least value.",
            where=f"coarser.{variable.name}.bands",
            hint="Start it at the least value that is possible.",
        )
    band = np.searchsorted(np.asarray(starts), numbers, side="right") - 1
    first = {int(b): int(i) for i, b in reversed(list(enumerate(band)))}
    target = np.array([first[int(b)] for b in band], dtype=np.int64)
    is_whole = bool((numbers == np.round(numbers)).all()) and all(float(s).is_integer() for s in starts)
    ends = [
        value_text(float(a))
        if is_whole and b == a + 1
        else f"{value_text(float(a))}-{value_text(float(b - 1))}"
        if is_whole
        else f"{value_text(float(a))}-<{value_text(float(b))}"
        for a, b in pairwise(starts)
    ]
    names = [*ends, f"{value_text(float(starts[-1]))}+"]
    return _grouped(variable, target, [names[int(b)] for b in band])


def _grouped(variable: Variable, target: Integers, names: Sequence[str] | None) -> tuple[Variable, Integers]:
    """Values with the same target become one, in the place of the first. names: what each is called then."""
    kept = np.unique(target)
    texts, shown = variable.texts, variable.display
    values: list[str] = []
    labels: dict[Value | None, str] = {}
    for first in kept.tolist():
        members = np.flatnonzero(target == first).tolist()
        if names is not None:
            values.append(names[first])
        elif len(members) == 1:
            values.append(texts[first])
            labels |= {texts[first]: shown[first]} if shown[first] != texts[first] else {}
        else:
            values.append(
                "+".join(texts[m] for m in members)
                if len(members) <= N_NAMED
                else f"{texts[first]}+…{texts[members[-1]]}"
            )
            labels[values[-1]] = _together([shown[m] for m in members])
    missing = {m: variable.labels[m] for m in variable.missing if m in variable.labels}
    array = np.empty(len(values), dtype=object)
    array[:] = values
    found = replace(
        variable, kind="categorical", values=array, labels={**labels, **missing}, frequencies=None, is_open=False
    )
    codes = np.searchsorted(kept, target)
    return found, np.concatenate([codes, len(kept) + np.arange(len(variable.missing))]).astype(np.int64)


def _together(names: Sequence[str]) -> str:
    if len(names) <= N_NAMED:
        return f"{', '.join(names[:-1])} or {names[-1]}"
    return f"{names[0]} or {len(names) - 1} others"


def _clipped(variable: Variable, bound: float, is_top: bool) -> tuple[Variable, Integers]:
    numbers = _numbers(variable, "top" if is_top else "bottom")
    moved = np.minimum(numbers, bound) if is_top else np.maximum(numbers, bound)
    values, codes = np.unique(moved, return_inverse=True)
    is_whole = variable.values.dtype == np.int64 and float(bound).is_integer()
    held = values.astype(np.int64) if is_whole else values
    labels = {v: text for v, text in variable.labels.items() if isinstance(v, str) or v is None or v in held}
    labels[held[-1 if is_top else 0].item()] = f"{value_text(float(bound))} or {'more' if is_top else 'less'}"
    found = replace(variable, values=held, labels=labels, frequencies=None, is_open=False)
    return found, np.concatenate([codes.ravel(), len(values) + np.arange(len(variable.missing))]).astype(np.int64)


def _numbers(variable: Variable, field: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    numbers = variable.numbers[: variable.n_values]
    if np.isnan(numbers).any():
        raise SpecError(
            f"{variable.name!r} has values that are no numbers.",
            where=f"coarser.{variable.name}.{field}",
            hint="Merge values by name instead.",
        )
    return numbers
