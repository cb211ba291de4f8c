"""Every measure of synthetic files on one page: a map of risk and utility, and the figures with their twins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.reports.blocks import Block, Fold, Grid, Line, Name, Plot, Section, Source, Terms
from divulge.reports.page import render_page
from divulge.reports.sections.epsilon import audited

ATTACKS = ("DCAP", "inference", "identical", "presence", "singling_out_multivariate", "linkability")
"""Shares of people whom an attack gives away. The map has the largest difference to the holdout of these."""

UTILITY = "Hellinger"
"""Mean distance of the two-way tables; utility is 1 less it. Means and shares alone (CIO) would not do: columns that
were drawn each for itself have these right, and nothing else."""

Path = tuple[str | int, ...]


def measured_document(
    names: Sequence[str], figures: Mapping[str, Any], meanings: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Plain data of the page. figures: `measures`, `holdout` and `difference`, by name a list with one entry a file."""
    files = []
    for i, name in enumerate(names):
        found = {
            measure: {
                part: figures[part][measure][i]
                for part in ("measures", "holdout", "difference")
                if len(figures.get(part, {}).get(measure, ())) > i
            }
            for measure in figures["measures"]
        }
        files.append({"name": name, "figures": found, **_placed(found)})
    return {"files": files, "meanings": {n: dict(m) for n, m in meanings.items() if n in figures["measures"]}}


def _placed(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Where a file stands on the map: its utility, and the attack that gives people away most beyond the holdout."""
    gaps = {n: found[n]["difference"]["value"] for n in ATTACKS if "difference" in found.get(n, {})}
    known = {n: v for n, v in gaps.items() if v is not None}
    worst = max(known, key=lambda n: known[n]) if known else None
    distance = found.get(UTILITY, {}).get("measures", {}).get("value")
    utility = None if distance is None else 1 - distance
    return {"attack": worst, "risk": None if worst is None else known[worst], "utility": utility}


def measured_page(document: Mapping[str, Any]) -> str:
    """The page, complete in itself."""
    source = Source(document)
    files = source.many("files")
    sections = [s for s in (_map(source, files),) if s is not None]
    sections += [s for s in (_epsilon(source, files),) if s is not None]
    sections += [_figures(source, p, i) for i, p in enumerate(files, start=1)]
    sections.append(_meanings(source))
    names: Line = tuple(piece for p in files for piece in (", ", Name(source.get(*p, "name"))))[1:]
    return render_page(
        "Microdata as a release", sections, ("measured.html.jinja", {"names": names, "count": len(files)})
    )


def _map(source: Source, files: Sequence[Path]) -> Section | None:
    placed = [p for p in files if source.get(*p, "risk") is not None and source.get(*p, "utility") is not None]
    if not placed:
        return None
    numbers = {p: i for i, p in enumerate(files, start=1)}
    rows = tuple(
        (
            (f"{numbers[p]} ", source.name(*p, "name")),
            (source.four(*p, "utility"),),
            (source.four(*p, "risk"),),
            (source.name(*p, "attack"),),
        )
        for p in placed
    )
    columns = ("File", "Utility (two-way tables)", "Given away beyond the holdout", "By")
    data = [
        {
            "number": numbers[p],
            "label": source.name(*p, "name").text,
            "utility": source.get(*p, "utility"),
            "risk": source.get(*p, "risk"),
            "attack": source.get(*p, "attack"),
        }
        for p in placed
    ]
    says: Line = (
        "Each point is a file. Lower is safer, further right is more useful: two-way tables are nearer to those of "
        "the data. Risk is the largest difference between people in the data and people who were not, of the shares "
        "whom attacks give away.",
    )
    grid = Grid("Risk and utility", columns, rows, frozenset({1, 2}))
    plot = Plot(("Map of risk and utility",), says, "files", grid, {"rows": data}, is_open=True)
    return Section("map", "Risk and utility", (plot,))


def _epsilon(source: Source, files: Sequence[Path]) -> Section | None:
    """Every audit of every file: an attack that audits ε says so in its details."""
    audits: list[tuple[Name, Path]] = [
        (Name(f"{number} {str(p[-1]).removesuffix('_epsilon')}"), (*p, "measures", "details", "audit"))
        for number, path in enumerate(files, start=1)
        for p in source.many(*path, "figures")
        if source.get(*p, "measures", "details", "audit") is not None
    ]
    says = (
        "People of the data and of the holdout are paired, and the attack guesses who was in. Pairs are fair where "
        "chance alone decided whom the holdout has. "
    )
    return audited(source, audits, "File and attack", says)


def _figures(source: Source, path: Path, number: int) -> Section:
    rows = tuple(_row(source, p) for p in source.many(*path, "figures"))
    columns = ("Measure", "Value", "95 %", "Baseline", "Holdout", "Difference", "95 %")
    grid = Grid(f"Figures of file {number}", columns, rows, frozenset(range(1, 7)))
    blocks: list[Block] = [
        (
            "What is learnt about people who were not in the data is no disclosure: the difference is what counts. "
            "Figures of the file alone have no twin.",
        ),
        grid,
    ]
    caveats = [c for p in source.many(*path, "figures") for c in source.get(*p, "measures", "caveats") or ()]
    if caveats:
        lines = tuple((Name(c),) for c in dict.fromkeys(caveats))
        blocks.append(Fold((f"{len(lines)} remarks",), lines))
    return Section(f"file-{number}", f"File {number}: {source.get(*path, 'name')}", tuple(blocks))


def _row(source: Source, path: Path) -> tuple[Line, ...]:
    def one(*names: str) -> Line:
        return () if source.get(*path, *names) is None else (source.four(*path, *names),)

    def between(part: str) -> Line:
        low, high = ((*path, part, "interval", end) for end in ("low", "high"))
        return () if source.get(*low) is None else (source.four(*low), " to ", source.four(*high))

    return (
        (str(path[-1]),),
        (source.four(*path, "measures", "value"),),
        between("measures"),
        one("measures", "baseline"),
        one("holdout", "value"),
        one("difference", "value"),
        between("difference"),
    )


def _meanings(source: Source) -> Section:
    pairs = tuple(
        (str(p[-1]), f"{source.get(*p, 'summary')} ({source.get(*p, 'source')})") for p in source.many("meanings")
    )
    return Section("meanings", "What each measure says", (Terms(pairs),))
