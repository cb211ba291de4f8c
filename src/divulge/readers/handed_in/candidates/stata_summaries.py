"""Stata's other tables: `summarize, detail`, the tables of Stata 17 and later, χ² below a tabulation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import is_total, statistic_word
from divulge.readers.handed_in.sheets import Lines

Found = tuple[list[Candidate], int] | None

_NUMBER = r"-?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_BESIDE = (
    (r"\bObs\s+", "n"),
    (r"\bMean\s+", "mean"),
    (r"\bStd\. [Dd]ev\.\s+", "sd"),
    (r"\bVariance\s+", "variance"),
    (r"\bSkewness\s+", "skewness"),
    (r"\bKurtosis\s+", "kurtosis"),
)
_PLACES = {"1": "minimum 1", "5": "minimum 2", "10": "minimum 3", "25": "minimum 4"}
_PLACES |= {"75": "maximum 4", "90": "maximum 3", "95": "maximum 2", "99": "maximum 1"}


def arguments(command: str) -> list[str]:
    """The variables that a command lists."""
    bare = re.sub(r"\[[^\]]*\]", " ", command.partition(",")[0])
    bare = re.sub(r"\s+(?:if|in)\s+.*$", "", bare)
    bare = re.sub(r"^(?:.*:\s*)", "", bare)
    return re.findall(r"[A-Za-z_][\w.]*", bare)[1:]


def detail(block: Lines, i: int, command: str, session: Session) -> Found:
    """`summarize, detail` of one variable: percentiles, the four smallest and largest values, moments."""
    if not re.match(r"^\s*Percentiles\s+Smallest", block.texts[i]):
        return None
    title = next((t.strip() for t in reversed(block.texts[max(i - 3, 0) : i]) if re.search(r"[A-Za-z]", t)), "")
    names = arguments(command)
    of = names[0] if len(names) == 1 else title or (names[0] if names else None)
    figures: list[Figure] = []
    j = last = i + 1
    while j < min(i + 14, len(block.texts)) and not re.match(r"^\s*\. ", block.texts[j]):
        row = re.match(rf"^\s*(\d+)%\s+({_NUMBER})(?:\s+({_NUMBER}))?(?=\s|$)", block.texts[j])
        shown: list[tuple[str, str]] = []
        if row is not None:
            quantile = statistic_word(f"{row[1]}%")
            shown = [(quantile or "", row[2]), *([(_PLACES[row[1]], row[3])] if row[3] and row[1] in _PLACES else [])]
        for pattern, what in _BESIDE:
            beside = re.search(rf"{pattern}({_NUMBER})\s*$", block.texts[j])
            shown += [(what, beside[1])] if beside is not None else []
        for what, text in shown:
            number = parse_number(text)
            if number is not None and what:
                figures.append(Figure(f"{of}: {what}", what, number, block.line(j), of))
        last = j + 1 if shown else last
        j += 1
    if not figures:
        return None
    lines = (block.line(max(i - 2, 0)), block.line(last - 1))
    variables = (of,) if of else ()
    return [Candidate("cells", "position", lines, tuple(figures), variables=variables, command=command or None)], last


def chi_squared(block: Lines, i: int, command: str, session: Session) -> Found:
    """Pearson's χ² below a tabulation."""
    match = re.search(r"Pearson(?: chi2)?\((\d+)\)\s*=\s*([\d.]+)\s+(?:Pr|P)\s*=\s*([\d.]+)", block.texts[i])
    if match is None:
        return None
    names = arguments(command)
    figures = [
        Figure(w, w, n, block.line(i))
        for w, t in zip(("chi-squared", "df", "p-value"), (match[2], match[1], match[3]), strict=True)
        if (n := parse_number(t)) is not None
    ]
    lines = (block.line(i), block.line(i))
    both = (tuple(names[:1]), tuple(names[1:2]))
    return [Candidate("test", "chi-squared", lines, tuple(figures), variables=both[0], by=both[1])], i + 1


_WORDS = {
    "frequency": "count",
    "percent": "percentage",
    "standard deviation": "sd",
    "minimum value": "minimum",
    "maximum value": "maximum",
    "number of nonmissing values": "n",
    "25th percentile": "first quartile",
    "75th percentile": "third quartile",
    "50th percentile": "median",
}


def _word(text: str) -> str | None:
    bare = re.sub(r"\s+", " ", text.strip().casefold())
    return None if is_total(text) else _WORDS.get(bare) or statistic_word(text)


@dataclass(frozen=True)
class _Head:
    """A column: where it ends, its label, the texts above it."""

    end: int
    text: str
    above: tuple[str, ...]


def modern(block: Lines, i: int, command: str, session: Session) -> Found:
    """`table` of Stata 17 and later: names of variables as headings, their levels indented below."""
    if not re.match(r"^\s*-{10,}\s*$", block.texts[i]):
        return None
    j = i + 1
    while j < len(block.texts) and "|" in block.texts[j] and not re.match(r"^\s*-+\+-+\s*$", block.texts[j]):
        j += 1
    if not 1 <= j - i - 1 <= 6 or j >= len(block.texts) or not re.match(r"^\s*-+\+-+\s*$", block.texts[j]):
        return None
    header = [block.texts[k] for k in range(i + 1, j)]
    if any(t.partition("|")[0].strip() or re.search(r"dy/dx|Coef|[Ss]td\. err|P>\|", t) for t in header):
        return None  # a table of coefficients: what stands left of the bar names the response
    end = next((k for k in range(j + 1, len(block.texts)) if re.match(r"^\s*-{10,}\s*$", block.texts[k])), None)
    heads = _heads(header)
    if end is None or not heads:
        return None
    figures = _rows(block, j + 1, end, heads, _asked(command))
    if len(figures) < 2:
        return None
    axes = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    whats = {f.what for f in figures}
    counted = whats <= {"count", "percentage", "n"}
    kind = ("crosstab" if len(axes) > 1 else "frequencies") if counted else kind_of(whats)
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    columns = tuple(a for a in axes if a in {t for h in heads for t in h.above} or a == "column0")
    variables = tuple(a for a in axes if a not in columns) if counted else shown
    by = columns if counted else axes
    lines = (block.line(i), block.line(end))
    return [
        Candidate("cells", kind, lines, tuple(figures), variables=variables, by=by, command=command or None)
    ], end + 1


def _heads(header: list[str]) -> list[_Head]:
    start = header[0].index("|") + 1
    rows = [[(m.start(), m.end(), m[0]) for m in re.finditer(r"\S+(?: \S+)*", t[start:])] for t in header]
    if not rows[-1]:
        return []
    out = []
    for a, b, text in rows[-1]:
        above = []
        for row in rows[:-1]:
            near = min(row, key=lambda r: abs((r[0] + r[1]) - (a + b))) if row else None
            if near is not None:
                above.append(near[2])
        out.append(_Head(start + b, text, tuple(above)))
    return out


def _asked(command: str) -> dict[str, list[str]]:
    """The variables of each statistic that a command asks for: {"mean": ["height", "age"]}."""
    out: dict[str, list[str]] = {}
    for word, names in re.findall(r"\bstat(?:istic)?\(\s*(\w+)([^)]*)\)", command):
        out.setdefault(_word(word) or word, []).extend(names.split())
    return out


def _rows(block: Lines, start: int, end: int, heads: list[_Head], asked: dict[str, list[str]]) -> list[Figure]:
    figures: list[Figure] = []
    path: list[tuple[int, str]] = []
    for k in range(start, end):
        left, bar, right = block.texts[k].partition("|")
        if not bar or not left.strip():
            continue
        indent = len(left) - len(left.lstrip())
        path = [p for p in path if p[0] < indent] + [(indent, left.strip())]
        at, word, of = _place([t for _, t in path], asked)
        offset = len(left) + 1
        for m in re.finditer(rf"{_NUMBER}%?", right):
            number = parse_number(m[0])
            if number is None:
                continue
            head = min(heads, key=lambda h: abs(h.end - offset - m.end()))
            figures.append(_figure(head, number, block.line(k), at, word, of, asked))
    return figures


def _place(path: list[str], asked: dict[str, list[str]]) -> tuple[tuple[tuple[str, str], ...], str | None, str | None]:
    """Groups of a row, its statistic and its variable: names and levels alternate, a statistic may end it."""
    word = of = None
    rest = list(path)
    variables = {v for names in asked.values() for v in names}
    if len(rest) > 1 and rest[-1] in variables and (found := _word(rest[-2])) is not None:
        of, word, rest = rest[-1], found, rest[:-2]
    elif (found := _word(rest[-1])) is not None and len(rest) % 2 == 1:
        word, rest = found, rest[:-1]
    if len(rest) == 1:
        rest = ["row0", rest[0]]
    return tuple(zip(rest[::2], rest[1::2], strict=False)), word, of


def _figure(
    head: _Head,
    number: object,
    line: int,
    at: tuple[tuple[str, str], ...],
    word: str | None,
    of: str | None,
    asked: dict[str, list[str]],
) -> Figure:
    what = word or _word(head.text)
    groups = at
    variable = of
    if word is None and what is None and (above := next((w for t in head.above if (w := _word(t))), None)) is not None:
        what, variable = above, head.text
    elif _word(head.text) is None or word is not None:
        axis = next((t for t in head.above if _word(t) is None), "column0")
        groups = (*at, (axis, head.text))
    what = what or "count"
    if variable is None and what not in ("count", "percentage"):
        variable = next(iter(asked.get(what, [])), None)
    label = ", ".join([t for _, t in groups] + ([variable] if variable else []))
    return Figure(f"{label}: {what}", what, number, line, variable, groups)  # type: ignore[arg-type]  # a Printed
