"""Stata's survival tables (`sts list`, `sts test`) and its one-way analyses, with what `stset` declared."""

from __future__ import annotations

import re

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_summaries import Found, arguments
from divulge.readers.handed_in.sheets import Lines

_LIFE = ("n at risk", "events", "survival", "standard error", "lower 95%", "upper 95%")
_RULE = re.compile(r"^[\s\-+|]*-{3,}[\s\-+|]*$")


def _declared(block: Lines, i: int, session: Session) -> None:
    """What the lines above a survival analysis say: `Failure _d: status`, `Analysis time _t: time`."""
    text = block.texts[i]
    for pattern, name in (
        (r"^\s*[Ff]ailure _d:\s+(\w+)", "event"),
        (r"^\s*[Aa]nalysis time _t:\s+(\w+)", "duration"),
        (r"^\s*[Ff]ailure event:\s+(\w+)", "event"),
    ):
        match = re.match(pattern, text)
        if match is not None:
            session.objects[f"stata {name}"] = match[1]


def note_stset(command: str, session: Session) -> None:
    """`stset time, failure(status == 1)`."""
    match = re.match(r"^stset\s+(\w+)(?:.*\bf(?:ailure)?\(\s*(\w+))?", command)
    if match is not None:
        session.objects["stata duration"] = match[1]
        if match[2]:
            session.objects["stata event"] = match[2]


def facts(session: Session) -> dict[str, str]:
    """Duration and event, as far as they are known."""
    return {n: session.objects[f"stata {n}"] for n in ("duration", "event") if f"stata {n}" in session.objects}


def _candidate(
    lines: tuple[int, int], figures: list[Figure], statistic: str, by: tuple[str, ...], session: Session
) -> list[Candidate]:
    known = facts(session)
    variables = tuple(known[n] for n in ("duration", "event") if n in known)
    return [
        Candidate(
            "survival",
            "survival",
            lines,
            tuple(figures),
            variables=variables,
            by=by,
            statistic=statistic,
            facts=known,
        )
    ]


_DECLARED = (
    (r"^\s*([\d,]+)\s+total obs", "total observations"),
    (r"^\s*([\d,]+)\s+exclusions", "exclusions"),
    (r"^\s*([\d,]+)\s+obs\S* remaining", "n"),
    (r"^\s*([\d,]+)\s+failures? in single", "events"),
    (r"^\s*([\d,]+\.?\d*)\s+total analysis time", "time at risk"),
    (r"^\s*(?:E|e)arliest observed entry t =\s+([\d,.]+)", "first entry"),
    (r"^\s*(?:L|l)ast observed exit t =\s+([\d,.]+)", "last exit"),
)


def declared_table(block: Lines, i: int, command: str, session: Session) -> Found:
    """What `stset` prints: people, failures, time at risk, and the longest time that anybody has."""
    first = re.match(_DECLARED[0][0], block.texts[i])
    if first is None:
        return None
    figures: list[Figure] = []
    last = i
    for j in range(i, min(i + 16, len(block.texts))):
        if re.match(r"^\s*\. ", block.texts[j]):
            break
        for pattern, what in _DECLARED:
            shown = re.match(pattern, block.texts[j])
            number = parse_number(shown[1]) if shown is not None else None
            if number is not None:
                figures.append(Figure(what, what, number, block.line(j)))
                last = j
    return _candidate((block.line(i), block.line(last)), figures, "declared", (), session), last + 1


def life_table(block: Lines, i: int, command: str, session: Session) -> Found:
    """`sts list`: a line for each time, below the name of the group where there are groups."""
    _declared(block, i, session)
    if not re.match(r"^\s*Time\s+(?:[Tt]otal|At risk)\s+Fail", block.texts[i]):
        return None
    lost = re.search(r"Lost|lost", block.texts[i]) is not None
    words = ("n at risk", "events", "net lost", *_LIFE[2:]) if lost else _LIFE
    named = re.search(r"\bby\((\w+)\)", command)
    figures: list[Figure] = []
    group = ""
    j = i + 1
    while j < len(block.texts):
        text = block.texts[j]
        cells = text.split()
        if re.match(r"^\s*\. ", text) or (not cells and figures and not "".join(block.texts[j + 1 : j + 2]).strip()):
            break
        if cells and not _RULE.match(text):
            if parse_number(cells[0]) is None:
                group = f"{named[1]}={text.strip()}" if named and "=" not in text else text.strip().replace(" = ", "=")
            else:
                at = (*((("group", group),) if group else ()), ("time", cells[0]))
                label = f"{group}, time {cells[0]}" if group else f"time {cells[0]}"
                figures += [
                    Figure(f"{label}: {w}", w, n, block.line(j), None, at)
                    for w, t in zip(words, cells[1:], strict=False)
                    if t != "." and (n := parse_number(t)) is not None
                ]
        j += 1
    if not figures:
        return None
    by = (named[1],) if named else ()
    return _candidate((block.line(i), block.line(j - 1)), figures, "life table", by, session), j


def log_rank(block: Lines, i: int, command: str, session: Session) -> Found:
    """`sts test`: observed and expected events of each group, and χ²."""
    match = re.match(r"^\s*(\w+)?\s*\|\s*(?:events|observed)\s+(?:events|expected)", block.texts[i])
    if match is None or "bserved" not in "".join(block.texts[max(i - 1, 0) : i + 1]):
        return None
    name = match[1] or next(iter(arguments(command)[1:]), "")
    figures: list[Figure] = []
    j = last = i + 1
    while j < min(i + 60, len(block.texts)) and not re.match(r"^\s*\. ", block.texts[j]):
        text = block.texts[j]
        label, bar, rest = text.partition("|")
        test = re.search(r"(chi2\((\d+)\)|Pr\s?>\s?chi2)\s*=\s*([\d.]+)", text)
        shown: list[tuple[str, str]] = []
        at: tuple[tuple[str, str], ...] = ()
        if bar and not _RULE.match(text) and label.strip():
            shown = list(zip(("observed events", "expected events"), rest.split(), strict=False))
            at = (("group", f"{name}={label.strip()}"),) if label.strip() != "Total" else ()
        elif test is not None:
            shown = [("chi-squared", test[3]), ("df", test[2])] if test[2] else [("p-value", test[3])]
        for what, t in shown:
            number = parse_number(t)
            if number is not None:
                prefix = f"{label.strip()}: " if at else ""
                figures.append(Figure(f"{prefix}{what}", what, number, block.line(j), None, at))
        last = j + 1 if shown else last
        j += 1
    if len(figures) < 3:
        return None
    return _candidate((block.line(i - 1), block.line(last - 1)), figures, "log-rank test", (name,), session), last


def summary_by(block: Lines, i: int, command: str, session: Session) -> Found:
    """`tabulate x, summarize(y)` and `oneway y x, tabulate`: mean, standard deviation and size of each group."""
    match = re.match(r"^\s*(\S.*?)?\s*\|\s*Mean\s+Std\. [Dd]ev\.\s+Freq\.(?:\s+Obs\.)?\s*$", block.texts[i])
    if match is None:
        return None
    said = re.search(r"Summary of (.+?)\s*$", block.texts[i - 1]) if i else None
    asked = re.search(r"su(?:m(?:marize)?)?\((\w+)\)", command)
    names = arguments(command)
    of = asked[1] if asked else names[0] if re.match(r"\s*oneway", command) and names else said[1] if said else None
    by = (names[1:2] if re.match(r"\s*oneway", command) else names[:1]) or [match[1] or "row0"]
    figures: list[Figure] = []
    j = i + 1
    while j < len(block.texts) and ("|" in block.texts[j] or _RULE.match(block.texts[j])):
        label, _, rest = block.texts[j].partition("|")
        for what, t in zip(("mean", "sd", "n"), rest.split(), strict=False):
            number = parse_number(t)
            if number is not None and label.strip():
                at = ((by[0], label.strip()),)
                figures.append(Figure(f"{label.strip()}: {what}", what, number, block.line(j), of, at))
        j += 1
    if not figures:
        return None
    lines = (block.line(max(i - 1, 0)), block.line(j - 1))
    variables = (of,) if of else ()
    return [Candidate("cells", "means", lines, tuple(figures), variables=variables, by=tuple(by[:1]))], j


def variance(block: Lines, i: int, command: str, session: Session) -> Found:
    """The analysis of variance of `oneway` and `anova`."""
    head = re.match(r"^\s*Source\s+\|?\s*(?:Partial )?SS\s+df\s+MS\s+F\s+Prob\s?>\s?F", block.texts[i])
    if head is None:
        return None
    figures: list[Figure] = []
    j = i + 1
    rules = 0
    while j < len(block.texts) and rules < 3:
        text = block.texts[j].replace("|", " ")
        row = re.match(r"^\s*([A-Za-z#].*?)\s{2,}(-?[\d.].*)$", text)
        if _RULE.match(block.texts[j]):
            rules += 1
        elif row is not None:
            words = ("sum of squares", "df", "mean square", "F", "p-value")
            for what, t in zip(words, row[2].split(), strict=False):
                number = parse_number(t)
                if number is not None:
                    figures.append(Figure(f"{row[1]}: {what}", what, number, block.line(j), row[1]))
        elif text.strip():
            break
        j += 1
        if row is not None and row[1].startswith("Total"):
            break
    names = arguments(command)
    formula = f"{names[0]} ~ {' + '.join(names[1:])}" if len(names) > 1 else None
    lines = (block.line(i), block.line(j - 1))
    return (
        (
            [Candidate("other", "other", lines, tuple(figures), formula=formula, statistic="analysis of variance")],
            j,
        )
        if figures
        else None
    )
