"""Functions of one variable inside a formula, such as `log(INCOME + 1)` or `bs(AGE, 4)`, as tables over its values.

An expression is walked, never executed: only the functions and operators named here exist in it. Functions that depend
on the distribution of the data (centre, scale, orthogonal polynomials, spline knots) are given how often each value
occurs.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "I": lambda x: x,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "log1p": np.log1p,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "sign": np.sign,
    "square": np.square,
    "sin": np.sin,
    "cos": np.cos,
}
FUNCTIONS = (*_PLAIN, "center", "scale", "standardize", "poly", "bs", "ns", "C", "Q")
"""Every function that a formula may call; those of numpy may be written `np.log` too."""


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one variable, code by code (NaN: missing), and how often each occurs (any scale)."""

    numbers: Floats
    texts: tuple[str, ...]
    counts: Floats


def parse_expression(text: str) -> ast.expr:
    """The expression behind a factor's text; SyntaxError where it is none."""
    return ast.parse(text.strip(), mode="eval").body


def names_in(node: ast.expr) -> list[str]:
    """The variables that an expression reads, each once: names that are not called, and those in Q("…")."""
    found: list[str] = []

    def visit(part: ast.AST, is_called: bool = False) -> None:
        if isinstance(part, ast.Call):
            name = function_name(part)
            if name == "Q" and len(part.args) == 1 and isinstance(part.args[0], ast.Constant):
                found.append(str(part.args[0].value))
                return
            # What follows the variable of a category is a contrast: C(x, Sum).
            for argument in part.args[:1] if name == "C" else [*part.args, *(k.value for k in part.keywords)]:
                visit(argument)
        elif isinstance(part, ast.Name) and not is_called:
            found.append(part.id)
        else:
            for child in ast.iter_child_nodes(part):
                visit(child)

    visit(node)
    return list(dict.fromkeys(found))


def function_name(node: ast.Call) -> str:
    """The name of what is called: `np.log` and `numpy.log` are log; anything not known here is refused."""
    called = node.func
    name = called.id if isinstance(called, ast.Name) else None
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        if called.value.id in ("np", "numpy") and called.attr in _PLAIN:
            name = called.attr
        elif called.value.id == "contr":
            name = f"contr.{called.attr}"
    known = (*FUNCTIONS, "Treatment", "Sum", "contr.treatment", "contr.sum")
    if name is None or name not in known:
        raise OutputError(
            f"`{ast.unparse(called)}` is not a function that formulas know.",
            hint=f"They know {', '.join(sorted(FUNCTIONS, key=str.casefold))}.",
        )
    return name


def tabulate(node: ast.expr, values: Values) -> Floats:
    """The columns of a numeric factor for every code, (codes, columns); NaN or ∞ where it is not defined."""
    with np.errstate(all="ignore"):  # log(0) of a possible value that nobody has is no one's error
        result = np.asarray(_walk(node, values), dtype=float)
    if result.ndim == 0:
        result = np.full(len(values.numbers), float(result))
    return result if result.ndim == 2 else result[:, None]


def _refuse(node: ast.AST) -> OutputError:
    return OutputError(
        f"`{ast.unparse(node)}` cannot be used in a formula.",
        hint="A factor is a function of one variable, made of numbers, + - * / ** and the functions formulas know.",
    )


def _walk(node: ast.expr, values: Values) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | bool):
        return float(node.value)
    if isinstance(node, ast.Name):
        return _numbers(values, node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _walk(node.operand, values)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _walk(node.left, values), _walk(node.right, values)
        if isinstance(left, float) and isinstance(right, float):
            # Two constants are numbers of numpy: a power of huge ones is ∞ at once, not minutes of long arithmetic.
            left = np.float64(left)
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        return _compare(node, values)
    if isinstance(node, ast.Call):
        return _call(node, values)
    raise _refuse(node)


def _numbers(values: Values, node: ast.AST) -> Floats:
    is_text = np.isnan(values.numbers[: len(values.texts)])
    if is_text.any():
        raise OutputError(
            f"`{ast.unparse(node)}` has values that are not numbers.", hint="Use it as a category: C(…), or as it is."
        )
    return values.numbers


def _compare(node: ast.Compare, values: Values) -> Floats:
    right = node.comparators[0]
    compare = _COMPARE[type(node.ops[0])]
    if isinstance(right, ast.Constant) and isinstance(right.value, str):
        if not isinstance(node.left, ast.Name) or type(node.ops[0]) not in (ast.Eq, ast.NotEq):
            raise _refuse(node)
        if right.value not in values.texts:
            raise OutputError(f"`{node.left.id}` has no value {right.value!r}.")
        truth = np.array([compare(text, right.value) for text in values.texts], dtype=float)
        return np.concatenate([truth, np.full(len(values.numbers) - len(truth), np.nan)])
    left, constant = _walk(node.left, values), _walk(right, values)
    return np.where(np.isnan(left) | np.isnan(constant), np.nan, compare(left, constant).astype(float))


def _arguments(node: ast.Call, names: tuple[str, ...]) -> dict[str, Any]:
    """The arguments after the first, by name: numbers, truth values, and lists of numbers."""
    if not node.args or any(isinstance(a, ast.Starred) for a in node.args) or len(node.args) - 1 > len(names):
        raise OutputError(f"`{ast.unparse(node)}` has not the arguments that it needs.")
    given = dict(zip(names, node.args[1:], strict=False))
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in given:
            raise OutputError(f"`{ast.unparse(node)}` takes {', '.join(names)} once each, not {keyword.arg!r}.")
        given[keyword.arg] = keyword.value
    try:
        return {name: ast.literal_eval(value) for name, value in given.items()}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise OutputError(f"the arguments of `{ast.unparse(node)}` after the first must be numbers.") from None


def _call(node: ast.Call, values: Values) -> Any:
    name = function_name(node)
    if name == "Q":
        return _numbers(values, node)
    if not node.args:
        raise OutputError(f"`{ast.unparse(node)}` needs a variable.")
    x = np.asarray(_walk(node.args[0], values), dtype=float)
    if name in _PLAIN:
        if len(node.args) > 1 or node.keywords:
            raise OutputError(f"`{ast.unparse(node)}` takes one argument.")
        return _PLAIN[name](x)
    if x.ndim != 1:
        raise OutputError(f"`{ast.unparse(node)}` needs a function of one variable as its first argument.")
    seen = np.where(np.isfinite(x), values.counts, 0.0)
    if not seen.sum() > 0.0:
        return np.full(len(x), np.nan)
    filled = np.where(np.isfinite(x), x, 0.0)
    try:
        if name in ("center", "scale", "standardize"):
            given = _arguments(node, () if name == "center" else ("center", "scale", "ddof"))
            return _scale(x, filled, seen, name, given)
        if name == "poly":
            return _poly(x, filled, seen, **_arguments(node, ("degree", "raw")))
        if name == "bs":
            names = ("df", "knots", "degree", "include_intercept", "lower_bound", "upper_bound")
            return _splines(x, filled, seen, **_arguments(node, names))
        if name == "ns":
            return _natural_splines(x, filled, seen, **_arguments(node, ("df", "knots", "include_intercept")))
    except (TypeError, ValueError) as error:
        raise OutputError(f"`{ast.unparse(node)}` cannot be computed: {error}.") from None
    raise _refuse(node)


def _scale(x: Floats, filled: Floats, seen: Floats, name: str, given: Mapping[str, Any]) -> Floats:
    """(x − mean) / standard deviation. Values that occur less often than once count by their share."""
    total = seen.sum()
    mean = float(seen @ filled) / total
    centred = x - mean if given.get("center", True) is True else x - float(given.get("center", 0.0))
    if name == "center" or given.get("scale", True) is False:
        return centred
    if given.get("scale", True) is not True:
        return centred / float(given["scale"])
    # formulaic divides by n − 1 by default, patsy by n; the formula says ddof=0 for the latter.
    spread = seen @ np.where(np.isfinite(x), centred, 0.0) ** 2 / (total - float(given.get("ddof", 1)))
    return centred / np.sqrt(spread)


def _poly(x: Floats, filled: Floats, seen: Floats, degree: int = 1, raw: bool = False) -> Floats:
    """Polynomials orthogonal over the rows, by the three-term recurrence (Forsythe 1957)."""
    if not isinstance(degree, int) or not 1 <= degree <= 20:  # beyond that double precision holds no polynomial
        raise ValueError("the degree must be between 1 and 20")
    if raw:
        return np.stack([x**k for k in range(1, degree + 1)], axis=1)
    columns = [np.ones(len(x))]
    norms: list[float] = []
    for k in range(degree):
        norms.append(float(seen @ columns[k] ** 2))
        centre = float(seen @ (filled * columns[k] ** 2)) / norms[k]
        following = (filled - centre) * columns[k]
        if k:
            following = following - norms[k] / norms[k - 1] * columns[k - 1]
        columns.append(following)
    norms.append(float(seen @ columns[degree] ** 2))
    out = np.stack([c / np.sqrt(n) for c, n in zip(columns[1:], norms[1:], strict=True)], axis=1)
    return np.where(np.isfinite(x)[:, None], out, np.nan)


def _splines(  # noqa: PLR0913 - the arguments that people give to bs() in a formula
    x: Floats,
    filled: Floats,
    seen: Floats,
    df: int | None = None,
    knots: Any = None,
    degree: int = 3,
    include_intercept: bool = False,
    lower_bound: float | None = None,
    upper_bound: float | None = None,
) -> Floats:
    """B-splines (de Boor 1978), with inner knots at equally spaced quantiles of the rows where only df is given.

    Values outside the rows' range (possible, but nobody has them) go on along the outermost polynomials.
    """
    if df is not None and knots is not None:
        raise ValueError("give df or knots, not both")
    if not isinstance(degree, int) or not 0 <= degree <= 10:  # higher ones are of no use and ill conditioned
        raise ValueError("the degree must be between 0 and 10")
    inner = [] if knots is None else sorted(float(k) for k in knots)
    if df is not None:
        count = df - degree - (1 if include_intercept else 0)
        if not 0 <= count <= 1000:
            raise ValueError(f"df must be at least {degree + (1 if include_intercept else 0)}")
        inner = [_quantile(filled, seen, p) for p in np.linspace(0, 1, count + 2)[1:-1]]
    low = float(filled[seen > 0].min()) if lower_bound is None else float(lower_bound)
    high = float(filled[seen > 0].max()) if upper_bound is None else float(upper_bound)
    if not low < high or any(not low <= k <= high for k in inner):
        raise ValueError("the knots must lie between the bounds")
    at = np.array([low] * (degree + 1) + inner + [high] * (degree + 1))
    n_basis = len(at) - degree - 1
    last = n_basis - 1  # the interval that ends at the upper bound
    basis = []
    for i in range(len(at) - 1):
        starts = filled >= at[i] if i != degree else np.ones(len(x), dtype=bool)
        ends = filled < at[i + 1] if i != last else np.ones(len(x), dtype=bool)
        is_interval = at[i + 1] > at[i] or i == last  # an inner knot may lie on the upper bound itself
        basis.append((starts & ends & is_interval).astype(float))
    for d in range(1, degree + 1):
        for i in range(len(at) - d - 1):
            rising = (filled - at[i]) / (at[i + d] - at[i]) if at[i + d] > at[i] else np.zeros(len(x))
            falling = np.ones(len(x))
            if at[i + d + 1] > at[i + 1]:
                falling = (at[i + d + 1] - filled) / (at[i + d + 1] - at[i + 1])
            basis[i] = rising * basis[i] + falling * basis[i + 1]
    out = np.stack(basis[0 if include_intercept else 1 : n_basis], axis=1)
    return np.where(np.isfinite(x)[:, None], out, np.nan)


def _natural_splines(
    x: Floats,
    filled: Floats,
    seen: Floats,
    df: int | None = None,
    knots: Any = None,
    include_intercept: bool = False,
) -> Floats:
    """Cubic splines that are straight beyond the rows' range, in the basis of R's ns (Hastie 1992, 7.6): B-splines
    turned so that two columns hold all curvature at both ends, which are left out. Knots as in `_splines`."""
    from scipy.interpolate import BSpline  # importing it takes longer than reading most formulas

    if df is not None and knots is not None:
        raise ValueError("give df or knots, not both")
    inner = [] if knots is None else sorted(float(k) for k in (knots if isinstance(knots, list | tuple) else [knots]))
    if df is not None:
        count = df - 1 - (1 if include_intercept else 0)
        if not 0 <= count <= 1000:
            raise ValueError(f"df must be at least {1 + (1 if include_intercept else 0)}")
        inner = [_quantile(filled, seen, p) for p in np.linspace(0, 1, count + 2)[1:-1]]
    low, high = float(filled[seen > 0].min()), float(filled[seen > 0].max())
    if not low < high or any(not low <= k <= high for k in inner):
        raise ValueError("the knots must lie between the ends")
    at = np.array([low] * 4 + inner + [high] * 4)
    basis = BSpline(at, np.eye(len(at) - 4), 3)
    ends = np.array([low, high])
    first = 0 if include_intercept else 1
    turned = np.linalg.qr(basis.derivative(2)(ends)[:, first:].T, mode="complete")[0][:, 2:]
    inside = np.clip(filled, low, high)
    side = (filled > high).astype(int)
    columns = basis(inside) + (filled - inside)[:, None] * basis.derivative(1)(ends)[side]
    return np.where(np.isfinite(x)[:, None], columns[:, first:] @ turned, np.nan)


def _quantile(values: Floats, counts: Floats, p: float) -> float:
    """The quantile of rows by linear interpolation between order statistics (Hyndman & Fan 1996, type 7)."""
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(counts[order])
    place = p * (upto[-1] - 1.0)
    below = np.floor(place + 1e-9)  # a place such as 0.3 · 10 must not fall just short of 3
    at = [values[order][np.searchsorted(upto, min(r, upto[-1] - 1.0), side="right")] for r in (below, below + 1)]
    return float(at[0] + max(place - below, 0.0) * (at[1] - at[0]))
