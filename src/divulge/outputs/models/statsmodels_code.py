"""What the recipes of regressions share: lines of code for statsmodels, which reads most formulas as we do."""

from __future__ import annotations

import re

RESPONSE = "response"
"""What the response is called in a recipe where it has to be made 0 and 1 first."""

_OTHERWISE = re.compile(r"`|\b(bs|ns|poly|scale|standardize|square)\s*\(")
"""What statsmodels' formulas write otherwise, or compute otherwise."""


def fits_statsmodels(formula: str) -> bool:
    """Whether statsmodels reads a formula as we do."""
    return not _OTHERWISE.search(formula)


def coefficients_code(is_exponentiated: bool) -> list[str]:
    """Code for coefficients by name, or what e is to their power, and their standard errors."""
    shown = "model.params.map(lambda b: 2.718281828459045**b)" if is_exponentiated else "model.params.copy()"
    errors = "(model.bse * found)" if is_exponentiated else "model.bse"
    return [f"found = {shown}", f'found = pd.concat([found, {errors}.add_suffix(" (se)")])']


def fit_code(method: str, formula: str, weights: str | None, family: str) -> str:
    """Code for a fit by maximum likelihood; with weights as a GLM of this family."""
    if weights is None:
        # Newton's method from zero may overshoot where it says nothing about convergence; more steps do no harm.
        return f"model = smf.{method}({formula!r}, rows).fit(disp=0, maxiter=100)"
    weighted = f"freq_weights=rows[{weights!r}].astype(float)"
    return f"model = smf.glm({formula!r}, rows, family=sm.families.{family}(), {weighted}).fit()"


def without_missing(name: str) -> str:
    """Code that leaves out the rows where a variable is missing."""
    return f"rows = rows.dropna(subset={[name]!r})"
