"""What a hook is: a system's name, our verdict in its words, and its decision in ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from divulge.errors import SpecError
from divulge.ledger.model import Choice

_STRICTER = (Choice.RELEASE, Choice.RETURN, Choice.REFUSE)


@dataclass(frozen=True)
class Part:
    """An output: its number, its name, the verdict on it (None: not assessed), and the file that it came in."""

    number: int
    name: str
    verdict: str | None
    file: str


@dataclass(frozen=True)
class Told:
    """What the assessment says. reference: what the other system calls the submission. loose: files without outputs."""

    submission: int
    reference: str
    verdict: str
    reasons: tuple[str, ...]
    parts: tuple[Part, ...]
    loose: tuple[str, ...]

    def files(self) -> dict[str, str | None]:
        """By file, the strictest verdict on what came in it; None where it was not assessed, or not all of it."""
        order = ("release", "review", "refuse")
        found: dict[str, str | None] = dict.fromkeys(self.loose)
        for part in self.parts:
            held = found.get(part.file, "release")
            said = None if held is None or part.verdict is None else max(held, part.verdict, key=order.index)
            found[part.file] = said
        return found


@dataclass(frozen=True)
class Decided:
    """What another system decided: a choice for each output by its number, and the reason."""

    outputs: Mapping[int, Choice]
    reason: str


class Hook(Protocol):
    """name: as in addresses."""

    name: str

    def tell(self, told: Told) -> dict[str, Any]:
        """Our verdict as the document of the other system."""

    def read(self, document: Mapping[str, Any], parts: Sequence[Part]) -> Decided:
        """Its document as a decision."""


def by_file(chosen: Mapping[str, Choice], parts: Sequence[Part], reason: str) -> Decided:
    """A decision by files as one by outputs. Every output needs one: what nobody decided on does not leave."""
    return _by(chosen, {part.number: part.file for part in parts}, reason, "file")


def by_name(chosen: Mapping[str, Choice], parts: Sequence[Part], reason: str) -> Decided:
    """The same by the names of outputs; where several have one name, it is for all of them."""
    return _by(chosen, {part.number: part.name for part in parts}, reason, "output")


def _by(chosen: Mapping[str, Choice], named: Mapping[int, str], reason: str, what: str) -> Decided:
    if not named:
        raise SpecError("it has no outputs to decide on.", where="outputs")
    missing = sorted({name for name in named.values() if name not in chosen})
    if missing:
        raise SpecError(f"there is no decision on the {what} {missing[0][:80]!r}.", where=what)
    said = reason.strip() or f"Decided as {max(chosen.values(), key=_STRICTER.index)} in another system."
    return Decided({number: chosen[name] for number, name in named.items()}, said[:20_000])


def listed(document: Mapping[str, Any], field: str) -> list[Mapping[str, Any]]:
    """A list of objects in a document from elsewhere, or SpecError."""
    found = document.get(field)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found) or len(found) > 500:
        raise SpecError("a list of objects is needed.", where=field)
    return found


def text_of(document: Mapping[str, Any], field: str) -> str:
    """A text in a document from elsewhere; empty where there is none."""
    found = document.get(field, "")
    if not isinstance(found, str):
        raise SpecError("a text is needed.", where=field)
    return found.replace("\0", "").encode(errors="replace").decode()
