"""Life tables: how many are at risk, how many events, and the survival at each time."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.structure import Structure

_WORDS = (
    (r"n[. ]?risk|at[_ ]?risk|beg\.? total|number at risk|at risk", "n at risk"),
    (r"n[. ]?events?|events?|observed|fail|deaths|d", "events"),
    (r"n[. ]?censor(?:ed)?|censored|net lost|lost", "censored"),
    (r"survival|surv(?:ivor)?(?: function)?|km[_ ]?estimate|s\(t\)|kaplan.*", "survival"),
    (r"std\.? ?err(?:or)?\.?|se", "standard error"),
    (r"lower.*|.*lcl|\[95% conf\.", "lower 95%"),
    (r"upper.*|.*ucl", "upper 95%"),
    (r"removed", "removed"),
    (r"entrance|entry", "entered"),
    (r"time|event_at|week|month|day|year|timeline", "time"),
)


def _life_word(text: str) -> str | None:
    """The column of a life table that a header names."""
    bare = text.strip().casefold()
    return next((word for pattern, word in _WORDS if re.fullmatch(pattern, bare)), None)


def life_table(table: Structure) -> list[Candidate]:
    """The candidate of a life table in a grid."""
    figures = []
    for body in table.body:
        time = body.path[-1]
        group = body.path[0] if len(body.path) > 1 else None
        at = ((("group", group),) if group else ()) + (("time", time),)
        label = f"{group}, time {time}" if group else f"time {time}"
        for path, cell in zip(table.columns, body.cells, strict=True):
            word = _life_word(path[-1]) if path else None
            if word is not None and word != "time" and cell is not None and cell.main is not None:
                figures.append(Figure(f"{label}: {word}", word, cell.main, body.line, None, at))
    return [Candidate("survival", "survival", table.lines, tuple(figures), statistic="life table")]
