"""The report as Markdown with tables: for a ticket, a wiki or a repository. Plots are their tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from divulge.reports.blocks import (
    Beside,
    Block,
    Caveat,
    Code,
    Fold,
    Grid,
    Heading,
    Line,
    Name,
    Plot,
    Points,
    Source,
    Terms,
    plain,
)
from divulge.reports.sections import sections
from divulge.reports.sections.verdict import summary

SPECIAL = re.compile(r"([\\`*\[\]{}|~$^]|(?<!\w)_|_(?!\w)|(?<=:)/(?=/)|(?<=www)\.)", re.IGNORECASE)
"""What Markdown, in one dialect or another, takes for more than a character, where it does: links too."""
_ENTITY = re.compile(r"&(?=#?\w+;)")
_FIRST = re.compile(r"^(\s*\d*)([#>+=:-]|(?<=\d)[.)](?=\s))")
"""What it takes for more at the start of a line alone."""


@dataclass(frozen=True)
class Markdown:
    """Headings, lines and tables."""

    format: ClassVar[str] = "markdown"
    suffix: ClassVar[str] = ".md"

    def render(self, record: Mapping[str, Any]) -> str:
        seen = summary(Source(record))
        parts = [
            f"# {seen.verdict.upper()}: {seen.sentence}",
            _said(seen.subject),
            _said(seen.about),
            _said(seen.reconciled),
            "## Why",
            _points(seen.reasons),
            "## What to do",
            _points(seen.advice),
            _points(tuple((f"{t.label}: ", *t.figure, " (", *t.note, ")") for t in seen.tiles)),
        ]
        for section in sections(record):
            parts.append(f"## {section.title}")
            parts += [_shown(block) for block in section.blocks]
        return "\n\n".join(part for part in parts if part) + "\n"


def _said(line: Line) -> str:
    """A line; a stranger's words are escaped so that they stay words."""
    return "".join(_escaped(piece.text) if isinstance(piece, Name) else plain((piece,)) for piece in line)


def _escaped(text: str) -> str:
    """A stranger's words as words: nothing in them is a mark, a link or a tag."""
    words = _ENTITY.sub("&amp;", text).replace("<", "&lt;")
    return _FIRST.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", words))


def _points(lines: tuple[Line, ...]) -> str:
    return "\n".join(f"- {_said(line)}" for line in lines)


def _shown(block: Block) -> str:
    """One block as Markdown."""
    match block:
        case Grid():
            return _table(block)
        case Plot():
            return f"**{_said(block.title)}** {_said(block.says)}\n\n{_table(block.grid)}"
        case Fold():
            return "\n\n".join([f"**{_said(block.title)}**", *map(_shown, block.blocks)])
        case Beside():
            return "\n\n".join(map(_shown, block.blocks))
        case Points():
            return _points(block.lines)
        case Caveat():
            return f"> **Note.** {_said(block.line)}"
        case Heading():
            return f"### {_said(block.line)}" + (f" ({block.badge})" if block.badge else "")
        case Code():
            return "\n".join(f"    {line}" for line in block.text.splitlines())
        case Terms():
            return "\n".join(f"- **{_escaped(word)}**: {_escaped(meaning)}" for word, meaning in block.pairs)
        case _:
            return _said(block)


def _table(grid: Grid) -> str:
    """A table with a line for each row; columns of figures are aligned to the right."""
    over = f"Columns: {_escaped(grid.over)}\n\n" if grid.over else ""
    rule = "|".join("---:" if i in grid.numbers else "---" for i in range(len(grid.columns)))
    head = " | ".join(_escaped(title) for title in grid.columns)
    rows = [f"| {' | '.join(map(_said, row))} |" for row in grid.rows]
    return over + "\n".join([f"| {head} |", f"|{rule}|", *rows])
