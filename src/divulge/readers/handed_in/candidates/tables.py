"""A grid as candidates: which kind of table it is, and what each of its figures is.

A table is a regression where its columns or cells look like coefficients, a table 1 where its rows are different
variables, descriptives where headers or rows name statistics, a correlation matrix where rows and columns name the same
variables, and a crosstab otherwise.
"""

from __future__ import annotations

import re
from dataclasses import replace
from keyword import iskeyword

from divulge.readers.handed_in.candidates import crosstabs, descriptives, regressions, tableone
from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.r_tables import summary_grid
from divulge.readers.handed_in.candidates.statistic_names import is_total, statistic_word
from divulge.readers.handed_in.candidates.structure import Structure, take_apart
from divulge.readers.handed_in.candidates.survivals import life_table
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.sheets import Grid

_WHERE = re.compile(
    r"(?P<name>[A-Za-z_][\w.]*)\s*(?P<op>>=|<=|==|!=|≥|≤|=|>|<)\s*(?P<value>-?\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|[A-Za-z][\w-]*)"
)


def read_grid(grid: Grid, words: Vocabulary, program: str = "") -> list[Candidate]:
    """The outputs that a grid holds, in the file's words."""
    listed = summary_grid(grid)
    if listed:
        return listed
    table = take_apart(grid, words)
    if table is None:
        return []
    found = _classified(table, words)
    said = tuple(dict.fromkeys([*table.grid.before, *table.grid.after, *((grid.sheet,) if grid.sheet else ())]))
    where = stated_condition(said, words)
    return [
        replace(
            c,
            program=c.program or program,
            said=said,
            sheet=grid.sheet,
            where=c.where or where,
            figures=_without_padding(c.figures),
        )
        for c in found
        if c.figures
    ]


def _without_padding(figures: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """Figures whose last places are zeros all over the table, as pandas fills up rounded numbers: they say nothing."""
    shown = [f.printed for f in figures if f.printed.value is not None and f.printed.decimals > 3]
    zeros = [len(d) - len(d.rstrip("0")) for p in shown if (d := p.text.rstrip("%").partition(".")[2])]
    if len(zeros) < 3 or min(zeros) < 2:
        return figures
    padded = 10.0 ** min(zeros)
    return tuple(
        replace(f, printed=replace(f.printed, unit=f.printed.unit * padded)) if f.printed in shown else f
        for f in figures
    )


def _classified(table: Structure, words: Vocabulary) -> list[Candidate]:
    if _is_life_table(table):
        return life_table(table)
    if _is_variance(table):
        return [_variance(table)]
    if regressions.is_fit_table(table):
        return regressions.read_fit(table)
    if regressions.is_regression(table, words):
        return regressions.read(table, words)
    if _is_correlation(table, words):
        return [descriptives.correlation(table)]
    parts = _beside_correlations(table, words)
    if parts is not None:
        return [descriptives.correlation(parts[0]), *_mixed(parts[1], words)]
    if tableone.is_table_one(table, words):
        return [tableone.read(table, words)]
    return _mixed(table, words)


def _is_variance(table: Structure) -> bool:
    """Whether a table is an analysis of variance: sums of squares, or two degrees of freedom, and F."""
    heads = {c[-1].strip().casefold() for c in table.columns if c}
    sums = {"sum_sq", "sum sq", "ss", "ddof1", "sum of sq", "type iii ss", "sum of squares"}
    return "f" in heads and bool(sums & heads) and bool({"df", "ddof1", "df1"} & heads)


def _variance(table: Structure) -> Candidate:
    figures = [
        Figure(f"{body.path[-1]}: {path[-1] if path else ''}", "other", cell.main, body.line, body.path[-1])
        for body in table.body
        for path, cell in zip(table.columns, body.cells, strict=True)
        if cell is not None and cell.main is not None
    ]
    terms = tuple(b.path[-1] for b in table.body if b.path[-1])
    return Candidate("other", "other", table.lines, tuple(figures), variables=terms, statistic="analysis of variance")


def _is_life_table(table: Structure) -> bool:
    heads = {" ".join(c).casefold().replace("_", " ").replace(".", " ").strip() for c in table.columns}
    heads |= {s.casefold() for s in table.stubs}
    risk = any(re.search(r"at risk|n risk|beg total|total\b.*beg", h) for h in heads)
    return risk and any(re.search(r"surv|event|fail|observed|deaths", h) for h in heads)


def _is_correlation(table: Structure, words: Vocabulary) -> bool:
    if any(re.match(r"(?:Pearson|Spearman)\b.*[Cc]orrelation", b.path[-1]) for b in table.body if len(b.path) > 1):
        return True
    rows = [
        b.path[0]
        if (len(b.path) > 1 and statistic_word(b.path[-1])) or (len(b.path) > 1 and "orrelation" in b.path[-1])
        else b.path[-1]
        for b in table.body
        if not b.is_heading
    ]
    rows = list(dict.fromkeys(re.sub(r"^\(?\d+\)?[.)]?\s+", "", r) for r in rows if r))
    columns = [c[-1] for c in table.columns if c]
    numbered = bool(columns) and [c.strip("().") for c in columns] == [str(k + 1) for k in range(len(columns))]
    # Codes of groups are numbers too. Half of a matrix is empty, or its diagonal is one.
    shown = [c.main.value if c is not None and c.main is not None else None for b in table.body for c in b.cells]
    numbered = numbered and (None in shown or 1.0 in shown)
    if len(rows) < 2 or not (set(rows) & set(columns) or numbered):
        return False
    if numbered and len(columns) not in (len(rows), len(rows) - 1):
        return False
    values = [
        c.main.value
        for b in table.body
        for c in b.cells
        if c is not None and c.main is not None and c.main.value is not None
    ]
    bounded = sum(abs(v) <= 1 for v in values)
    fractions = sum(v != int(v) for v in values if abs(v) < 1e9)
    named = numbered or len(set(rows) & set(columns)) >= len(columns) - 1
    crossed = [
        c for b in table.body for path, c in zip(table.columns, b.cells, strict=True) if path and path[-1] in b.path
    ]
    if any(c is not None and c.main is not None and c.main.value not in (None, 1.0) for c in crossed) and fractions:
        same = [c.main.value for c in crossed if c is not None and c.main is not None and c.main.value is not None]
        named = named and any(v == 1.0 for v in same)
    return named and bounded >= 0.5 * len(values) and fractions > 0


def _beside_correlations(table: Structure, words: Vocabulary) -> tuple[Structure, Structure] | None:
    """A triangle of correlations whose columns are numbered, and the means and deviations to its left."""
    numbered = [j for j, c in enumerate(table.columns) if c and re.fullmatch(r"\(?\d+\)?\.?", c[-1].strip())]
    rest = [j for j in range(len(table.columns)) if j not in numbered]
    if len(numbered) < 2 or not rest or any(table.statistic(j)[1] is None for j in rest):
        return None
    found = _only(table, numbered)
    return (found, _only(table, rest)) if _is_correlation(found, words) else None


def _only(table: Structure, columns: list[int]) -> Structure:
    """Some columns of a table; rows are called by their names alone."""
    body = tuple(
        replace(
            b,
            path=tuple(re.sub(r"^\(?\d+\)?[.)]?\s+", "", p) for p in b.path),
            cells=tuple(b.cells[j] for j in columns),
            texts=tuple(b.texts[j] for j in columns),
        )
        for b in table.body
    )
    return replace(table, columns=tuple(table.columns[j] for j in columns), body=body)


def _mixed(table: Structure, words: Vocabulary) -> list[Candidate]:
    """Descriptives, crosstabs, or both side by side in one table."""
    plain, stats = [], []
    for j in range(len(table.columns)):
        label, word = table.statistic(j)
        if word in (None, "percentage", "valid percentage", "cumulative percentage") or (word == "n" and label):
            plain.append(j)
        else:
            stats.append(j)
    rows_are_statistics = descriptives.rows_are_statistics(table, words)
    if rows_are_statistics:
        return descriptives.read_rows(table, words)
    telling = [j for j in stats if table.statistic(j)[1] != "n"]
    if not telling:
        return crosstabs.read(table, words, list(range(len(table.columns))))
    labelled = [j for j in plain if table.statistic(j)[0] or table.statistic(j)[1] is None]
    labelled = [j for j in labelled if not (is_total(" ".join(table.columns[j])))]
    grouped = all(table.statistic(j)[0] for j in stats)
    if len(labelled) >= 2 and not grouped:
        rest = [j for j in range(len(table.columns)) if j not in labelled]
        return [*crosstabs.read(table, words, labelled), *descriptives.read_columns(table, words, rest)]
    return descriptives.read_columns(table, words, list(range(len(table.columns))))


def stated_condition(said: tuple[str, ...], words: Vocabulary) -> str | None:
    """The condition on rows that titles or notes state (`Population: hours_per_week >= 35`), or None."""
    found = []
    for text in said:
        for match in _WHERE.finditer(text):
            name = words.variable(match["name"])
            if name is None or re.search(r"(?:^|[\s(])[pn]\s*$", text[: match.start()] + match["name"]):
                continue
            value = match["value"].strip("'\"")
            if re.match(r"[A-Za-z]", value):
                if words.level(name, value) is None:
                    continue
                value = f"'{words.level(name, value)}'"
            sign = {"≥": ">=", "≤": "<=", "=": "=="}.get(match["op"], match["op"])
            found.append(f"{quoted(name)} {sign} {value}")
        aged = re.search(
            r"(?:aged?|persons|people|adults|respondents|men|women)\s*(?:aged\s*)?(\d{2})"
            r"\s*(?:\+|and (?:over|older|above)|years and over|or (?:over|older))",
            text,
            re.I,
        )
        age = words.variable("age")
        if aged and age is not None:
            found.append(f"{quoted(age)} >= {aged[1]}")
    return " and ".join(dict.fromkeys(found)) or None


def quoted(name: str) -> str:
    """A name as conditions and formulas take it."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) and not iskeyword(name) else f"`{name}`"
