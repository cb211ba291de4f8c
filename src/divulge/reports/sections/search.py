"""How well the output was embedded, how risk goes with the error of the embedding, and how it falls with size."""

from __future__ import annotations

from divulge.reports.blocks import Beside, Block, Grid, Line, Plot, Section, Source
from divulge.reports.sections.verdict import output_name

DRAWN = 4
"""Scenarios whose curves are drawn, those of the highest risk; the table has all."""

Path = tuple[str | int, ...]


def embedding(source: Source) -> Section | None:
    paths = source.many("outputs")
    if not paths:
        return None
    rows = tuple(
        (
            (output_name(source, p),),
            (source.whole(*p, "reproduced"), " of ", source.whole(*p, "figures")),
            (source.short(*p, "mae"),),
            (source.percent(*p, "splits", "reproduced"),),
            (source.short(*p, "splits", "mae"),),
        )
        for p in paths
    )
    columns = ("Output", "Figures as printed", "Mean error", "In the splits", "Mean error there")
    blocks: list[Block] = [
        (
            source.name("embedding", "sentence")
            if source.get("embedding", "sentence")
            else source.name(*paths[0], "sentence"),
            " A figure that is not reproduced was not put to the test.",
        ),
        Grid("How well the outputs were reproduced", columns, rows, frozenset({1, 2, 3, 4})),
    ]
    return Section("embedding", "Quality of the embedding", (*blocks, *_trajectory(source)))


def _trajectory(source: Source) -> list[Block]:
    steps, trace = source.many("trajectory", "steps"), source.many("embedding", "trace")
    title: Line = ("The way there",)
    if len(steps) > 1:
        pairs = list(zip(steps, source.many("trajectory", "errors"), strict=True))
        rows = tuple(((source.whole(*s),), (source.short(*e),)) for s, e in pairs)
        grid = Grid("Error along the search", ("Changes tried", "Mean error"), rows, frozenset({0, 1}))
        data = {"rows": [{"steps": source.get(*s), "error": source.get(*e)} for s, e in pairs], "what": "Mean error"}
        says: Line = ("Mean error of the figures along a search from afar, by the number of changes tried.",)
        return [Plot(title, says, "path", grid, data)]
    sizes = [source.get(*t, "discrepancy") for t in trace]
    # Counts often start where they should end; a line that does not move would only puzzle.
    if len(trace) > 1 and None not in sizes and max(sizes) > 1.05 * min(sizes):
        rows = tuple(((source.whole(*t, "steps"),), (source.short(*t, "discrepancy"),)) for t in trace)
        grid = Grid("Discrepancy along the search", ("Changes tried", "Discrepancy"), rows, frozenset({0, 1}))
        data = {
            "rows": [{"steps": source.get(*t, "steps"), "error": source.get(*t, "discrepancy")} for t in trace],
            "what": "Discrepancy",
        }
        return [Plot(title, ("Discrepancy along the search, by the number of changes tried.",), "path", grid, data)]
    return []


def error(source: Source) -> Section | None:
    risks = source.many("trajectory", "risks")
    if not risks:
        return None
    pairs = list(zip(source.many("trajectory", "errors"), risks, strict=True))
    rows = tuple(((source.short(*e),), (source.four(*r),)) for e, r in pairs)
    measure = source.name("trajectory", "measure")
    grid = Grid("Risk against error", ("Mean error", measure.text), rows, frozenset({0, 1}))
    blocks: list[Block] = [
        (
            "Does the risk depend on how exactly the output is reproduced? ",
            measure,
            " of ",
            source.name("trajectory", "scenario"),
            " at moments of one search",
            *_line_said(source),
        )
    ]
    data = {
        "rows": [{"error": source.get(*e), "risk": source.get(*r)} for e, r in pairs],
        "measure": measure.text,
        "at_zero": source.get("trajectory", "at_zero"),
        "slope": source.get("trajectory", "slope"),
    }
    says: Line = ("Each point is a moment of the search; the line is fitted, and drawn to an error of zero.",)
    blocks.append(Plot(("Risk against error of the embedding",), says, "against", grid, data))
    return Section("error", "Risk against error", tuple(blocks))


def _line_said(source: Source) -> Line:
    if source.get("trajectory", "at_zero") is None:
        return (".",)
    said: Line = ("; the fitted line meets an error of zero at ", source.four("trajectory", "at_zero"))
    if source.get("trajectory", "correlation") is not None:
        said += (" (correlation ", source.decimals(2, "trajectory", "correlation"), ")")
    return (*said, ".")


def curve(source: Source) -> Section | None:
    paths = [p for p in source.many("risk") if source.many(*p, "curve", "points")]
    if not paths:
        return None
    paths.sort(key=lambda p: -(source.get(*p, "marginal_risk", "interval", 1) or 0.0))
    blocks: list[Block] = [
        (
            "The contrast is measured on halves of the data. Repeated on smaller parts, it shows how the marginal risk "
            "falls with size; the fitted curve gives it for all ",
            source.whole("rows"),
            " rows.",
        ),
        Beside(tuple(_curve(source, p) for p in paths[:DRAWN])),
    ]
    if len(paths) > DRAWN:
        rows = tuple(
            (
                (source.name(*p, "scenario"),),
                (source.four(*p, "curve", "at_full_size"),),
                source.interval(*p, "curve", "interval"),
            )
            for p in paths
        )
        columns = ("Inferring", "At full size", "95 % interval")
        blocks.append(Grid("Marginal risk at full size, every scenario", columns, rows, frozenset({1, 2})))
    return Section("curve", "Learning curve", tuple(blocks))


def _curve(source: Source, path: Path) -> Plot:
    points = source.many(*path, "curve", "points")
    rows: list[tuple[Line, ...]] = [
        (
            (source.name(*p, "part"),),
            (source.whole(*p, "rows"),),
            (source.four(*p, "marginal_risk", "value"),),
            source.interval(*p, "marginal_risk", "interval"),
        )
        for p in points
    ]
    drawn = [
        {
            "rows": source.get(*p, "rows"),
            "value": source.get(*p, "marginal_risk", "value"),
            "low": source.get(*p, "marginal_risk", "interval", 0),
            "high": source.get(*p, "marginal_risk", "interval", 1),
            "kind": "measured",
        }
        for p in points
    ]
    if source.get(*path, "curve", "at_full_size") is not None:
        interval = (*path, "curve", "interval")
        rows.insert(
            0,
            (
                ("all, extrapolated",),
                (source.whole("rows"),),
                (source.four(*path, "curve", "at_full_size"),),
                source.interval(*interval),
            ),
        )
        drawn.append(
            {
                "rows": source.get("rows"),
                "value": source.get(*path, "curve", "at_full_size"),
                "low": source.get(*interval, 0),
                "high": source.get(*interval, 1),
                "kind": "extrapolated",
            }
        )
    columns = ("Part", "Rows", "Marginal risk", "95 % interval")
    grid = Grid(source.name(*path, "scenario").text, columns, tuple(rows), frozenset({1, 2, 3}))
    says: Line = ("Marginal risk with its 95 % interval by the number of rows, and extrapolated to all rows.",)
    return Plot((source.name(*path, "scenario"),), says, "curve", grid, {"rows": drawn})
