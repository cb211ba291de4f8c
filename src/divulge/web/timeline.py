"""The ledger of a dataset on a time line: when something left, and how large the risk of all of it together was then.

Drawn on the server as plain shapes without any style of their own; the same is on the page as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

WIDTH, HEIGHT = 760, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 18, 34


@dataclass(frozen=True)
class Event:
    """Something that left. risk: the marginal risk of it and everything before together; None where it is not known."""

    at: datetime
    title: str
    submission_id: int
    risk: float | None
    adds: float | None
    exposed: int
    author: str
    dataset: str
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class _Mark:
    """An event's place in the picture."""

    x: float
    y: float
    event: Event


@dataclass(frozen=True)
class _Picture:
    """Everything that the template draws: places in pixels, words beside them."""

    marks: tuple[_Mark, ...]
    path: str
    area: str
    limit_y: float
    limit: float
    rows: tuple[tuple[float, str], ...]
    columns: tuple[tuple[float, str], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def draw(events: Sequence[Event], limit: float) -> _Picture:
    """Places of the events, oldest first. limit: the risk above which a release is reviewed."""
    known = [e.risk for e in events if e.risk is not None]
    highest = _round_up(max([limit * 1.25, *known]))
    first, last = events[0].at, events[-1].at
    span = max((last - first).total_seconds(), timedelta(days=1).total_seconds())

    def across(at: datetime) -> float:
        inner = WIDTH - LEFT - RIGHT - 40
        return round(LEFT + 20 + inner * ((at - first).total_seconds() / span if len(events) > 1 else 0.5), 1)

    def down(risk: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(risk, 0.0), highest) / highest), 1)

    marks = tuple(_Mark(across(e.at), down(e.risk or 0.0), e) for e in events)
    steps = [f"M{marks[0].x} {marks[0].y}"]
    for mark in marks[1:]:
        # The risk stays as it was until something else leaves.
        steps.append(f"H{mark.x} V{mark.y}")
    steps.append(f"H{WIDTH - RIGHT}")
    path = " ".join(steps)
    floor = HEIGHT - BOTTOM
    return _Picture(
        marks=marks,
        path=path,
        area=f"M{marks[0].x} {floor} L{path[1:]} V{floor} Z",
        limit_y=down(limit),
        limit=limit,
        rows=tuple((down(highest * i / 4), f"{highest * i / 4:.3g}") for i in range(5)),
        columns=_columns(events, marks),
    )


def _columns(events: Sequence[Event], marks: Sequence[_Mark]) -> tuple[tuple[float, str], ...]:
    """Dates below the axis, as many as do not run into each other."""
    found: list[tuple[float, str]] = []
    for event, mark in zip(events, marks, strict=True):
        if not found or mark.x - found[-1][0] > 110:
            found.append((mark.x, f"{event.at.day} {event.at:%b %Y}"))
    return tuple(found)


def _round_up(value: float) -> float:
    """The next number that people like to read on an axis."""
    scale = 10.0**-3
    for step in (1, 2, 4, 5, 8, 10, 20, 40, 50, 80, 100, 200, 400, 500, 800):
        if value <= step * scale:
            return step * scale
    return 1.0
