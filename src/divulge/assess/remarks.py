"""What looks wrong in the variables that an assessment uses: the linter's remarks, and what only outputs can tell.

Remarks of one kind are one finding with a list. They stop nothing: a person decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from divulge.outputs import Output
from divulge.scenario import Scenario
from divulge.table import Table
from divulge.table.lint.checks import lint
from divulge.table.lint.remark import Remark

_MOST_COUNTS = 50  # whole numbers from 0 with at most so many values, whose variance grows with the mean, are counts


@dataclass(frozen=True)
class Finding:
    """Remarks of one kind. variables: what they are about; sentence: the first of them, and where else it holds."""

    code: str
    variables: tuple[str, ...]
    sentence: str
    advice: str


def find_remarks(table: Table, outputs: Sequence[Output], scenarios: Sequence[Scenario]) -> tuple[Finding, ...]:
    """The findings about everything that outputs and scenarios use."""
    used = [name for output in outputs for name in output.uses(table.schema)]
    used += [name for s in scenarios for name in (s.target, *s.keys)]
    known = [name for name in dict.fromkeys(used) if name in table.schema]
    remarks = [*lint(table.select(known)), *_counts(table, outputs), *_weights(outputs, scenarios)]
    by_code: dict[str, list[Remark]] = {}
    for remark in remarks:
        by_code.setdefault(remark.code, []).append(remark)
    return tuple(_gathered(code, group) for code, group in by_code.items())


def _gathered(code: str, group: Sequence[Remark]) -> Finding:
    first, names = group[0], [r.variable for r in group if r.variable is not None]
    sentence = f"{first.variable}: {first.message}" if first.variable else first.message
    if len(names) > 1:
        sentence += f" The same kind of remark holds of {', '.join(names[1:])}."
    return Finding(code, tuple(names), sentence, first.advice)


def _counts(table: Table, outputs: Sequence[Output]) -> Iterator[Remark]:
    """Linear models of what is counted."""
    for output in outputs:
        formula = vars(output.written).get("formula")
        if output.kind != "linear" or not isinstance(formula, str):
            continue
        name = formula.partition("~")[0].strip().strip("`")
        if name not in table.schema or table.schema[name].kind != "numeric":
            continue
        values = table.schema[name].values
        counts = table.frequencies(name)[: len(values)]
        if values.dtype.kind != "i" or not 2 < (counts > 0).sum() <= _MOST_COUNTS or values[0] < 0:
            continue
        mean = float((values.astype(float) * counts).sum() / counts.sum())
        if values[0] == 0 and mean < 10:
            yield Remark(
                "count-as-linear",
                name,
                "whole numbers from 0 on, most of them small: a count, here the response of a linear model.",
                f"If it counts events, write kind: poisson for the model {formula}.",
            )


def _weights(outputs: Sequence[Output], scenarios: Sequence[Scenario]) -> Iterator[Remark]:
    """Survey weights among what an intruder knows."""
    weights = {output.weights for output in outputs if output.weights}
    for name in sorted(weights & {key for s in scenarios for key in (s.target, *s.keys)}):
        yield Remark(
            "weight-as-key",
            name,
            "a survey weight is a key or the target: nobody knows a person's weight.",
            "Leave it out of keys in the scenario.",
        )
