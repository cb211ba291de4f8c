"""What regressions of counts and of positive responses share: responses, links, likelihoods and scores (McCullagh &
Nelder 1989). `PositiveModel`: what Gamma and inverse Gaussian share, whose variance is the mean to a power."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats
from divulge.outputs.mean_curves import MeanCurve
from divulge.outputs.models.design import response_values
from divulge.outputs.models.estimated import Estimated
from divulge.outputs.models.formula import Formula
from divulge.outputs.models.matrix import ModelRows
from divulge.outputs.models.model import Model
from divulge.outputs.models.newton import Curve
from divulge.outputs.models.pieces import Piece
from divulge.outputs.models.statsmodels_code import fits_statsmodels
from divulge.table import Schema, Variable


def positive_response(formula: Formula, variable: Variable, counts: Floats) -> Floats:
    """A response above 0; rows where it is 0 take no part (`where` says so in the spec)."""
    values = response_values(formula.response, variable, counts)
    known = values[: variable.n_values]
    if np.isnan(known).any() or (known < 0.0).any() or not (known > 0.0).any():
        raise OutputError(
            f"a response above 0 is needed, {formula.response.text!r} has values below 0 or that are no numbers.",
            where="formula",
        )
    return np.where(values > 0.0, values, np.nan)


def count_response(formula: Formula, variable: Variable, counts: Floats) -> Floats:
    """A response of at least 0."""
    values = response_values(formula.response, variable, counts)
    known = values[: variable.n_values]
    if np.isnan(known).any() or (known < 0.0).any():
        raise OutputError(
            f"a response of counts is needed, {formula.response.text!r} has values below 0 or that are no numbers.",
            where="formula",
        )
    return values


def start_at_mean(rows: ModelRows) -> Floats:
    """Coefficients of least squares of log y: near to those of any model with a logarithmic link."""
    root = np.sqrt(rows.weight)
    found, *_ = np.linalg.lstsq(rows.x * root[:, None], np.log(np.maximum(rows.y, 0.1)) * root, rcond=None)
    return np.asarray(found)


Link = Literal["log", "inverse", "identity", "inverse-squared"]
"""How the mean follows from the predictor: e^η, 1/η, η, 1/√η."""

LINKS: Mapping[str, Link] = {
    "Log": "log",
    "InversePower": "inverse",
    "Identity": "identity",
    "InverseSquared": "inverse-squared",
}
"""By what statsmodels calls them."""

_MEANS: Mapping[Link, tuple[Callable[[Floats], Floats], Callable[[Floats], Floats], Callable[[Floats], Floats]]] = {
    "log": (np.exp, np.exp, np.log),
    "inverse": (lambda eta: 1.0 / eta, lambda eta: -1.0 / eta**2, lambda mu: 1.0 / mu),
    "identity": (lambda eta: eta, np.ones_like, lambda mu: mu),
    "inverse-squared": (lambda eta: eta**-0.5, lambda eta: -0.5 * eta**-1.5, lambda mu: mu**-2.0),
}
"""The mean, its slope in η, and the predictor of a mean."""

_N_WAVES = 12
"""So many exponential curves give 1/η and its powers within a thousandth over three decades (Braess & Hackbusch
2005)."""


def _check_ratios(link: Link, exponentiated: bool, statistics: Sequence[str]) -> None:
    """Raise where coefficients of another link are to be printed as ratios of means."""
    if link != "log" and (exponentiated or {"ratio", "ratio-interval"} & set(statistics)):
        where = "exponentiated" if exponentiated else "statistics"
        raise OutputError("coefficients are ratios of means with a logarithmic link alone.", where=where)


@dataclass(frozen=True)
class _PositiveMeans:
    """A model of positive responses whose variance is the mean to a power: Gamma 2, inverse Gaussian 3."""

    link: Link
    power: float
    is_expected: bool

    def curve(self) -> Curve:
        """The likelihood in η but for what does not depend on it; none where a mean would not be positive."""
        mean, slope, _ = _MEANS[self.link]

        def value(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
            mu = mean(eta)
            found = -rows.y / mu - np.log(mu) if self.power == 2.0 else 1.0 / mu - rows.y / (2.0 * mu**2)
            return np.where((eta > 0.0) | (self.link == "log"), found, -np.inf)

        def gradient(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
            mu = mean(eta)
            return ((rows.y - mu) / mu**self.power * slope(eta))[:, None]

        def expected(rows: ModelRows, eta: Floats, extra: Floats) -> Floats:
            return np.asarray(slope(eta) ** 2 / mean(eta) ** self.power)

        return Curve(value, gradient, expected if self.is_expected else None, is_scaled=self.link != "log")

    def mean_curve(self) -> MeanCurve:
        """How the mean follows from the predictor, and the variance from the mean."""
        mean, slope, _ = _MEANS[self.link]
        return MeanCurve(mean, slope, lambda mu: mu**self.power, is_dispersed=True)

    def start(self, rows: ModelRows) -> Floats:
        """One mean for all, as near as the columns can say it."""
        if self.link == "log":
            return start_at_mean(rows)
        mean = float(np.average(rows.y, weights=rows.weight))
        eta = np.full(rows.size, float(_MEANS[self.link][2](np.array(mean))))
        return np.asarray(np.linalg.lstsq(rows.x, eta, rcond=None)[0])

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        """Pearson's X² over its degrees of freedom."""
        df = rows.n_rows - n_fitted
        mu = _MEANS[self.link][0](eta)
        return float(rows.weight @ ((rows.y - mu) ** 2 / mu**self.power)) / df if df > 0 else np.nan

    def pieces(self, name: str, y: Floats) -> tuple[Piece, ...]:
        """The score y · a(η) − b(η), a and b as sums of exponential curves over the predictors that responses span."""
        mean, slope, predictor = _MEANS[self.link]
        if self.link == "log":
            known = np.where(np.isfinite(y), -1.0, np.nan)
            first = Piece("exp", {name: y}, scale=1.0 - self.power)
            second = Piece("exp", {name: known}, scale=2.0 - self.power) if self.power != 2.0 else None
            return first, second or Piece("one", {name: known})
        ends = predictor(np.array([np.nanmin(y), np.nanmax(y)]))
        eta = np.geomspace(ends.min(), ends.max(), 400)
        rates = np.geomspace(0.3 / ends.max(), 5.0 / ends.min(), _N_WAVES)
        basis = np.exp(-rates * eta[:, None])
        found: list[Piece] = []
        for target, factor in (
            (slope(eta) / mean(eta) ** self.power, y),
            (slope(eta) * mean(eta) ** (1.0 - self.power), np.where(np.isfinite(y), -1.0, np.nan)),
        ):
            weight = 1.0 / np.abs(target)
            shares = np.linalg.lstsq(basis * weight[:, None], target * weight, rcond=1e-9)[0]
            found += [
                Piece("exp", {name: share * factor}, scale=-rate)
                for share, rate in zip(shares, rates.tolist(), strict=True)
            ]
        return tuple(found)


@dataclass(frozen=True, kw_only=True)
class PositiveModel(Estimated):
    """A regression of a positive response. power: the variance is the mean to this power."""

    power: ClassVar[float]
    ratio: ClassVar[str] = "ratio of means"
    usual_test: ClassVar[Literal["t", "z"]] = "t"
    links: ClassVar[Mapping[str, str]] = LINKS

    formula: Annotated[str, "The model, as in `COST ~ AGE + C(AREA)`."]
    information: Annotated[
        Literal["expected", "observed"], "Standard errors by the expected information (R) or the observed (Stata)."
    ] = "expected"

    link: Annotated[
        Link, "How the mean follows from the predictor: log, inverse (R's own for Gamma), identity, inverse-squared."
    ] = "log"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_ratios(self.link, self.exponentiated, self.statistics)

    def response(self, formula: Formula, variable: Variable, counts: Floats) -> Floats:
        return positive_response(formula, variable, counts)

    def _means(self) -> _PositiveMeans:
        return _PositiveMeans(self.link, self.power, self.information == "expected")

    def mean_curve(self, further: Floats) -> MeanCurve:
        return self._means().mean_curve()

    def curve(self) -> Curve:
        return self._means().curve()

    def start(self, rows: ModelRows, n_further: int) -> tuple[Floats, Floats]:
        return self._means().start(rows), np.zeros(n_further)

    def dispersion(self, rows: ModelRows, eta: Floats, n_fitted: int) -> float:
        return self._means().dispersion(rows, eta, n_fitted)

    def pieces(self, model: Model, schema: Schema, further: Floats) -> tuple[Piece, ...]:
        return self._means().pieces(model.formula.response.variable, model.y)

    def recipe(self, schema: Schema, has_se: bool = False) -> list[str] | None:
        if not fits_statsmodels(self.formula) or self.weights or self.errors != "model" or self.as_glm is None:
            return None
        links = {link: name for name, link in LINKS.items()}
        family = f"sm.families.{self.as_glm[0]}(sm.families.links.{links[self.link]}())"
        return [f"model = smf.glm({self.formula!r}, rows, family={family}).fit(tol=1e-12)", *self.figures_code()]
