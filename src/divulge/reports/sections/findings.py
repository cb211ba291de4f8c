"""What looks wrong in the data that the outputs rest on."""

from __future__ import annotations

from divulge.reports.blocks import Block, Points, Section, Source


def findings(source: Source) -> Section | None:
    paths = source.many("findings")
    if not paths:
        return None
    blocks: tuple[Block, ...] = (
        ("These remarks are about the variables that the outputs use. None of them changes the verdict.",),
        Points(tuple((source.name(*p, "sentence"), " ", source.name(*p, "advice")) for p in paths)),
    )
    return Section("findings", "What looks wrong in the data", blocks)
