"""Stata's tables of coefficients: the header with its statistics, the rows, and what the command says."""

from __future__ import annotations

import re
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.columns import split_row
from divulge.readers.handed_in.candidates.expressions import stata_condition
from divulge.readers.handed_in.candidates.numbers import Printed, parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_survival import facts
from divulge.readers.handed_in.candidates.statistic_names import column_words
from divulge.readers.handed_in.sheets import Lines

EFFECTS_OF = ("logistic", "probit", "poisson")
"""The models whose average marginal effects are computed."""

_HEADER = re.compile(
    r"^\s*(\S.*?)?\s*\|.*(?:Coef|Odds [Rr]atio|Haz\. [Rr]atio|IRR|RRR|Margin|dy/dx|Hazard ratio|exp\(b\))"
)
_FIT = (
    (r"Number of obs\s*=\s*([\d,]+)", "n"),
    (r"\bF\(\s*\d+,\s*\d+\)\s*=\s*([\d.]+)", "F"),
    (r"Prob > (?:F|chi2)\s*=\s*([\d.]+)", "p-value"),
    (r"(?<![Ad][dj][j.] )(?<!Pseudo )(?<!Within )\bR-squared\s*=\s*([\d.]+)", "r-squared"),
    (r"Adj R-squared\s*=\s*([-\d.]+)", "adjusted r-squared"),
    (r"Within R-sq\.\s*=\s*([\d.]+)", "within r-squared"),
    (r"\b[Ww]ithin\s*=\s*([\d.]+)", "within r-squared"),
    (r"\b[Bb]etween\s*=\s*([\d.]+)", "between r-squared"),
    (r"\b[Oo]verall\s*=\s*([\d.]+)", "overall r-squared"),
    (r"Root MSE\s*=\s*([\d.]+)", "root mean squared error"),
    (r"Pseudo R2\s*=\s*([\d.]+)", "pseudo r-squared"),
    (r"Log (?:pseudo|restricted-)?likelihood\s*=\s*(-?[\d.]+)", "log-likelihood"),
    (r"(?:LR|Wald) chi2\(\s*\d+\)\s*=\s*([\d.]+)", "chi-squared"),
    (r"(?:LR|Wald) chi2\(\s*(\d+)\)\s*=", "df1"),
    (r"\bF\(\s*(\d+),\s*\d+\)\s*=", "df1"),
    (r"\bF\(\s*\d+,\s*(\d+)\)\s*=", "df2"),
    (r"No\. of subjects\s*=\s*([\d,]+)", "n"),
    (r"No\. of failures\s*=\s*([\d,]+)", "events"),
    (r"Number of groups\s*=\s*([\d,]+)", "groups"),
    (r"Time at risk\s*=\s*([\d,]+)", "time at risk"),
)
_TITLES = (
    (r"Ordered (?:logistic|probit)", "ordered"),
    (r"Multinomial logistic", "multinomial"),
    (r"Negative binomial", "negative-binomial"),
    (r"Poisson regression", "poisson"),
    (r"Cox (?:regression|proportional)", "cox"),
    (r"Mixed-effects|Multilevel", "mixed"),
    (r"Random-effects", "other"),
    (r"Fixed-effects|HDFE Linear|Linear regression, absorbing|Source\s*\|\s*SS|Linear regression", "linear"),
    (r"Probit regression", "probit"),
    (r"Logistic regression|Logit", "logistic"),
)
_COMMANDS = {
    "reg": "linear",
    "regress": "linear",
    "areg": "linear",
    "reghdfe": "linear",
    "logit": "logistic",
    "logistic": "logistic",
    "probit": "probit",
    "poisson": "poisson",
    "nbreg": "negative-binomial",
    "ologit": "ordered",
    "oprobit": "ordered",
    "mlogit": "multinomial",
    "stcox": "cox",
    "mixed": "mixed",
    "xtmixed": "mixed",
    "melogit": "mixed",
    "margins": "other",
    "tobit": "other",
    "ivregress": "other",
    "qreg": "other",
}


def read_at(block: Lines, i: int, start: int, command: str, session: Session) -> tuple[list[Candidate], int] | None:
    """The model whose header is on line i; start: where its output begins."""
    header = block.texts[i]
    if not _HEADER.match(header):
        return None
    words = column_words(header.partition("|")[2])
    words = ["margin" if re.search(r"Margin", header) and w == "coefficient" else w for w in words]
    if "Margin" in header:
        words = ["margin", *[w for w in words if w not in ("margin", "coefficient")]]
    elif "dy/dx" in header:
        words = ["marginal effect", *[w for w in words if w not in ("marginal effect", "coefficient")]]
    if len(words) < 2:
        return None
    response = header.partition("|")[0].strip() or _equation(block, i)
    head = "\n".join(block.texts[max(start, i - 40) : i])
    figures, terms, end = _rows(block, i + 1, words, _kind(head, command, words) == "multinomial")
    if not figures:
        return None
    if all(re.fullmatch(r"\(\d+\)|_nl_\d+", t.text) for t in terms):
        return [of_model("combinations of coefficients", figures, (block.line(i), block.line(end - 1)), session)], end
    fit = _fit(block, max(start, i - 40), i)
    kind = _kind(head, command, words)
    ratio = next((w for w in words if w.endswith("ratio")), None)
    figures = [f for f in figures if f is not None] + fit
    effects = _effects(head, command, session)
    group, where = restricted(command)
    before, told = session.model, {**_random(command), **(facts(session) if kind == "cox" else {})}
    errors = _errors(head)
    if {"margin", "marginal effect"} & set(words) and before is not None:
        response, terms = before.response or "", list(before.terms)
        if "Average marginal effects" in head and before.kind in EFFECTS_OF:
            kind, told, errors = "marginal-effects", {"model": before.kind}, before.errors
            where, group = before.where, before.weights
    candidate = Candidate(
        "other" if kind == "other" and re.search(r"Margin|dy/dx", header) else "model",
        kind,
        (block.line(i - _above(block, i, start)), block.line(end - 1)),
        tuple(figures),
        response=response or None,
        terms=tuple(terms),
        where=where,
        weights=group,
        errors=errors,
        statistic=_statistic(head, header, ratio),
        fixed_effects=effects,
        command=command or None,
        facts=told,
    )
    if candidate.shape == "model" and kind != "marginal-effects":
        session.model = candidate
    return [candidate], end


def of_model(what: str, figures: list[Figure], lines: tuple[int, int], session: Session) -> Candidate:
    """What a command says of the model before: a test of its coefficients, a combination of them."""
    model = session.model
    found = Candidate("other", "other", lines, tuple(figures), statistic=what)
    if model is None:
        return found
    return replace(found, response=model.response, terms=model.terms, where=model.where, weights=model.weights)


def _random(command: str) -> dict[str, str]:
    """The random part of a multilevel model: `|| region: medage` is (medage | region)."""
    parts = re.findall(r"\|\|\s*(\w+):\s*([^|,]*)", command)
    return {"random": " + ".join(f"({' + '.join(p.split()) or '1'} | {g})" for g, p in parts)} if parts else {}


def _above(block: Lines, i: int, start: int) -> int:
    """How many lines above a header belong to the output."""
    k = i
    while k > start and k > i - 25:
        k -= 1
    while k < i and not block.texts[k].strip():
        k += 1
    return i - k


def _equation(block: Lines, i: int) -> str:
    match = re.match(r"^\s*(\w+)\s*\|\s*$", block.texts[i + 1]) if i + 1 < len(block.texts) else None
    return match[1] if match else ""


_DISPERSION = re.compile(r"^/?((?:ln)?alpha)\|((?:\s+[-\d.]+(?:e[-+]\d+)?){4})\s*$")
"""A row of what is estimated beside the terms: no test, no p-value."""

_CUT = re.compile(r"^/?cut\d+\|((?:\s+-?\d*\.?\d+(?:e[-+]?\d+)?){4})\s*$")
"""A threshold of an ordered model, which is not tested."""

_STOP = re.compile(r"^\s*\.\s|^\s*(?:F test|LR test|Absorbed|Note:|_{5,}|Instruments)")


def _rows(block: Lines, i: int, words: list[str], by_class: bool = False) -> tuple[list[Figure], list[Term], int]:
    """The rows below a header: terms, levels under their factor, ancillary figures after a rule."""
    figures: list[Figure] = []
    terms: list[Term] = []
    group: str | None = None
    equation: str | None = None
    rules = 0
    end = i
    wrapped = ""
    while i < len(block.texts):
        text = block.texts[i]
        if _STOP.match(text) or (not text.strip() and figures and _ends(block, i)):
            break
        if re.match(r"^\s*[-+|]{5,}", text.replace(" ", "")) and not re.search(r"\d", text):
            rules += bool(figures)
            i += 1
            end = i
            # A rule within the table has a corner, or begins after the bar.
            if rules and "+" not in text and "|" not in text and figures:
                break
            continue
        if "|" not in text:
            if text.strip():
                break
            i += 1
            continue
        label, _, rest = text.partition("|")
        label = wrapped + label.strip()
        if label.endswith("#") and not rest.strip():
            wrapped = label  # a name that is too long goes on below
            i += 1
            continue
        wrapped = ""
        row = split_row(" " + rest, len(words))
        if row is not None and row[0] == "":
            group = equation if label == "_cons" else group
            in_class = by_class and equation is not None and group not in (None, equation)
            # A level of a factor in the equation of a class.
            term = Term(f"{group}[{label}]", equation) if in_class else Term(label, group)
            terms.append(term)
            key = f"{term.group}: {term.text}" if term.group else term.text
            figures += _figures(key, words, row[1], block.line(i))
        elif re.search(r"\((?:base|omitted|empty)\)", rest) or re.match(r"^\s*(?:0|1)\s+\((?:omitted|base)", rest):
            terms.append(Term(label, group, True))
        elif untested := _untested(label, rest, words, block.line(i)):
            figures += untested
            terms += [Term(label)] if _CUT.match(f"{label}|{rest}") else []
        elif label and not rest.strip(" |-"):
            group = label
            # Names of equations begin at the margin, those of factors are set to the right.
            equation = label if text[:1].strip() and len(text.partition("|")[0].rstrip()) < 12 else equation
        elif not label and not rest.strip(" |-"):
            group = equation
        i += 1
        end = i
    return figures, terms, end


def _untested(label: str, rest: str, words: list[str], line: int) -> list[Figure]:
    """A row of what is estimated and not tested: one number, a dispersion, a threshold."""
    single = re.match(r"^\s*(-?[\d.]+(?:e[-+]\d+)?)(?:\s+\(.*\))?\s*$", rest)
    if single is not None and label:
        number = parse_number(single[1])
        return [Figure(label, label, number, line, label)] if number is not None else []
    cut = _CUT.match(f"{label}|{rest}")
    if cut is not None:
        return _figures(label, [w for w in words if w not in ("t", "z", "p-value")], cut[1].split(), line)
    beside = _DISPERSION.match(f"{label}|{rest}")
    if beside is None:
        return []
    whats = (beside[1], *(f"{w} of {beside[1]}" for w in ("standard error", "lower 95%", "upper 95%")))
    shown = zip(whats, beside[2].split(), strict=True)
    return [Figure(w, w, n, line) for w, t in shown if (n := parse_number(t)) is not None]


def _ends(block: Lines, i: int) -> bool:
    following = next((t for t in block.texts[i : i + 3] if t.strip()), "")
    return "|" not in following or bool(re.search(r"Coef|Random-effects|Freq\.|Obs", following))


def _figures(key: str, words: list[str], texts: list[str], line: int) -> list[Figure]:
    out = []
    for what, text in zip(words, texts, strict=False):
        number = parse_number(text) if text != "." else Printed(".", None)
        if number is not None and number.value is not None:
            out.append(Figure(f"{key}: {what}", what, number, line, key))
    return out


def _fit(block: Lines, start: int, end: int) -> list[Figure]:
    found: list[Figure] = []
    for i in range(start, end):
        if re.match(r"^\s*Iteration \d+", block.texts[i]):
            continue  # Stata 18 writes the steps of the search as it writes their end
        for pattern, what in _FIT:
            match = re.search(pattern, block.texts[i])
            number = parse_number(match[1]) if match else None
            if number is not None and not any(f.what == what for f in found):
                found.append(Figure(what, what, number, block.line(i)))
        variance = re.match(r"^\s*(Model|Residual|Total)\s*\|\s*([\d.e+]+)\s+(\d+)\s+([\d.e+]+)", block.texts[i])
        if variance is not None:
            of = variance[1].casefold()
            whats = (f"{of} sum of squares", "df1" if of == "model" else f"{of} df", f"{of} mean square")
            for what, text in zip(whats, variance.groups()[1:], strict=True):
                number = parse_number(text)
                if number is not None:
                    found.append(Figure(what, what, number, block.line(i)))
    return found


def _kind(head: str, command: str, words: list[str]) -> str:
    if "margin" in words or "marginal effect" in words:
        return "other"
    for pattern, kind in _TITLES:
        if re.search(pattern, head):
            return kind
    first = next((w for w in re.findall(r"\w+", command) if w in _COMMANDS), None)
    if first is not None:
        return _COMMANDS[first]
    ratio = next((w for w in words if w.endswith("ratio")), None)
    return {"odds ratio": "logistic", "hazard ratio": "cox", "rate ratio": "poisson"}.get(ratio or "", "linear")


def _statistic(head: str, header: str, ratio: str | None) -> str | None:
    if "Margin" in header or "dy/dx" in header:
        return "adjusted predictions" if "Margin" in header else "marginal effects"
    if "Fixed-effects" in head:
        return "fixed effects (within)"
    if "Random-effects" in head:
        return "random effects (GLS)"
    return f"{ratio}s" if ratio else None


def _errors(head: str) -> str | None:
    clustered = re.search(r"adjusted for \d+ clusters in (\w+)", head)
    if clustered is not None:
        return f"clustered by {clustered[1]}"
    return "robust HC1" if "Robust" in head else None


def _effects(head: str, command: str, session: Session) -> tuple[str, ...]:
    absorbed = re.search(r"absorb\(([^)]*)\)", command)
    if absorbed is not None:
        return tuple(w.removeprefix("i.") for w in absorbed[1].split())
    if "Fixed-effects" in head:
        named = re.search(r"Group variable:\s*(\w+)", head)
        return (named[1],) if named else session.panel[:1]
    return ()


def restricted(command: str) -> tuple[str | None, str | None]:
    """Weights and the condition of a command."""
    weight = re.search(r"\[\s*(?:p|a|f|i)?w(?:eight)?\s*=\s*(\w+)\s*\]", command)
    bare = re.sub(r"\[[^\]]*\]", "", command)
    limited = re.search(r"\bif\s+(.+?)(?:\s+in\s+\S+)?(?:,.*)?$", bare)
    return weight[1] if weight else None, stata_condition(limited[1]) if limited else None
