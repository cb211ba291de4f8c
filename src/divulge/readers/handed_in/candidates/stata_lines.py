"""Lines of Stata's tables: labels before a bar, figures after it, rules between them."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.stata_models import restricted
from divulge.readers.handed_in.sheets import Lines

RULE = re.compile(r"^[\s\-+|]*-{3,}[\s\-+|]*$")


def table_of(
    kind: str,
    lines: tuple[int, int],
    figures: list[Figure],
    command: str,
    variables: tuple[str, ...],
    by: tuple[str, ...] = (),
) -> list[Candidate]:
    weights, where = restricted(command)
    return [
        Candidate(
            "cells",
            kind,
            lines,
            tuple(figures),
            variables=variables,
            by=by,
            where=where,
            weights=weights,
            command=command or None,
        )
    ]


def numbers_in(text: str) -> list[str]:
    return re.findall(r"(?<![\w.])-?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]\d+)?(?![\w])|(?<=\s)\.(?=\s|$)", text)


def bar_rows(block: Lines, i: int) -> tuple[list[tuple[str, list[str], int]], int]:
    rows = []
    while i < len(block.texts) and ("|" in block.texts[i] or RULE.match(block.texts[i])):
        if not RULE.match(block.texts[i]):
            label, _, rest = block.texts[i].partition("|")
            texts = numbers_in(rest.replace("|", " "))
            if texts:
                rows.append((label.strip(), texts, block.line(i)))
        i += 1
    return rows, i


def lines_above(block: Lines, i: int) -> str:
    return "\n".join(block.texts[max(i - 6, 0) : i])


def is_near(block: Lines, i: int, pattern: str) -> bool:
    return re.search(pattern, lines_above(block, i)) is not None
