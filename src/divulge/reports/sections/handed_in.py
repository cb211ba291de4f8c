"""A folder as it was handed in: each file, what was recognised in it, what the data confirmed, and what slipped by."""

from __future__ import annotations

from divulge.reports.blocks import Block, Caveat, Fold, Grid, Line, Name, Points, Section, Source

Path = tuple[str | int, ...]

_NAMED = 6
"""How many figures of a sort are named; the record has them all."""


def handed_in(source: Source) -> Section | None:
    """Files and their outputs, then figures that the data do not give or that
    were not computed again, what was not read, what else was found."""
    files = source.many("handed_in", "files")
    if not files:
        return None
    outputs = source.many("handed_in", "outputs")
    blocks: list[Block] = [_files(source, files)]
    if outputs:
        blocks.append(_outputs(source, outputs))
    for named, said in (("disagreeing", ": the data do not give "), ("not_compared", ": not computed again: ")):
        blocks += [_told(source, p, named, said) for p in outputs if source.many(*p, named)]
    unread = source.many("handed_in", "unread")
    if unread:
        blocks.append(_unread(source, unread))
        blocks.append(Caveat(("The verdict says nothing about what was not read: look at it yourself.",)))
    finds = source.many("handed_in", "finds")
    if finds:
        blocks.append(_finds(source, finds))
    blocks += [Fold((_what(source, p), " in ", *_place(source, p)), (_figures(source, p),)) for p in outputs]
    return Section("handed-in", "What was handed in", tuple(blocks))


def _files(source: Source, paths: list[Path]) -> Grid:
    rows: tuple[tuple[Line, ...], ...] = tuple(
        ((source.name(*p, "file"),), (source.name(*p, "status"),), (source.whole(*p, "outputs"),)) for p in paths
    )
    return Grid("Files", ("File", "What became of it", "Outputs in it"), rows, frozenset({2}))


def _outputs(source: Source, paths: list[Path]) -> Grid:
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            _place(source, p),
            (_what(source, p),),
            (source.whole(*p, "agreeing"), " of ", source.whole(*p, "compared")),
            ("confirmed" if source.get(*p, "confirmed") else "NOT confirmed",),
            (Name(source.get(*p, "note") or ""),),
        )
        for p in paths
    )
    columns = ("Where", "What it is", "Figures that the data give", "The data", "Why not")
    return Grid("Outputs that were recognised", columns, rows, frozenset({2}))


def _place(source: Source, path: Path) -> Line:
    return (
        source.name(*path, "file"),
        ", lines ",
        source.whole(*path, "lines", 0),
        "–",
        source.whole(*path, "lines", 1),
    )


def _what(source: Source, path: Path) -> Name:
    about = source.get(*path, "formula") or " × ".join(
        [*(source.get(*path, "variables") or []), *(source.get(*path, "by") or [])]
    )
    where = source.get(*path, "where")
    return Name(f"{source.get(*path, 'kind')}: {about}" + (f", where {where}" if where else ""))


def _told(source: Source, path: Path, labelled: str, said: str) -> Caveat:
    labels = source.many(*path, labelled)
    named: Line = tuple(piece for p in labels[:_NAMED] for piece in ("; ", source.name(*p)))[1:]
    more = f"; and {len(labels) - _NAMED:,} more" if len(labels) > _NAMED else ""
    return Caveat((*_place(source, path), said, *named, f"{more}."))


def _unread(source: Source, paths: list[Path]) -> Grid:
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            _place(source, p) if source.get(*p, "lines") else (source.name(*p, "file"),),
            (source.name(*p, "reason"),),
        )
        for p in paths
    )
    return Grid("Not read, and why", ("Where", "Why"), rows)


def _finds(source: Source, paths: list[Path]) -> Points:
    return Points(
        tuple(
            (source.name(*p, "file"), ", line ", source.whole(*p, "line"), ": ", source.name(*p, "what"), ".")
            for p in paths
        )
    )


def _figures(source: Source, path: Path) -> Grid:
    """Every figure as it was printed, with the line that it stands on."""
    rows: tuple[tuple[Line, ...], ...] = tuple(
        (
            (source.name(*p, "label"),),
            (source.name(*p, "what"),),
            (source.name(*p, "printed"),),
            (_agreement(source.get(*p, "agrees")),),
            (source.whole(*p, "line"),),
        )
        for p in source.many(*path, "figures")
    )
    columns = ("Figure", "What", "As printed", "The data", "Line")
    return Grid("Figures", columns, rows, frozenset({2, 4}))


def _agreement(agrees: bool | None) -> str:
    return {True: "give it", False: "do NOT give it", None: "not computed again"}[agrees]
