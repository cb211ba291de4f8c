"""Who is exposed: how exposures are spread, and which groups stand out. Never a row, never a small group."""

from __future__ import annotations

from divulge.reports.blocks import Beside, Block, Grid, Line, Plot, Section, Source
from divulge.reports.sections.verdict import would_be_found

DRAWN = 4
"""Scenarios whose exposures are drawn, those with the most exposed people; the tables have all."""

Path = tuple[str | int, ...]


def exposure(source: Source) -> Section | None:
    if source.get("exposure") is None:
        return None
    blocks: list[Block] = [_said(source)]
    scenarios = sorted(source.many("exposure", "scenarios"), key=lambda p: -(source.get(*p, "exposed") or 0))
    if scenarios:
        blocks.append(
            (
                "Chance spreads exposures alike to both sides of zero; disclosure is a tail on the positive side. "
                "People are counted on a scale on which a few among many can be seen.",
            )
        )
        blocks.append(Beside(tuple(_spread(source, p) for p in scenarios[:DRAWN])))
        if len(scenarios) > DRAWN:
            blocks.append(_counts(source, scenarios))
    blocks += _groups(source)
    blocks += _patterns(source)
    return Section("exposure", "Who is exposed", tuple(blocks))


def _said(source: Source) -> Line:
    exposed = source.whole("exposure", "exposed")
    meaning: Line = (
        "that they are in the data raises the chance of a right guess about them by more than ",
        source.short("exposure", "delta"),
        ", and by more than chance would",
    )
    by_rules: Line = ()
    if source.get("exposure", "by_rules"):
        by_rules = (" A rule alone, without any search, names ", source.whole("exposure", "by_rules"), ".")
    if source.get("exposure", "tested") is False and not source.get("exposure", "exposed"):
        return ("Nobody was compared in the data and out of it, so whether anybody is exposed was not tested.",)
    if not source.get("exposure", "exposed") and not would_be_found(source):
        return (
            "Nobody was found, and that says little: somebody exposed by twice ",
            source.short("exposure", "delta"),
            " would have been found with a probability of ",
            source.decimals(2, "exposure", "power"),
            ", and the policy asks for ",
            source.short("policy", "power"),
            ".",
        )
    if not source.get("exposure", "exposed"):
        return (
            exposed,
            " of ",
            source.whole("rows"),
            " people are exposed, that is, of nobody can it be said ",
            *meaning,
            ".",
        )
    return (
        exposed,
        " of ",
        source.whole("rows"),
        " people (",
        source.percent("exposure", "share"),
        ") are exposed: ",
        *meaning,
        ". At most ",
        source.percent("exposure", "false_discoveries"),
        " of them may be called so by chance.",
        *by_rules,
    )


def _class(source: Source, path: Path, i: int) -> str:
    low, high = source.get(*path, "bounds", i), source.get(*path, "bounds", i + 1)
    return f"{low:g} to {high:g}"


def _spread(source: Source, path: Path) -> Plot:
    counts = source.many(*path, "counts")
    rows = tuple(((_class(source, path, i),), (source.whole(*p),)) for i, p in enumerate(counts))
    title: Line = (source.name(*path, "scenario"), ": ", source.whole(*path, "exposed"), " exposed")
    grid = Grid(source.name(*path, "scenario").text, ("Exposure", "People"), rows, frozenset({1}))
    data = {
        "rows": [
            {
                "between": _class(source, path, i),
                "people": source.get(*p),
                # By chance alone some lie above the limit, and as many below its opposite: then nobody is marked.
                "above": bool(source.get(*path, "exposed"))
                and source.get(*path, "bounds", i) >= (source.get("exposure", "delta") or 1.0),
            }
            for i, p in enumerate(counts)
        ]
    }
    says: Line = (
        ("How many people have an exposure of each size; those above the policy's limit in red.",)
        if source.get(*path, "exposed")
        else ("How many people have an exposure of each size. Nobody is above the limit by more than chance.",)
    )
    return Plot(title, says, "spread", grid, data)


def _counts(source: Source, paths: list[Path]) -> Grid:
    classes = tuple(_class(source, paths[0], i) for i in range(len(source.many(*paths[0], "counts"))))
    rows: list[tuple[Line, ...]] = []
    for p in paths:
        counts: list[Line] = [(source.whole(*c),) for c in source.many(*p, "counts")]
        rows.append(((source.name(*p, "scenario"),), (source.whole(*p, "exposed"),), *counts))
    columns = ("Inferring", "Exposed", *classes)
    return Grid("People by size of exposure, every scenario", columns, tuple(rows), frozenset(range(1, len(columns))))


def _groups(source: Source) -> list[Block]:
    paths = source.many("exposure", "groups")
    smallest = source.whole("exposure", "smallest_group")
    if not paths:
        if not source.get("exposure", "exposed"):
            return []
        return [("No group has ", smallest, " exposed people or more; smaller groups are not named.")]
    rows = tuple(
        (
            (source.name(*p, "variable"), " = ", source.name(*p, "value")),
            (source.whole(*p, "exposed"),),
            (source.whole(*p, "people"),),
            (source.percent(*p, "share"),),
        )
        for p in paths
    )
    columns = ("Group", "Exposed", "People", "Share")
    grid = Grid("Groups most exposed", columns, rows, frozenset({1, 2, 3}))
    data = {
        "rows": [
            {
                "label": f"{source.name(*p, 'variable').text} = {source.name(*p, 'value').text}",
                "share": source.get(*p, "share"),
                "exposed": source.get(*p, "exposed"),
                "people": source.get(*p, "people"),
            }
            for p in paths[:10]
        ]
    }
    says: Line = ("Share of exposed people in each group that has ", smallest, " of them or more.")
    return [Plot(("Groups most exposed",), says, "groups", grid, data)]


def _patterns(source: Source) -> list[Block]:
    """Combinations of keys, where the record names them."""
    paths = source.many("exposure", "patterns")
    if not paths or not isinstance(source.get(*paths[0]), dict):
        return []
    columns = tuple(str(key) for key in source.get(*paths[0]))
    rows = tuple(tuple(_any(source, *p, key) for key in columns) for p in paths)
    numbers = frozenset(i for i, key in enumerate(columns) if isinstance(source.get(*paths[0], key), int | float))
    titles = tuple(key.replace("_", " ").capitalize() for key in columns)
    return [Grid("Key patterns most exposed", titles, rows, numbers)]


def _any(source: Source, *path: str | int) -> Line:
    value = source.get(*path)
    if isinstance(value, float):
        return (source.four(*path),)
    if isinstance(value, int) and not isinstance(value, bool):
        return (source.whole(*path),)
    if isinstance(value, list):
        return tuple(piece for p in source.many(*path) for piece in (", ", source.name(*p)))[1:]
    return (source.name(*path),)
