"""A folder of ACRO: its status beside our verdict, figures that the data do not give, and what was not read."""

from __future__ import annotations

from divulge.reports.blocks import Block, Caveat, Grid, Line, Name, Section, Source
from divulge.reports.sections.verdict import exposed_people

Path = tuple[str | int, ...]

SUMMARY = "DONT_RELEASE"
"""How the names end that ACRO gives to its own summaries for the checker: nobody has to look at these."""


def acro(source: Source) -> Section | None:
    paths = source.many("acro", "outputs")
    if not paths:
        return None
    assessed = [p for p in paths if source.get(*p, "verdict") is not None]
    unread = [p for p in paths if source.get(*p, "verdict") is None]
    blocks: list[Block] = [
        (
            f"{len(assessed):,} of {len(paths):,} outputs in the folder ",
            source.name("acro", "folder"),
            ", which ACRO ",
            source.name("acro", "version"),
            " wrote, were assessed. ACRO's status comes from its own rules, for each cell by itself.",
        )
    ]
    if assessed:
        blocks.append(_beside(source, assessed))
    blocks += [
        Caveat((source.name(*p, "name"), " was changed after ACRO wrote it: its checksum differs."))
        for p in paths
        if source.get(*p, "intact") is False
    ]
    blocks += [_disagreeing(source, p) for p in assessed if _wrong(source, p)]
    blocks += _notes(source, assessed)
    if unread:
        blocks.append(_unread(source, unread))
        if any(not str(source.get(*p, "name")).endswith(SUMMARY) for p in unread):
            blocks.append(
                Caveat(("The verdict says nothing about what was not assessed: that is left to the checker.",))
            )
    return Section("acro", "The folder of ACRO", tuple(blocks))


def _beside(source: Source, paths: list[Path]) -> Grid:
    rows = tuple(
        (
            (source.name(*p, "name"),),
            (_kind(source, p),),
            (source.name(*p, "status"),),
            (source.name(*p, "verdict"),),
            exposed_people(source, *p),
            (source.whole(*p, "agreeing"), " of ", source.whole(*p, "figures")),
        )
        for p in paths
    )
    columns = ("Output", "What it is", "ACRO", "Divulge, alone", "Exposed people", "Figures that agree with the data")
    return Grid("ACRO's status beside the verdict", columns, rows, frozenset({4, 5}))


def _kind(source: Source, path: Path) -> Name:
    return Name(source.get(*path, "method") or source.get(*path, "type") or "")


def _wrong(source: Source, path: Path) -> int:
    return int(source.get(*path, "figures") or 0) - int(source.get(*path, "agreeing") or 0)


def _disagreeing(source: Source, path: Path) -> Caveat:
    labels = source.many(*path, "disagreeing")
    named = _listed([source.name(*p) for p in labels])
    more = _wrong(source, path) - len(labels)
    return Caveat(
        (
            source.name(*path, "name"),
            ": the data give ",
            source.whole(*path, "agreeing"),
            " of its ",
            source.whole(*path, "figures"),
            " figures. They do not give ",
            *named,
            f", and {more:,} more." if more > 0 and named else ".",
        )
    )


def _notes(source: Source, paths: list[Path]) -> list[Block]:
    """Every note once, after the outputs that it is about."""
    about: dict[Name, list[Name]] = {}
    for path in paths:
        for note in source.many(*path, "notes"):
            about.setdefault(source.name(*note), []).append(source.name(*path, "name"))
    return [(*_listed(names), ": ", note) for note, names in about.items()]


def _listed(names: list[Name]) -> Line:
    return tuple(piece for name in names for piece in (", ", name))[1:]


def _unread(source: Source, paths: list[Path]) -> Grid:
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            (source.name(*p, "name"),),
            (_kind(source, p),),
            (source.name(*p, "status"),),
            (_sentence(source.name(*p, "reason")),),
        )
        for p in paths
    )
    return Grid("Not assessed, and why", ("Output", "What it is", "ACRO", "Why it was not assessed"), rows)


def _sentence(name: Name) -> Name:
    return Name(name.text[:1].upper() + name.text[1:])
