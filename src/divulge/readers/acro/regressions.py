"""Regressions of a folder as outputs: coefficients to 4 decimals, standard errors to 3, as statsmodels prints them.

The formula stands in the command where it is written out there; else it is put together from the names of the terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from divulge.errors import OutputError
from divulge.outputs import OUTPUTS, Output
from divulge.readers.acro.commands import Call, constant, parse_call, rows_of, series_of
from divulge.readers.acro.folder import Entry
from divulge.readers.acro.grids import read_lines
from divulge.readers.statsmodels import DECIMALS, SE_DECIMALS, formula_of_terms, printed_decimals
from divulge.table import Schema

KINDS: Mapping[str, type[Output]] = {name: kind for kind in OUTPUTS for name in kind.acro}
"""Kinds by what ACRO calls them; a final r means that a formula is given."""

STATISTICS: Mapping[str, tuple[str, str]] = {
    "R-squared:": ("r2", "r2"),
    "Pseudo R-squ.:": ("r2", "pseudo r2"),
    "Log-Likelihood:": ("loglik", "loglik"),
    "No. Observations:": ("n", "n"),
}
"""What stands beside the coefficients: what it is, and how it is printed there."""


def read_regression_entry(entry: Entry, schema: Schema) -> tuple[list[Output], list[str]]:
    """The output of a regression and remarks on how it was read; OutputError says why it cannot be."""
    method = entry.method.casefold()
    kind = KINDS.get(method, KINDS.get(method.removesuffix("r")))
    if kind is None:
        raise OutputError(f"a regression by {entry.method or 'an unknown method'!r} is not a kind that Divulge has.")
    tables = [read_lines(path) for path in entry.files if path.suffix.lower() == ".csv"]
    figures, coefficients = _facts(tables), _coefficients(tables)
    call = parse_call(entry.command, frozenset({method}))
    formula, where, notes = _formula(call, list(coefficients), figures, entry, schema)
    released: dict[str, Any] = {}
    statistics, decimals = ["se"], [DECIMALS] * len(coefficients)
    is_usual = figures.get("Covariance Type:", "nonrobust") == "nonrobust"
    if not is_usual:
        statistics.remove("se")
        notes.append("Its standard errors are robust ones, which Divulge does not compute; they are left out.")
    for label, (coefficient, se) in coefficients.items():
        released[label] = {"coef": str(coefficient), "se": str(se)} if is_usual else str(coefficient)
    for title, (name, shown) in STATISTICS.items():
        number = _number(figures.get(title, ""))
        if number is not None and name not in statistics and name in getattr(kind, "beside", ()):
            statistics.append(name)
            released[name] = str(number)
            decimals.append(printed_decimals(shown, float(number)))
    return [
        kind(
            name=entry.name,
            where=where,
            released=released,
            decimals=tuple(decimals),
            formula=formula,  # type: ignore[call-arg]  # every regression has one
            statistics=tuple(statistics),
            se_decimals=SE_DECIMALS if is_usual else None,
        )
    ], notes


def _facts(tables: Sequence[list[list[str]]]) -> dict[str, str]:
    """The key and value pairs that stand above the coefficients, two pairs a line."""
    found: dict[str, str] = {}
    for lines in tables:
        if any("coef" in line for line in lines[:1]):
            continue
        for line in lines:
            found.update((line[i].strip(), line[i + 1].strip()) for i in range(0, len(line) - 1, 2) if line[i].strip())
    return found


def _coefficients(tables: Sequence[list[list[str]]]) -> dict[str, tuple[Decimal, Decimal]]:
    for header, *lines in tables:
        names = [cell.strip() for cell in header]
        if "coef" not in names or "std err" not in names:
            continue
        found: dict[str, tuple[Decimal, Decimal]] = {}
        for line in lines:
            coefficient, se = _number(line[names.index("coef")]), _number(line[names.index("std err")])
            if coefficient is None or se is None:
                raise OutputError("a coefficient or a standard error of it is not a number.")
            if line[0] in found:
                raise OutputError("a term of it is there twice.")
            found[line[0].strip()] = coefficient, se
        return found
    raise OutputError("no file of it has coefficients and standard errors.")


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text.strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _formula(
    call: Call | None, terms: Sequence[str], figures: Mapping[str, str], entry: Entry, schema: Schema
) -> tuple[str, str | None, list[str]]:
    """The formula, the condition of the rows, and remarks."""
    where: str | None = None
    if call is not None:
        written = constant(call.argument(0, "formula"))
        if isinstance(written, str) and "~" in written:
            where, is_known = rows_of(call.argument(1, "data"))
            if not is_known or "subset" in call.names:
                raise OutputError(f"which rows it is computed on cannot be read from its command: {entry.command!r}.")
            return written, where, []
        series = series_of(call.argument(0, "endog"))
        where = series.where
    response = figures.get("Dep. Variable:") or entry.dependent or ""
    if response not in schema:
        raise OutputError(f"its response {response[:80]!r} is no variable of the data.")
    note = "Its formula is put together from the names of its terms."
    return formula_of_terms(response, terms), where, [note]
