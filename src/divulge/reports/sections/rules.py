"""Rules and arithmetic: what a rule book says of the figures, and what follows from them without any search."""

from __future__ import annotations

from divulge.reports.blocks import Block, Caveat, Fold, Grid, Line, Section, Source
from divulge.reports.sections.verdict import output_name

N_NAMED = 5
"""How many figures of a finding are named; the record has them all."""

N_CELLS = 40
"""How many cells with their proofs are shown; the record has them all."""

Path = tuple[str | int, ...]


def rules(source: Source) -> Section | None:
    """What rules found, what follows by arithmetic with its proofs, and what was out of reach."""
    if not source.get("rules"):
        return None
    blocks: list[Block] = [
        (
            "Nothing was searched for to find this. Rule book: ",
            source.name("rules", "profile", "title"),
            ". A note is no reason against an output.",
        )
    ]
    places = [*source.many("audit", "findings"), *source.many("rules", "findings")]
    if places:
        blocks += [_found(source, places), *_meanings(source, places)]
    else:
        blocks.append(("No rule is broken, and nothing follows from the figures that they do not state.",))
    blocks += _proofs(source)
    blocks += [
        Caveat(
            (
                "Out of reach of arithmetic: ",
                output_name(source, ("outputs", source.get(*p, "output"))),
                ", since ",
                source.name(*p, "reason"),
                ".",
            )
        )
        for p in source.many("audit", "unreached")
    ]
    blocks += [(source.name(*p),) for p in source.many("audit", "notes")]
    return Section("rules", "Rules and arithmetic", tuple(blocks))


def _found(source: Source, places: list[Path]) -> Grid:
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            (source.name(*p, "rule"),),
            (source.name(*p, "severity"),),
            (source.name(*p, "sentence"),),
            _figures(source, p),
            (source.whole(*p, "people"),) if source.get(*p, "people") is not None else ("",),
        )
        for p in places
    )
    columns = ("Rule", "A breach does", "What was found", "Figures", "People behind them")
    return Grid("What rules and arithmetic found", columns, rows, frozenset({4}))


def _figures(source: Source, place: Path) -> Line:
    """The first figures of a finding, with the output where there are several."""
    named = source.many(*place, "figures")
    line: Line = tuple(piece for p in named[:N_NAMED] for piece in (", ", source.name(*p)))[1:]
    more: Line = (f" and {len(named) - N_NAMED:,} more",) if len(named) > N_NAMED else ()
    where: Line = ()
    if len(source.many("outputs")) > 1:
        numbers = [n for p in source.many(*place, "outputs") if source.get("outputs", n := source.get(*p))]
        where = tuple(piece for n in numbers for piece in (output_name(source, ("outputs", n)), ": "))
    return (*where, *line, *more)


def _meanings(source: Source, places: list[Path]) -> list[Block]:
    """What each rule that is broken asks, and who says so; closed at first."""
    broken = {source.get(*p, "rule") for p in places}
    rows: tuple[tuple[Line, ...], ...] = tuple(
        ((source.name(*p, "rule"),), (source.name(*p, "asks"),), (source.name(*p, "source"),))
        for p in source.many("rules", "broken")
        if source.get(*p, "rule") in broken
    )
    if not rows:
        return []
    grid = Grid("What these rules ask", ("Rule", "What it asks", "Source"), rows)
    return [Fold(("What these rules ask",), (grid,))]


def _proofs(source: Source) -> list[Block]:
    """What follows, from what to what it can be, and the chain of figures that shows it; closed at first."""
    places = [p for p in source.many("audit", "cells") if source.get(*p, "status") != "protected"]
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            (source.name(*p, "label"),),
            (source.short(*p, "low"),),
            (source.short(*p, "high"),),
            (source.name(*p, "chain"),),
        )
        for p in places[:N_CELLS]
    )
    if not rows:
        return []
    grid = Grid(
        "What follows from the figures", ("Figure or group", "At least", "At most", "Why"), rows, frozenset({1, 2})
    )
    shown = f", the first {N_CELLS} of {len(places):,}" if len(places) > N_CELLS else ""
    return [Fold((f"What follows from the figures, and why{shown}",), (grid,))]
