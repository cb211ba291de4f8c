"""What a mitigation is: an output in, a safer one out; and what it costs, and how an intruder reads the result.

A mitigation is one file with one frozen dataclass that inherits from `Mitigation`; its fields are its settings. It
changes nothing but the output's own fields, so that the result is assessed as it would be released.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Self

from divulge.audit.run import Submission
from divulge.contributions import Case
from divulge.kernels.arrays import Floats
from divulge.outputs import Output, Released, as_read
from divulge.table import Condition, Schema, Table
from divulge.table.coarsening import Coarsening


class Rung(IntEnum):
    """The ladder: what is tried first changes no figure that is left; what is tried last changes all of them."""

    COARSEN = 1
    DIGITS = 2
    SUPPRESS = 3
    ROUND = 4
    PERTURB = 5


@dataclass(frozen=True, eq=False)
class Trouble:
    """An output that may not be released as it is. blame: how much each of its figures has to do with that.

    fewest: a group of fewer people is thin. rarest: all of a group may not share a rarer value; None: they
    may. delta: nobody's chance of a right guess may rise by more. seed: of random numbers. earlier: what was released
    before about the same data.
    """

    case: Case
    blame: Floats
    fewest: int = 10
    rarest: float | None = None
    delta: float = 0.1
    seed: int = 1
    earlier: tuple[tuple[str, Output, Released], ...] = ()

    @property
    def output(self) -> Output:
        return self.case.output

    @property
    def table(self) -> Table:
        return self.case.table

    @property
    def schema(self) -> Schema:
        return self.case.table.schema

    def submission(self) -> Submission:
        """The output and what was released before, as an audit takes them."""
        return Submission(
            self.schema,
            (self.output,),
            (self.case.released,),
            self.table.n_rows,
            self.table,
            self.earlier,
            self.case.entity,
        )

    @cached_property
    def free_variables(self) -> tuple[str, ...]:
        """The variables of the output that may be changed: not those that choose rows or weigh them."""
        kept = {self.output.weights}
        if self.output.where is not None:
            kept |= set(Condition.parse(self.output.where, self.schema).variables)
        return tuple(name for name in self.output.own_variables() if name not in kept)


@dataclass(frozen=True, kw_only=True)
class Mitigation:
    """A way to make an output safer.

    costs: what is given up. reading: how an intruder who knows the method reads the result.
    """

    name: ClassVar[str]
    rung: ClassVar[Rung]
    costs: ClassVar[str]
    reading: ClassVar[str]

    @classmethod
    def propose(cls, trouble: Trouble) -> Iterator[Self]:
        """Settings that are worth trying against the trouble, the mildest first; none where it does not apply."""
        raise NotImplementedError

    def apply(self, output: Output, schema: Schema) -> Output:
        """The safer output; an error where the mitigation does not fit it."""
        raise NotImplementedError

    def loses(self, schema: Schema) -> tuple[str, ...]:
        """The variables of which nothing is told any more."""
        del schema
        return ()

    def describe(self, schema: Schema) -> str:
        """What is done, in words that a person follows: "Merge Chinese and Other"."""
        raise NotImplementedError


def computed_again(output: Output, **changes: Any) -> Output:
    """The same output with other fields. Figures that were given are those of the output as it was: they go."""
    return as_read(replace(output.written, released=None, compute=True, **changes))


def with_coarser(output: Output, name: str, step: Coarsening) -> Output:
    """The same output with one more variable made coarser, or one made coarser again."""
    return computed_again(output, coarser={**output.coarser, name: step}, suppressed=())
