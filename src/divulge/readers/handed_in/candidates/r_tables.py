"""What R prints of tables and single numbers, with the help of the statement that printed it."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.console import transposed_pairs
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.expressions import as_condition
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_calls import of_parts
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import RATIO, fit_word, statistic_word
from divulge.readers.handed_in.sheets import Grid, Lines

_SUMMARY = re.compile(r"^\s*Min\.\s+1st Qu\.\s+Median\s+Mean\s+3rd Qu\.\s+Max\.(\s+NA's)?\s*$")
_WORDS = ("minimum", "first quartile", "median", "mean", "third quartile", "maximum", "missing")
_FUNCTIONS = {
    "mean": "mean",
    "sd": "sd",
    "var": "variance",
    "median": "median",
    "min": "minimum",
    "max": "maximum",
    "length": "n",
    "sum": "sum",
    "summary": "median",
    "quantile": "median",
}


def resolved(command: str, session: Session) -> str:
    """A statement with the names in it replaced by what they stand for."""
    text = command
    for _ in range(3):
        text = re.sub(r"(?<![\w.$])([A-Za-z][\w.]*)(?![\w.(=$])", lambda m: session.objects.get(m[1], m[1]), text)
        if len(text) > 2000:
            return command
    return text


def variables_in(command: str, session: Session) -> list[str]:
    """The variables that a statement speaks of, in their order."""
    text = re.sub(r"['\"][^'\"]*['\"]", " ", resolved(command, session))
    found = re.findall(r"\b[\w.]+\$([\w.]+)|\b[\w.]+\[\[?\s*,?", text)
    found = [f for f in found if f]
    formula = re.search(r"([\w.]*)\s*~\s*([\w.+*: ]+)", text)
    if formula is not None:
        found += [w for w in [formula[1], *re.split(r"[\s+*:]+", formula[2])] if w and w != "1"]
    if not found:
        known = set(session.words.names)
        found = [
            w for w in re.findall(r"[A-Za-z][\w.]*", text) if w in known or w in session.aliases or w in session.derived
        ]
    return list(dict.fromkeys(found))


def _where(command: str) -> str | None:
    match = re.search(r"subset\s*=\s*([^,)]+(?:\([^)]*\))?[^,)]*)", command)
    match = match or re.search(r"\w+\$\w+\[([^\]]+)\]", command)
    for pattern in (r"subset\(\w+,\s*([^,)]+)\)", r"\b[A-Za-z][\w.]*\[\s*([^\[\],]*[=<>][^\[\],]*?)\s*,"):
        match = match or re.search(pattern, command)
    return (
        as_condition(match[1])
        if match is not None and not re.match(r"^\s*\d+(?::\d+)?\s*$|^\s*order", match[1])
        else None
    )


def summary_line(block: Lines, i: int, j: int, command: str, session: Session) -> list[Candidate] | None:
    """summary() of a numeric vector, also group by group."""
    starts = [k for k in range(i, j - 1) if _SUMMARY.match(block.texts[k])]
    if not starts:
        return None
    if len(starts) > 1 or starts[0] > i:
        return _by_groups(block, i, starts, command, session)
    names = variables_in(command, session)
    of = names[0] if names else None
    texts = block.texts[i + 1].split()
    figures = [
        Figure(f"{of or 'x'}: {w}", w, n, block.line(i + 1), of)
        for w, t in zip(_WORDS, texts, strict=False)
        if (n := parse_number(t)) is not None
    ]
    if i and re.search(r"residual", " ".join(block.texts[max(i - 2, 0) : i]), re.I):
        return []
    lines = (block.line(i), block.line(i + 1))
    return [Candidate("cells", "position", lines, tuple(figures), variables=tuple(names[:1]), where=_where(command))]


def _by_groups(block: Lines, i: int, starts: list[int], command: str, session: Session) -> list[Candidate]:
    """by(x, group, summary): the name of a group above each summary."""
    names = variables_in(command, session)
    figures: list[Figure] = []
    for k in starts:
        label = re.match(r"^(?:[\w.]+\$)?([\w.]+): (.+?)\s*$", block.texts[k - 1]) if k > i else None
        listed = re.match(r"^\$`?(.+?)`?\s*$", block.texts[k - 1]) if k > i else None
        if not names or (label is None and (listed is None or len(names) < 2)):
            return []
        by, level = (label[1], label[2]) if label is not None else (names[1], listed[1] if listed else "")
        at = ((by, level),)
        figures += [
            Figure(f"{level}: {w}", w, n, block.line(k + 1), names[0], at)
            for w, t in zip(_WORDS, block.texts[k + 1].split(), strict=False)
            if (n := parse_number(t)) is not None
        ]
    lines = (block.line(starts[0] - 1), block.line(starts[-1] + 1))
    by = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    return [Candidate("cells", "position", lines, tuple(figures), variables=(names[0],), by=by, where=_where(command))]


_CELL = re.compile(r"(Min\.|1st Qu\.|Median|Mean|3rd Qu\.|Max\.|NA's)\s*:\s*(-?[\d.]+(?:e[-+]?\d+)?)")
_CELLS = dict(zip(("Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max.", "NA's"), _WORDS, strict=True))


def summary_frame(block: Lines, i: int, j: int, command: str) -> list[Candidate] | None:
    """summary() of a data frame: a column for each variable, `Min.   :16.00` in its cells."""
    if not any(_CELL.search(block.texts[k]) for k in range(i + 1, min(i + 3, j))):
        return None
    figures = []
    for k in range(i, j):
        if not _CELL.search(block.texts[k]):
            # A wide frame goes on below, with another line of names.
            heads = [(m.start() + m.end(), m[0]) for m in re.finditer(r"[\w.]+", block.texts[k])]
            continue
        for match in _CELL.finditer(block.texts[k]):
            number = parse_number(match[2])
            if number is not None and heads:
                name = min(heads, key=lambda h: abs(h[0] - match.start() - match.end()))[1]
                what = _CELLS[match[1]]
                figures.append(Figure(f"{name}: {what}", what, number, block.line(k), name))
    names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    lines = (block.line(i), block.line(j - 1))
    return [Candidate("cells", "position", lines, tuple(figures), variables=names, where=_where(command))]


def summary_grid(grid: Grid) -> list[Candidate]:
    """The same as a table of a document, as xtable and kable write it."""
    names = [c.strip() for c in grid.rows[0].cells]
    figures = [
        Figure(f"{name}: {_CELLS[match[1]]}", _CELLS[match[1]], number, row.line, name)
        for row in grid.rows[1:]
        for name, cell in zip(names, row.cells, strict=True)
        if (match := _CELL.search(cell)) is not None and (number := parse_number(match[2])) is not None and name
    ]
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    lines = (grid.rows[0].line, grid.rows[-1].line)
    return [Candidate("cells", "position", lines, tuple(figures), variables=shown)] if len(figures) > 3 else []


def scalars(block: Lines, i: int, j: int, command: str, session: Session) -> list[Candidate]:
    """`[1] 16.4589` after mean(d$Days), and `N used: 189` that a script wrote."""
    out: list[Candidate] = []
    calls = [c for part in re.split(r";\s*", command) if (c := _call(part)) is not None]
    shown = [k for k in range(i, j) if re.match(r"^\[1\]\s+-?[\d.]", block.texts[k])]
    pooled: list[Figure] = []
    for k, (function, part) in zip(shown, calls, strict=False):
        number = parse_number(block.texts[k].split()[1])
        if number is None:
            continue
        if function in _OF_MODEL:
            figure = Figure(_OF_MODEL[function], _OF_MODEL[function], number, block.line(k))
            out.append(Candidate("other", "fit", (block.line(k), block.line(k)), (figure,)))
            continue
        names = variables_in(part, session)
        if function == "cor":
            if len(names) == 2:
                found = Figure("correlation", "correlation", number, block.line(k))
                lines = (block.line(k), block.line(k))
                method = re.search(r"method\s*=\s*['\"](\w+)", part)
                how = method[1].capitalize() if method is not None else "Pearson"
                out.append(Candidate("test", "correlation", lines, (found,), variables=tuple(names), statistic=how))
            continue
        if names:
            what = _FUNCTIONS[function]
            pooled.append(Figure(f"{names[0]}: {what}", what, number, block.line(k), names[0]))
    if pooled:
        lines = (pooled[0].line, pooled[-1].line)
        named = tuple(dict.fromkeys(f.of for f in pooled if f.of))
        kinds = {f.what for f in pooled}
        kind = "position" if "median" in kinds else "extremes" if kinds <= {"minimum", "maximum"} else "means"
        out.append(Candidate("cells", kind, lines, tuple(pooled), variables=named, where=_where(command)))
    return out + _said(block, i, j)


_OF_MODEL = {"nobs": "n", "AIC": "AIC", "BIC": "BIC", "deviance": "deviance"}


def _call(text: str) -> tuple[str, str] | None:
    match = re.match(
        r"^\s*(?:round\(|print\(|signif\()*\s*(mean|sd|var|median|min|max|length|sum|nobs|cor|AIC|BIC|deviance)\((.*)$",
        text,
    )
    return None if match is None else (match[1], text)


def _said(block: Lines, start: int, end: int) -> list[Candidate]:
    """`ICC = 0.109`, `N used: 189   McFadden R2: 0.1142`: what a script says of the model above."""
    out = []
    for k in range(start, end):
        text = block.texts[k]
        if len(text) > 160 or re.match(r"^\s*[<>#]", text):
            continue
        figures = []
        for match in re.finditer(r"([A-Za-z][\w ².]*?)\s*[:=]\s*(-?[\d,]*\.?\d+(?:e[-+]?\d+)?)(?=\s|,|;|$)", text):
            word = "intraclass correlation" if match[1].strip() == "ICC" else fit_word(match[1])
            number = parse_number(match[2])
            if word is not None and number is not None:
                figures.append(Figure(word, word, number, block.line(k)))
        if figures and re.fullmatch(r"\s*(?:[A-Za-z][\w ².]*?\s*[:=]\s*[-\d,.e+]+[\s,;]*)+", text):
            out.append(Candidate("other", "fit", (block.line(k), block.line(k)), tuple(figures)))
    return out


def one_way(block: Lines, i: int, j: int, command: str, session: Session) -> list[Candidate] | None:
    """table() of one variable, and quantile(): labels above, figures below."""
    found = transposed_pairs(block, i, j)
    if found is None and not command and j - i > 2:
        found = transposed_pairs(block, i + 1, j)  # below the title that a script printed
    if found is None:
        return None
    name, pairs = found
    names = variables_in(command, session)
    of = names[0] if names else name or None
    lines = (block.line(i), block.line(j - 1))
    if all(re.fullmatch(r"[\d.]+%", label) for label, _, _ in pairs):
        figures = [
            Figure(f"{of}: {w}", w, n, line, of)
            for label, text, line in pairs
            if (n := parse_number(text)) is not None
            and (w := {"0%": "minimum", "100%": "maximum"}.get(label) or statistic_word(label)) is not None
        ]
        return [
            Candidate("cells", "position", lines, tuple(figures), variables=(of,) if of else (), where=_where(command))
        ]
    if re.search(r"\btapply\(|\bby\(|\bsplit\(", command) and len(names) > 1:
        return _grouped(pairs, names, command, lines)
    applied = re.search(
        r"\bcolMeans\(|\b(?:[sv]apply\(|apply\(.*,\s*2).*,\s*(mean|sd|var|median|min|max|sum)\b", command
    )
    if applied is not None:
        return _applied(pairs, _FUNCTIONS[applied[1] or "mean"], lines, _where(command))
    model = session.model
    if model is not None and model.formula and {p[0] for p in pairs} == {t.text for t in model.terms}:
        return [_coefficients(pairs, model, lines)]
    if re.search(r"\bcoef\(|confint|anova|predict|head\(|dim\(|names\(", command):
        return []
    if not command and not re.search(r"^\s*\d+(\s+\d+)*\s*$", block.texts[i + 1] if j - i == 2 else "0"):
        return None
    share = re.search(r"prop", command) is not None
    shown = [(label, n, line) for label, t, line in pairs if (n := parse_number(t)) is not None]
    if (
        not share
        and any(n.value is not None and n.value != int(n.value) for _, n, _ in shown)
        and not re.search("svytable|xtabs", command)
        and (command or len(pairs) < 2 or not session.vocabulary.with_levels([p[0] for p in pairs]))
    ):
        return None
    figures = [
        Figure(f"{of or 'x'}={label}", "percentage" if share else "count", n, line, None, ((of or "row0", label),))
        for label, n, line in shown
    ]
    return [
        Candidate("cells", "frequencies", lines, tuple(figures), variables=(of,) if of else (), where=_where(command))
    ]


def _coefficients(pairs: list[tuple[str, str, int]], model: Candidate, lines: tuple[int, int]) -> Candidate:
    """Coefficients of the model before, printed again in one line, or their exponentials."""
    known = {f.of: f.printed.value for f in model.figures if f.what == "coefficient"}
    numbers = [(name, n, line) for name, text, line in pairs if (n := parse_number(text)) is not None]
    same = all(n.agrees(known.get(name) or 0.0, 1.0, 1e-2) for name, n, _ in numbers)
    what = "coefficient" if same else RATIO.get(model.kind, "coefficient")
    figures = tuple(Figure(f"{name}: {what}", what, n, line, name) for name, n, line in numbers)
    return replace(model, lines=lines, figures=figures, facts={**model.facts, "follows": "yes"})


def _applied(
    pairs: list[tuple[str, str, int]], what: str, lines: tuple[int, int], where: str | None
) -> list[Candidate]:
    """One statistic of several variables, whose names stand above."""
    figures = tuple(
        Figure(f"{name}: {what}", what, n, line, name) for name, t, line in pairs if (n := parse_number(t)) is not None
    )
    kind = "position" if what == "median" else "extremes" if what in ("minimum", "maximum") else "means"
    return [Candidate("cells", kind, lines, figures, variables=tuple(p[0] for p in pairs), where=where)]


def _grouped(
    pairs: list[tuple[str, str, int]], names: list[str], command: str, lines: tuple[int, int]
) -> list[Candidate]:
    function = re.search(r",\s*(?:FUN\s*=\s*)?(mean|sd|var|median|min|max|length|sum)\b", command)
    what = _FUNCTIONS[function[1]] if function else "mean"
    figures = [
        Figure(f"{label}: {what}", what, n, line, names[0], ((names[1], label),))
        for label, t, line in pairs
        if (n := parse_number(t)) is not None
    ]
    kind = "position" if what == "median" else "extremes" if what in ("minimum", "maximum") else "means"
    return [
        Candidate("cells", kind, lines, tuple(figures), variables=(names[0],), by=(names[1],), where=_where(command))
    ]


def _aggregated(candidate: Candidate, what: str, where: str | None, names: list[str]) -> Candidate:
    """What aggregate() prints: groups in the first columns, one statistic of each variable in the others."""
    figures = []
    for f in candidate.figures:
        columns = [t for a, t in f.at if a.startswith("column")]
        groups = tuple((a, t) for a, t in f.at if not a.startswith("column"))
        of = columns[-1] if columns else None
        mine = next((n for n in names if of and of.startswith(f"{n}.") and statistic_word(of[len(n) + 1 :])), None)
        if mine is not None and of is not None:
            figures.append(replace(f, what=str(statistic_word(of[len(mine) + 1 :])), of=mine, at=groups))
            continue
        figures.append(replace(f, what=what, of=names[0] if of == "x" and names else of, at=groups))
    kind = "position" if what == "median" else "extremes" if what in ("minimum", "maximum") else "means"
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    by = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    return replace(candidate, kind=kind, figures=tuple(figures), variables=shown, by=by, where=where, statistic=what)


def _by_survey(candidate: Candidate, names: list[str], groups: list[str], what: str) -> Candidate:
    """What svyby() prints: the groups, an estimate of each variable, and the standard errors."""
    figures = []
    for f in candidate.figures:
        column = [t for a, t in f.at if a.startswith("column")]
        head = (column[-1] if column else f.of or "").strip()
        is_error = head.startswith("se") or f.what == "standard error"
        of = names[0] if head not in names else head
        at = tuple((groups[0] if len(groups) == 1 else a, t) for a, t in f.at if not a.startswith("column"))[:1]
        shown = "standard error" if is_error else what
        figures.append(replace(f, what=shown, of=of, at=at if len(groups) == 1 else f.at[: len(groups)]))
    kind = "means" if what == "mean" else "totals"
    return replace(
        candidate,
        kind=kind,
        figures=tuple(figures),
        variables=tuple(names),
        by=tuple(groups),
        errors="design-based",
    )


def survey_weights(session: Session) -> str | None:
    """The weights of the survey design that a session made."""
    for value in session.objects.values():
        found = re.search(r"svydesign\(.*weights\s*=\s*~\s*([\w.]+)", value)
        if found is not None:
            return found[1]
    return None


def named_table(candidate: Candidate, command: str, session: Session) -> Candidate:
    """A table with the names that the statement gives to its axes."""
    names = variables_in(command, session)
    where = candidate.where or _where(command)
    if re.search(r"\bsvy\w+\(", command):
        candidate = replace(candidate, weights=survey_weights(session))
    surveyed = re.search(r"\bsvyby\(\s*~([\w.+ ]+),\s*~([\w.+ ]+),.*\b(svymean|svytotal)", command)
    if surveyed is not None and candidate.shape == "cells":
        what = "mean" if surveyed[3] == "svymean" else "sum"
        return _by_survey(candidate, surveyed[1].split(" + "), surveyed[2].split(" + "), what)
    axes = list(dict.fromkeys(a for f in candidate.figures for a, _ in f.at))
    parts = dict(re.findall(r"[(,]\s*(\w+)\s*=\s*(?:round\()?(mean|sd|median|min|max|sum|length)\(", command))
    if command.startswith("aggregate(") and candidate.shape == "cells" and parts:
        return of_parts(candidate, {k: _FUNCTIONS[v] for k, v in parts.items()}, where)
    function = re.search(
        r"\b(tapply|aggregate|by)\(.*?\b(mean|sd|median|min|max|length|summary|sum|quantile)\b", command
    )
    if function is not None and function[1] == "tapply" and candidate.kind == "crosstab" and len(names) > len(axes):
        what = _FUNCTIONS[function[2]]
        renamed = dict(zip(axes, names[1:], strict=False))
        figures = tuple(
            replace(f, what=what, of=names[0], at=tuple((renamed.get(a, a), t) for a, t in f.at))
            for f in candidate.figures
        )
        return replace(
            candidate,
            kind="totals" if what == "sum" else kind_of({what}),
            figures=figures,
            variables=(names[0],),
            by=tuple(renamed.values()),
            where=where,
            statistic=what,
        )
    if function is not None and function[1] == "aggregate" and candidate.kind == "crosstab":
        return _aggregated(candidate, _FUNCTIONS[function[2]], where, names)
    if candidate.kind == "crosstab" and names and re.search(r"table|xtabs", resolved(command, session)):
        renamed = {a: n for a, n in zip(axes, names, strict=False) if re.fullmatch(r"(?:row|column)\d", a)}
        figures = tuple(replace(f, at=tuple((renamed.get(a, a), t) for a, t in f.at)) for f in candidate.figures)
        if re.search(r"prop(?:\.table|ortions)", command):
            figures = tuple(replace(f, what="percentage") for f in figures)
        shown = list(dict.fromkeys(a for f in figures for a, _ in f.at))
        return replace(candidate, figures=figures, variables=tuple(shown[:1]), by=tuple(shown[1:]), where=where)
    if re.search(r"prop(?:\.table|ortions)", command):
        candidate = replace(candidate, figures=tuple(replace(f, what="percentage") for f in candidate.figures))
    return replace(candidate, where=where)
