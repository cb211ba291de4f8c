"""statsmodels' summaries, as text, HTML and LaTeX: a header of pairs, then coefficients, class by class if need be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure, Term
from divulge.readers.handed_in.candidates.coefficients import rows_at
from divulge.readers.handed_in.candidates.expressions import as_condition
from divulge.readers.handed_in.candidates.numbers import parse_number
from divulge.readers.handed_in.candidates.session import Session
from divulge.readers.handed_in.candidates.stata_models import EFFECTS_OF
from divulge.readers.handed_in.candidates.statements import note_python
from divulge.readers.handed_in.candidates.statistic_names import INTERCEPT, column_words
from divulge.readers.handed_in.candidates.tables import read_grid
from divulge.readers.handed_in.sheets import Block, Grid, Lines

KINDS = {
    "OLS": "linear",
    "WLS": "linear",
    "GLS": "linear",
    "Logit": "logistic",
    "Probit": "probit",
    "Poisson": "poisson",
    "MNLogit": "multinomial",
    "NegativeBinomial": "negative-binomial",
    "NegativeBinomialP": "negative-binomial",
    "OrderedModel": "ordered",
    "PHReg": "cox",
    "MixedLM": "mixed",
    "QuantReg": "other",
    "RLM": "other",
    "GEE": "other",
    "ZeroInflatedPoisson": "other",
    "PanelOLS": "linear",
    "RandomEffects": "other",
    "PooledOLS": "linear",
    "IV2SLS": "two-stage",
    "IV-2SLS": "two-stage",
    "BetweenOLS": "other",
    "AbsorbingLS": "linear",
    "FirstDifferenceOLS": "other",
}
_FAMILIES = {
    "Binomial": "logistic",
    "Poisson": "poisson",
    "Gaussian": "linear",
    "NegativeBinomial": "negative-binomial",
}
_FIT = {
    "No. Observations": "n",
    "R-squared": "r-squared",
    "Adj. R-squared": "adjusted r-squared",
    "F-statistic": "F",
    "AIC": "AIC",
    "BIC": "BIC",
    "Log-Likelihood": "log-likelihood",
    "Log-likelihood": "log-likelihood",
    "Pseudo R-squ.": "pseudo r-squared",
    "Prob (F-statistic)": "p-value",
    "LL-Null": "null log-likelihood",
    "Df Residuals": "residual df",
    "Df Model": "df",
    "LLR p-value": "p-value",
    "R-squared (Within)": "within r-squared",
    "R-squared (Between)": "between r-squared",
    "R-squared (Overall)": "overall r-squared",
    "Deviance": "deviance",
    "P-value": "p-value",
    "Entities": "groups",
    "No. Groups": "groups",
    "Min. group size": "minimum",
    "Max. group size": "maximum",
    "Scale": "scale",
    "Pearson chi2": "Pearson chi-squared",
    "Pseudo R-squ. (CS)": "Cox & Snell r-squared",
    "Omnibus": "omnibus",
    "Prob(Omnibus)": "p-value of omnibus",
    "Durbin-Watson": "Durbin-Watson",
    "Jarque-Bera (JB)": "Jarque-Bera",
    "Prob(JB)": "p-value of Jarque-Bera",
    "Skew": "skewness of residuals",
    "Kurtosis": "kurtosis of residuals",
    "Cond. No.": "condition number",
}


_HEAD = re.compile(r"^\s*(?:Model:\s+\S+(?: \S+)*?\s+)?Dep(?:\.|endent) Variable:")
_BELOW = re.compile(r"^\s*(?:={10,}|Omnibus|Prob\(Omnibus|Skew|Kurtosis|Durbin|Notes:|\[\d+\]|strong multicol)|^\s*$")
"""Lines below the coefficients that speak of residuals."""


class Statsmodels:
    """Summaries of statsmodels and linearmodels: OLS, Logit, Probit, GLM, MNLogit, PanelOLS and their kin."""

    name = "statsmodels"

    def read(self, block: Block, session: Session) -> list[Candidate]:
        """The summaries of a stretch of text or of a grid."""
        if isinstance(block, Grid):
            found = list(_grid(block, session))
        else:
            if not any(_HEAD.match(t) or t.startswith(">>> ") for t in block.texts):
                return []
            found = list(_text(block, session))
        return [session.signed(c, self.name) for c in found]


def _pairs_in(text: str) -> list[tuple[str, str]]:
    """`Dep. Variable:   lwage   R-squared:   0.392` as pairs."""
    found = re.findall(r"([A-Z][\w. ()-]*?[\w.)]):?\s{2,}(\S+(?:\s\S+)*?)(?=\s{2,}|\s*$)", text)
    found += re.findall(r"^\s*([A-Z][\w. ()-]*?):\s(\S+(?:\s\S+)*?)(?=\s{2,}|\s*$)", text)
    found += re.findall(r"\s{2,}([A-Z](?:[\w.()-]| (?! ))*?):\s+(\S+)\s*$", text)
    found += re.findall(r"^\s*(Model):\s+(\S+) Dependent", text)
    found += re.findall(r"(Dependent Variable):\s+(\S+)(?=\s*$|\s[A-Z])", text)
    # A long name leaves one space only before what stands to its right.
    told = [(name.strip(": "), re.sub(r"\s[A-Z][\w. -]*:$", "", value.strip())) for name, value in found]
    return sorted(told, key=lambda pair: "Dependent" in pair[1])  # `MixedLM Dependent Variable:` is no value


def _text(block: Lines, session: Session) -> Iterator[Candidate]:
    condition: str | None = None
    formula: str | None = None
    i = 0
    while i < len(block.texts):
        text = block.texts[i]
        if text.startswith(">>> "):
            note_python(text[4:], session)
            said = re.search(r"['\"]([^'\"]+~[^'\"]+)['\"]", text)
            formula = said[1] if said else formula
            limited = re.search(r"\.query\(['\"](.+?)['\"]\)", text)
            limited = limited or re.search(r"data\s*=\s*\w+\[(.+?)\]\s*[),]", text)
            condition = as_condition(limited[1]) if limited else (None if said else condition)
            session.objects["python model"] = text if said or "sm." in text else session.objects.get("python model", "")
        if not _HEAD.match(text):
            i += 1
            continue
        found = _summary(block, i, session, condition, formula)
        if found is None:
            i += 1
            continue
        candidate, i = found
        yield _asked(candidate, session.objects.get("python model", ""))


def _asked(candidate: Candidate, command: str) -> Candidate:
    """A model with what its statement says of weights and clusters."""
    weights = re.search(r"\bweights\s*=\s*\w+(?:\[['\"](\w+)['\"]\]|\.(\w+))", command)
    if weights is not None:
        candidate = replace(candidate, weights=weights[1] or weights[2])
    random = re.search(r"\bgroups\s*=\s*\w+(?:\[['\"](\w+)['\"]\]|\.(\w+))", command)
    if random is not None and candidate.kind == "mixed":
        candidate = replace(candidate, facts={**candidate.facts, "random": f"(1 | {random[1] or random[2]})"})
    groups = re.search(r"['\"]groups['\"]\s*:\s*\w+(?:\[['\"](\w+)['\"]\]|\.(\w+))", command)
    if groups is not None and candidate.errors == "clustered":
        candidate = replace(candidate, errors=f"clustered by {groups[1] or groups[2]}")
    return candidate


def _summary(
    block: Lines, i: int, session: Session, condition: str | None, formula: str | None
) -> tuple[Candidate, int] | None:
    about: dict[str, str] = {}
    fit: list[Figure] = []
    head = None
    first = i - 1 if i and re.match(r"^Model:\s", block.texts[i - 1]) else i
    for k in range(first, min(i + 40, len(block.texts))):
        words = column_words(block.texts[k])
        if _is_header(words):
            head = k
            break
        for name, value in _pairs_in(block.texts[k]):
            about.setdefault(name, value)
        _add_fit(fit, block, k)
    if head is None:
        return None
    figures: list[Figure] = []
    terms: list[Term] = []
    j = head
    while j < len(block.texts):
        words = column_words(block.texts[j])
        if not _is_header(words):
            break
        level = re.match(r"^\s*(\S+=\S+)\s+coef", block.texts[j])
        rows, named, j = rows_at(block, j + 1, len(block.texts), words, level[1] if level else "")
        figures += rows
        terms += named
        while j < len(block.texts) and re.match(r"^\s*[-=]{10,}\s*$", block.texts[j]):
            j += 1
    effects, end = _included(block, j, session)
    while end < len(block.texts) and _BELOW.match(block.texts[end]):
        _add_fit(fit, block, end)
        end += 1
    while end > j and not block.texts[end - 1].strip():
        end -= 1
    about.setdefault("Dep. Variable", about.get("Dependent Variable", ""))
    facts: dict[str, str] = {}
    if any(f.what == "marginal effect" for f in figures):
        title = re.search(r"(\w+) Marginal Effects", "\n".join(block.texts[max(0, i - 3) : i + 1]))
        model = KINDS.get(title[1], "other") if title else "other"
        is_average = about.get("Method") == "dydx" and about.get("At") == "overall"
        facts = {"model": model} if model in EFFECTS_OF and is_average else {}
        about["Model"] = "marginal effects"
    candidate = _made(
        about | _instrumented(block, end),
        figures,
        terms,
        fit,
        (block.line(i - 2 if i > 1 else i), block.line(end - 1)),
        effects,
        condition,
        formula,
    )
    return (replace(candidate, kind="marginal-effects", facts=facts) if facts else candidate), end


def _add_fit(fit: list[Figure], block: Lines, k: int) -> None:
    """The statistics of a model that stand on a line, each but once."""
    for name, value in _pairs_in(block.texts[k]):
        number = parse_number(value)
        what = _FIT.get(name)
        if what is not None and number is not None and not any(f.what == what for f in fit):
            fit.append(Figure(what, what, number, block.line(k)))


def _is_header(words: list[str]) -> bool:
    return bool({"coefficient", "marginal effect"} & set(words)) and "standard error" in words


def _included(block: Lines, j: int, session: Session) -> tuple[tuple[str, ...], int]:
    """The fixed effects that linearmodels names below its table."""
    for k in range(j, min(j + 12, len(block.texts))):
        if re.match(r"^\s*Dep\. Variable|Estimation Summary", block.texts[k]):
            break
        match = re.match(r"^Included effects:\s*(.*)$", block.texts[k])
        if match is not None:
            return tuple(w.strip() for w in match[1].split(",")), k + 1
    return (), j


def _instrumented(block: Lines, end: int) -> dict[str, str]:
    """What linearmodels says below its table of the instruments."""
    found = (re.match(r"^(Endogenous|Instruments):\s*(.+)$", t) for t in block.texts[end : end + 6])
    return {m[1]: m[2].strip() for m in found if m is not None}


def _kind_of(about: dict[str, str]) -> str:
    """The kind of a model from the header of its summary."""
    model = about.get("Model", about.get("Estimator", ""))
    if model == "GLM":
        return _FAMILIES.get(about.get("Model Family", ""), "other")
    return KINDS.get(model, "other")


def _made(
    about: dict[str, str],
    figures: list[Figure],
    terms: list[Term],
    fit: list[Figure],
    lines: tuple[int, int],
    effects: tuple[str, ...],
    condition: str | None,
    formula: str | None,
) -> Candidate:
    covariance = about.get("Covariance Type", about.get("Cov. Estimator", ""))
    errors = (
        None
        if covariance in ("nonrobust", "Unadjusted", "")
        else "clustered"
        if covariance in ("cluster", "Clustered")
        else f"robust {covariance}"
    )
    response = about.get("Dep. Variable")
    kind, facts = _kind_of(about), {}
    if kind == "two-stage" and "Instruments" in about:
        inside = {w.strip() for w in about.get("Endogenous", "").split(",")}
        outside = [t.text for t in terms if t.text not in inside and not INTERCEPT.match(t.text)]
        facts["instruments"] = " + ".join([*outside, *(w.strip() for w in about["Instruments"].split(","))])
    same = formula is not None and response is not None and formula.split("~")[0].strip() == response
    return Candidate(
        "model",
        kind,
        lines,
        (*figures, *fit),
        response=response,
        formula=formula if same else None,
        terms=tuple(terms),
        errors=errors,
        where=condition,
        fixed_effects=effects,
        statistic="fixed effects" if effects else None,
        facts=facts,
    )


def _grid(grid: Grid, session: Session) -> Iterator[Candidate]:
    """The tables of one summary stand one after the other: pairs first, then coefficients."""
    pairs = _grid_pairs(grid)
    if pairs is not None:
        if "Dep. Variable" in pairs:
            session.objects["summary header"] = "\n".join(f"{k}\t{v}\t{line}" for k, (v, line) in pairs.items())
            session.asides.append((grid.rows[0].line, grid.rows[-1].line))
            return
        below = [
            Figure(what, what, number, line)
            for name, (value, line) in pairs.items()
            if (what := _FIT.get(name)) is not None and (number := parse_number(value)) is not None
        ]
        if below:
            yield Candidate("other", "fit", (grid.rows[0].line, grid.rows[-1].line), tuple(below))
        return
    held = session.objects.pop("summary header", None)
    if held is None:
        return
    about = {k: (v, int(line)) for k, v, line in (t.split("\t") for t in held.split("\n"))}
    for candidate in read_grid(grid, session.vocabulary):
        if candidate.shape == "model":
            fit = [
                Figure(what, what, number, line)
                for name, (value, line) in about.items()
                if (what := _FIT.get(name)) is not None and (number := parse_number(value)) is not None
            ]
            start = min(line for _, line in about.values())
            plain = {k: v for k, (v, _) in about.items()}
            yield _made(
                plain, list(candidate.figures), list(candidate.terms), fit, (start, candidate.lines[1]), (), None, None
            )


def _grid_pairs(grid: Grid) -> dict[str, tuple[str, int]] | None:
    """The pairs of a grid in which names with colons and values alternate."""
    if grid.width not in (2, 4):
        return None
    named = [row for row in grid.rows if re.match(r"^\s*[A-Z][\w. ()-]*:\s*$", row.cells[0])]
    if len(named) < max(2, 0.6 * len(grid.rows)):
        return None
    found = {}
    for row in grid.rows:
        for k in range(0, grid.width, 2):
            name = row.cells[k].strip().rstrip(":").strip()
            if name:
                found[name] = (row.cells[k + 1].strip(), row.line)
    return found
