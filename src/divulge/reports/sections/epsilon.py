"""ε, audited: what the attack of each scenario refutes of any claim of differential privacy."""

from __future__ import annotations

from typing import Any

from divulge.reports.blocks import Block, Grid, Line, Name, Plot, Section, Source

DRAWN = 4
"""Scenarios whose curves are drawn, those of the largest bound; the table has all."""

Path = tuple[str | int, ...]

_COLUMNS = (
    "ε at least, of Gaussian noise",
    "ε at least, of anything",
    "The same, were each person a run",
    "Pairs guessed at",
    "Guessed right",
)


def epsilon(source: Source) -> Section | None:
    """The audits of all scenarios, the largest bound first."""
    audits = [
        (source.name(*p, "scenario"), (*p, "epsilon"))
        for p in source.many("risk")
        if source.get(*p, "epsilon") is not None
    ]
    says = "Of every pair of people a coin put one in the data. The attack guesses whom, from the synthetic rows. "
    return audited(source, audits, "Inferring", says)


def audited(source: Source, audits: list[tuple[Name, Path]], what: str, says: str) -> Section | None:
    """A section on some audits, each with its name. what: what the names are of; says: how pairs came to be."""
    if not audits:
        return None
    audits = sorted(audits, key=lambda a: -source.get(*a[1], "lower_bound"))
    first = audits[0][1]
    blocks: list[Block] = [
        (
            says,
            "A claim of a smaller ε (δ = ",
            source.short(*first, "delta"),
            ", one person in another's place) is refuted with 95 % confidence. ",
            source.name(*first, "sentence"),
        ),
        Grid("ε, audited", (what, *_COLUMNS), tuple(_row(source, *a) for a in audits), frozenset({1, 2, 3, 4, 5})),
    ]
    curves = [a for a in audits if source.get(*a[1], "tpr")][:DRAWN]
    if curves:
        blocks.append(_curve(source, curves, what))
    return Section("epsilon", "ε, audited", tuple(blocks))


def _row(source: Source, name: Name, at: Path) -> tuple[Line, ...]:
    guessed: Line = (source.whole(*at, "guesses"), " of ", source.whole(*at, "pairs"))
    alone = (*at, "if_independent")
    independent: Line = ()
    if source.get(*alone):
        independent = (
            source.decimals(2, *alone, "gaussian"),
            " and ",
            source.decimals(2, *alone, "clopper_pearson"),
        )
    return (
        (name,),
        (source.decimals(2, *at, "lower_bound"),),
        (source.decimals(2, *at, "any_mechanism"),),
        independent,
        guessed,
        (source.whole(*at, "right"),),
    )


def _curve(source: Source, audits: list[tuple[Name, Path]], what: str) -> Plot:
    """Right against wrong accusations, on logarithmic axes: what counts is the lower left (Carlini et al. 2022)."""
    lines: list[tuple[Line, ...]] = []
    data: list[dict[str, Any]] = []
    for name, path in audits:
        for point in source.many(*path, "tpr"):
            share = str(point[-1])
            lines.append(((name,), (share,), (source.four(*point),)))
            value = source.get(*point)
            if value:
                data.append({"label": name.text, "wrong": float(share), "right": value})
    grid = Grid("Accusations", (what, "Wrongly accused", "Rightly accused"), tuple(lines), frozenset({1, 2}))
    says: Line = (
        "The share of people in who are accused, by the share of people out who are. Chance is the diagonal.",
    )
    return Plot(("Accusations, right against wrong",), says, "accusations", grid, {"rows": data})
