"""How a student computes a published output with pandas, scipy and statsmodels: code, kind by kind.

Every recipe leaves the figures in `found`, in the order in which they were published, or named as they were. A kind
without a recipe is said to have none; nothing else depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from divulge.objective import Target
from divulge.outputs import Output
from divulge.outputs.kinds.chi_squared import ChiSquared
from divulge.outputs.kinds.correlation import Correlation
from divulge.outputs.kinds.crosstab import Crosstab
from divulge.outputs.kinds.extremes import Extremes
from divulge.outputs.kinds.f_test import FTest
from divulge.outputs.kinds.frequencies import Frequencies
from divulge.outputs.kinds.means import Means
from divulge.outputs.kinds.position import Position
from divulge.outputs.kinds.shape import Shape
from divulge.outputs.kinds.t_test import TTest
from divulge.outputs.kinds.totals import Totals
from divulge.table import Schema
from divulge.teaching.conditions import condition_code
from divulge.teaching.models import MODEL_RECIPES, fits_statsmodels

Recipe = Callable[..., "list[str] | None"]
"""Lines of code for an output (the first argument) on a schema (the second); None where it cannot be said so."""


def recipe_of(target: Target, schema: Schema) -> list[str] | None:
    """Lines of code that leave the output's figures in `found`; None where there is no recipe."""
    output = target.output
    if target.released.se is not None and (output.weights or output.kind == "multinomial"):
        return None  # programs do not agree on standard errors with survey weights
    recipe = RECIPES.get(output.kind)
    lines = None if recipe is None else recipe(output, schema)
    return None if lines is None else [*_rows(output, schema), *lines]


def _rows(output: Output, schema: Schema) -> list[str]:
    """The rows that count, as `rows`."""
    lines = ["rows = data" if output.where is None else f"rows = data[{condition_code(output.where, schema)}]"]
    if output.weights is not None:
        lines.append(f"rows = rows.dropna(subset={[output.weights]!r})")
    return lines


def _listed(names: Sequence[str], schema: Schema) -> list[str]:
    """Numeric variables that make groups have a group for every possible value, whether it occurs or not."""
    return [
        f"rows = rows.assign({name}=pd.Categorical(rows[{name!r}], categories=levels[{name!r}]))"
        if name.isidentifier()
        else f"rows = rows.assign(**{{{name!r}: pd.Categorical(rows[{name!r}], categories=levels[{name!r}])}})"
        for name in names
        if schema[name].kind == "numeric"
    ]


def _counts(names: Sequence[str], weights: str | None) -> str:
    groups = f"rows.groupby({list(names)!r}, observed=False)"
    return f"{groups}.size()" if weights is None else f"{groups}[{weights!r}].sum()"


def frequencies(output: Frequencies, schema: Schema) -> list[str] | None:
    if output.missing == "include" or output.weights in output.variables:
        return None
    lines = _listed(output.variables, schema)
    parts = [_counts([name], output.weights) for name in output.variables]
    lines.append(f"counts = [{', '.join(parts)}]")
    scale = {"counts": "n", "proportions": "n / n.sum()", "percentages": "100 * n / n.sum()"}[output.statistic]
    return [*lines, f"found = pd.concat([{scale} for n in counts])"]


def crosstab(output: Crosstab, schema: Schema) -> list[str] | None:
    names = list(output.variables)
    if output.missing == "include" or output.weights in names:
        return None
    lines = [*_listed(names, schema), f"counts = {_counts(names, output.weights)}"]
    scale = "100 * " if output.statistic.endswith("percentages") else ""
    if output.statistic == "counts" and not output.margins:
        return [*lines, "found = counts"]
    if output.statistic.startswith(("row", "column")):
        others = names[:-1] if output.statistic.startswith("row") else names[1:]
        below = f'counts.groupby(level={others!r}, observed=False).transform("sum")' if others else "counts.sum()"
        return [*lines, f"found = {scale}counts / {below}"]
    parts = ["counts"]
    if output.margins:
        sizes = range(len(names) - 1, 0, -1)
        subsets = [list(s) for size in sizes for s in combinations(names, size)]
        parts += [f"counts.groupby(level={s!r}, observed=False).sum()" for s in subsets]
        parts.append("pd.Series([counts.sum()])")
    lines.append(f"shown = pd.concat([{', '.join(parts)}])" if len(parts) > 1 else "shown = counts")
    return [*lines, "found = shown" if output.statistic == "counts" else f"found = {scale}shown / counts.sum()"]


def _by_groups(
    output: Means | Totals | Position | Extremes | Shape, schema: Schema, figures: Sequence[str]
) -> list[str]:
    """For each variable the figures (code on `x`), one after the other, each group by group."""
    by = list(output.by)
    lines = [*_listed(by, schema), "found = []"]
    lines.append(f"for name in {list(output.variables)!r}:")
    lines.append("    x = rows[name].astype(float)")
    if by:
        lines.append(f"    x = x.groupby([rows[g] for g in {by!r}], observed=False)")
    return [*lines, *(f"    found += list({f})" if by else f"    found.append({f})" for f in figures)]


def means(output: Means, schema: Schema) -> list[str] | None:
    return _weighted(output, schema, "/ w") if output.weights else _by_groups(output, schema, ["x.mean()"])


def totals(output: Totals, schema: Schema) -> list[str] | None:
    if output.weights:
        return _weighted(output, schema, "") if output.statistic == "totals" else None
    if output.statistic == "totals":
        return _by_groups(output, schema, ["x.sum()"])
    scale = "100 * " if output.statistic == "percentages" else ""
    return _by_groups(output, schema, [f"{scale}x.sum() / x.sum().sum()"])


def _weighted(output: Means | Totals, schema: Schema, below: str) -> list[str] | None:
    """Σ wx, or Σ wx / Σ w, of the rows that have the variable."""
    by = list(output.by)
    if output.weights in (*by, *output.variables):
        return None
    groups = f".groupby([rows[g] for g in {by!r}], observed=False)" if by else ""
    add = "found += list({})" if by else "found.append({})"
    lines = [*_listed(by, schema), "found = []", f"for name in {list(output.variables)!r}:"]
    lines.append("    x = rows[name].astype(float)")
    lines.append(f"    w = rows[{output.weights!r}].astype(float).where(x.notna())")
    sums = f"(w * x){groups}.sum()" + (f" / w{groups}.sum()" if below else "")
    return [*lines, f"    {add.format(sums)}"]


def position(output: Position, schema: Schema) -> list[str] | None:
    if output.weights:
        return None
    figures = [f"x.quantile({q!r})" for q in output.quantiles]
    figures += ["x.quantile(0.75) - x.quantile(0.25)"] if output.iqr else []
    return _by_groups(output, schema, figures)


def extremes(output: Extremes, schema: Schema) -> list[str] | None:
    return _by_groups(output, schema, [{"minimum": "x.min()", "maximum": "x.max()"}[s] for s in output.show])


def shape(output: Shape, schema: Schema) -> list[str] | None:
    # The kurtosis of a group has no method in pandas, and population formulas are not its own.
    if output.weights or output.formulas != "sample" or not set(output.show) <= {"sd", "variance", "skewness"}:
        return None
    return _by_groups(
        output, schema, [{"sd": "x.std()", "variance": "x.var()", "skewness": "x.skew()"}[s] for s in output.show]
    )


def correlation(output: Correlation, schema: Schema) -> list[str] | None:
    if output.weights:
        return None
    complete = ".dropna()" if output.rows == "complete" else ""
    pairs = [f"r.loc[{a!r}, {b!r}]" for a, b in combinations(output.variables, 2)]
    return [f"r = rows[{list(output.variables)!r}].astype(float){complete}.corr()", f"found = [{', '.join(pairs)}]"]


def chi_squared(output: ChiSquared, schema: Schema) -> list[str] | None:
    if output.weights:
        return None
    a, b = output.variables
    names = {"statistic": "test.statistic", "df": "test.dof", "p": "test.pvalue"}
    return [
        # Levels that nobody has take no part in the test.
        f"table = pd.crosstab(rows[{a!r}], rows[{b!r}])",
        "table = table.loc[table.sum(axis=1) > 0, table.sum() > 0]",
        f"test = stats.chi2_contingency(table, correction={output.correction})",
        f"found = [{', '.join(names[s] for s in output.show)}]",
    ]


def t_test(output: TTest, schema: Schema) -> list[str] | None:
    if output.weights:
        return None
    own = [n for n in (output.variable, output.by, output.paired) if n is not None]
    names = {"statistic": "test.statistic", "df": "test.df", "p": "test.pvalue"}
    lines = [f"rows = rows.dropna(subset={own!r})", f"x = rows[{output.variable!r}].astype(float)"]
    if output.by is not None:
        first, second = schema[output.by].values.tolist()
        lines.append(f"one, other = x[rows[{output.by!r}] == {first!r}], x[rows[{output.by!r}] == {second!r}]")
        lines.append(f"test = stats.ttest_ind(one - {output.mean!r}, other, equal_var={output.equal})")
    elif output.paired is not None:
        lines.append(f"test = stats.ttest_1samp(x - rows[{output.paired!r}].astype(float), {output.mean!r})")
    else:
        lines.append(f"test = stats.ttest_1samp(x, {output.mean!r})")
    return [*lines, f"found = [{', '.join(names[s] for s in output.show)}]"]


def f_test(output: FTest, schema: Schema) -> list[str] | None:
    if output.weights or not fits_statsmodels(output.formula):
        return None
    names = {"statistic": "fvalue", "df": "df_model", "df residual": "df_resid", "p": "f_pvalue"}
    return [
        f"model = smf.ols({output.formula!r}, rows).fit()",
        f"found = [{', '.join(f'model.{names[s]}' for s in output.show)}]",
    ]


RECIPES: dict[str, Recipe] = {
    "frequencies": frequencies,
    "crosstab": crosstab,
    "means": means,
    "totals": totals,
    "position": position,
    "extremes": extremes,
    "shape": shape,
    "correlation": correlation,
    "chi-squared": chi_squared,
    "t-test": t_test,
    "f-test": f_test,
    **MODEL_RECIPES,
}
"""By kind of output."""
