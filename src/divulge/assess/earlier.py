"""What was released before about the same data: which of it is embedded together with the new outputs, and why not.

Earlier outputs are recomputed on every split, like the new ones, so that the contrast sees what all give away together.
(Taken as public, and computed on all rows, they add nothing to it: that is `knows: earlier outputs`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from divulge.errors import DivulgeError
from divulge.outputs import Output, Released, read_released
from divulge.scenario import Scenario
from divulge.spec import Assessment, Inputs, format_output, parse_output
from divulge.table import Table


@dataclass(frozen=True)
class Candidate:
    """An output that was released before. release: how the record names it. document: as in a spec, figures inline.

    made: how variables of it are made that the data do not have. related: it tells of the same variables as the new
    outputs, though by other names.
    """

    release: str
    document: Mapping[str, Any]
    made: Mapping[str, str] = field(default_factory=dict)
    related: bool = False


@dataclass(frozen=True)
class _LeftOut:
    """An earlier output that is not embedded, and why."""

    release: str
    why: str


@dataclass(frozen=True, eq=False)
class _EarlierOutput:
    """An earlier output that is embedded. released: its figures as given; None where the data give them."""

    release: str
    output: Output
    released: Released | None


@dataclass(frozen=True, eq=False)
class Earlier:
    """Earlier outputs that are embedded together with the new ones, and those that are not."""

    kept: tuple[_EarlierOutput, ...] = ()
    left_out: tuple[_LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(one.output for one in self.kept)

    @property
    def is_known(self) -> bool:
        """Whether anything was released before, embedded or not."""
        return bool(self.kept or self.left_out)


def choose_earlier(
    candidates: Iterable[Candidate], outputs: Sequence[Output], scenarios: Sequence[Scenario], table: Table
) -> Earlier:
    """Those of the candidates that share a variable with the outputs or the scenarios, and can be recomputed."""
    named = {n for o in outputs for n in o.uses(table.schema)} | {n for s in scenarios for _, n in s.named}
    kept: list[_EarlierOutput] = []
    left_out: list[_LeftOut] = []
    for candidate in candidates:
        try:
            kept.append(_recomputed(candidate, named, table))
        except _NotEmbedded as reason:
            left_out.append(_LeftOut(candidate.release, str(reason)))
        except DivulgeError as error:
            left_out.append(_LeftOut(candidate.release, f"It cannot be computed from these data: {error.message}"))
    return _each_once(outputs, kept, left_out)


def with_named(earlier: Earlier, assessment: Assessment, inputs: Inputs) -> Earlier:
    """Those that the spec itself names, before what a ledger holds. One that is there twice counts once."""
    named = [
        _EarlierOutput(output.name or f"earlier[{i}]", output, released)
        for i, (output, released) in enumerate(zip(assessment.earlier, inputs.earlier, strict=True))
    ]
    return _each_once(assessment.outputs, [*named, *earlier.kept], earlier.left_out)


class _NotEmbedded(Exception):  # a reason, not an error
    """Why an earlier output is not embedded, in a sentence."""


def _recomputed(candidate: Candidate, named: set[str], table: Table) -> _EarlierOutput:
    """An earlier output whose figures the data give. named: the variables of the new outputs and the scenarios."""
    output = parse_output(candidate.document)
    output.check(table.schema)
    uses = output.uses(table.schema)
    if not candidate.related and not named & set(uses):
        raise _NotEmbedded(f"It shares no variable: it is about {', '.join(uses)}.")
    if not output.can_lower:
        raise _NotEmbedded(f"It cannot be searched for: {output.why_not}")
    released = read_released(output, table.schema, None, table.n_people, together=False)
    wrong = 0 if released is None else int((~released.agrees(output.evaluate(table).values)).sum())
    if wrong:
        raise _NotEmbedded(f"{wrong:,} of its figures are not what these data give; it was computed on other data.")
    return _EarlierOutput(candidate.release, output, released)


def _each_once(outputs: Sequence[Output], given: Iterable[_EarlierOutput], left_out: Sequence[_LeftOut]) -> Earlier:
    same = {_identity(o) for o in outputs}
    kept, out = [], list(left_out)
    for one in given:
        if _identity(one.output) in same:
            out.append(_LeftOut(one.release, "The same output is embedded already."))
        else:
            same.add(_identity(one.output))
            kept.append(one)
    return Earlier(tuple(kept), tuple(out))


def _identity(output: Output) -> str:
    """What an output is, whatever its figures are called and however they were given."""
    plain = format_output(replace(output, released=None, compute=False, name=None, weight=1.0))
    return repr(sorted(plain.items(), key=lambda item: item[0]))
