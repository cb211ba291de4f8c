"""gretl's tables of one variable: frequencies, summaries alone or by groups, analyses of variance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Lines

_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"


def frequencies(block: Lines, i: int) -> Iterator[Candidate]:
    """`freq`: counts and percentages of values, or of intervals."""
    match = re.match(r"^Frequency distribution for (\w+)", block.texts[i])
    if match is None:
        return
    name = match[1]
    figures: list[Figure] = []
    bins = False
    last = j = i + 1
    while j < len(block.texts) and not block.texts[j].startswith(("?", "Frequency distribution")):
        text = block.texts[j]
        bins = bins or "midpt" in text
        row = re.match(rf"^\s*(\S.*?)\s+(\d+)\s+({_NUMBER}%)(?:\s+({_NUMBER}%))?", text)
        missing = re.match(r"^Missing observations =\s*(\d+)", text)
        if row is not None:
            label = re.sub(r"\s{2,}\S+$", "", row[1]) if bins else row[1]
            for what, shown in zip(("count", "percentage", "cumulative percentage"), row.groups("")[1:], strict=True):
                number = parse_number(shown)
                if number is not None:
                    figures.append(Figure(f"{label}: {what}", what, number, block.line(j), None, ((name, label),)))
            last = j + 1
        elif missing is not None and (number := parse_number(missing[1])) is not None:
            figures.append(Figure("Missing", "count", number, block.line(j), None, ((name, "Missing"),)))
            last = j + 1
        j += 1
    if figures:
        lines = (block.line(i), block.line(last - 1))
        kind = "other" if bins else "frequencies"
        shape = "other" if bins else "cells"
        yield Candidate(shape, kind, lines, tuple(figures), variables=(name,))  # type: ignore[arg-type]  # one of two


def summary_by(block: Lines, i: int) -> Iterator[Candidate]:
    """`summary x`, `summary x --by=g`: statistics in rows, below the name of the group where there are groups."""
    match = re.match(r"^Summary statistics for (\w+), by value of (\w+)", block.texts[i])
    alone = re.search(r"for the variable '?(\w+)'?", " ".join(block.texts[i : i + 2]))
    if match is None and (alone is None or not block.texts[i].startswith("Summary statistics")):
        return
    of = match[1] if match is not None else alone[1] if alone is not None else ""
    figures: list[Figure] = []
    at: tuple[tuple[str, str], ...] = ()
    last = j = i + 1
    while j < len(block.texts) and not block.texts[j].startswith(("?", "Summary")):
        group = re.match(r"^\s*(\w+) = (.+?) \(n = (\d+)\):", block.texts[j])
        row = re.match(rf"^\s+(\S.*?)\s{{2,}}({_NUMBER})\s*$", block.texts[j])
        shown: tuple[str, str] | None = None
        if group is not None:
            at = ((group[1], group[2]),)
            shown = ("n", group[3])
        elif row is not None and (word := statistic_word(row[1])) is not None:
            shown = (word, row[2])
        number = parse_number(shown[1]) if shown is not None else None
        if shown is not None and number is not None:
            label = ", ".join([*(t for _, t in at), of])
            figures.append(Figure(f"{label}: {shown[0]}", shown[0], number, block.line(j), of, at))
            last = j + 1
        j += 1
    if figures:
        by = (match[2],) if match is not None else ()
        kind = kind_of({f.what for f in figures})
        yield Candidate("cells", kind, (block.line(i), block.line(last - 1)), tuple(figures), variables=(of,), by=by)


def variance(block: Lines, i: int) -> Iterator[Candidate]:
    """`anova`: sums of squares, then the mean and standard deviation of each group."""
    match = re.match(r"^Analysis of Variance, response = (\w+), treatment = (\w+)", block.texts[i])
    if match is None:
        return
    squares: list[Figure] = []
    groups: list[Figure] = []
    end = i + 1
    for j in range(i + 1, min(i + 60, len(block.texts))):
        text = block.texts[j]
        if text.startswith("?"):
            break
        row = re.match(rf"^\s+(Treatment|Residual|Total)((?:\s+{_NUMBER})+)\s*$", text)
        group = re.match(rf"^\s+(\S+)\s+(\d+)\s+({_NUMBER})\s+({_NUMBER})\s*$", text)
        test = re.search(rf"= ({_NUMBER}) \[p-value ({_NUMBER})\]", text)
        if row is not None:
            squares += _named(row[1], ("sum of squares", "df", "mean square"), row[2].split(), block.line(j))
        elif test is not None:
            squares += _named("", ("F", "p-value"), list(test.groups()), block.line(j))
        elif group is not None:
            at = ((match[2], group[1]),)
            groups += _named(group[1], ("n", "mean", "sd"), list(group.groups()[1:]), block.line(j), match[1], at)
        else:
            continue
        end = j + 1
    lines = (block.line(i), block.line(end - 1))
    if groups:
        start = groups[0].line
        yield Candidate("cells", "means", (start, lines[1]), tuple(groups), variables=(match[1],), by=(match[2],))
        lines = (lines[0], max(lines[0], start - 1))
    if squares:
        formula = f"{match[1]} ~ {match[2]}"
        yield Candidate("other", "other", lines, tuple(squares), formula=formula, statistic="analysis of variance")


def predicted(block: Lines, i: int) -> tuple[int, int] | None:
    """The lines of the table of actual and predicted cases under a model, which belong to the model."""
    if not re.match(r"^\s+Predicted\s*$", block.texts[i]):
        return None
    end = i + 1
    while end < min(i + 15, len(block.texts)) and block.texts[end].strip():
        end += 1
    return block.line(i), block.line(end - 1)


def _named(
    label: str,
    words: tuple[str, ...],
    texts: list[str],
    line: int,
    of: str | None = None,
    at: tuple[tuple[str, str], ...] = (),
) -> list[Figure]:
    prefix = f"{label}: " if label else ""
    return [
        Figure(f"{prefix}{w}", w, n, line, of or label or None, at)
        for w, t in zip(words, texts, strict=False)
        if (n := parse_number(t)) is not None
    ]
