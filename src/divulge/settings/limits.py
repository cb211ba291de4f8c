"""What an annotation may say of a setting beside its type and its help text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Range:
    """The limits of a number, or of every number of a list."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def holds(self, value: float) -> bool:
        """Whether a number keeps to them."""
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"from {_text(self.least)} to {_text(self.most)}"
        if self.above is not None and self.below is not None:
            return f"between {_text(self.above)} and {_text(self.below)}"
        words = {"of at least": self.least, "above": self.above, "of at most": self.most, "below": self.below}
        said = [f"{word} {_text(limit)}" for word, limit in words.items() if limit is not None]
        return " and ".join([said[0], *(part.removeprefix("of ") for part in said[1:])])


def _text(limit: float) -> str:
    return f"{limit:,}" if isinstance(limit, int) and abs(limit) >= 10_000 else f"{limit:g}"


@dataclass(frozen=True)
class Entries:
    """How many entries a list has at least, and whether they all differ."""

    least: int = 0
    differ: bool = False


@dataclass(frozen=True)
class Called:
    """What people call the setting, where the field has another name."""

    name: str


@dataclass(frozen=True)
class OnlyIf:
    """A setting that a class has only where its constant of this name is true."""

    flag: str


@dataclass(frozen=True)
class Shorthand:
    """A shorter way to write the value: `read` turns it into the long one, and leaves the long one as it is.

    form: the JSON Schema of the short way. example: how it is written.
    """

    read: Callable[[Any], Any]
    form: Mapping[str, Any]
    example: str


@dataclass(frozen=True)
class Kinds:
    """One of several classes, which the entry `kind` names. noun: what one of them is.

    default: the class that is meant where there is no `kind`; None: it must be there.
    also: other names that people use, and the `kind` that each means: for hints alone.
    """

    noun: str
    members: Sequence[type[Any]]
    default: type[Any] | None = None
    also: Mapping[str, str] = field(default_factory=dict)

    @property
    def by_name(self) -> dict[str, type[Any]]:
        return {member.kind: member for member in self.members}
