"""ε, audited: what the attack of each scenario refutes of any claim of differential privacy."""

from __future__ import annotations

from typing import Any

from divulge.reports.blocks import Block, Grid, Line, Plot, Section, Source

DRAWN = 4
"""Scenarios whose curves are drawn, those of the largest bound; the table has all."""

Path = tuple[str | int, ...]


def epsilon(source: Source) -> Section | None:
    paths = [p for p in source.many("risk") if source.get(*p, "epsilon") is not None]
    if not paths:
        return None
    paths.sort(key=lambda p: -source.get(*p, "epsilon", "lower_bound"))
    first = paths[0]
    blocks: list[Block] = [
        (
            "Of every pair of people a coin put one in the data. The attack guesses whom, from the synthetic rows. "
            "A claim of a smaller ε (δ = ",
            source.short(*first, "epsilon", "delta"),
            ", one person in another's place) is refuted with 95 % confidence. ",
            source.name(*first, "epsilon", "sentence"),
        ),
        Grid("ε by scenario", COLUMNS, tuple(_row(source, p) for p in paths), frozenset({1, 2, 3, 4})),
    ]
    curves = [p for p in paths if source.get(*p, "epsilon", "tpr")][:DRAWN]
    if curves:
        blocks.append(_curve(source, curves))
    return Section("epsilon", "ε, audited", tuple(blocks))


COLUMNS = ("Inferring", "ε at least, of Gaussian noise", "ε at least, of anything", "Pairs guessed at", "Guessed right")


def _row(source: Source, path: Path) -> tuple[Line, ...]:
    at = (*path, "epsilon")
    guessed: Line = (source.whole(*at, "guesses"), " of ", source.whole(*at, "pairs"))
    return (
        (source.name(*path, "scenario"),),
        (source.decimals(2, *at, "lower_bound"),),
        (source.decimals(2, *at, "any_mechanism"),),
        guessed,
        (source.whole(*at, "right"),),
    )


def _curve(source: Source, paths: list[Path]) -> Plot:
    """Right against wrong accusations, on logarithmic axes: what counts is the lower left (Carlini et al. 2022)."""
    lines: list[tuple[Line, ...]] = []
    data: list[dict[str, Any]] = []
    for path in paths:
        for point in source.many(*path, "epsilon", "tpr"):
            share = str(point[-1])
            lines.append(((source.name(*path, "scenario"),), (share,), (source.four(*point),)))
            value = source.get(*point)
            if value:
                name = source.name(*path, "scenario").text
                data.append({"label": name, "wrong": float(share), "right": value})
    grid = Grid("Accusations", ("Inferring", "Wrongly accused", "Rightly accused"), tuple(lines), frozenset({1, 2}))
    says: Line = (
        "The share of people in who are accused, by the share of people out who are. Chance is the diagonal.",
    )
    return Plot(("Accusations, right against wrong",), says, "accusations", grid, {"rows": data})
