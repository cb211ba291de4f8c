"""Tables of means, quantiles and other statistics of numeric variables, and correlation matrices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import CellFigures
from divulge.readers.handed_in.candidates.statistic_names import is_total, statistic_word
from divulge.readers.handed_in.candidates.structure import Structure
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary

SHAPE = frozenset({"skewness", "kurtosis", "excess kurtosis"})
POSITION = frozenset({"median", "first quartile", "third quartile", "interquartile range"})


def kind_of(statistics: set[str]) -> str:
    """Which kind of output a set of statistics is."""
    if statistics & SHAPE and not statistics & {"mean", "median"}:
        return "shape"
    if statistics & POSITION or any(s.startswith("percentile") for s in statistics):
        return (
            "extremes" if statistics & {"minimum", "maximum"} and not statistics & {"mean", *POSITION} else "position"
        )
    if statistics & {"minimum", "maximum"} and "mean" not in statistics:
        return "extremes"
    return "means"


LEFT = "columns that were not read"
"""A fact of a candidate: some figures of its lines are none of its own."""


def rows_are_statistics(table: Structure, words: Vocabulary) -> bool:
    """Whether the rows name statistics and the columns variables, as pandas' describe() does."""
    rows = [b.path[-1] for b in table.body if not b.is_heading]
    if any(set(rows) <= set(words.texts(n)) for n in words.names):
        return False  # the classes of a ship are called 1st, 2nd, 3rd too
    named = [r for r in rows if statistic_word(r)]
    telling = {statistic_word(r) for r in named} - {"n", "percentage", "sum", "missing"}
    return len(named) >= max(2, 0.8 * len(rows)) and bool(telling)


def read_rows(table: Structure, words: Vocabulary) -> list[Candidate]:
    """Statistics in rows, variables or groups of one variable in columns."""
    figures = []
    labels = [" / ".join(c) for c in table.columns if c]
    known = sum(bool(words.variable(t) or words.variables_like(t)) for t in labels)
    are_groups = known < len(labels) / 2 and bool(words.with_levels([t for t in labels if not is_total(t)]))
    for body in table.body:
        word = statistic_word(body.path[-1])
        if word is None:
            continue
        for j, cell in enumerate(body.cells):
            if cell is None or cell.main is None or not table.columns[j]:
                continue
            label = " / ".join(table.columns[j])
            of, at = (None, (("column0", label),)) if are_groups else (label, ())
            figures.append(Figure(f"{label}: {word}", word, cell.main, body.line, of, at))
    return _parted(table, figures, variables=tuple(dict.fromkeys(f.of for f in figures if f.of)), by=())


def read_columns(table: Structure, words: Vocabulary, columns: list[int]) -> list[Candidate]:
    """Statistics in columns; rows are variables, or groups of one variable."""
    heads = {j: table.statistic(j) for j in columns}
    if {word for _, word in heads.values()} == {None, "standard error"}:
        # An estimate that is called by its variable alone, beside its error.
        heads = {
            j: (text, "mean" if word is None and words.variable(text) else word) for j, (text, word) in heads.items()
        }
    for j in (j for j in columns if heads[j][1] is None and len(table.columns[j]) > 1):
        top, *rest = table.columns[j]
        if statistic_word(top) == "n" and any(w and t == " / ".join(rest) for t, w in heads.values()):
            heads[j] = (" / ".join(rest), "n")  # how many there are, beside another statistic of the same groups
    rows = [b for b in table.body if not b.is_heading]
    labels = [b.path[-1] for b in rows if not is_total(b.path[-1])]
    # A row is a variable where it names one; groups are values of something.
    as_variables = len(table.stubs) <= 1 and sum(
        bool(words.variable(t) or words.variables_like(t)) for t in labels
    ) >= 0.5 * len(labels)
    # Where columns name variables, rows do not.
    levels = {t for axis in table.axes if (name := words.variable(axis)) is not None for t in words.texts(name)}
    named = any(words.variable(p) and p not in levels for text, _ in heads.values() for p in _parts(text))
    exact = sum(words.variable(t) is not None for t in labels)
    as_groups = _are_groups(table, words) or (named and 2 * exact < len(labels))
    beside = _named_beside([text for text, word in heads.values() if word], words, levels)
    figures: list[Figure] = []
    of: str | None
    title = _title_of(table)
    left = False
    for body in rows:
        for j in columns:
            of_column, word = heads[j]
            cell = body.cells[j]
            if cell is None or word is None:
                left = left or (cell is not None and cell.main is not None)
                continue
            if as_variables and not as_groups:
                of = body.path[-1]
                at: tuple[tuple[str, str], ...] = tuple((f"column{k}", p) for k, p in enumerate(_parts(of_column)))
                if len(body.path) > 1:
                    at = (("row0", body.path[0]), *at)
            else:
                of, extra = _variable_or_group(of_column, words, levels)
                if of is None and extra and extra[0] in beside:
                    of, extra = extra[0], extra[1:]
                at = (*_group_at(body.path, table.stubs), *((f"column{k}", p) for k, p in enumerate(extra)))
            figures += _figures(cell, word, of, at, body.line)
    found = _parted(table, figures, tuple(dict.fromkeys(f.of for f in figures if f.of)), title)
    return [replace(c, facts={**c.facts, LEFT: "some"}) if left else c for c in found]


def _are_groups(table: Structure, words: Vocabulary) -> bool:
    stub = table.stubs[0] if table.stubs else ""
    labels = [b.path[-1] for b in table.body if not b.is_heading and not is_total(b.path[-1]) and b.path[-1]]
    name = words.variable(stub) or next(iter(words.variables_like(stub)), None) if stub else None
    if name is not None and words.levels(name, list(dict.fromkeys(labels))) is not None:
        return True
    exact = sum(words.variable(t) is not None for t in labels)
    return exact < len(labels) / 2 and bool(words.with_levels(list(dict.fromkeys(labels))))


def _parts(text: str) -> list[str]:
    return [p.strip() for p in text.split(" / ") if p.strip()]


def _variable_or_group(text: str, words: Vocabulary, levels: set[str]) -> tuple[str | None, list[str]]:
    """What stands above a statistic: the variable that it is of, or groups. levels: values of what names the axes."""
    parts = _parts(text)
    of = next((p for p in parts if words.variable(p) and p not in levels), None)
    if of is None and len(parts) == 1 and words.variables_like(parts[0]) and not words.with_levels(parts):
        of = parts[0]
    return of, [p for p in parts if p != of]


def _named_beside(texts: Sequence[str], words: Vocabulary, levels: set[str]) -> set[str]:
    """Texts above columns that name variables in words of their own: those beside them do, and nobody has them as a
    value."""
    found = [_variable_or_group(t, words, levels) for t in texts]
    if not any(of is not None and not extra for of, extra in found):
        return set()
    return {e[0] for of, e in found if of is None and len(e) == 1 and not words.with_levels(e) and not is_total(e[0])}


def _group_at(path: tuple[str, ...], stubs: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    out = []
    for k, text in enumerate(path):
        name = stubs[k] if len(stubs) == len(path) and stubs[k] and not statistic_word(stubs[k]) else f"row{k}"
        if text:
            out.append((name, text))
    return tuple(out)


def _figures(cell: CellFigures, word: str, of: str | None, at: tuple[tuple[str, str], ...], line: int) -> list[Figure]:
    group = ", ".join(t for _, t in at)
    name = f"{group}, {of}" if of and group else of or group
    out = []
    if cell.main is not None:
        out.append(Figure(f"{name}: {word}", word, cell.main, line, of, at))
    ends = ("minimum", "maximum") if cell.main is None else ()
    # Two numbers below IQR are its ends.
    quarters = ("first quartile", "third quartile") if cell.main is None and len(cell.inner) == 2 else ()
    second = {
        "mean": ("sd",),
        "range": ends,
        "interquartile range": quarters,
        "median": ("first quartile", "third quartile"),
        "n": ("percentage",),
    }.get(word, ())
    if len(cell.inner) == 2 and word == "mean":
        second = ("lower 95%", "upper 95%")
    for inner, what in zip(cell.inner, second, strict=False):
        out.append(Figure(f"{name}: {what}", what, inner, line, of, at))
    return out


def _title_of(table: Structure) -> tuple[str, ...]:
    return tuple(t for t in table.grid.before if t)


def _parted(
    table: Structure, figures: list[Figure], variables: tuple[str, ...], by: tuple[str, ...]
) -> list[Candidate]:
    """Skewness and kurtosis beside percentiles are an output of their own."""
    del by
    groups = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    shape = [f for f in figures if f.what in SHAPE]
    rest = [f for f in figures if f.what not in SHAPE]
    if shape and rest and {f.what for f in rest} <= {"sd", "coefficient of variation", "n"}:
        shape, rest = figures, []
    out = []
    for part in (rest, shape):
        if part:
            kind = kind_of({f.what for f in part})
            out.append(Candidate("cells", kind, table.lines, tuple(part), variables=variables, by=groups))
    return out


def correlation(table: Structure) -> Candidate:
    """A matrix of correlations; rows of p-values and numbers of cases beside them are read too."""
    figures = []
    rows = list(dict.fromkeys(_row_name(b.path)[0] for b in table.body if _row_name(b.path)[0]))
    for body in table.body:
        name, what = _row_name(body.path)
        for j, cell in enumerate(body.cells):
            if cell is None or cell.main is None or not table.columns[j]:
                continue
            head = table.columns[j][-1]
            match = re.fullmatch(r"\(?(\d+)\)?\.?", head)
            other = rows[int(match[1]) - 1] if match and 0 < int(match[1]) <= len(rows) else head
            figures.append(Figure(f"{name} × {other}", what, cell.main, body.line, name, (("column", other),)))
    names = tuple(dict.fromkeys([*rows, *(t for f in figures for _, t in f.at)]))
    return Candidate("correlation", "correlation", table.lines, tuple(figures), variables=names)


def _row_name(path: tuple[str, ...]) -> tuple[str, str]:
    last = path[-1]
    if len(path) > 1:
        if re.search(r"[Cc]orrelation", last):
            return path[0], "correlation"
        if re.match(r"Sig", last):
            return path[0], "p-value"
        if last in ("N", "n"):
            return path[0], "n"
        name = last or path[0]
        return re.sub(r"^\(?\d+\)?[.)]?\s+", "", name), "correlation"
    return re.sub(r"^\(?\d+\)?[.)]?\s+", "", last), "correlation"
