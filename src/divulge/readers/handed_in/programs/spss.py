"""SPSS and PSPP tables, as text boxes, HTML, CSV, TeX or OpenDocument: known by the titles that they have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates import spss_groups, spss_tables, spss_tests
from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.tables import read_grid
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.sheets import Block, Grid
from divulge.readers.handed_in.sheets.sheet import Row

_TITLES: tuple[tuple[str, Callable[[Grid, str, Session], Iterator[Candidate]]], ...] = (
    (r"Model Summary", spss_tables.model_summary),
    (r"Ranks$|Test Statistics|Test of Homogeneity|Multiple Comparisons", spss_groups.ranks),
    (r"Descriptives$", spss_groups.descriptives),
    (r"Percentiles$", spss_groups.percentiles),
    (
        r"Statistics$",
        lambda grid, title, session: spss_groups.statistics(_without_labels(grid, session), title, session),
    ),
    (r"Data List$", spss_groups.listed),
    (r"ANOVA", spss_tables.anova),
    (r"Coefficients", spss_tables.coefficients),
    (r"Variables in the Equation", spss_tables.equation),
    (r"Group Statistics", spss_tests.group_statistics),
    (r"Independent Samples Test", spss_tests.samples_test),
    (r"Paired Samples Correlations", spss_tests.paired_correlation),
    (r"(?:One-Sample|Paired Samples) Test", spss_tests.one_sample_test),
    (r"Chi-Square Tests", spss_tables.chi_squared),
    (r"Symmetric Measures", spss_tests.symmetric_measures),
    (
        r"(?:Case Processing )?Summary$|Classification Table|Dependent Variable Encoding|Case Processing"
        r"|Categorical Variables|Notes$|Iteration History|Omnibus Tests|Hosmer",
        spss_tables.aside,
    ),
    (r"Report$|Means", spss_tables.report),
)


class Spss:
    """Output of SPSS and PSPP: frequencies, crosstabs, descriptives, means, tests, correlations, regressions."""

    name = "spss"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The output of one table; what belongs to a later table is kept in the session."""
        if not isinstance(block, Grid):
            return []
        title = _title(block)
        grid = _whole_labels(_whole_rows(_unfolded(block)), session.vocabulary)
        named = next((read for pattern, read in _TITLES if re.match(pattern, title)), None)
        if named is not None:
            if not _is_spss(title, grid, session):
                return []
            found = [session.signed(c, self.name) for c in named(grid, title, session)]
            if not found:
                session.asides.append((grid.rows[0].line, grid.rows[-1].line))
            return found
        heads = {c.strip() for row in grid.rows[:3] for c in row.cells}
        if {"Frequency", "Percent"} <= heads or {"Frequency", "Percent", "Cumulative Percent"} <= heads:
            return [session.signed(c, self.name) for c in spss_tables.frequencies(grid, title, session)]
        # A star before p < 0.05 says what it means.
        cross = re.match(r"^(.+?)\s+[×*]\s+(?!p\b)(.+?)(?:\s+(?:Crosstabulation|\[.*\]))?$", title)
        stubs = [c.strip() for row in grid.rows for c in row.cells[:2]]
        if cross is not None and stubs.count("Mean") > 1:
            return [session.signed(c, self.name) for c in spss_groups.means_side_by_side(grid, title, session)]
        if cross is not None:
            return [session.signed(c, self.name) for c in spss_tables.crosstab(grid, title, session)]
        if title in ("Descriptive Statistics", "Correlations"):
            grid = _without_labels(_of_variables(grid), session)
            found = read_grid(grid, session.vocabulary)
            if title == "Correlations" and not any(c.kind == "correlation" for c in found):
                found = list(spss_groups.correlations(grid))
            return [session.signed(c, self.name) for c in found]
        return []


def _whole_labels(grid: Grid, words: Vocabulary) -> Grid:
    """A grid in which the label of a variable that goes on in the rows below stands in the first of them."""
    firsts = [row.cells[0].strip() for row in grid.rows]
    i = 0
    while i < len(firsts):
        for k in (4, 3, 2):
            parts = firsts[i : i + k]
            if len(parts) == k and all(parts) and words.variable(" ".join(parts)):
                firsts[i : i + k] = [" ".join(parts), *[""] * (k - 1)]
                break
        i += 1
    rows = tuple(
        row if row.cells[0].strip() == text else replace(row, cells=(text, *row.cells[1:]))
        for row, text in zip(grid.rows, firsts, strict=True)
    )
    return replace(grid, rows=rows)


def _of_variables(grid: Grid) -> Grid:
    """Descriptives without the rows that count complete cases."""
    kept = [i for i, row in enumerate(grid.rows) if not re.match(r"^\s*(?:Valid|Missing) N", row.cells[0])]
    spans = tuple(grid.spans[i] for i in kept) if grid.spans else ()
    return replace(grid, rows=tuple(grid.rows[i] for i in kept), spans=spans)


def _without_labels(grid: Grid, session: Session) -> Grid:
    """Descriptives without labels of values: the least and the greatest value of a variable may be told by theirs."""
    named = {t for labels in session.labels.values() for t in labels.values() if not t.replace(".", "").isdigit()}
    rows = tuple(
        replace(row, cells=(*row.cells[:1], *("" if c.strip() in named else c for c in row.cells[1:])))
        for row in grid.rows
    )
    return replace(grid, rows=rows)


def _title(grid: Grid) -> str:
    """The title of a table: the last line above it."""
    last = next(
        (
            t
            for t in reversed(grid.before)
            if t.strip() and not re.match(r"^(?:=?\d*\.?\d*(?:pt|ex)|TABLE-\d+)$", t.strip())
        ),
        "",
    )
    return re.sub(r"^Table:\s*", "", last).strip()


def _is_spss(title: str, grid: Grid, session: Session) -> bool:
    """Whether a table with a common title is SPSS's: its headers are."""
    heads = " ".join(c for row in grid.rows[:4] for c in row.cells)
    known = (
        r"(?:Nominal|Ordinal|Interval) by"
        r"|Sig\.|R Square|Std\. Error|S\.E\.|Std\. Deviation|Cases|Predicted|Internal Value|Unweighted"
        r"|Percentiles|Sum of Squares|Mean\b.*\bN\b|Asymp|\bN\b.*\bMean\b|Statistic|Parameter coding|Mean Rank|Valid"
        r"|^\s*(?:Case Number )?[a-z]"
    )
    return re.search(known, heads) is not None


def _unfolded(grid: Grid) -> Grid:
    """A grid whose first column holds several stub columns, parted by where the texts of its rows begin."""
    margin = min((len(t) - len(t.lstrip()) for row in grid.rows if (t := row.cells[0]).strip()), default=0)
    firsts = [row.cells[0][margin:] for row in grid.rows]
    starts = sorted({len(t) - len(t.lstrip()) for t in firsts if t.strip()})
    if len(starts) < 2:
        return grid
    # A column begins where a row begins, if every longer row has a space before it; a total goes over all of them.
    others = [t for t in firsts if not t.startswith("Total ")]
    cuts = [0] + [s for s in starts[1:] if s >= 3 and all(len(t) <= s or t[s - 1] == " " for t in others)]
    said = {m.start(1) for t in firsts if t.strip() and (m := _CONTENT.search(t)) is not None}
    if len(said) == 1 and all(_CONTENT.search(t) for t in firsts if re.search(r"\d|Total", t)):
        cuts = sorted({*cuts, *said})
    if len(cuts) < 2:
        return grid
    ends = [*cuts[1:], max(len(t) for t in firsts)]
    rows = tuple(
        replace(row, cells=(*_stub_cells(first, cuts, ends), *row.cells[1:]))
        for row, first in zip(grid.rows, firsts, strict=True)
    )
    spans = tuple((*[1] * len(cuts), *s[1:]) for s in grid.spans)
    return Grid(rows, spans, grid.before, grid.after, grid.sheet)


_CONTENT = re.compile(r"\s((?:Count|Expected|Residual|(?:Row|Column|Total) %))\s*$")
"""What the figures of a row are, at the end of a stub."""


def _stub_cells(text: str, cuts: list[int], ends: list[int]) -> list[str]:
    if text.startswith("Total ") and cuts[1] < len("Total"):
        return ["Total", *[""] * (len(cuts) - 2), text[len("Total") :].strip()]
    return [text[a:b].strip() for a, b in zip(cuts, ends, strict=True)]


def _whole_rows(grid: Grid) -> Grid:
    """A grid in which a row that only goes on with the texts of the row above is part of it."""
    rows: list[Row] = []
    spans: list[tuple[int, ...]] = []
    for i, row in enumerate(grid.rows):
        numbers = [j for j, c in enumerate(row.cells) if j > 0 and parse_number(c) is not None]
        above = rows[-1] if rows else None
        goes_on = above is not None and any(parse_number(c) is not None for c in above.cells[1:])
        texts = [j for j, c in enumerate(row.cells) if c.strip()]
        if (
            above is not None
            and goes_on
            and not numbers
            and texts
            and all(parse_number(above.cells[j]) is None for j in texts)
        ):
            joined = tuple(
                f"{a.strip()} {b.strip()}".strip() if b.strip() else a
                for a, b in zip(above.cells, row.cells, strict=True)
            )
            rows[-1] = replace(above, cells=joined)
            continue
        rows.append(row)
        if grid.spans:
            spans.append(grid.spans[i])
    return Grid(tuple(rows), tuple(spans), grid.before, grid.after, grid.sheet)
