"""Every figure of a regression beside what a fit gives, by whichever estimator its standard errors were computed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate, Figure
from divulge.readers.handed_in.candidates.numbers import ROUNDED
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.by_rows import row_figure, standardised
from divulge.readers.handed_in.matching.coherence import coherent
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.fits import MAIN, Fit, fit_figure, other_errors, term_figure
from divulge.readers.handed_in.matching.outliers import without_few, without_outliers
from divulge.readers.handed_in.matching.profiles import PROFILED, profile_end
from divulge.readers.handed_in.matching.reading import Checked, Reading
from divulge.readers.handed_in.matching.statistics import statistic, tail_stretch
from divulge.readers.handed_in.matching.terms import Column, Factor, formula_of


@dataclass(frozen=True)
class Way:
    """A way to read a model: the column of each term, the response, the rows."""

    columns: dict[str, Column]
    response: str
    where: str | None

    def formula(self, words: Vocabulary) -> str:
        return formula_of(self.response, list(self.columns.values()), words)


RATIOS = frozenset({"odds ratio", "hazard ratio", "rate ratio", "relative risk ratio"})
_MAIN = RATIOS | set(MAIN)


def with_other_errors(
    reading: Reading, candidate: Candidate, kind: str, way: Way, fit: Fit, words: Vocabulary, data: Data
) -> Reading:
    """A reading whose coefficients agree and whose errors do not, with the estimator of errors that was used.

    Where no estimator gives all of them, the one that gives most of them is named with those that disagree.
    """
    main = [c for c in reading.figures if c.figure.what in _MAIN]
    right = _errors_right(reading)
    n_errors = sum(c.figure.what in _ERRORS for c in reading.figures)
    is_it = any(c.agrees for c in main) and not any(c.agrees is False for c in main)
    if not is_it or right == n_errors:
        return reading
    best, most = reading, max(right, n_errors // 2)
    said = re.search(r"clustered by (\S+)", candidate.errors or "")
    named = words.variable(said[1]) if said is not None else None
    few = [n for n in data.names if 5 <= data.n_levels(n) <= data.n_rows / 2][:6]
    for other in other_errors(
        fit, [named] if named is not None else few if candidate.errors in (None, "clustered") else []
    ):
        tried = compared(candidate, kind, way, other, words, data)
        right = _errors_right(tried)
        if tried.confirmed and right:
            return tried
        if right > most:
            best, most = tried, right
    return best


def _errors_right(reading: Reading) -> int:
    return sum(c.agrees is True for c in reading.figures if c.figure.what in _ERRORS)


def compared(candidate: Candidate, kind: str, way: Way, fit: Fit, words: Vocabulary, data: Data) -> Reading:
    labels = {key: label_of(fit, column) for key, column in way.columns.items()}
    main = [f for f in candidate.figures if f.what in _MAIN]
    # What takes all rows is computed where the model may be the one that is meant.
    is_near = not main or any(_check(f, fit, labels, way, candidate, data, words, False).agrees for f in main)
    found = [_check(f, fit, labels, way, candidate, data, words, is_near) for f in candidate.figures]
    checked = without_outliers(found, _in_errors(found, fit, labels, way, words))
    if is_near:
        checked = coherent(checked)
    if candidate.program in _EXACT.get(fit.output.kind, ()):
        checked = without_few(checked)
    formula = way.formula(words)
    return Reading(
        candidate,
        kind,
        checked,
        formula=formula,
        where=way.where,
        weights=candidate.weights,
        outputs=({**fit.given, **_shown(candidate), **_printed(candidate, fit, labels)},),
        facts={"standard errors": fit.errors_named} if fit.errors_named else {},
    )


_EXACT: dict[str, tuple[str, ...]] = {
    "linear": ("r", "statsmodels", "gretl", "spss", "tables"),
    **dict.fromkeys(("logistic", "probit", "poisson"), ("statsmodels", "gretl", "spss", "stata")),
}
"""Programs that compute a kind to the last printed digit, where nothing else is the matter with their file."""


def _in_errors(
    found: Sequence[Checked], fit: Fit, labels: dict[str, str | None], way: Way, words: Vocabulary
) -> dict[int, float]:
    """The standard errors in which estimates are compared, by their place among the figures."""
    out = {}
    for i, one in enumerate(found):
        of, what = one.figure.of, one.figure.what
        if of is None or one.computed is None or what not in _MAIN:
            continue
        label = _class_label(of, way, fit, words) if fit.output.kind == "multinomial" else labels.get(of)
        error = fit.errors.get(label or "", np.nan)
        if error > 0:
            out[i] = float(error * (abs(one.computed) if what in RATIOS else 1.0))
    return out


def _shown(candidate: Candidate) -> dict[str, object]:
    """What of a model is published, and to how many decimals."""
    whats = {f.what for f in candidate.figures}
    decimals = [f.printed.decimals for f in candidate.figures if f.what in MAIN]
    errors = [f.printed.decimals for f in candidate.figures if f.what == "standard error"]
    statistics = [s for s, w in (("se", "standard error"), ("n", "n")) if w in whats]
    out: dict[str, object] = {"compute": True, "decimals": max(decimals, default=3)}
    if statistics:
        out["statistics"] = statistics
    if errors and "se" in statistics:
        out["se_decimals"] = max(errors)
    return out


def _printed(candidate: Candidate, fit: Fit, labels: dict[str, str | None]) -> dict[str, object]:
    """Coefficients, standard errors and rows as they were printed, by the labels of a spec."""
    found: dict[str, dict[str, str]] = {}
    shown = [f for f in candidate.figures if f.what in _PUBLISHED and not f.printed.is_suppressed]
    for figure in shown:
        if figure.of is None and figure.what == "n":
            found["n"] = {"coef": figure.printed.plain}
        elif (label := labels.get(figure.of or "")) is not None and figure.what != "n":
            found.setdefault(label, {})[_PUBLISHED[figure.what]] = figure.printed.plain
    whole = set(found) - {"n"} == set(fit.coefficients) and all("coef" in f for f in found.values())
    if not whole or len({f.printed.decimals for f in shown if f.what in MAIN}) > 1:
        return {}
    return {"released": {k: f["coef"] if set(f) == {"coef"} else f for k, f in found.items()}}


_PUBLISHED = {**dict.fromkeys(MAIN, "coef"), "standard error": "se", "n": "coef"}
"""What a spec holds of a model as it was printed."""


def label_of(fit: Fit, column: Column) -> str | None:
    """The label that a column has in a fit."""
    if not column:
        return fit.find("Intercept")
    return fit.find(":".join(f.meaning for f in column)) or fit.find(":".join(f.meaning.strip("`") for f in column))


_ERRORS = frozenset(
    {"standard error", "t", "z", "p-value", "lower 95%", "upper 95%", "exp lower 95%", "exp upper 95%", "Wald"}
)


_VARIANCE: dict[str, dict[str, str]] = {
    "Regression": {"df": "df1", "F": "F", "p-value": "p-value"}
    | {w: f"model {w}" for w in ("sum of squares", "mean square")},
    "Residual": {},
    "Total": {},
}
"""The rows of the analysis of variance that SPSS prints of a regression."""


def _is_fine(figure: Figure) -> bool:
    """Whether a figure is printed so precisely that its last place shows where iterations stopped."""
    return figure.printed.unit <= 1e-4 * abs(figure.printed.value or 0.0)


_LOOSE = ("ordered-logit", "ordered-probit", "multinomial")
"""Kinds that R fits by a general search, which stops early."""

_NEWTON = frozenset({"logistic", "probit", "poisson", "cox"})
"""Kinds that every program fits by Newton's steps, the last of which leaves 1e-6 of an estimate at most."""

_SOLVED = frozenset({"linear", "fixed-effects", "two-stage"})
"""Kinds that are solved at once, without iterating."""

_OF_RATIOS = frozenset({"standard error", "lower 95%", "upper 95%"})
"""What may also be meant of the exponential of a coefficient."""

_LIKELIHOODS = frozenset({"log-likelihood", "null log-likelihood", "AIC", "BIC", "deviance", "null deviance"})
"""What is flat at the estimate, so that it shows only the square of how far a program stopped from it."""

_WHOLE = frozenset(
    {"n", "events", "groups", "df", "df1", "df2", "residual df", "null df", "total df", "df of Wald", "df of score"}
)
"""What is counted, and never off by one."""

_JOINT = frozenset({"F", "chi-squared", "p-value", "likelihood ratio chi-squared", "Wald chi-squared"})


def _check(
    figure: Figure,
    fit: Fit,
    labels: dict[str, str | None],
    way: Way,
    candidate: Candidate,
    data: Data,
    words: Vocabulary,
    is_near: bool,
) -> Checked:
    kind = fit.output.kind
    robust = candidate.errors is not None and not fit.errors_named
    if robust and (figure.what in _ERRORS or figure.what in ("F", "chi-squared")):
        return Checked(figure)
    label: str | None = None
    if figure.of is None and figure.what in ("mean of response", "sd of response"):
        values = _of_response(figure.what.partition(" ")[0], way, fit, data)
    elif figure.of is not None and figure.of in _VARIANCE and figure.of not in labels:
        values = fit_figure(fit, _VARIANCE[figure.of].get(figure.what, f"{figure.of.casefold()} {figure.what}"))
    elif figure.of is None:
        # Where errors are robust, a joint test is one by their covariance.
        tested = figure.what in _JOINT and bool(robust or fit.errors_named)
        values = None if tested else fit_figure(fit, figure.what)
        if is_near and (values is None or all(np.isnan(v) for v in values)):
            values = row_figure(fit, figure.what)
    else:
        label = labels.get(figure.of)
        if label is None and kind == "ordered-logit":
            cut = re.fullmatch(r"/?cut(\d+)", figure.of)
            thresholds = [c for c in fit.coefficients if "|" in c]
            at = int(cut[1]) - 1 if cut is not None else -1
            label = thresholds[at] if 0 <= at < len(thresholds) else fit.find(figure.of)
        if kind == "multinomial":
            label = _class_label(figure.of, way, fit, words)
        if figure.what == "beta":
            values = standardised(fit, label) if label is not None and is_near else None
        elif figure.what == "n":
            values = _term_size(way.columns.get(figure.of) or _reference(figure.of, candidate, way, words), data, way)
        else:
            values = term_figure(fit, label, figure.what) if label is not None else None
            if values is not None and kind in _SOLVED and not any(f.what in RATIOS for f in candidate.figures):
                # Nothing of it is a ratio, so none of its ends and errors is one of a ratio.
                values = values[: max(len(values) // 2, 1)] if figure.what in _OF_RATIOS else values
    if values is None or all(np.isnan(v) for v in values):
        return Checked(figure)
    units, relative = _room(figure, kind, candidate.program)
    if figure.what in ("lower 95%", "upper 95%") and label is not None and values[0]:
        # The end of an interval near 0 is the small difference of a coefficient and its error.
        relative *= max(1.0, abs(fit.coefficients.get(label, 0.0) / values[0]))
    right = [v for v in values if figure.printed.agrees(v, units, relative * _stretch(v, figure.what))]
    if is_near and not right and label is not None and kind in PROFILED and figure.what.endswith("95%"):
        right = _profiled(figure, fit, label)
    if not right and candidate.program in ("r", "", "tables"):
        right = _nearly_converged(figure, fit, label, values)
    nearest = min(right, key=lambda v: abs(v - (figure.printed.value or 0.0)), default=values[0])
    return Checked(figure, bool(right), float(nearest))


_TWICE = ROUNDED + 0.05
"""R's summary rounds a column to one place more than it shows, and then shows it."""


def _room(figure: Figure, kind: str, program: str) -> tuple[float, float]:
    """How far a figure may be from the data: in units of its last place, and as a share of itself.

    Rounding leaves half a unit. Programs stop iterating at different points, which leaves a share of an estimate; R
    takes standard errors of a generalised linear model from the step before its last one.
    """
    if figure.what in _WHOLE:
        return 0.5, 0.0
    if kind in _SOLVED:
        is_twice = program == "r" and (
            figure.what in ("coefficient", "standard error") or figure.what.endswith(" of residuals")
        )
        units, relative = _TWICE if is_twice else ROUNDED, 1e-8 if program in _EXACT["linear"] else 1e-6
    elif figure.what in _LIKELIHOODS:
        units, relative = ROUNDED, 1e-6 if kind in _LOOSE else 1e-7
    elif kind in _NEWTON:
        is_late = kind != "cox" and program in ("r", "", "tables", "spss") and figure.what in _ERRORS
        units, relative = ROUNDED, (2e-4 if figure.what == "Wald" else 1e-4) if is_late else 1e-6
    else:
        units, relative = 1.6 if kind in _LOOSE or _is_fine(figure) else 0.6, 1e-4
    return units, relative * tail_stretch(figure)


def _of_response(what: str, way: Way, fit: Fit, data: Data) -> list[float] | None:
    """The mean or the standard deviation of a response over the rows of a fit; None where they are not these rows."""
    name = re.sub(r"^log\((.+)\)$", r"\1", way.response).strip("`")
    rows = data.mask(way.where)
    if rows is None or name not in data.names or not data.is_numeric(name):
        return None
    for used in {f.name for column in way.columns.values() for f in column} | {name}:
        rows = rows & (data.codes(used) >= 0)
    if rows.sum() != fit.n:
        return None
    values = data.numbers(name)[rows]
    return statistic(what, np.log(values) if way.response.startswith("log(") else values)


_INTERPOLATED = 1e-3
"""How far an end of R's profile intervals may be from where it should be, in standard errors."""


def _profiled(figure: Figure, fit: Fit, label: str) -> list[float]:
    """The end of a profile interval, or its exponential, where it is what was printed."""
    end = profile_end(fit, label, "upper" in figure.what)
    shown = figure.printed.value
    if math.isnan(end) or shown is None:
        return []
    room = _INTERPOLATED * fit.errors.get(label, 0.0)
    raised = math.exp(min(end, 700.0))
    ways = [(raised, room * raised)] if figure.what.startswith("exp") else [(end, room), (raised, room * raised)]
    return [v for v, off in ways if abs(v - shown) <= 0.6 * figure.printed.unit + off]


def _stretch(value: float, what: str) -> float:
    """How much further the exponential of a figure may be off than the figure: a ratio far from 1 shows it."""
    ratio = what.endswith("ratio") or what.startswith(("exp", "lower", "upper"))
    return max(1.0, abs(math.log(value))) if ratio and value > 0 else 1.0


_STOPPED = 0.015
"""nnet stops where the deviance falls by less than 1e-4 (Venables & Ripley 2002): √(2 · 1e-4) standard errors away."""


_SCORED = 1e-4
"""Fisher's scoring of a probit comes nearer by a constant share a step: so many standard errors are left."""


def _nearly_converged(figure: Figure, fit: Fit, label: str | None, values: list[float]) -> list[float]:
    """Values that agree but for the place where R's multinom, or its glm with a probit link, stops its iterations."""
    error = fit.errors.get(label or "", np.nan)
    shown = figure.printed.value
    if shown is None or not error > 0:
        return []
    if fit.output.kind == "probit" and figure.what in MAIN:
        return [v for v in values if abs(v - shown) <= ROUNDED * figure.printed.unit + _SCORED * error]
    if fit.output.kind != "multinomial":
        return []
    scale = {"coefficient": error, "z": 1.0, "t": 1.0, "standard error": 0.1 * error}.get(figure.what, abs(shown))
    return [v for v in values if abs(v - shown) <= _STOPPED * scale]


def _class_label(of: str, way: Way, fit: Fit, words: Vocabulary) -> str | None:
    """The label of a coefficient of a multinomial model: `race=2 & age`."""
    level, _, term = of.partition(": ")
    column = way.columns.get(term)
    if column is None:
        return None
    inner = "Intercept" if not column else ":".join(f.meaning for f in column)
    name = way.response.strip("`")
    value = words.level(name, re.sub(rf"^{re.escape(name)}=", "", level))
    code = level.rpartition("=")[2]
    if value is None and code.isdigit() and int(code) < len(words.texts(name)):
        value = sorted(words.texts(name))[int(code)]  # the codes of texts, as pandas and patsy number them
    return None if value is None else fit.find(f"{name}={value} & {inner}")


def _reference(of: str, candidate: Candidate, way: Way, words: Vocabulary) -> Column | None:
    """The column that the reference of a factor would have: its variable is that of the levels beside it."""
    group, _, text = of.rpartition(": ")
    beside = [c[0] for k, c in way.columns.items() if group and k.startswith(f"{group}: ") and len(c) == 1]
    if not beside:
        return None
    name, used = beside[0].name, {f.level for f in beside}
    rest = [t for t in words.texts(name) if t not in used]
    level = words.level(name, text) or (rest[0] if len(rest) == 1 else None)
    is_one = any(t.is_reference and t.text == text and t.group == group for t in candidate.terms)
    return (Factor(name, level),) if is_one and level is not None else None


def _term_size(column: Column | None, data: Data, way: Way) -> list[float] | None:
    """How many rows a term is of: those with its level, or all."""
    rows = data.mask(way.where)
    if column is None or len(column) != 1 or rows is None:
        return None
    factor = column[0]
    codes = data.codes(factor.name)
    if factor.level is not None:
        code = data.table.schema[factor.name].code(factor.level)
        return [float((rows & (codes == code)).sum())] if code is not None else None
    known = rows & (codes >= 0)
    values = data.numbers(factor.name)
    return [float(known.sum()), float((known & (values == 1)).sum())]
