"""The versions of a submission: what was said in each round, and what changed from one to the next, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from divulge.ledger.model import Comment, Submission, SubmittedOutput

_MOST_FIGURES = 200  # changed figures of one output on a page; both versions have them all
_NOT_COMPARED = ("released", "compute")


@dataclass(frozen=True)
class ChangedOutput:
    """An output beside the one of the version before. fields, figures: what, before, now. same: figures that stayed."""

    number: int
    name: str
    fields: tuple[tuple[str, str, str], ...]
    figures: tuple[tuple[str, str, str], ...]
    more: int
    same: int


@dataclass(frozen=True)
class Round:
    """What was said about one version."""

    submission_id: int
    version: int
    comments: tuple[Comment, ...]


def earlier_rounds(submission: Submission) -> list[Round]:
    """The versions before this one, the oldest first."""
    return [Round(s.id, s.version, tuple(s.comments)) for s in reversed(list(_before(submission)))]


def changes(submission: Submission) -> list[ChangedOutput]:
    """What changed since the version before: fields and figures, output by output."""
    if submission.replaces is None:
        return []
    old = {o.number: o for o in submission.replaces.outputs}
    new = {o.number: o for o in submission.outputs}
    found = [_changed(n, old.get(n), new.get(n)) for n in sorted({*old, *new})]
    return [one for one in found if one.fields or one.figures]


def _before(submission: Submission) -> Iterator[Submission]:
    version = submission.replaces
    while version is not None:
        yield version
        version = version.replaces


def _changed(number: int, old: SubmittedOutput | None, new: SubmittedOutput | None) -> ChangedOutput:
    was, now = _fields(old), _fields(new)
    fields = [(name, was.get(name, ""), now.get(name, "")) for name in dict.fromkeys([*was, *now])]
    before, after = _figures(old), _figures(new)
    labels = list(dict.fromkeys([*after, *before]))
    figures = [(label, before.get(label, "–"), after.get(label, "–")) for label in labels]
    different = [one for one in figures if one[1] != one[2]] if before and after else []
    either = new or old
    assert either is not None, "its number is of one of them"
    return ChangedOutput(
        number,
        either.name or either.kind,
        tuple(one for one in fields if one[1] != one[2]),
        tuple(different[:_MOST_FIGURES]),
        max(len(different) - _MOST_FIGURES, 0),
        len(figures) - len(different),
    )


def _fields(output: SubmittedOutput | None) -> dict[str, str]:
    if output is None:
        return {}
    return {name: _text(value) for name, value in output.document.items() if name not in _NOT_COMPARED}


def _figures(output: SubmittedOutput | None) -> dict[str, str]:
    if output is None:
        return {}
    return {f["label"]: _shown(f) for f in output.figures or ()}


def _shown(figure: dict[str, Any]) -> str:
    value = "suppressed" if figure["value"] is None else str(figure["value"])
    return f"{value} ({figure['se']})" if figure.get("se") is not None else value


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
