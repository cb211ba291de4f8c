"""More people: an output of too few people is shown for at least so many, of a wider subpopulation or of everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np

from divulge.mitigations.mitigation import Mitigation, Rung, Trouble, computed_again
from divulge.outputs import Output
from divulge.table import Condition, Schema

TIMES = (1, 2, 4)
"""A subpopulation is widened until it has so many times the fewest people."""

_NUMBER = re.compile(r"(?P<name>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<number>-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, kw_only=True)
class MorePeople(Mitigation):
    """Show the output for a wider subpopulation."""

    name: ClassVar[str] = "more-people"
    rung: ClassVar[Rung] = Rung.COARSEN
    costs: ClassVar[str] = "The output speaks of other people than those it was asked about; it is exact for them."
    reading: ClassVar[str] = "As what it is: an output of the wider subpopulation, exact as printed."

    where: Annotated[str | None, "The condition of the wider subpopulation; none: everybody."] = None

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        where = trouble.output.where
        if where is None:
            return
        seen = {where}
        for wider in [*_widened(where, trouble), *_without_parts(where)]:
            if wider not in seen:
                seen.add(wider)
                yield cls(where=wider)
        yield cls()

    def apply(self, output: Output, schema: Schema) -> Output:
        del schema
        return computed_again(output, where=self.where, suppressed=())

    def describe(self, schema: Schema) -> str:
        del schema
        return "Show it for everybody" if self.where is None else f"Show it for more people ({self.where})"


def _parts(where: str) -> list[str]:
    """What stands between the words `and`; all of it where the condition is more than that."""
    is_plain = re.search(r"[()\"'`{}]|\b(or|not)\b", where) is None
    return [part.strip() for part in re.split(r"\band\b", where)] if is_plain else [where]


def _without_parts(where: str) -> Iterator[str]:
    parts = _parts(where)
    for i in range(len(parts) if len(parts) > 1 else 0):
        yield " and ".join(parts[:i] + parts[i + 1 :])


def _widened(where: str, trouble: Trouble) -> Iterator[str]:
    """The condition with a number moved until it takes in enough people."""
    parts = _parts(where)
    for i, part in enumerate(parts):
        found = _NUMBER.fullmatch(part)
        if found is None or found["name"].strip() not in trouble.schema.names:
            continue
        variable = trouble.schema[found["name"].strip()]
        numbers = np.unique(variable.numbers[np.isfinite(variable.numbers)])
        upward, given = found["sign"][0] == "<", float(found["number"])
        beyond = numbers[numbers > given] if upward else numbers[numbers < given][::-1]
        wanted = [times * trouble.fewest for times in TIMES]
        for number in beyond.tolist():
            tried = " and ".join([*parts[:i], f"{found['name']} {found['sign']} {number:g}", *parts[i + 1 :]])
            n = int(Condition.parse(tried, trouble.schema).selects(trouble.table).sum())
            if wanted and n >= wanted[0]:
                yield tried
                wanted = [w for w in wanted if w > n]
            if not wanted:
                break
