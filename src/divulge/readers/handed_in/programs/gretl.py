"""gretl's text output: summary, corr, xtab and models, with the commands that its logs show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from divulge.readers.handed_in.candidates import gretl_tables
from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.descriptives import kind_of
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statements import note_gretl
from divulge.readers.handed_in.candidates.statistic_names import fit_word, statistic_word
from divulge.readers.handed_in.sheets import Block, Lines

_MODEL = re.compile(
    r"^(?:Model \d+:\s*|\w+: (?=[A-Z])|(?=(?:Pooled )?OLS,|WLS,|Logit,|Probit,|Poisson,))(.+?)"
    r", using (?:observations|(\d+) observations)(.*)$"
)
_KINDS = (
    ("Ordered", "ordered"),
    ("Multinomial", "multinomial"),
    ("Logit", "logistic"),
    ("Probit", "probit"),
    ("Poisson", "poisson"),
    ("Negative Binomial", "negative-binomial"),
    ("Fixed-effects", "linear"),
    ("Random-effects", "other"),
    ("OLS", "linear"),
    ("Pooled OLS", "linear"),
    ("WLS", "linear"),
    ("Heteroskedasticity-corrected", "other"),
    ("Tobit", "other"),
    ("TSLS", "two-stage"),
)
_FIT = {
    "Sum squared resid": "residual sum of squares",
    "S.E. of regression": "standard error of regression",
    "Mean dependent var": "mean of response",
    "S.D. dependent var": "sd of response",
    "R-squared": "r-squared",
    "Adjusted R-squared": "adjusted r-squared",
    "Log-likelihood": "log-likelihood",
    "Akaike criterion": "AIC",
    "Schwarz criterion": "BIC",
    "McFadden R-squared": "pseudo r-squared",
    "P-value(F)": "p-value",
    "Within R-squared": "within r-squared",
    "LSDV R-squared": "r-squared",
    "Durbin-Watson": "Durbin-Watson",
    "rho": "autocorrelation",
    "Hannan-Quinn": "Hannan-Quinn",
}


class Gretl:
    """gretl's logs: summary statistics, correlations, cross-tabulations, models with their errors and panels."""

    name = "gretl"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The outputs of a log."""
        if not isinstance(block, Lines) or not any(
            re.match(r"^gretl version|^\? |^Model \d+: ", t) for t in block.texts
        ):
            return []
        return [session.signed(c, self.name) for c in self._walk(block, session)]

    def _walk(self, block: Lines, session: Session) -> Iterator[Candidate]:
        command = ""
        group: tuple[tuple[str, str], ...] = ()
        for i, text in enumerate(block.texts):
            if text.startswith("? "):
                command, group = text[2:].strip(), ()
                note_gretl(command, session)
            elif _MODEL.match(text):
                yield from _model(block, i, command, session)
            elif text.startswith("Cross-tabulation of"):
                yield from _crosstab(block, i)
            elif text.startswith("Pearson chi-square test"):
                yield from _chi_squared(block, i)
            elif text.startswith("Correlation "):
                yield from _correlations(block, i)
            elif text.startswith("Frequency distribution"):
                yield from gretl_tables.frequencies(block, i)
            elif text.startswith("Analysis of Variance"):
                yield from gretl_tables.variance(block, i)
            elif (aside := gretl_tables.predicted(block, i)) is not None:
                session.asides.append(aside)
                session.claimed.append(aside)
            elif text.startswith("Summary statistics"):
                yield from gretl_tables.summary_by(block, i)
            elif command.startswith("summary"):
                named = re.match(r"^(\w+) = (.+?) \(n = \d+\):", text)
                group = ((named[1], named[2]),) if named is not None else group
                yield from _summary(block, i, command, group)


def _summary(block: Lines, i: int, command: str, at: tuple[tuple[str, str], ...]) -> Iterator[Candidate]:
    heads = re.split(r"\s{2,}", block.texts[i].strip())
    words = [statistic_word(h) for h in heads]
    if len(heads) < 2 or not all(words) or i + 1 >= len(block.texts):
        return
    figures = []
    j = i + 1
    while j < len(block.texts) and (row := split_row(block.texts[j], len(heads))) is not None and row[0]:
        figures += [
            Figure(f"{row[0]}: {w}", str(w), n, block.line(j), row[0], at)
            for w, t in zip(words, row[1], strict=True)
            if (n := parse_number(t)) is not None
        ]
        j += 1
    names = tuple(dict.fromkeys(f.of for f in figures if f.of))
    if figures:
        kind = kind_of({f.what for f in figures})
        lines = (block.line(i), block.line(j - 1))
        by = tuple(a for a, _ in at)
        yield Candidate("cells", kind, lines, tuple(figures), variables=names, by=by, command=command)


def _correlations(block: Lines, i: int) -> Iterator[Candidate]:
    start = next(
        (
            k
            for k in range(i + 1, min(i + 6, len(block.texts)))
            if re.match(r"^\s{3,}[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*)+\s*$", block.texts[k])
        ),
        None,
    )
    if start is None:
        return
    heads = block.texts[start].split()
    figures = []
    names = []
    j = start + 1
    while j < len(block.texts) and block.texts[j].strip():
        cells = block.texts[j].split()
        name, texts = cells[-1], cells[:-1]
        names.append(name)
        for head, text in zip(heads[len(heads) - len(texts) :], texts, strict=False):
            number = parse_number(text)
            if number is not None:
                figures.append(
                    Figure(f"{name} × {head}", "correlation", number, block.line(j), name, (("column", head),))
                )
        j += 1
    yield Candidate(
        "correlation", "correlation", (block.line(i), block.line(j - 1)), tuple(figures), variables=tuple(names)
    )


def _crosstab(block: Lines, i: int) -> Iterator[Candidate]:
    match = re.match(r"^Cross-tabulation of (\w+) \(rows\) against (\w+) \(columns\)", block.texts[i])
    if match is None:
        return
    row, column = match.groups()
    heads: list[str] = []
    ends: list[int] = []
    figures = []
    j = i + 1
    while j < len(block.texts) and not block.texts[j].startswith(("Pearson", "?", "Fisher", "Cross")):
        text = block.texts[j]
        if not heads and "TOT" in text:
            # Numbers stand in brackets, the values of a text variable do not.
            shown = text[: text.index("TOT")]
            places = list(re.finditer(r"\[\s*([^\]]*)\]", shown)) or list(re.finditer(r"(\S+(?: \S+)*)", shown))
            heads = [*(m[1].strip() for m in places), "Total"]
            ends = [*(m.end() for m in places), text.index("TOT") + 4]
        elif heads:
            label = re.match(r"^\s*(?:\[\s*([^\]]*)\]|(\S.*?))\s+((?:[\d.]+%?\s*)+)$", text)
            if label is not None:
                name = "Total" if label[2] == "TOTAL" else (label[1] or label[2]).strip()
                for cell in re.finditer(r"\S+", text[label.start(3) :]):
                    place = cell.end() + label.start(3)
                    head = heads[min(range(len(ends)), key=lambda k: abs(ends[k] - place))]
                    number = parse_number(cell[0])
                    if number is not None:
                        what = "percentage" if number.is_percent else "count"
                        figures.append(
                            Figure(f"{name} × {head}", what, number, block.line(j), None, ((row, name), (column, head)))
                        )
        j += 1
    yield Candidate(
        "cells", "crosstab", (block.line(i), block.line(j - 1)), tuple(figures), variables=(row,), by=(column,)
    )


def _chi_squared(block: Lines, i: int) -> Iterator[Candidate]:
    match = re.search(r"= ([\d.]+) \((\d+) df, p-value = ([\d.e+-]+)\)", block.texts[i])
    above = next(
        (
            m
            for k in range(i, -1, -1)
            if (m := re.match(r"^Cross-tabulation of (\w+) \(rows\) against (\w+)", block.texts[k]))
        ),
        None,
    )
    if match is None or above is None:
        return
    figures = [
        Figure(w, w, n, block.line(i))
        for w, t in zip(("chi-squared", "df", "p-value"), match.groups(), strict=True)
        if (n := parse_number(t)) is not None
    ]
    yield Candidate(
        "test",
        "chi-squared",
        (block.line(i), block.line(i)),
        tuple(figures),
        variables=(above[1],),
        by=(above[2],),
        statistic="chi-squared",
    )


def _model_rows(block: Lines, j: int, words: Sequence[str]) -> tuple[list[Figure], list[Term], int]:
    """The lines of a model's terms from line j on, and where they end."""
    figures: list[Figure] = []
    terms: list[Term] = []
    level = ""
    while j < len(block.texts) and (block.texts[j].strip() or _has_cuts(block, j)):
        equation = re.match(r"^\s*\w+ = (\S+)\s*$", block.texts[j])
        level = equation[1] if equation is not None else level
        row = split_row(block.texts[j], len(words)) or split_row(block.texts[j], 3)
        if row is not None and row[0]:
            terms.append(Term(row[0], level or None))
            key = f"{level}: {row[0]}" if level else row[0]
            figures += [
                Figure(f"{key}: {w}", w, n, block.line(j), key)
                for w, t in zip(words, row[1], strict=False)
                if (n := parse_number(t)) is not None
            ]
        j += 1
    return figures, terms, j


def _model(block: Lines, i: int, command: str, session: Session) -> Iterator[Candidate]:
    match = _MODEL.match(block.texts[i])
    assert match is not None, "the caller looked"
    title = match[1]
    kind = next((k for word, k in _KINDS if title.startswith(word)), "other")
    if re.match(r"^(?:\S+ )?\S.*\btest\b", block.texts[i - 1] if i else ""):
        kind = "other"  # the regression behind a test
    head = next(
        (
            k
            for k in range(i, min(i + 14, len(block.texts)))
            if re.match(r"^\s+coefficient\s+std\. ?error", block.texts[k])
        ),
        None,
    )
    if head is None:
        return
    about = "\n".join(block.texts[i:head])
    found = re.search(r"Dependent variable: ([\w.]+)", about)
    response = found[1] if found else None
    statistic = "z" if re.search(r"\bz\b", block.texts[head]) else "t"
    words = [
        "coefficient",
        "standard error",
        statistic,
        *(["p-value"] if "p-value" in block.texts[head] else ["slope"]),
    ]
    figures, terms, j = _model_rows(block, head + 1, words)
    fit, end = _fit(block, j)
    sample = re.search(r"using observations (\d+)-(\d+)(?: \(n = (\d+)\))?", block.texts[i])
    n_text = match[2] or (sample[3] or str(int(sample[2]) - int(sample[1]) + 1) if sample else None)
    number = parse_number(n_text) if n_text else None
    if number is not None:
        fit.append(Figure("n", "n", number, block.line(i)))
    given = re.search(r"^Instruments: (.+)$", about, re.M)
    facts = {"instruments": " + ".join(n for n in given[1].split() if n != "const")} if given is not None else {}
    effects = session.panel[:1] if title.startswith("Fixed-effects") else ()
    yield Candidate(
        "model",
        kind,
        (block.line(i), block.line(end - 1)),
        (*figures, *fit),
        response=response,
        terms=tuple(terms),
        errors=_errors(about, session),
        fixed_effects=effects,
        command=command,
        statistic={"Fixed-effects": "fixed effects (within)", "Random-effects (GLS)": "random effects (GLS)"}.get(
            title
        ),
        facts=facts,
    )


def _has_cuts(block: Lines, j: int) -> bool:
    """Whether the thresholds of an ordered model follow, after an empty line."""
    return re.match(r"^\s+cut1\s", "".join(block.texts[j + 1 : j + 2])) is not None


def _errors(about: str, session: Session) -> str | None:
    if "Robust (HAC)" in about or "clustered" in about.casefold():
        return f"clustered by {session.panel[0]}" if session.panel else "robust"
    variant = re.search(r"robust standard errors, variant (HC\d)", about)
    return f"robust {variant[1]}" if variant else None


def _fit(block: Lines, i: int) -> tuple[list[Figure], int]:
    figures: list[Figure] = []
    j = i
    while j < len(block.texts) and j < i + 20 and not block.texts[j].startswith(("?", "Model")):
        for match in re.finditer(r"([A-Z][\w. ()',-]*?[\w).])\s{2,}(-?[\d.]+(?:e[-+]\d+)?)(?=\s|$)", block.texts[j]):
            name = match[1].strip()
            what = _FIT.get(name) or ("F" if re.match(r"^(?:LSDV )?F\(", name) else fit_word(name))
            number = parse_number(match[2])
            if what is not None and number is not None and not any(f.what == what for f in figures):
                figures.append(Figure(what, what, number, block.line(j)))
                i = j + 1
        for shown in re.finditer(r"(?:^|, )(SSR|R-squared) = (-?[\d.]+(?:e[-+]\d+)?)", block.texts[j]):
            number = parse_number(shown[2])
            what = {"SSR": "residual sum of squares"}.get(shown[1], "r-squared")
            if number is not None and not any(f.what == what for f in figures):
                figures.append(Figure(what, what, number, block.line(j)))
                i = j + 1
        test = re.match(r"^Likelihood ratio test: Chi-square\(\d+\) = ([\d.]+) \[", block.texts[j])
        if test is not None and (chi := parse_number(test[1])) is not None:
            figures.append(Figure("chi-squared", "likelihood ratio chi-squared", chi, block.line(j)))
        slope = re.match(r"^f\(beta'x\) at mean of independent vars = ([\d.]+)", block.texts[j])
        if slope is not None and (number := parse_number(slope[1])) is not None:
            figures.append(Figure("density at the means", "density at the means", number, block.line(j)))
        if test is not None or re.match(r"^(?:Number of cases|f\(beta|Hannan|Excluding)", block.texts[j]):
            i = j + 1
        j += 1
    return figures, max(i, 1)
