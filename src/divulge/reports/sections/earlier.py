"""What is already out about the same people, and what the new outputs add to it."""

from __future__ import annotations

from divulge.reports.blocks import Block, Caveat, Grid, Line, Section, Source


def earlier(source: Source) -> Section | None:
    if not source.get("cumulative"):
        return None
    releases = source.many("cumulative", "releases")
    named: Line = tuple(piece for p in releases for piece in (", ", source.name(*p)))[1:]
    blocks: list[Block] = [
        (
            "Judged together with ",
            source.whole("cumulative", "outputs"),
            " earlier outputs about the same people",
            *(("; releases: ", *named) if named else ()),
            ".",
        )
    ]
    blocks += [
        Caveat(("Not taken into account: ", source.name(*p, "release"), ". ", source.name(*p, "why")))
        for p in source.many("cumulative", "left_out")
    ]
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            (source.name(*p, "scenario"),),
            (source.four(*p, "earlier"),),
            (source.four(*p, "marginal_risk"),),
            (source.four(*p, "adds"),),
            source.interval(*p, "interval"),
            (source.whole(*p, "exposed"),),
            () if source.get(*p, "epsilon") is None else (source.four(*p, "epsilon"),),
        )
        for p in source.many("cumulative", "scenarios")
    )
    if rows:
        columns = (
            "Inferring",
            "Risk of what is out",
            "Risk of everything",
            "Added",
            "95 % interval",
            "Newly exposed",
            "ε at least",
        )
        blocks.append(Grid("What the new outputs add", columns, rows, frozenset({1, 2, 3, 4, 5, 6})))
    return Section("earlier", "Together with what is already out", tuple(blocks))
