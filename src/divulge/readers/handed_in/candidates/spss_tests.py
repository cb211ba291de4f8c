"""The tests of means of SPSS and PSPP: groups, one mean, two measurements; and figures held until their table comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import statistic_word
from divulge.readers.handed_in.sheets import Grid
from divulge.readers.handed_in.sheets.sheet import Row


def hold(session: Session, figures: list[Figure]) -> None:
    held = session.objects.get("spss fit", "")
    shown = "\n".join(f"{f.label}\t{f.what}\t{f.printed.text}\t{f.line}\t{f.of or ''}" for f in figures)
    session.objects["spss fit"] = f"{held}\n{shown}".strip("\n")


def held_figures(session: Session) -> list[Figure]:
    out = []
    for text in session.objects.pop("spss fit", "").split("\n"):
        parts = text.split("\t")
        number = parse_number(parts[2]) if len(parts) == 5 else None
        if number is not None:
            out.append(Figure(parts[0], parts[1], number, int(parts[3]), parts[4] or None))
    return out


_ERROR_OF_MEAN = ("S.E. Mean", "Std. Error Mean")


def group_statistics(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """The groups of a t-test: kept for the test that follows."""
    held_figures(session)
    heads = [c.strip() for c in grid.rows[0].cells]
    place = next((j for j, h in enumerate(heads) if h and statistic_word(h) is None and h not in _ERROR_OF_MEAN), None)
    by = heads[place] if place is not None and heads[place] != "Group" else ""
    figures, of = [], ""
    for row in grid.rows[1:]:
        stub = [c.strip() for c in row.cells if parse_number(c) is None and c.strip()]
        if place:
            # Groups are called by their codes where these have no labels.
            of, group = row.cells[0].strip() or of, row.cells[place].strip()
        else:
            of, group = stub[0] if len(stub) > 1 else of, stub[-1] if stub else ""
        for head, text in zip(heads, row.cells, strict=True):
            word = "standard error" if head in _ERROR_OF_MEAN else statistic_word(head)
            number = parse_number(text)
            if word is not None and number is not None:
                figures.append(Figure(f"{group}: {word}", word, number, row.line, f"{of}|{by}|{group}"))
    hold(session, figures)
    return iter(())


_TEST = {
    "F": "F",
    "t": "t",
    "df": "df",
    "Mean Difference": "mean difference",
    "Std. Error Difference": "standard error of difference",
    "Lower": "lower 95%",
    "Upper": "upper 95%",
}


def samples_test(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """The t-test of two groups, with equal variances assumed and not."""
    first = next(
        (i for i, row in enumerate(grid.rows) if sum(parse_number(c) is not None for c in row.cells) > 3), None
    )
    held = held_figures(session)
    if first is None:
        return
    tests: dict[str, list[Figure]] = {}
    name = (held[0].of or "").partition("|")[0] if held else ""
    for row in grid.rows[first:]:
        stub = [c.strip() for c in row.cells if c.strip() and parse_number(c) is None]
        assumed = next((t for t in stub if t.startswith("Equal variances")), "")
        text = next((t for t in stub if not t.startswith("Equal")), None)
        goes_on = text is not None and name in tests and assumed not in {f.of for f in tests[name]}
        if goes_on:  # a long label stands beside both rows of its test
            longer = f"{name} {text}"
            tests[longer] = tests.pop(name)
            name = longer
        elif text is not None:
            name = text
        tests.setdefault(name, []).extend(_test_figures(grid, first, row, assumed))
    for name, figures in tests.items():
        mine = [f for f in held if len(tests) == 1 or (f.of or "").partition("|")[0] == name]
        told = (mine[0].of or "||").split("|")[1] if mine else ""
        by = told or session.objects.get(f"t-test of {session.vocabulary.variable(name) or name}", "")
        groups = [replace(f, of=None, at=((by or "row0", (f.of or "||").split("|")[2]),)) for f in mine]
        lines = (groups[0].line if groups else grid.rows[0].line, figures[-1].line if figures else grid.rows[-1].line)
        shown, grouped = (name,) if name else (), (by,) if by else ()
        yield Candidate("test", "t-test", lines, (*groups, *figures), variables=shown, by=grouped, statistic="t-test")


def _test_figures(grid: Grid, first: int, row: Row, assumed: str) -> list[Figure]:
    """The figures of one line of a test, by the headers above them."""
    figures: list[Figure] = []
    for j, text in enumerate(row.cells):
        number = parse_number(text)
        head = next(
            (grid.rows[i].cells[j].strip() for i in range(first - 1, -1, -1) if grid.rows[i].cells[j].strip()), ""
        )
        above = " ".join(grid.rows[i].cells[k].strip() for i in range(first) for k in range(j + 1))
        what = _TEST.get(head) or ("p-value" if head.startswith("Sig") else None)
        if number is None or what is None:
            continue
        if head == "Sig." and "Levene" in above and not any(f.what == "t" for f in figures):
            what = "p-value of Levene's test"
        if what == "F":
            what = "Levene F"
        figures.append(Figure(f"{assumed}: {what}", what, number, row.line, assumed))
    return figures


def one_sample_test(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """The t-test of one mean against a number, or of two measurements of the same people, a row each."""
    first = next(
        (i for i, row in enumerate(grid.rows) if sum(parse_number(c) is not None for c in row.cells) > 3), None
    )
    if first is None:
        return
    said = " ".join(c for row in grid.rows[:first] for c in row.cells)
    against = re.search(r"Test Value\s*=\s*(-?[\d.]+)", said)
    heads = [
        next((t for i in range(first - 1, -1, -1) if (t := grid.rows[i].cells[j].strip())), "")
        for j in range(grid.width)
    ]
    words = {**_TEST, "Mean": "mean difference", "Std. Deviation": "sd", "S.E. Mean": "standard error"}
    for row in grid.rows[first:]:
        stub = " ".join(c.strip() for c in row.cells if c.strip() and parse_number(c) is None)
        names = re.findall(r"[A-Za-z_][\w.]*", re.sub(r"^Pair\s*\d*", "", stub))
        whole = session.vocabulary.variable(stub)
        names = [whole] if whole is not None else [n for n in names if n != "Pair"]
        figures = [
            Figure(f"{stub}: {what}", what, number, row.line)
            for head, text in zip(heads, row.cells, strict=True)
            if (number := parse_number(text)) is not None
            and (what := words.get(head) or ("p-value" if head.startswith("Sig") else None)) is not None
        ]
        if figures and names:
            facts = {"mu": against[1]} if against is not None else {}
            lines = (grid.rows[0].line, row.line)
            shown = tuple(names[:2])
            yield Candidate("test", "t-test", lines, tuple(figures), variables=shown, statistic="t-test", facts=facts)


def paired_correlation(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """The correlation of two measurements that a t-test compares."""
    for row in grid.rows[1:]:
        names = re.search(r"([\w.]+) & ([\w.]+)", " ".join(row.cells))
        texts = [n for c in row.cells if (n := parse_number(c)) is not None][-3:]
        if names is not None:
            figures = tuple(
                Figure(w, w, n, row.line) for w, n in zip(("n", "correlation", "p-value"), texts, strict=False)
            )
            lines = (row.line, row.line)
            shown = (names[1], names[2])
            yield Candidate("test", "correlation", lines, figures, variables=shown, statistic="Pearson")


def symmetric_measures(grid: Grid, title: str, session: Session) -> Iterator[Candidate]:
    """Phi, Cramér's V and the like of the crosstab before: named, and not computed again."""
    figures = [
        Figure(f"{row.cells[0].strip()}: {number.text}", "measure of association", number, row.line)
        for row in grid.rows[1:]
        for c in row.cells[1:]
        if (number := parse_number(c)) is not None
    ]
    names = session.objects.get("spss crosstab", "|").split("|")
    lines = (grid.rows[0].line, grid.rows[-1].line)
    if figures:
        yield Candidate("other", "other", lines, tuple(figures), variables=tuple(names[:1]), by=tuple(names[1:2]))
