"""What is learnt about people in the data, beside what is learnt about people who were not, scenario by scenario."""

from __future__ import annotations

from typing import Any

from divulge.reports.blocks import Beside, Block, Caveat, Fold, Grid, Heading, Line, Name, Plot, Section, Source
from divulge.reports.sections.verdict import exposed_people

HEADLINES = ("TCAP", "TCAP_record", "DCAP", "DiSCO", "repU")
"""The measures that are drawn; the table behind has all."""

SHOWN = 30
"""Scenarios that are drawn in one plot, those of the highest risk; the table behind has all."""

APART = 6
"""Scenarios whose measures have a plot of their own; the rest are folded, with their tables."""

Path = tuple[str | int, ...]


def risk(source: Source) -> Section | None:
    paths = source.many("risk")
    if not paths:
        return None
    blocks: list[Block] = [
        (
            "What is learnt about everybody alike is statistics. What is learnt more about those who were in the data "
            "is disclosure: the marginal risk. It is measured on ",
            source.whole("splits", "used"),
            " random splits, with 95 % intervals.",
        )
    ]
    blocks += [Caveat((Name(c),)) for c in dict.fromkeys(c for p in paths for c in source.get(*p, "caveats") or ())]
    ordered = sorted(paths, key=lambda p: -(source.get(*p, "marginal_risk", "interval", 1) or 0.0))
    if any(source.get(*p, "marginal_risk") for p in paths):
        blocks.append(_forest(source, ordered))
    with_measures = [p for p in ordered if source.get(*p, "measures")]
    drawn = tuple(_contrasts(source, p) for p in with_measures[:APART])
    if drawn:
        blocks += [
            Heading(("The measures, scenario by scenario",)),
            (
                "Each measure for people in the data and for people outside it. The band is the 95 % interval of the "
                "difference; the upright stroke is what guessing from public knowledge gets right.",
            ),
            Beside(drawn),
        ]
    rest = with_measures[APART:]
    if rest:
        grids = tuple(_measure_grid(source, source.many(*p, "measures"), _plain_name(source, p)) for p in rest)
        blocks.append(Fold((f"{len(rest)} more scenarios",), grids))
    blocks += [block for path in with_measures for block in _further(source, path)]
    return Section("risk", "People in the data against people outside it", tuple(blocks))


def _forest(source: Source, paths: list[Path]) -> Plot:
    rows = []
    for p in paths:
        has_curve = source.get(*p, "curve", "at_full_size") is not None
        at_full: Line = (source.four(*p, "curve", "at_full_size"),) if has_curve else ()
        rows.append(
            (
                (source.name(*p, "scenario"),),
                (source.four(*p, "marginal_risk", "value"),),
                source.interval(*p, "marginal_risk", "interval"),
                at_full,
                exposed_people(source, *p),
            )
        )
    columns = ("Inferring", "Marginal risk", "95 % interval", "At full size", "Exposed people")
    grid = Grid("Marginal risk of every scenario", columns, tuple(rows), frozenset({1, 2, 3, 4}))
    shown = [p for p in paths if source.get(*p, "marginal_risk", "value") is not None][:SHOWN]
    data = {
        "rows": [_bar(source, p, "marginal_risk", "value", "interval") for p in shown],
        "release": source.get("policy", "release_risk"),
        "refuse": source.get("policy", "refuse_risk"),
    }
    more: Line = (f" The {SHOWN} highest of {len(paths)} are drawn.",) if len(paths) > SHOWN else ()
    says: Line = ("Marginal risk of each scenario with its 95 % interval, beside the policy's thresholds.", *more)
    return Plot(("How much more is learnt about people in the data",), says, "intervals", grid, data)


def _bar(source: Source, path: Path, *names: str) -> dict[str, Any]:
    section, value, interval = names
    return {
        "label": source.name(*path, "scenario").text,
        "value": source.get(*path, section, value),
        "low": source.get(*path, section, interval, 0),
        "high": source.get(*path, section, interval, 1),
    }


def _contrasts(source: Source, path: Path) -> Plot:
    found = source.many(*path, "measures")
    grid = _measure_grid(source, found, _plain_name(source, path))
    headlines = [m for m in found if m[-1] in HEADLINES] or found
    drawn = [m for m in headlines if _is_share(source, m)][: len(HEADLINES)]
    data = {"rows": [_contrast(source, m) for m in drawn]}
    return Plot((source.name(*path, "scenario"),), _about(source, path), "contrast", grid, data)


def _further(source: Source, path: Path) -> list[Block]:
    """Key subsets and folds, where the design or the scenario asked for them."""
    blocks: list[Block] = []
    sweep = source.many(*path, "sweep")
    if sweep:
        sizes = source.get(*path, "key_sizes") or ("", "")
        caption = f"{_plain_name(source, path)}: over all subsets of {sizes[0]} to {sizes[1]} keys, on one split"
        blocks.append(Fold((Name(caption),), (_measure_grid(source, sweep, caption),)))
    folds = source.many(*path, "folds")
    if folds:
        title: Line = (source.name(*path, "scenario"), ": fold by fold")
        blocks.append(Fold(title, tuple(_fold_grid(source, f) for f in folds)))
    return blocks


def _plain_name(source: Source, path: Path) -> str:
    return source.name(*path, "scenario").text


def _about(source: Source, path: Path) -> Line:
    parts: list[Line] = []
    if source.get(*path, "marginal_risk") is not None:
        parts.append(
            (
                "Marginal risk ",
                source.four(*path, "marginal_risk", "value"),
                " (",
                *source.interval(*path, "marginal_risk", "interval"),
                "); ",
                *(exposed_people(source, *path)),
                " exposed. ",
            )
        )
    knows = source.get(*path, "knows")
    if knows:
        known = {"marginals": "how often each value occurs", "nothing": "nothing else"}.get(str(knows), str(knows))
        parts.append(("The intruder knows the keys and ", Name(known), "."))
    if source.get(*path, "tolerance") is not None:
        parts.append((" A guess within ", source.short(*path, "tolerance"), " counts as right."))
    return tuple(piece for part in parts for piece in part)


def _is_share(source: Source, path: Path) -> bool:
    values = [source.get(*path, "original"), source.get(*path, "holdout")]
    return all(v is not None and 0 <= v <= 1 for v in values)


def _contrast(source: Source, path: Path) -> dict[str, Any]:
    low, high = source.get(*path, "interval", 0), source.get(*path, "interval", 1)
    out = source.get(*path, "holdout")
    # The interval is that of the difference; drawn from the holdout's value it shows where "in" may lie.
    return {
        "measure": Name(path[-1]).text,
        "original": source.get(*path, "original"),
        "holdout": out,
        "baseline": source.get(*path, "baseline"),
        "low": None if low is None else out + low,
        "high": None if high is None else out + high,
    }


OPTIONAL = (("anonymeter", "Anonymeter ratio"), ("calibrated", "Above chance"))


def _measure_grid(source: Source, paths: list[Path], caption: str) -> Grid:
    columns = ["Measure", "In", "Out", "Difference", "95 % interval", "Baseline"]
    extra = [(key, title) for key, title in OPTIONAL if any(source.get(*p, key) is not None for p in paths)]
    rows = []
    for p in paths:
        cells: list[Line] = [(Name(p[-1]),)]
        cells += [(source.four(*p, key),) for key in ("original", "holdout", "difference")]
        cells += [source.interval(*p, "interval"), _known(source, *p, "baseline")]
        cells += [_known(source, *p, key) for key, _ in extra]
        rows.append(tuple(cells))
    titles = (*columns, *(title for _, title in extra))
    return Grid(caption, titles, tuple(rows), frozenset(range(1, len(titles))))


def _known(source: Source, *path: str | int) -> Line:
    return () if source.get(*path) is None else (source.four(*path),)


def _fold_grid(source: Source, path: Path) -> Grid:
    rows: list[tuple[Line, ...]] = []
    for p in source.many(*path):
        values: list[Line] = [(source.four(*p, key),) for key in ("original", "holdout", "difference")]
        rows.append(((source.name(*p, "label"),), *values))
    return Grid(str(Name(path[-1]).text), ("Fold", "In", "Out", "Difference"), tuple(rows), frozenset({1, 2, 3}))
