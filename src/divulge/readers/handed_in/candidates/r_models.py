"""What R prints of fitted models: a call, tables of coefficients, and statistics of the fit."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.coefficients import header_words, rows_at
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.console import transposed_pairs
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.r_calls import call_at, described, model_in, parse_call
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.statistic_names import RATIO
from divulge.readers.handed_in.sheets import Lines

_Found = tuple[list[Candidate], int] | None
_NUMBER = r"(-?[\d,]*\.?\d+(?:e[-+]?\d+)?)"
_ON = r"\s+on\s+(\d+)\s+df(?:,\s*p=\s*(<?\s*[\d.]+(?:e[-+]?\d+)?))?"
_TESTED = ("likelihood ratio chi-squared", "df", "p-value")
_FIT = (
    (rf"Residual standard error:\s*{_NUMBER} on (\d+) degrees", ("residual standard error", "residual df")),
    (rf"Multiple R-squared:\s*{_NUMBER},\s*Adjusted R-squared:\s*{_NUMBER}", ("r-squared", "adjusted r-squared")),
    (
        rf"F-statistic:\s*{_NUMBER} on\s+(\d+) and\s+(\d+) DF,\s*p-value:\s*((?:<\s*)?[\d.]+(?:e[-+]?\d+)?)",
        ("F", "df1", "df2", "p-value"),
    ),
    (rf"Null deviance:\s*{_NUMBER}\s+on\s+(\d+)", ("null deviance", "null df")),
    (r"Degrees of Freedom: (\d+) Total.*;\s*(\d+) Residual", ("null df", "residual df")),
    (rf"^Null Deviance:\s*{_NUMBER}\s*$", ("null deviance",)),
    (rf"^Residual Deviance:\s*{_NUMBER}\s+AIC:\s*{_NUMBER}", ("deviance", "AIC")),
    (rf"Residual [Dd]eviance:\s*{_NUMBER}\s+on\s+(\d+)", ("deviance", "residual df")),
    (rf"^Residual Deviance:\s*{_NUMBER}\s*$", ("deviance",)),
    (rf"^AIC:\s*{_NUMBER}", ("AIC",)),
    (r"n=\s*(\d+)(?:, number of events=\s*(\d+))?", ("n", "events")),
    (rf"Concordance=\s*{_NUMBER}(?:\s+\(se =\s*{_NUMBER})?", ("concordance", "standard error of concordance")),
    (
        rf"Likelihood ratio test=\s*{_NUMBER}{_ON}",
        ("likelihood ratio chi-squared", "df", "p-value of likelihood ratio"),
    ),
    (rf"Wald test\s*=\s*{_NUMBER}{_ON}", ("Wald chi-squared", "df of Wald", "p-value of Wald")),
    (rf"Score \(logrank\) test =\s*{_NUMBER}{_ON}", ("score chi-squared", "df of score", "p-value of score")),
    (rf"Theta:\s*{_NUMBER}", ("theta",)),
    (rf"^\s*Std\. Err\.:\s*{_NUMBER}", ("standard error of theta",)),
    (rf"2 x log-likelihood:\s*{_NUMBER}", ("2 × log-likelihood",)),
    (rf"REML criterion at convergence:\s*{_NUMBER}", ("REML criterion",)),
    (r"Number of obs:\s*(\d+), groups:\s*\w+,\s*(\d+)", ("n", "groups")),
    (rf"Log-[Ll]ik(?:elihood)?\s*[:=]\s*{_NUMBER}", ("log-likelihood",)),
    (
        rf"Loglik\(model\)=\s*{_NUMBER}\s+Loglik\(intercept only\)=\s*{_NUMBER}",
        ("log-likelihood", "log-likelihood of the constant alone"),
    ),
    (rf"^\s*Chisq=\s*{_NUMBER} on (\d+) degrees of freedom, p=\s*(<?\s*[\d.]+(?:e[-+]?\d+)?)", _TESTED),
    (rf"^Scale=\s*{_NUMBER}", ("scale",)),
    (rf"^R-Squared:\s*{_NUMBER}", ("r-squared",)),
    (rf"^Adj\. R-Squared:\s*{_NUMBER}", ("adjusted r-squared",)),
    (rf"^Total Sum of Squares:\s*{_NUMBER}", ("total sum of squares",)),
    (rf"^Residual Sum of Squares:\s*{_NUMBER}", ("residual sum of squares",)),
    (r"^(?:Unb|B)alanced Panel: n = (\d+), T = \S+, N = (\d+)", ("groups", "n")),
)


def read_at(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    """The model, or the table of ratios, that begins on a line."""
    text = block.texts[i]
    session.model = _meant(model_in(command, session), session.model)
    if re.match(r"^Call:", text) or re.match(r"^(?:Generalized )?[Ll]inear mixed", text):
        return _model(block, i, end, command, session)
    model = session.model
    if model is not None and model.kind == "multinomial" and re.match(r"^\s+\(Intercept\)", text):
        figures, _, after = _matrix(block, i, end, "p-value" if "pnorm" in command else "z")
        return (
            ([Candidate("other", "fit", (block.line(i), block.line(after - 1)), tuple(figures))], after)
            if figures
            else None
        )
    if model is not None and re.match(r"^\s*2\.5 ?%\s+97\.5 ?%\s*$", text):
        heads = ["lower 95%", "upper 95%"]
        if split_row("".join(block.texts[i + 1 : i + 2]), 3) is not None:
            ratio = RATIO.get(model.kind)
            heads = [(ratio if "exp(" in command else None) or "coefficient", *heads]
        figures, terms, after = rows_at(block, i + 1, end, heads)
        if figures and not model.terms:
            return [
                replace(model, lines=(block.line(i), block.line(after - 1)), figures=tuple(figures), terms=tuple(terms))
            ], after
        if figures and {t.text for t in terms} <= {t.text for t in model.terms}:
            return [Candidate("other", "fit", (block.line(i), block.line(after - 1)), tuple(figures))], after
    named = _named_values(block, i, end, command, model)
    if named is not None:
        return named
    words = header_words(text)
    if words is None or not ({"odds ratio", "hazard ratio", "rate ratio"} & set(words) or "coefficient" in words):
        return None
    if "exponentiate = T" in command and model is not None:
        words = [RATIO.get(model.kind, w) if w == "coefficient" else w for w in words]
    figures, terms, after = rows_at(block, i + 1, end, words)
    if not figures:
        return None
    return [_follower(block, i, after, figures, terms, words, session)], after


def _meant(named: Candidate | None, last: Candidate | None) -> Candidate | None:
    """The model that a statement names; where it is the one printed last, that one, whose terms are known."""
    if named is None or last is None:
        return named or last
    is_same = (named.kind, named.formula, named.where) == (last.kind, last.formula, last.where)
    return last if is_same else named


def _named_values(block: Lines, i: int, end: int, command: str, model: Candidate | None) -> _Found:
    """What coef() gives of a model: terms on one line, their values on the next."""
    if model is None or not re.search(r"\bcoef\(|\$coef", command) or re.search(r"\d", block.texts[i]):
        return None
    figures, terms, after = _short(block, i, end)
    ratio = (RATIO.get(model.kind) if "exp(" in command else None) or "coefficient"
    if len(figures) < 2 or (model.terms and not {t.text for t in terms} <= {t.text for t in model.terms}):
        return None
    shown = tuple(replace(f, what=ratio, label=f"{f.of}: {ratio}") for f in figures)
    lines = (block.line(i), block.line(after - 1))
    return [
        replace(
            model,
            lines=lines,
            figures=shown,
            terms=(*terms, *_thresholds(model)),
            facts={**model.facts, "follows": "yes"},
        )
    ], after


def _thresholds(model: Candidate) -> tuple[Term, ...]:
    """The thresholds of an ordered model, which say in what order its classes are: tables of ratios leave them out."""
    return tuple(t for t in model.terms if "|" in t.text)


def _follower(
    block: Lines, i: int, after: int, figures: list[Figure], terms: list[Term], words: list[str], session: Session
) -> Candidate:
    """Ratios of the model that was printed before, or coefficients without a call."""
    lines = (block.line(i), block.line(after - 1))
    ratio = next((w for w in words if w.endswith("ratio")), None)
    kind = {"odds ratio": "logistic", "hazard ratio": "cox", "rate ratio": "poisson"}.get(ratio or "", "linear")
    model = session.model
    known = None if model is None else {t.text for t in model.terms or terms}
    if model is not None and known is not None and model.formula is not None and {t.text for t in terms} <= known:
        return replace(
            model,
            lines=lines,
            figures=tuple(figures),
            terms=(*terms, *_thresholds(model)),
            statistic=f"{ratio}s with 95% confidence intervals" if ratio else None,
            facts={**model.facts, "follows": "yes"},
        )
    return Candidate(
        "model", kind, lines, tuple(figures), terms=tuple(terms), facts={"kind": "open"} if ratio is None else {}
    )


def _model(block: Lines, i: int, end: int, command: str, session: Session) -> _Found:
    if block.texts[i].startswith("Call:"):
        call, j = call_at(block, i, end)
        function, formula, given = parse_call(call)
    else:
        j = i + 1
        named = next((t for t in block.texts[i : i + 4] if t.startswith("Formula:")), "")
        function, formula, given = "lmer", named.partition(":")[2].strip() or None, {}
        if "family" in "".join(block.texts[i : i + 3]).casefold() or block.texts[i].startswith("Generalized"):
            function = "glmer"
    if function in ("survfit", "survdiff", ""):
        return None
    stop = next(
        (k for k in range(j, end) if re.match(r"^(?:Call:|(?:Generalized )?[Ll]inear mixed)", block.texts[k])), end
    )
    model = described(function, formula, given, session)
    figures, terms, last = _parts(block, j, stop, model.kind)
    if not figures:
        return None
    fit, last = _fit(block, j, _fit_end(block, last, stop), last)
    fit += _residuals(block, j, last)
    begun = next((m for k in range(i, j) if (m := re.search(r"init\.theta = ([\d.]+)", block.texts[k]))), None)
    if begun is not None and (number := parse_number(begun[1])) is not None:
        fit.append(Figure("init.theta", "theta", number, block.line(i + 1)))
    lines = (block.line(i), block.line(last - 1))
    return [replace(model, lines=lines, figures=(*figures, *fit), terms=tuple(terms), command=command or None)], last


def _residuals(block: Lines, start: int, end: int) -> list[Figure]:
    """Quantiles of residuals, which R prints above the coefficients."""
    for i in range(start, end - 1):
        if re.match(r"^\s*Min\.?\s+1(?:Q|st Qu\.)\s+Median\s+3(?:Q|rd Qu\.)\s+Max\.?\s*$", block.texts[i]):
            shown = [parse_number(t) for t in block.texts[i + 1].split()]
            return [
                Figure(f"residuals: {what}", f"{what} of residuals", number, block.line(i + 1))
                for what, number in zip(_QUANTILES, shown, strict=False)
                if number is not None
            ]
    return []


_QUANTILES = ("minimum", "first quartile", "median", "third quartile", "maximum")


def _fit_end(block: Lines, last: int, stop: int) -> int:
    """Statistics of a model stand within some lines of its coefficients, before any other table."""
    return next((k for k in range(last, stop) if header_words(block.texts[k]) is not None), min(stop, last + 25))


def _parts(block: Lines, start: int, stop: int, kind: str) -> tuple[list[Figure], list[Term], int]:
    """Tables of coefficients between two lines; matrices of a multinomial model class by class."""
    figures: list[Figure] = []
    terms: list[Term] = []
    last = i = start
    section = ""
    while i < stop:
        text = block.texts[i]
        if re.match(r"^(?:Coefficients|Std\. Errors|Intercepts|Random effects|Fixed [Ee]ffects)", text):
            section = text.split(":")[0].strip()
        words = header_words(text)
        if words is not None and (set(words) & {"coefficient", "hazard ratio", "standard error", "odds ratio"}):
            if figures and kind != "cox" and set(words) & {"odds ratio", "rate ratio", "hazard ratio"}:
                break  # ratios are printed by a statement of their own
            if "coefficient" in words and _begins_again(block, i + 1, terms) and kind not in ("cox", "other"):
                break  # coefficients that a script printed of another model
            again = any(f.what == "hazard ratio" for f in figures)
            words = ["exp(coefficient)" if w == "hazard ratio" and again else w for w in words]
            rows, named, after = rows_at(block, i + 1, stop, words)
            if rows:
                figures += rows
                terms += [t for t in named if t.text not in {x.text for x in terms}]
                last = i = after
                continue
        elif kind == "multinomial" and section and re.match(r"^\s+\(Intercept\)", text):
            rows, named, after = _matrix(
                block, i, stop, "standard error" if section.startswith("Std") else "coefficient"
            )
            figures += rows
            terms += [t for t in named if t not in terms]
            last = i = after
            continue
        elif (
            (section == "Fixed Effects" or (section == "Coefficients" and not figures))
            and re.match(r"^\s*\(?[A-Za-z]", text)
            and words is None
        ):
            rows, named, after = _short(block, i, stop)
            if rows:
                figures, terms, last, i = [*figures, *rows], named, after, after
                continue
        elif section == "Random effects":
            row = re.match(
                r"^\s*(\S+)?\s+(\(?[A-Za-z][\w.]*\)?)?\s+(\d[\d.]*)(?:\s+(\d[\d.]*))?((?:\s+-?\d?\.\d+)*)\s*$", text
            )
            if row is not None and (row[1] or row[2]):
                figures += _random(row, block.line(i))
                last = i + 1
        i += 1
    return figures, terms, last


def _begins_again(block: Lines, i: int, terms: list[Term]) -> bool:
    """Whether the rows from a line begin with the first term that was read already."""
    row = block.texts[i].split() if i < len(block.texts) else []
    return bool(terms and row) and row[0] in (terms[0].text, "(Intercept)")


def _short(block: Lines, i: int, stop: int) -> tuple[list[Figure], list[Term], int]:
    """Coefficients as print() of a model shows them: names on one line, values right-aligned on the next."""
    end = i
    while end < stop and block.texts[end].strip():
        end += 1
    found = transposed_pairs(block, i, end)
    if found is None:
        return [], [], i
    figures = [
        Figure(f"{name}: coefficient", "coefficient", number, line, name)
        for name, text, line in found[1]
        if (number := parse_number(text)) is not None
    ]
    return figures, [Term(name) for name, _, _ in found[1]], end


def _random(row: re.Match[str], line: int) -> list[Figure]:
    """A row of the random effects: variance and standard deviation, or the latter alone, and correlations."""
    out = []
    name = row[1] or row[2]
    shown = [("variance", row[3]), ("sd", row[4])] if row[4] else [("sd", row[3])]
    for what, text in (*shown, *(("correlation of effects", t) for t in row[5].split())):
        number = parse_number(text)
        if number is not None:
            out.append(Figure(f"{name}: {what}", what, number, line, f"random {name}"))
    return out


def _matrix(block: Lines, i: int, stop: int, what: str) -> tuple[list[Figure], list[Term], int]:
    heads = block.texts[i].split()
    figures, terms = [], []
    j = i + 1
    while j < stop and block.texts[j].strip():
        cells = block.texts[j].split()
        if len(cells) < len(heads) + 1:
            break
        level = " ".join(cells[: len(cells) - len(heads)])
        for head, text in zip(heads, cells[-len(heads) :], strict=True):
            number = parse_number(text)
            if number is not None:
                terms.append(Term(head, level))
                figures.append(Figure(f"{level}, {head}: {what}", what, number, block.line(j), f"{level}: {head}"))
        j += 1
    return figures, terms, j


def _fit(block: Lines, start: int, stop: int, last: int) -> tuple[list[Figure], int]:
    found: list[Figure] = []
    for i in range(start, stop):
        for pattern, whats in _FIT:
            match = re.search(pattern, block.texts[i])
            if match is None:
                continue
            for what, text in zip(whats, match.groups(), strict=False):
                number = parse_number(text) if text else None
                if number is not None and not any(f.what == what for f in found):
                    found.append(Figure(what, what, number, block.line(i)))
                    last = max(last, i + 1)
    return found, last
