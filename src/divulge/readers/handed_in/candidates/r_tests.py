"""What R prints of tests, analyses of variance, survival curves and survey means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Shape
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_calls import call_at, parse_call
from divulge.readers.handed_in.candidates.r_descriptions import (
    hmisc,
    numbers_of_groups,
    summaries_of_groups,
    survey_quantiles,
    vector_of_statistics,
    vectors_of_groups,
)
from divulge.readers.handed_in.candidates.r_flat_tables import flat_table, variance_table
from divulge.readers.handed_in.candidates.r_packages import cross_table, described_by, survey_mean
from divulge.readers.handed_in.candidates.r_tables import _where, resolved, variables_in
from divulge.readers.handed_in.candidates.r_vectors import unnamed_vector
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_NUMBER = r"(-?[\d.]+(?:e[-+]?\d+)?)"


def read_at(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """The test or table that begins on a line, or None."""
    for read in _READERS:
        found = read(block, i, end, command, session)
        if found is not None:
            return found
    return None


def _figures(
    block: Lines,
    i: int,
    label: str,
    whats: tuple[str, ...],
    texts: list[str],
    at: tuple[tuple[str, str], ...] = (),
    of: str | None = None,
) -> list[Figure]:
    prefix = f"{label}: " if label else ""
    return [
        Figure(f"{prefix}{w}", w, n, block.line(i), of, at)
        for w, t in zip(whats, texts, strict=False)
        if (n := parse_number(t)) is not None
    ]


_TITLES = (
    (r"Welch Two Sample t-test", "t-test", "Welch t-test"),
    (r"Two Sample t-test", "t-test", "t-test, equal variances"),
    (r"Paired t-test|One Sample t-test", "t-test", "t-test"),
    (r"Pearson's Chi-squared test with Yates", "chi-squared", "chi-squared with Yates' correction"),
    (
        r"\d+-sample test for equality of proportions with cont",
        "chi-squared",
        "chi-squared with Yates' correction",
    ),
    (r"\d+-sample test for equality of proportions", "chi-squared", "chi-squared"),
    (r"Pearson's Chi-squared test|Chi-squared test for given", "chi-squared", "chi-squared"),
    (r"Pearson's product-moment correlation", "correlation", "Pearson"),
    (r"Spearman's rank correlation", "correlation", "Spearman"),
    (r"Kendall's rank correlation", "correlation", "Kendall"),
    (
        r"Wilcoxon|Kruskal-Wallis|Fisher's Exact|Bartlett|Shapiro|Mantel|McNemar|prop\. ?test|equality of proportions",
        "other",
        "test",
    ),
)


def _htest(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    title = next((t for t in _TITLES if re.match(rf"^\s+(?:{t[0]})", block.texts[i])), None)
    if title is None and re.match(r"^\s+\S", block.texts[i]) and _data_follows(block, i, end):
        title = ("", "other", "test")
    if title is None:
        return None
    stop = next(
        (
            k
            for k in range(i + 1, end)
            if re.match(r"^(?:\t|\s{2,})\S.*(?:[Tt]est|correlation)\b", block.texts[k]) and "=" not in block.texts[k]
        ),
        end,
    )
    data = next(
        (block.texts[k].partition(":")[2].strip() for k in range(i, stop) if block.texts[k].startswith("data:")), ""
    )
    halves = _halves(data)
    names = [halves[0], halves[1]] if halves else _data_names(data, command, session)
    figures: list[Figure] = []
    last = i + 1
    for k in range(i, stop):
        text = block.texts[k]
        if "=" in text or "<" in text:
            for match in re.finditer(rf"(?:^|[\s,])((?:num |denom )?[A-Za-z][\w-]*(?:\^2)?) = {_NUMBER}", text):
                if match[1] in _STATISTICS:
                    figures += _figures(block, k, "", (_STATISTICS[match[1]],), [match[2]])
            tested = re.search(rf"p-value (?:= |(<) ){_NUMBER}", text)
            if tested is not None:
                figures += _figures(block, k, "", ("p-value",), [f"< {tested[2]}" if tested[1] else tested[2]])
                last = k + 1
        if "percent confidence interval" in text and k + 1 < stop:
            figures += _figures(block, k + 1, "", ("lower 95%", "upper 95%"), block.texts[k + 1].split())
            last = k + 2
        if text.startswith("P value adjustment"):
            last = k + 1
        if text.startswith("sample estimates:") and k + 2 < stop:
            levels = {"x": halves[2], "y": halves[3]} if halves else {}
            figures += _estimates(block, k + 1, names, levels)
            last = k + 3
    _, kind, statistic = title
    lines = (block.line(i), block.line(last - 1))
    shape: Shape = "other" if kind == "other" else "test"
    both = kind == "correlation" or "Paired" in block.texts[i]
    statistic = "paired t-test" if "Paired" in block.texts[i] else statistic
    candidate = Candidate(
        shape,
        kind,
        lines,
        tuple(figures),
        variables=tuple(names if both else names[:1]),
        by=() if both else tuple(names[1:2]),
        where=None if halves else _where(command),
        statistic=statistic,
        facts={"mu": found[1]} if (found := re.search(r"\bmu\s*=\s*(-?[\d.]+)", command)) else {},
    )
    return [candidate], last


_STATISTICS = {
    "t": "t",
    "df": "df",
    "X-squared": "chi-squared",
    "chi-squared": "chi-squared",
    "S": "S",
    "z": "z",
    "W": "W",
    "V": "V",
    "F": "F",
    "num df": "df1",
    "denom df": "df2",
    "BP": "BP",
    "DW": "DW",
    "D": "D",
    "T": "T",
    "K-squared": "K-squared",
    "M^2": "chi-squared",
    "Z": "z",
}


def _data_follows(block: Lines, i: int, end: int) -> bool:
    """Whether the line that says which data a test is of stands right below."""
    return any(block.texts[k].startswith("data:") for k in range(i + 1, min(i + 3, end))) and not re.search(
        r"\d\.\d", block.texts[i]
    )


def _halves(data: str) -> tuple[str, str, str, str] | None:
    """`d$x[d$g == "a"] and d$x[d$g == "b"]`: the variable, the groups' variable and its two values."""
    half = r"(?:[\w.]+\$)?([\w.]+)\[\s*(?:[\w.]+\$)?([\w.]+)\s*==\s*['\"]?([^'\"\]]+?)['\"]?\s*\]"
    match = re.match(rf"^{half} and {half}$", data)
    if match is None or match[1] != match[4] or match[2] != match[5]:
        return None
    return match[1], match[2], match[3], match[6]


def _data_names(data: str, command: str, session: Session) -> list[str]:
    match = re.match(r"^([\w.$]+) (?:by|and) ([\w.$]+)$", data)
    if match is not None:
        return [re.sub(r"^.*\$", "", m) for m in match.groups()]
    return variables_in(data, session) or variables_in(command, session)


def _estimates(block: Lines, i: int, names: list[str], levels: dict[str, str]) -> list[Figure]:
    heads = re.split(r"\s{2,}|\s(?=mean (?:in group|of) )", block.texts[i].strip())
    texts = block.texts[i + 1].split()
    out = []
    for head, text in zip(heads, texts, strict=False):
        group = re.match(r"^mean (?:in group|of) (.+)$", head)
        what = "mean" if group else "correlation" if head in ("cor", "rho", "tau") else head
        label = levels.get(group[1], group[1]) if group else ""
        at = ((names[1] if len(names) > 1 else "row0", label),) if group else ()
        out += _figures(block, i + 1, label, (what,), [text], at)
    return out


def _anova(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    found = variance_table(block, i, end)
    if found is None:
        return None
    figures, terms, j = found
    return [
        Candidate(
            "other",
            "other",
            (block.line(i), block.line(j - 1)),
            tuple(figures),
            formula=_formula_of(command, session),
            terms=tuple(terms),
            statistic="analysis of variance",
        )
    ], j


def _flat(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    found = flat_table(block, i, end)
    if found is None:
        return None
    candidate = replace(found[0], where=_where(command))
    if re.search(r"prop(?:\.table|ortions)", command):
        candidate = replace(candidate, figures=tuple(replace(f, what="percentage") for f in candidate.figures))
    return [candidate], found[1]


def _formula_of(command: str, session: Session) -> str | None:
    text = resolved(command, session)
    match = re.search(r"([\w.]+(?:\([^()]*\))?)\s*~\s*", text)
    if match is None:
        return session.model.formula if session.model is not None else None
    right, depth = "", 0
    for c in text[match.end() :]:
        depth += (c == "(") - (c == ")")
        if depth < 0 or (c == "," and depth == 0):
            break
        right += c
    return f"{match[1]} ~ {right.strip()}"


def _tukey(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    if not re.match(r"^\s+diff\s+lwr\s+upr\s+p adj", block.texts[i]):
        return None
    whats = ("difference of means", "lower 95%", "upper 95%", "p-value")
    figures = []
    j = i + 1
    while j < end and (row := split_row(block.texts[j], 4)) is not None and row[0]:
        figures += _figures(block, j, row[0], whats, row[1], of=row[0])
        j += 1
    formula = _formula_of(command, session)
    fit = next((t for t in block.texts[max(i - 6, 0) : i] if t.startswith("Fit:")), "")
    match = re.search(r"formula = ([^,]+)", fit)
    return [
        Candidate(
            "other",
            "other",
            (block.line(i), block.line(j - 1)),
            tuple(figures),
            formula=match[1] if match else formula,
            statistic="Tukey's differences",
        )
    ], j


def _zph(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    if not re.match(r"^\s+chisq\s+df\s+p\s*$", block.texts[i]):
        return None
    figures = []
    j = i + 1
    while j < end and (row := split_row(block.texts[j], 3)) is not None and row[0]:
        figures += _figures(block, j, row[0], ("chi-squared", "df", "p-value"), row[1], of=row[0])
        j += 1
    formula = session.model.formula if session.model is not None else None
    return [
        Candidate(
            "other",
            "other",
            (block.line(i), block.line(j - 1)),
            tuple(figures),
            formula=formula,
            statistic="proportional hazards test",
        )
    ], j


def _survfit(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    if not re.match(r"^Call:", block.texts[i]):
        return None
    call, j = call_at(block, i, end)
    function, formula, _ = parse_call(call)
    if function not in ("survfit", "survdiff"):
        return None
    stop = next((k for k in range(j, end) if re.match(r"^Call:", block.texts[k])), end)
    figures: list[Figure] = []
    group: str | None = None
    statistic, last, heads = "life table", j, []
    for k in range(j, stop):
        text = block.texts[k]
        if re.match(r"^\s+n\s+events\s+median", text):
            heads, statistic = (
                ["n", "events", "median survival", "lower 95%", "upper 95%"],
                "n, events, median survival",
            )
        elif re.match(r"^\s*time\s+n\.risk\s+n\.event\s+survival", text):
            heads = ["time", "n at risk", "events", "survival", "standard error", "lower 95%", "upper 95%"]
        elif re.match(r"^\s+N\s+Observed\s+Expected", text):
            heads, statistic = ["n", "observed events", "expected events", "(O-E)^2/E", "(O-E)^2/V"], "log-rank test"
        elif re.match(r"^\s+\S+=.*\S\s*$", text) and not re.search(r"\s\d", text.strip()):
            group = text.strip()
        elif re.match(r"^\s*Chisq=", text):
            match = re.search(rf"Chisq=\s*{_NUMBER}\s+on\s+(\d+) degrees of freedom, p=\s*<?\s*{_NUMBER}", text)
            if match is not None:
                figures += _figures(block, k, "", ("chi-squared", "df", "p-value"), list(match.groups()))
                last = k + 1
        elif heads:
            row = _survival_row(text, heads, group, block, k)
            figures += row
            last = k + 1 if row else last
    if not figures:
        return None
    duration, event, by = surv_formula(formula or "")
    candidate = Candidate(
        "survival",
        "survival",
        (block.line(i), block.line(last - 1)),
        tuple(figures),
        formula=formula,
        statistic=statistic,
        variables=tuple(v for v in (duration, event) if v),
        by=by,
        facts={"duration": duration or "", "event": event or ""},
    )
    return [candidate], last


def _survival_row(text: str, heads: list[str], group: str | None, block: Lines, k: int) -> list[Figure]:
    cells = text.split()
    if heads[0] == "time":
        if len(cells) < 4 or parse_number(cells[0]) is None:
            return []
        at = (*((("group", group),) if group else ()), ("time", cells[0]))
        label = f"{group}, time {cells[0]}" if group else f"time {cells[0]}"
        return _figures(block, k, label, tuple(heads[1:]), cells[1:], at)
    match = re.match(r"^\s*(\S+=.*?\S)\s+((?:[\d.]+|NA)(?:\s+(?:[\d.]+|NA))+)\s*$", text)
    if match is None:
        only = re.match(r"^\s*((?:\[1,\]\s+)?\d[\d.\s]*(?:NA)?[\d.\sNA]*)$", text)
        return _figures(block, k, "", tuple(heads), only[1].replace("[1,]", "").split()) if only else []
    return _figures(block, k, match[1], tuple(heads), match[2].split(), (("group", match[1]),))


def surv_formula(formula: str) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Duration, event and groups of `Surv(time, status == 2) ~ sex`."""
    match = re.match(r"^\s*Surv\(\s*([\w.$]+)\s*,\s*(?:[\w.$]+\s*,\s*)?([\w.$]+)[^)]*\)\s*~\s*(.*)$", formula)
    if match is None:
        return None, None, ()
    by = tuple(w for w in re.findall(r"[A-Za-z][\w.]*", match[3]) if w not in ("strata", "factor", "cluster"))
    return re.sub(r"^.*\$", "", match[1]), re.sub(r"^.*\$", "", match[2]), by


def _independence(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """summary() of a table: the test that its factors are independent."""
    if not re.match(r"^Number of cases in table:", block.texts[i]):
        return None
    figures = _figures(block, i, "", ("n",), [block.texts[i].partition(":")[2].strip()])
    last = i + 1
    for k in range(i + 1, min(i + 5, end)):
        match = re.search(rf"Chisq = {_NUMBER}, df = (\d+), p-value = {_NUMBER}", block.texts[k])
        if match is not None:
            figures += _figures(block, k, "", ("chi-squared", "df", "p-value"), list(match.groups()))
            last = k + 1
    names = variables_in(command, session)
    lines = (block.line(i), block.line(last - 1))
    shown, by = tuple(names[:1]), tuple(names[1:2])
    candidate = Candidate("test", "chi-squared", lines, tuple(figures), variables=shown, by=by, where=_where(command))
    return [replace(candidate, statistic="chi-squared")], last


_READERS: tuple[Callable[[Lines, int, int, str, Session], _Found], ...] = (
    _htest,
    _anova,
    _flat,
    _tukey,
    _zph,
    _survfit,
    survey_mean,
    _independence,
    cross_table,
    described_by,
    hmisc,
    survey_quantiles,
    summaries_of_groups,
    numbers_of_groups,
    vectors_of_groups,
    vector_of_statistics,
    unnamed_vector,
)
