"""What the recipes of regressions share: lines of code for statsmodels, which reads most formulas as we do."""

from __future__ import annotations

import re

RESPONSE = "response"
"""What the response is called in a recipe where it has to be made 0 and 1 first."""

_OTHERWISE = re.compile(r"`|\b(bs|poly|scale|standardize|square)\s*\(")
"""What statsmodels' formulas write otherwise, or compute otherwise."""


def fits_statsmodels(formula: str) -> bool:
    """Whether statsmodels reads a formula as we do."""
    return not _OTHERWISE.search(formula)


def without_missing(name: str) -> str:
    """Code that leaves out the rows where a variable is missing."""
    return f"rows = rows.dropna(subset={[name]!r})"
