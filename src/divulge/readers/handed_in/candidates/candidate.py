"""What a reader takes a stretch of a file for: a candidate, with every figure as it was printed.

A candidate says what the file says, in the file's own words; `matching` finds out what that is in the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from divulge.readers.handed_in.candidates.numbers import Printed


@dataclass(frozen=True)
class Figure:
    """A figure of a candidate.

    what: which statistic it is, as `statistic_names` has it. of: the term, or the variable, that it belongs to.
    at: the labels of the groups that it is of, as (axis, label); an axis is what the file calls it, or its number.
    """

    label: str
    what: str
    printed: Printed
    line: int
    of: str | None = None
    at: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Term:
    """A row of a regression. group: the heading that it stands under (a factor whose levels follow)."""

    text: str
    group: str | None = None
    is_reference: bool = False


Shape = Literal["model", "cells", "test", "survival", "correlation", "other"]
"""Which part of `matching` a candidate belongs to."""


@dataclass(frozen=True)
class Candidate:
    """One output, as the file words it.

    response, formula: of a model; formula in R's words where the file shows it.
    variables, by: the names that the file uses for what is shown and for groups.
    where: the condition that the file states. said: titles and notes, where conditions may hide.
    labels: {variable: {code: label}} that the file declares, titles: {variable: label}, derived: {name: expression}.
    states: conditions and weights that were in force at some time of the session, where the file does not say when.
    """

    shape: Shape
    kind: str
    lines: tuple[int, int]
    figures: tuple[Figure, ...]
    program: str = ""
    response: str | None = None
    formula: str | None = None
    terms: tuple[Term, ...] = ()
    variables: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    where: str | None = None
    weights: str | None = None
    statistic: str | None = None
    errors: str | None = None
    fixed_effects: tuple[str, ...] = ()
    command: str | None = None
    said: tuple[str, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    states: tuple[tuple[str | None, str | None], ...] = ()
    sheet: str | None = None
    column: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    """What else the file says: duration and event of a survival model, the reference, the rounding."""
    corrected: tuple[str, ...] = ()
    """What its author corrected of the reading, in words."""
