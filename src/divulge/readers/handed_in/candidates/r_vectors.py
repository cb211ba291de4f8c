"""Numbers that R prints beside `[1]` without a name: what each is stands in the statement."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.expressions import as_condition, split_arguments
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_tables import variables_in
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.sheets import Lines

_WRAPPED = re.compile(r"^(?:print|round|signif|unname|invisible|as\.numeric|as\.vector)\((.*)\)$", re.S)
_WITHIN = re.compile(r"^with\(\s*[\w.]+\s*,\s*(.*)\)$", re.S)
_CALL = re.compile(r"^(?:\w+::)?(\w+)\((.*)\)$", re.S)
_ONE = {
    "mean": "mean",
    "sd": "sd",
    "var": "variance",
    "median": "median",
    "min": "minimum",
    "max": "maximum",
    "sum": "sum",
    "length": "n",
    "IQR": "interquartile range",
}
_SEVERAL = {
    "range": ("minimum", "maximum"),
    "fivenum": ("minimum", "lower hinge", "median", "upper hinge", "maximum"),
}


def unnamed_vector(
    block: Lines, i: int, end: int, command: str, session: Session
) -> tuple[list[Candidate], int] | None:
    """fivenum(d$x), range(d$x), c(mean(d$x), sd(d$x)): several numbers, on one line."""
    row = re.match(r"^\s*\[1\]((?:\s+-?[\d.]+(?:e[-+]?\d+)?){2,})\s*$", block.texts[i])
    said = _meant(_bare(command), session) if row is not None else None
    texts = row[1].split() if row is not None else []
    if said is None or len(said) != len(texts):
        return None
    line = block.line(i)
    figures = tuple(
        Figure(f"{of}: {what}", what, number, line, of)
        for (of, what), text in zip(said, texts, strict=True)
        if (number := parse_number(text)) is not None
    )
    shown = tuple(dict.fromkeys(of for of, _ in said))
    picked = {m[1] for m in re.finditer(r"\w+(?:\$\w+)?\[([^\]]+)\]", command)}
    if len(picked) > 1:
        return None
    where = as_condition(next(iter(picked))) if picked else None
    kind = kind_of({f.what for f in figures})
    return [Candidate("cells", kind, (line, line), figures, variables=shown, where=where)], i + 1


def _bare(command: str) -> str:
    """A call without what only changes how it is shown."""
    text = command.strip()
    for _ in range(4):
        found = _WRAPPED.match(text) or _WITHIN.match(text)
        if found is None:
            break
        inner = split_arguments(found[1])
        text = found[1].strip() if _WITHIN.match(text) else inner[0]
    return text


def _meant(text: str, session: Session) -> list[tuple[str, str]] | None:
    """What each number of a vector is, and of which variable."""
    call = _CALL.match(text)
    if call is None:
        return None
    parts = split_arguments(call[2])
    if call[1] == "c":
        ones = [_CALL.match(_bare(p)) for p in parts if "=" not in p.partition("(")[0]]
        said = [(variables_in(m[2], session), _ONE.get(m[1])) for m in ones if m is not None]
        if len(said) != len(parts) or any(len(names) != 1 or what is None for names, what in said):
            return None
        return [(names[0], str(what)) for names, what in said]
    names = variables_in(parts[0], session)
    whats = _SEVERAL.get(call[1])
    if call[1] == "quantile" and re.search(r"names\s*=\s*F", text):
        levels = re.search(r"c\(([^)]*)\)", ",".join(parts[1:]))
        whats = tuple(f"percentile {100 * float(v):g}" for v in levels[1].split(",")) if levels is not None else None
    return [(names[0], what) for what in whats] if whats is not None and len(names) == 1 else None
