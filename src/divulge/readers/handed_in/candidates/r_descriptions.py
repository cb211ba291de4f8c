"""What R prints of single variables: describe() of Hmisc, quantiles of the survey package, summaries a row."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.expressions import as_condition, split_arguments
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_tables import survey_weights, variables_in
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_HEADS = {
    "n": "n",
    "missing": "missing",
    "distinct": "distinct",
    "Info": "information",
    "Sum": "sum",
    "Mean": "mean",
    "pMedian": "pseudo-median",
    "Gmd": "Gini's mean difference",
}
_HEAD = re.compile(r"^\s+n\s+missing\s+distinct\b")


def hmisc(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """describe(): heads and, right-aligned under them, their values; then the values at both ends."""
    if not _HEAD.match(block.texts[i]):
        return None
    above = re.match(r"^(?:[\w.]+\$)?([\w.]+)\b", block.texts[i - 1]) if i else None
    names = variables_in(command, session)
    of = above[1] if above is not None else names[0] if names else ""
    figures: list[Figure] = []
    j = i
    while j + 1 < end and (heads := _heads(block.texts[j])):
        for what, text in zip(heads, block.texts[j + 1].split(), strict=False):
            number = parse_number(text)
            if number is not None:
                figures.append(Figure(f"{of}: {what}", what, number, block.line(j + 1), of))
        j += 2
    k = next((k for k in range(j, min(j + 3, end)) if block.texts[k].startswith("lowest :")), None)
    if k is not None:
        figures += _ends(block.texts[k], of, block.line(k))
        j = k + 1
    first = block.line(max(i - 1, 0))
    counted, after = _frequencies(block, j, end, of)
    if not counted:
        return [Candidate("cells", "position", (first, block.line(j - 1)), tuple(figures), variables=(of,))], j
    lines = (first, block.line(after - 1))
    if any(f.what == "mean" for f in figures):
        parts = (("position", figures), ("frequencies", counted))
        return [Candidate("cells", kind, lines, tuple(part), variables=(of,)) for kind, part in parts], after
    # Of a variable of texts: how many are known is a total, how many values there are shows below.
    total = [replace(f, what="count", of=None, at=((of, "Total"),)) for f in figures if f.what == "n"]
    rest = [f for f in figures if f.what == "missing"]
    return [Candidate("cells", "frequencies", lines, (*counted, *total, *rest), variables=(of,))], after


def _frequencies(block: Lines, i: int, end: int, of: str) -> tuple[list[Figure], int]:
    """`Value`, `Frequency` and `Proportion` of describe(), each value above its figures; and where they end."""
    figures: list[Figure] = []
    after = i
    while (
        k := next((k for k in range(after, min(after + 2, end)) if block.texts[k].startswith("Value ")), None)
    ) is not None:
        labels: list[tuple[int, str]] = []
        after = k + 1
        while after < end and (row := re.match(r"^(Frequency|Proportion)\s", block.texts[after])) is not None:
            found = [(m.end(), m[0]) for m in re.finditer(r"\S+", block.texts[after])][1:]
            if not labels:
                starts = [len("Proportion"), *(at for at, _ in found)]
                labels = [(b, block.texts[k][a:b].strip()) for a, b in pairwise(starts)]
            what = "count" if row[1] == "Frequency" else "percentage"
            for (_, label), (_, text) in zip(labels, found, strict=False):
                number = parse_number(text)
                if number is not None and label:
                    figures.append(Figure(f"{label}: {what}", what, number, block.line(after), None, ((of, label),)))
            after += 1
    return figures, after


def _heads(text: str) -> list[str]:
    words = text.split()
    found = [_HEADS.get(w) or (f"percentile {float(w) * 100:g}" if re.fullmatch(r"0?\.\d+", w) else "") for w in words]
    return found if words and all(found) else []


def _ends(text: str, of: str, line: int) -> list[Figure]:
    """`lowest : 30 31 32, highest: 58 59 60`: values, each once, of which a person or more has each."""
    low, _, high = text.removeprefix("lowest :").partition("highest:")
    out = []
    for what, shown in (("distinct minimum", low.replace(",", " ").split()), ("distinct maximum", high.split()[::-1])):
        for place, value in enumerate(shown, 1):
            number = parse_number(value)
            if number is not None:
                out.append(Figure(f"{of}: {what} {place}", f"{what} {place}", number, line, of))
    return out


def survey_quantiles(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """svyquantile(): quantile, interval and standard error a row, below the name of the variable."""
    if not re.match(r"^\s+quantile\s+ci\.2\.5\s+ci\.97\.5\s+se\s*$", block.texts[i]):
        return None
    above = re.match(r"^\$`?([\w.]+)`?\s*$", block.texts[i - 1]) if i else None
    names = variables_in(command, session)
    of = above[1] if above is not None else names[0] if names else ""
    figures: list[Figure] = []
    j = i + 1
    while j < end and (row := re.match(r"^(0?\.\d+|[01])\s+(\S.*)$", block.texts[j])) is not None:
        what = f"percentile {float(row[1]) * 100:g}"
        beside = (what, f"lower 95% of {what}", f"upper 95% of {what}", f"standard error of {what}")
        figures += [
            Figure(f"{of}: {word}", word, number, block.line(j), of)
            for word, text in zip(beside, row[2].split(), strict=False)
            if (number := parse_number(text)) is not None
        ]
        j += 1
    if not figures:
        return None
    lines = (block.line(max(i - 1, 0)), block.line(j - 1))
    weights = survey_weights(session)
    return [Candidate("cells", "position", lines, tuple(figures), variables=(of,), weights=weights)], j


_SUMMARY = re.compile(r"^\s+Min\.\s+1st Qu\.\s+Median\s+Mean\s+3rd Qu\.\s+Max\.(\s+NA's)?\s*$")
_WORDS = ("minimum", "first quartile", "median", "mean", "third quartile", "maximum", "missing")


def summaries_of_groups(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """do.call(rbind, tapply(x, group, summary)): a row of each group."""
    head = _SUMMARY.match(block.texts[i])
    if head is None:
        return None
    names = variables_in(command, session)
    words = _WORDS if head[1] else _WORDS[:-1]
    figures: list[Figure] = []
    j = i + 1
    while j < end and len(names) > 1 and (row := split_row(block.texts[j], len(words))) is not None and row[0]:
        figures += [
            Figure(f"{row[0]}: {w}", w, number, block.line(j), names[0], ((names[1], row[0]),))
            for w, t in zip(words, row[1], strict=True)
            if (number := parse_number(t)) is not None
        ]
        j += 1
    if not figures:
        return None
    lines = (block.line(i), block.line(j - 1))
    return [Candidate("cells", "position", lines, tuple(figures), variables=(names[0],), by=(names[1],))], j


_STATISTICS = {"mean": "mean", "sd": "sd", "median": "median", "min": "minimum", "max": "maximum", "sum": "sum"}
_KINDS = {"median": "position", "minimum": "extremes", "maximum": "extremes", "sum": "totals"}


def numbers_of_groups(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """by(x, group, mean): the name of a group above each number, rules between them."""
    named = re.match(r"^by\(.*,\s*(?:FUN\s*=\s*)?(\w+)\s*[,)]", command)
    what = _STATISTICS.get(named[1]) if named is not None else None
    names = variables_in(command, session)
    if what is None or len(names) < 2:
        return None
    figures: list[Figure] = []
    j = i
    while j + 1 < end:
        label = re.match(r"^(?:[\w.]+\$)?([\w.]+): (.+?)\s*$", block.texts[j])
        shown = re.match(r"^\[1\] (\S+)\s*$", block.texts[j + 1])
        number = parse_number(shown[1]) if label is not None and shown is not None else None
        if label is None or number is None:
            break
        figures.append(
            Figure(f"{label[2]}: {what}", what, number, block.line(j + 1), names[0], ((label[1], label[2]),))
        )
        j += 3 if j + 2 < end and re.match(r"^[-.]{5,}", block.texts[j + 2]) else 2
    if not figures:
        return None
    by = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    lines = (block.line(i), figures[-1].line)
    kind = _KINDS.get(what, "means")
    return [Candidate("cells", kind, lines, tuple(figures), variables=(names[0],), by=by, statistic=what)], j


def vectors_of_groups(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """tapply(x, group, function(x) c(mean = …, sd = …)): `$group`, names of statistics and their values below."""
    label = re.match(r"^\$`?(.+?)`?\s*$", block.texts[i])
    if label is None or not re.search(r"\b[ts]apply\(.*(?:function\(|\bquantile\b)", command):
        return None
    names = variables_in(command, session)
    figures: list[Figure] = []
    j = i
    while len(names) > 1 and j + 2 < end and (label := re.match(r"^\$`?(.+?)`?\s*$", block.texts[j])) is not None:
        heads, values = block.texts[j + 1].split(), block.texts[j + 2].split()
        words = [statistic_word(h) for h in heads]
        if len(heads) != len(values) or None in words:
            break
        figures += [
            Figure(f"{label[1]}: {w}", str(w), number, block.line(j + 2), names[0], ((names[1], label[1]),))
            for w, t in zip(words, values, strict=True)
            if (number := parse_number(t)) is not None
        ]
        j += 4
    if not figures:
        return None
    kind = kind_of({f.what for f in figures})
    lines = (block.line(i), figures[-1].line)
    return [Candidate("cells", kind, lines, tuple(figures), variables=(names[0],), by=(names[1],))], j


_VECTOR = re.compile(r"^(?:print\(|round\(|signif\(|with\(\s*[\w.]+\s*,)*\s*c\(\s*(?=[\w.]+\s*=)")
_PART = re.compile(r"^[`'\"]?([\w. ]+?)[`'\"]?\s*=(?!=)\s*(.+)$", re.S)
_COUNTED = re.compile(r"^(?:length|nrow|NROW)\(|^sum\(\s*!\s*is\.na\(|^sum\(\s*complete\.cases\(")
_CALLED = re.compile(rf"^(?:round\(|signif\()?({'|'.join(_STATISTICS)}|var)\(\s*[\w.$]+\s*(?:\[[^\]]*\]\s*)?[,)]")


def vector_of_statistics(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """c(mean = mean(d$x), sd = sd(d$x), n = length(d$x)): names above values, each told by the call of its name."""
    start = _VECTOR.match(command)
    if start is None:
        return None
    parts = {m[1]: m[2] for p in split_arguments(_inside(command[start.end() :])) if (m := _PART.match(p.strip()))}
    wheres = {_rows_of(p) for p in parts.values() if not p.startswith("nrow")}
    figures: list[Figure] = []
    named = variables_in(command, session)
    j = i
    while j + 1 < end and (heads := block.texts[j].split()) and all(h in parts for h in heads):
        for head, text in zip(heads, block.texts[j + 1].split(), strict=False):
            call = parts[head]
            told = _CALLED.match(call)
            what = "n" if _COUNTED.match(call) else {**_STATISTICS, "var": "variance"}[told[1]] if told else None
            what = what or statistic_word(head)
            own = variables_in(call, session) or named
            number = parse_number(text)
            if what is None or number is None or not own:
                return None
            figures.append(Figure(f"{own[0]}: {what}", what, number, block.line(j + 1), own[0]))
        j += 2
    if len(figures) != len(parts) or len(wheres) > 1 or not figures:
        return None
    kind = kind_of({f.what for f in figures})
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    lines = (block.line(i), figures[-1].line)
    where = next(iter(wheres), None)
    return [Candidate("cells", kind, lines, tuple(figures), variables=shown, where=where)], j


def _inside(text: str) -> str:
    """A text up to the bracket that closes what was opened before it."""
    depth = 1
    for k, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0:
            return text[:k]
    return text


def _rows_of(call: str) -> str | None:
    """The condition of `mean(d$x[d$sex == "Male"])`."""
    picked = re.search(r"\w+(?:\$\w+)?\[([^\]]+)\]", call)
    return as_condition(picked[1]) if picked is not None else None
