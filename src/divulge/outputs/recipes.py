"""Lines of pandas code that several kinds need when they say how a class recomputes them.

They start from `rows`, the rows that count, and leave the figures in `found`. `levels` holds every possible value.
"""

from __future__ import annotations

from collections.abc import Sequence

from divulge.table import Schema


def every_group(names: Sequence[str], schema: Schema) -> list[str]:
    """Numeric variables that make groups have a group for every possible value, whether it occurs or not."""
    return [
        f"rows = rows.assign({name}=pd.Categorical(rows[{name!r}], categories=levels[{name!r}]))"
        if name.isidentifier()
        else f"rows = rows.assign(**{{{name!r}: pd.Categorical(rows[{name!r}], categories=levels[{name!r}])}})"
        for name in names
        if schema[name].kind == "numeric"
    ]


def count_code(names: Sequence[str], weights: str | None) -> str:
    """How many rows each combination of values has, or their weight."""
    groups = f"rows.groupby({list(names)!r}, observed=False)"
    return f"{groups}.size()" if weights is None else f"{groups}[{weights!r}].sum()"


def by_groups(variables: Sequence[str], by: Sequence[str], schema: Schema, figures: Sequence[str]) -> list[str]:
    """For each variable the figures (code on `x`), one after the other, each group by group."""
    lines = [*every_group(by, schema), "found = []", f"for name in {list(variables)!r}:"]
    lines.append("    x = rows[name].astype(float)")
    if by:
        lines.append(f"    x = x.groupby([rows[g] for g in {list(by)!r}], observed=False)")
    return [*lines, *(f"    found += list({f})" if by else f"    found.append({f})" for f in figures)]


def weighted_by_groups(
    variables: Sequence[str], by: Sequence[str], schema: Schema, weights: str, is_mean: bool
) -> list[str] | None:
    """Σ wx, or Σ wx / Σ w, of the rows that have the variable; None where the weights are one of the variables."""
    if weights in (*by, *variables):
        return None
    groups = f".groupby([rows[g] for g in {list(by)!r}], observed=False)" if by else ""
    sums = f"(w * x){groups}.sum()" + (f" / w{groups}.sum()" if is_mean else "")
    return [
        *every_group(by, schema),
        "found = []",
        f"for name in {list(variables)!r}:",
        "    x = rows[name].astype(float)",
        f"    w = rows[{weights!r}].astype(float).where(x.notna())",
        f"    found += list({sums})" if by else f"    found.append({sums})",
    ]
