"""What the tables of SPSS and PSPP hold, one function a title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.crosstabs import cell_word
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.regressions import read as read_models
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.spss_groups import ranks
from divulge.readers.handed_in.candidates.spss_tests import held_figures, hold
from divulge.readers.handed_in.candidates.statistic_names import is_total, statistic_word
from divulge.readers.handed_in.candidates.structure import Structure, take_apart
from divulge.readers.handed_in.sheets import Grid

_FIT = {
    "R": "r",
    "R Square": "r-squared",
    "Adjusted R Square": "adjusted r-squared",
    "Std. Error of the Estimate": "standard error of estimate",
    "-2 Log likelihood": "-2 log likelihood",
    "Cox & Snell R Square": "Cox & Snell r-squared",
    "Nagelkerke R Square": "Nagelkerke r-squared",
}
_ANOVA = {"Sum of Squares": "sum of squares", "df": "df", "Mean Square": "mean square", "F": "F", "Sig.": "p-value"}


def _response(title: str) -> str | None:
    match = re.search(r"\(([^()]+)\)\s*$", title)
    return match[1] if match else None


def model_summary(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """R², or the pseudo R² of a logistic model: figures of the coefficients that follow."""
    held_figures(session)  # what no table took up belongs to another model
    heads = [c.strip() for c in grid.rows[0].cells]
    figures = [
        Figure(what, what, number, row.line)
        for row in grid.rows[1:]
        for head, text in zip(heads, row.cells, strict=True)
        if (what := _FIT.get(head)) is not None and (number := parse_number(text)) is not None
    ]
    hold(session, figures)
    return iter(())


def anova(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Sums of squares: figures of the coefficients that follow, or of groups that are compared."""
    if any("Between Groups" in c for row in grid.rows for c in row.cells):
        yield from ranks(grid, title, session)
        return
    heads = [c.strip() for c in grid.rows[0].cells]
    figures = []
    for row in grid.rows[1:]:
        label = next((c.strip() for c in row.cells if c.strip() and parse_number(c) is None), "")
        for head, text in zip(heads, row.cells, strict=True):
            number = parse_number(text)
            if head in _ANOVA and number is not None:
                figures.append(Figure(f"{label}: {_ANOVA[head]}", _ANOVA[head], number, row.line, label))
    hold(session, figures)


def _models(grid: Grid, session: Session, kind: str, response: str | None) -> Iterator[Candidate]:
    table = take_apart(grid, session.vocabulary)
    if table is None:
        return
    for candidate in read_models(_without_steps(table), session.vocabulary):
        figures = tuple(
            replace(f, what="exp lower 95%" if f.what == "lower 95%" else "exp upper 95%")
            if kind == "logistic" and f.what in ("lower 95%", "upper 95%")
            else f
            for f in candidate.figures
        )
        estimated = {f.of for f in figures if f.what in ("coefficient", "odds ratio")}
        yield replace(
            candidate,
            kind=kind,
            # A factor has a line of its own with a joint test, before its levels.
            terms=tuple(t for t in candidate.terms if (f"{t.group}: {t.text}" if t.group else t.text) in estimated),
            figures=(*figures, *held_figures(session)),
            response=response,
            facts={},
            statistic="coefficients and odds ratios with 95% confidence intervals" if kind == "logistic" else None,
        )


def _without_steps(table: Structure) -> Structure:
    body = tuple(replace(b, path=(b.path[-1],)) if len(b.path) > 1 else b for b in table.body)
    return replace(table, body=body)


def coefficients(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Coefficients of a linear regression."""
    return _models(grid, session, "linear", _response(title))


def equation(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Coefficients of a logistic regression."""
    return _models(grid, session, "logistic", session.objects.get("logistic response"))


def aside(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Tables about the cases: they name the variables of what follows."""
    for row in grid.rows:
        if re.match(r"^\s*[\w.]+(?:\s+\*\s+[\w.]+)+\s*$", row.cells[0]):
            session.objects["spss means"] = "|".join(re.split(r"\s+\*\s+", row.cells[0].strip()))
    if title.startswith("Classification"):
        name = next(
            (
                c.strip()
                for row in grid.rows[:3]
                for c in row.cells
                if re.fullmatch(r"\s*[A-Za-z_][\w.]*\s*", c) and c.strip() not in ("Predicted", "Observed")
            ),
            None,
        )
        if name is not None:
            session.objects.setdefault("logistic response", name)
    return iter(())


def report(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """MEANS: mean, N and standard deviation by groups."""
    from divulge.readers.handed_in.candidates.descriptives import read_columns

    table = take_apart(grid, session.vocabulary)
    if table is None:
        return
    names = session.objects.get("spss means", "|").split("|")
    for candidate in read_columns(table, session.vocabulary, list(range(len(table.columns)))):
        figures = tuple(_of_means(f, names) for f in candidate.figures)
        yield replace(
            candidate,
            figures=figures,
            variables=(names[0],) if names[0] else candidate.variables,
            by=tuple(n for n in names[1:] if n) or candidate.by,
        )


def _of_means(figure: Figure, names: list[str]) -> Figure:
    """A figure of MEANS: of the variable that is named above the table; a label beside it is a group."""
    label = figure.of
    if names[0] and len(names) == 2 and label not in (None, names[0]) and not figure.at:
        return replace(figure, of=names[0], at=((names[1], label or ""),))
    return replace(figure, of=label or names[0] or None, at=_renamed(figure.at, names[1:]))


def _renamed(at: tuple[tuple[str, str], ...], names: list[str]) -> tuple[tuple[str, str], ...]:
    """Labels by the variables of their axes, in their order."""
    return tuple((names[k] if k < len(names) and names[k] else a, t) for k, (a, t) in enumerate(at))


def frequencies(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """FREQUENCIES: one variable, whose name or label is the title."""
    head = next((i for i, row in enumerate(grid.rows) if any(c.strip() == "Frequency" for c in row.cells)), 0)
    words: dict[int, str] = {}
    for j in range(grid.width):
        text = " ".join(grid.rows[i].cells[j].strip() for i in range(head + 1)).strip()
        word = {"Frequency": "count", "Percent": "percentage"}.get(text) or statistic_word(text)
        if word is not None:
            words[j] = word
    figures = []
    for row in grid.rows[head + 1 :]:
        stub = [c.strip() for j, c in enumerate(row.cells) if j not in words and c.strip()]
        label = next((t for t in reversed(stub) if t not in ("Valid",)), "")
        label = "Missing" if stub and stub[0].split()[0] == "Missing" else label
        for j, word in words.items():
            number = parse_number(row.cells[j])
            # A text that is missing is an empty value to SPSS, the first of the valid ones.
            if number is not None and (label or stub == ["Valid"]):
                figures.append(Figure(f"{label}: {word}", word, number, row.line, None, ((title, label),)))
    lines = (grid.rows[0].line, grid.rows[-1].line)
    yield Candidate("cells", "frequencies", lines, tuple(figures), variables=(title,), statistic="counts, percentages")


def crosstab(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """CROSSTABS: stubs name the row variable (and the layers) before their values."""
    names = [t.strip() for t in re.split(r"\s+[×*]\s+", re.sub(r"\s+(?:Crosstabulation|\[.*\])$", "", title))]
    row_name, column_name, layers = names[0], names[1], names[2:]
    # A value that heads a column may be called N. Counts too wide for their column are stars.
    figured = [i for i, row in enumerate(grid.rows) if any(parse_number(c) or "**" in c for c in row.cells[1:])]
    counted = (i for i in figured if any(cell_word(c) for c in grid.rows[i].cells))
    first = next(counted, next(iter(figured), len(grid.rows)))  # codes above columns are numbers too
    n_stub = next(
        (j for j in range(grid.width) if any(parse_number(row.cells[j]) for row in grid.rows[first:]) and j > 0), 1
    )
    # Codes of a variable are numbers too: figures begin after the column that says Count or Row %.
    said = [j for row in grid.rows[first:] for j, c in enumerate(row.cells) if cell_word(c) is not None]
    n_stub = max(n_stub, max(said) + 1) if said else n_stub
    labels = _column_labels(grid, first, n_stub, column_name)
    last = max((j for j in range(n_stub, grid.width) if labels[j]), default=0)
    figures: list[Figure] = []
    held: list[str] = [""] * n_stub
    for row in grid.rows[first:]:
        shift = _shift(row.cells, grid, n_stub)
        stub = [c.strip() for c in row.cells[:n_stub]]
        start = next((j for j, c in enumerate(stub) if c), n_stub)
        held = [held[j] if j < start else stub[j] for j in range(n_stub)]
        what = next((w for t in reversed(held) if (w := cell_word(t)) is not None), "count")
        at = _stub_values(held, row_name, layers)
        for j in range(n_stub, grid.width):
            text = row.cells[j - shift] if 0 <= j - shift < grid.width else ""
            number = parse_number(text)
            if number is not None and (labels[j] or j < last):
                shown = " × ".join([*(t for _, t in at), labels[j]])
                word = "percentage" if number.is_percent else what
                figures.append(Figure(shown, word, number, row.line, None, (*at, (column_name, labels[j]))))
    lines = (grid.rows[0].line, grid.rows[-1].line)
    session.objects["spss crosstab"] = f"{row_name}|{column_name}"
    yield Candidate("cells", "crosstab", lines, tuple(figures), variables=(row_name,), by=(column_name, *layers))


def _shift(cells: tuple[str, ...], grid: Grid, n_stub: int) -> int:
    """How many columns a row is short of, as in PSPP's TeX, where a spanned cell of the row above is left out."""
    return 1 if n_stub > 1 and parse_number(cells[n_stub - 1]) is not None and not cells[-1].strip() else 0


def _column_labels(grid: Grid, first: int, n_stub: int, name: str) -> list[str]:
    labels = [""] * grid.width
    for i, row in enumerate(grid.rows[:first]):
        for j in range(n_stub, grid.width):
            text = row.cells[j].strip()
            # A value may be called as its variable is; the name stands above all of them.
            if text and (text != name or grid.span(i, j) == 1):
                labels[j] = text
    return labels


def _stub_values(held: list[str], row_name: str, layers: list[str]) -> tuple[tuple[str, str], ...]:
    """The values in a stub: after each variable's name comes its value."""
    texts = [t for t in held if t and cell_word(t) is None]
    if texts == [row_name] and not layers:
        return ((row_name, ""),)  # an empty text is a value to SPSS
    if texts and is_total(texts[0]):
        return ((row_name, "Total"), *((layer, "Total") for layer in layers))
    found: dict[str, str] = {}
    names = [row_name, *layers]
    current = None
    for text in texts:
        if text in names and text not in found and current is None:
            current = text
        elif current is not None:
            found[current] = text
            current = None
        elif is_total(text):
            found.setdefault(row_name, "Total")
        else:
            missing = next((n for n in reversed(names) if n not in found), None)
            if missing is not None:
                found[missing] = text
    return tuple((n, found.get(n, "Total")) for n in names)


def chi_squared(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """The tests of the crosstab before."""
    names = session.objects.get("spss crosstab", "|").split("|")
    figures = []
    for row in grid.rows[1:]:
        label = row.cells[0].strip()
        texts = [parse_number(c) for c in row.cells[1:]]
        whats = ("n",) if label.startswith("N of") else ("chi-squared", "df", "p-value")
        pearson = label.startswith(("Pearson", "N of"))
        for what, number in zip(whats, texts, strict=False):
            if number is not None:
                shown = what if pearson else f"{label}: {what}"
                figures.append(Figure(shown, what if pearson else f"{what} ({label})", number, row.line))
    lines = (grid.rows[0].line, grid.rows[-1].line)
    yield Candidate(
        "test",
        "chi-squared",
        lines,
        tuple(figures),
        variables=tuple(n for n in names[:1] if n),
        by=tuple(n for n in names[1:2] if n),
        statistic="chi-squared",
    )
