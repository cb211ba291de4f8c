"""Assessments beside each other: their verdicts, risks and utility, and a map of risk and utility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.reports.blocks import Block, Grid, Line, Name, Plot, Section, Source
from divulge.reports.page import render_page
from divulge.reports.sections.verdict import highest_risk

FIGURES, KEPT = "Figures released", "Utility: how much of the first one's figures is kept"


def compared(records: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Plain data on each record, in the order given; the first is what the utility of the others is measured by.

    utility: mean over the first one's released figures of 1 − |this − first|/|first|, at least 0; a figure that is
    withheld or not there counts 0. None where no figure has a name in common.
    """
    first = _released(records[0][1])
    return {"assessments": [_one(name, record, first) for name, record in records]}


def _one(name: str, record: Mapping[str, Any], first: Mapping[str, float]) -> dict[str, Any]:
    source = Source(record)
    worst = highest_risk(source)
    own = _released(record)
    shared = [label for label in first if label in own]
    return {
        "name": name,
        "verdict": source.get("verdict"),
        "exposed": source.get("exposure", "exposed"),
        "rows": source.get("rows"),
        "scenario": None if worst is None else source.get(*worst, "scenario"),
        "marginal_risk": None if worst is None else source.get(*worst, "marginal_risk"),
        "released": len(own),
        "utility": sum(_kept(first[n], own[n]) for n in shared) / len(first) if shared else None,
        "release_risk": source.get("policy", "release_risk"),
    }


def _released(record: Mapping[str, Any]) -> dict[str, float]:
    """Every released figure by its output's kind and its label."""
    return {
        f"{output.get('kind')} {value['label']}": value["released"]
        for output in record.get("outputs", ())
        for value in output.get("values", ())
        if value["released"] is not None
    }


def _kept(first: float, this: float) -> float:
    if first == this:
        return 1.0
    return max(0.0, 1 - abs(this - first) / abs(first)) if first else 0.0


def _sections_of(document: Mapping[str, Any]) -> tuple[Section, ...]:
    """What a comparison says: the map, with its table behind."""
    source = Source(document)
    paths = source.many("assessments")
    all_kept = all(source.get(*p, "utility") is not None for p in paths)
    blocks: list[Block] = [_map(source, paths, all_kept)]
    if not all_kept:
        blocks.append(
            ("Not all of these have figures of the same names, so they are placed by how many figures they release.",)
        )
    return (Section("map", "Risk and utility", tuple(blocks)),)


def _map(source: Source, paths: Sequence[tuple[str | int, ...]], all_kept: bool) -> Plot:
    what = KEPT if all_kept else FIGURES
    grid = comparison(source)
    data = {
        "rows": [
            {
                "number": i,
                "label": source.name(*p, "name").text,
                "verdict": source.get(*p, "verdict"),
                "risk": source.get(*p, "marginal_risk", "interval", 1),
                "utility": source.get(*p, "utility" if all_kept else "released"),
                "exposed": source.get(*p, "exposed"),
            }
            for i, p in enumerate(paths, start=1)
        ],
        "what": what,
        "release": source.get(*paths[0], "release_risk"),
    }
    says: Line = (
        "Each point is an assessment, by its number in the table. Lower is safer, further right is more useful.",
    )
    return Plot(("Map of risk and utility",), says, "utility", grid, data, is_open=True)


def comparison(source: Source) -> Grid:
    """The table of a comparison."""
    rows: list[tuple[Line, ...]] = []
    for i, p in enumerate(source.many("assessments"), start=1):
        utility: Line = () if source.get(*p, "utility") is None else (source.four(*p, "utility"),)
        risk: Line = ()
        if source.get(*p, "marginal_risk") is not None:
            risk = (source.four(*p, "marginal_risk", "interval", 1),)
        rows.append(
            (
                (f"{i} ", source.name(*p, "name")),
                (str(source.get(*p, "verdict")),),
                (source.whole(*p, "exposed"),),
                risk,
                (source.whole(*p, "released"),),
                utility,
            )
        )
    columns = ("Assessment", "Verdict", "Exposed people", "Marginal risk, at most", FIGURES, "Utility")
    return Grid("Assessments side by side", columns, tuple(rows), frozenset({2, 3, 4, 5}))


def comparison_page(document: Mapping[str, Any]) -> str:
    """The comparison as one HTML page, made like the report of an assessment."""
    names: Line = tuple(piece for entry in document["assessments"] for piece in (", ", Name(entry["name"])))[1:]
    top = ("comparison.html.jinja", {"names": names, "count": len(document["assessments"])})
    return render_page("Assessments side by side", _sections_of(document), top)
