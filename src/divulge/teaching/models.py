"""How a student fits a published regression with statsmodels."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from divulge.outputs.kinds.linear import Linear
from divulge.outputs.kinds.logistic import Logistic
from divulge.outputs.kinds.multinomial import Multinomial
from divulge.outputs.kinds.poisson import Poisson
from divulge.outputs.models.formula import parse_formula
from divulge.table import Schema

RESPONSE = "response"
"""What the response is called where it has to be made 0 and 1 first."""

_OTHERWISE = re.compile(r"`|\b(bs|poly|scale|standardize|square)\s*\(")
"""What statsmodels' formulas write otherwise, or compute otherwise."""

_R2 = {"linear": "rsquared", "logistic": "prsquared", "poisson": "prsquared", "multinomial": "prsquared"}


def fits_statsmodels(formula: str) -> bool:
    """Whether statsmodels reads the formula as we do."""
    return not _OTHERWISE.search(formula)


def _figures(output: Any, named: bool = True) -> list[str]:
    """Coefficients by name, then standard errors, then what is published beside them."""
    lines = ["found = model.params.copy()"] if named else []
    if named:
        lines.append('found = pd.concat([found, model.bse.add_suffix(" (se)")])')
    beside = {"r2": _R2[output.kind], "loglik": "llf", "n": "nobs"}
    return lines + [f"found[{s!r}] = model.{beside[s]}" for s in ("r2", "loglik", "n") if s in output.statistics]


def linear(output: Linear, schema: Schema) -> list[str] | None:
    if not fits_statsmodels(output.formula):
        return None
    fit = f"smf.ols({output.formula!r}, rows)"
    if output.weights:
        fit = f"smf.wls({output.formula!r}, rows, weights=rows[{output.weights!r}].astype(float))"
    return [f"model = {fit}.fit()", *_figures(output)]


def logistic(output: Logistic, schema: Schema) -> list[str] | None:
    if not fits_statsmodels(output.formula):
        return None
    parsed = parse_formula(output.formula, schema)
    variable = schema[parsed.response.variable]
    lines, formula = [], output.formula
    if output.event is not None or parsed.response.text == variable.name:
        values = variable.values.tolist()
        code = 1 if output.event is None else variable.code(output.event)
        if code is None or RESPONSE in schema:
            return None
        lines = _without_missing(variable.name)
        lines.append(f"rows = rows.assign({RESPONSE}=(rows[{variable.name!r}] == {values[code]!r}).astype(int))")
        formula = f"{RESPONSE} ~ {output.formula.partition('~')[2].strip()}"
    return _classes(output, lines, "logit", "Binomial", formula)


def poisson(output: Poisson, schema: Schema) -> list[str] | None:
    if not fits_statsmodels(output.formula):
        return None
    name = parse_formula(output.formula, schema).response.variable
    lines = []
    if schema[name].kind == "categorical":
        lines = [f"rows = rows.assign({RESPONSE}=rows[{name!r}].astype(float))"]
    formula = f"{RESPONSE} ~ {output.formula.partition('~')[2].strip()}" if lines else output.formula
    return _classes(output, lines, "poisson", "Poisson", formula)


def _classes(output: Any, lines: list[str], method: str, family: str, formula: str) -> list[str] | None:
    if output.weights is None:
        # Newton's method from zero may overshoot where it says nothing about convergence; a few more steps do no harm.
        return [*lines, f"model = smf.{method}({formula!r}, rows).fit(disp=0, maxiter=100)", *_figures(output)]
    if output.statistics:
        return None  # what a likelihood is with survey weights, programs do not agree on
    weights = f"freq_weights=rows[{output.weights!r}].astype(float)"
    lines.append(f"model = smf.glm({formula!r}, rows, family=sm.families.{family}(), {weights}).fit()")
    return [*lines, *_figures(output)]


def multinomial(output: Multinomial, schema: Schema) -> list[str] | None:
    parsed = parse_formula(output.formula, schema)
    name = parsed.response.variable
    if not fits_statsmodels(output.formula) or output.weights or RESPONSE in schema:
        return None
    if "se" in output.statistics or schema[name].kind == "numeric":
        return None
    return [
        *_without_missing(name),
        f"rows = rows.assign({RESPONSE}=rows[{name!r}].cat.codes)",
        f"model = smf.mnlogit({f'{RESPONSE} ~ ' + output.formula.partition('~')[2].strip()!r}, rows)"
        ".fit(disp=0, maxiter=100)",
        "found = pd.Series(dtype=float)",
        f"for k, level in enumerate(levels[{name!r}][1:]):",
        f'    found = pd.concat([found, model.params.iloc[:, k].add_prefix(f"{name}={{level}} & ")])',
        *_figures(output, named=False),
    ]


def _without_missing(name: str) -> list[str]:
    return [f"rows = rows.dropna(subset={[name]!r})"]


MODEL_RECIPES: dict[str, Callable[..., list[str] | None]] = {
    "linear": linear,
    "logistic": logistic,
    "poisson": poisson,
    "multinomial": multinomial,
}
"""By kind of output."""
