"""Variables that a session made, computed from its expressions node by node: nothing of them is ever executed.

An expression is written as `candidates.expressions` rewrites it. Its value is a column of numbers, or one of labels.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from divulge.readers.handed_in.matching.columns import (
    Column,
    Floats,
    Ints,
    Labels,
    by_appearance,
    constant,
    in_order,
    intervals,
)

_MOST_LEVELS = 500
"""Labels that a new variable has at most."""


class _Source(Protocol):
    """Where columns come from."""

    @property
    def n_rows(self) -> int: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    def numbers(self, name: str) -> Floats: ...

    def codes(self, name: str) -> Ints: ...

    def texts(self, name: str) -> list[str]: ...

    def is_numeric(self, name: str) -> bool: ...


def computed(expression: str, source: _Source, made: Mapping[str, Column]) -> Column | None:
    """The column of an expression; None where some part of it is not understood."""
    try:
        tree = _parsed(expression.split(" if ")[0].strip())
        with np.errstate(all="ignore"):
            value = _Reader(source, made).value(tree.body)
    except (SyntaxError, ValueError, KeyError, RecursionError, TypeError, IndexError, OverflowError):
        return None
    if isinstance(value, Labels):
        return value if 0 < len(value.texts) <= _MOST_LEVELS else None
    if not isinstance(value, np.ndarray) or value.shape != (source.n_rows,):
        return None
    return value.astype(float)


@lru_cache(maxsize=256)
def _parsed(expression: str) -> ast.Expression:
    return ast.parse(expression, mode="eval")


_CONSTANTS: Mapping[str, Any] = {
    "TRUE": 1.0,
    "FALSE": 0.0,
    "T": 1.0,
    "F": 0.0,
    "True": 1.0,
    "False": 0.0,
    "Inf": np.inf,
    "inf": np.inf,
    "NA": np.nan,
    "nan": np.nan,
    "None": np.nan,
}
_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "log": np.log,
    "ln": np.log,
    "LN": np.log,
    "exp": np.exp,
    "EXP": np.exp,
    "sqrt": np.sqrt,
    "SQRT": np.sqrt,
    "abs": np.abs,
    "log10": np.log10,
    "lg10": np.log10,
    "LG10": np.log10,
    "log2": np.log2,
    "log1p": np.log1p,
    "int": np.trunc,
    "TRUNC": np.trunc,
    "trunc": np.trunc,
    "floor": np.floor,
    "ceil": np.ceil,
    "ceiling": np.ceil,
    "float": np.asarray,
    "I": np.asarray,
    "factor": lambda x: x,
    "ordered": lambda x: x,
}
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_COMBINED: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
    ast.BitAnd: np.minimum,
    ast.BitOr: np.maximum,
}


class _Reader:
    """Goes through an expression; raises ValueError or KeyError where it is not understood."""

    def __init__(self, source: _Source, made: Mapping[str, Column]) -> None:
        self.source = source
        self.made = made

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
            return node.value
        if isinstance(node, ast.Name):
            return self._named(node.id.replace("__dot__", "."))
        if isinstance(node, ast.BinOp) and type(node.op) in _COMBINED:
            return _COMBINED[type(node.op)](self.number(node.left), self.number(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.number(node.operand)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return 1.0 - self.number(node.operand)
        if isinstance(node, ast.BoolOp):
            joined = np.fmin if isinstance(node.op, ast.And) else np.fmax
            return _kleene([self.number(v) for v in node.values], joined, isinstance(node.op, ast.And))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compared(node)
        if isinstance(node, ast.List | ast.Tuple):
            return [self.value(e) for e in node.elts]
        if isinstance(node, ast.Call):
            return self._called(node)
        raise ValueError("not understood")

    def number(self, node: ast.expr) -> Any:
        value = self.value(node)
        if isinstance(value, Labels | str | list):
            raise ValueError("a number is needed")
        return value

    def _named(self, name: str) -> Any:
        if name in self.made:
            return self.made[name]
        if name in self.source.names:
            if self.source.is_numeric(name):
                return self.source.numbers(name)
            return Labels(self.source.codes(name), tuple(self.source.texts(name)))
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        raise KeyError(name)

    def _compared(self, node: ast.Compare) -> Floats:
        left, right = self.value(node.left), self.value(node.comparators[0])
        operator = type(node.ops[0])
        if operator in (ast.In, ast.NotIn):
            found = [self._equal(left, r) for r in (right if isinstance(right, list) else [right])]
            out = np.max(found, axis=0)
            return np.asarray(1.0 - out if operator is ast.NotIn else out)
        if isinstance(left, Labels) or isinstance(right, Labels | str):
            same = self._equal(left, right)
            if operator not in (ast.Eq, ast.NotEq):
                raise ValueError("labels have no order")
            return same if operator is ast.Eq else 1.0 - same
        out = _COMPARED[operator](left, right).astype(float)
        missing = np.isnan(np.asarray(left, dtype=float)) | np.isnan(np.asarray(right, dtype=float))
        return np.where(missing, np.nan, out)

    def _equal(self, left: Any, right: Any) -> Floats:
        if isinstance(left, Labels):
            wanted = str(right).casefold()
            code = next((k for k, t in enumerate(left.texts) if t == str(right)), None)
            if code is None:
                code = next((k for k, t in enumerate(left.texts) if t.casefold() == wanted), -2)
            return np.where(left.codes < 0, np.nan, (left.codes == code).astype(float))
        if isinstance(right, str):
            right = float(right)
        return np.where(np.isnan(left), np.nan, (left == right).astype(float))

    def _called(self, node: ast.Call) -> Any:
        name = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        given = {k.arg: k.value for k in node.keywords if k.arg is not None}
        if name in ("c", "list", "array"):
            return [self.value(a) for a in node.args]
        if name in ("ifelse", "if_else", "cond", "where", "fifelse"):
            return self._chosen(*(self.value(a) for a in node.args[:3]))
        if name in ("cut", "qcut"):
            return self._cut(node.args, given, name == "qcut")
        if name in ("is__dot__na", "missing", "isna", "isnull"):
            value = self.value(node.args[0]) if node.args else self.value(_of(node))
            return (value.codes < 0).astype(float) if isinstance(value, Labels) else np.isnan(value).astype(float)
        if name in ("notna", "notnull"):
            value = self.value(node.args[0]) if node.args else self.value(_of(node))
            return (value.codes >= 0).astype(float) if isinstance(value, Labels) else (~np.isnan(value)).astype(float)
        if name in ("map", "replace") and len(node.args) == 1 and isinstance(node.args[0], ast.Dict):
            return self._mapped(self.value(_of(node)), node.args[0])
        if name == "recode_ranges":
            return self._recoded(node.args)
        if name == "isin":
            return self._compared(ast.Compare(_of(node), [ast.In()], [node.args[0]]))
        if name in ("inlist", "any"):
            return self._compared(ast.Compare(node.args[0], [ast.In()], [ast.List(node.args[1:])]))
        if name in ("inrange", "between", "range"):
            args = node.args if len(node.args) == 3 else [_of(node), *node.args]
            x, low, high = (self.number(a) for a in args)
            return np.where(np.isnan(x), np.nan, ((x >= low) & (x <= high)).astype(float))
        if name in ("factor", "ordered") and node.args and {"labels", "levels"} & set(given):
            return self._factor(self.value(node.args[0]), given)
        if name in ("pmin", "pmax", "minimum", "maximum") and len(node.args) == 2:
            a, b = (self.number(x) for x in node.args)
            return np.minimum(a, b) if name in ("pmin", "minimum") else np.maximum(a, b)
        if name == "by_appearance":
            return by_appearance(self.value(node.args[0]))
        if name in _FUNCTIONS and node.args:
            return _FUNCTIONS[name](self.value(node.args[0]))
        if name in ("round", "scale", "mean", "std"):
            return _summarised(name, self.number(node.args[0]) if node.args else self.number(_of(node)), node.args[1:])
        raise ValueError("not understood")

    def _chosen(self, test: Any, yes: Any, no: Any) -> Column:
        n = self.source.n_rows
        if not any(isinstance(v, Labels | str) for v in (yes, no)):
            out = np.where(np.asarray(test) > 0, yes, no).astype(float)
            return np.where(np.isnan(test), np.nan, out) if np.ndim(test) else out
        texts: list[str] = []
        codes = np.full(n, -1, dtype=np.int64)
        for value, rows in ((yes, test > 0), (no, test == 0)):
            part = value if isinstance(value, Labels) else constant(value, n)
            for k, text in enumerate(part.texts):
                here = rows & (part.codes == k)
                if text not in texts:
                    texts.append(text)
                codes[here] = texts.index(text)
        return in_order(Labels(codes, tuple(texts)))

    def _mapped(self, value: Any, pairs: ast.Dict) -> Column:
        keys = [self.value(k) for k in pairs.keys if k is not None]
        new = [self.value(v) for v in pairs.values]
        if any(isinstance(v, str) for v in new):
            texts = tuple(dict.fromkeys(str(v) for v in new))
            codes = np.full(self.source.n_rows, -1, dtype=np.int64)
            for key, to in zip(keys, new, strict=True):
                codes[self._equal(value, key) > 0] = texts.index(str(to))
            return in_order(Labels(codes, texts))
        out = np.full(self.source.n_rows, np.nan)
        for key, to in zip(keys, new, strict=True):
            out[self._equal(value, key) > 0] = to
        return out

    def _factor(self, value: Any, given: Mapping[str, ast.expr]) -> Labels:
        """A factor with levels in the order that is given, called by the labels that are given."""
        known = value.texts if isinstance(value, Labels) else np.unique(value[~np.isnan(value)]).tolist()
        levels = self.value(given["levels"]) if "levels" in given else list(known)
        labels = self.value(given["labels"]) if "labels" in given else levels
        if not isinstance(levels, list) or not isinstance(labels, list) or len(levels) != len(labels):
            raise ValueError("not understood")
        codes = np.full(self.source.n_rows, -1, dtype=np.int64)
        texts = tuple(dict.fromkeys(str(t) for t in labels))
        for level, label in zip(levels, labels, strict=True):
            codes[self._equal(value, level) > 0] = texts.index(str(label))
        return Labels(codes, texts)

    def _recoded(self, args: Sequence[ast.expr]) -> Floats:
        """x, then low, high, new for each range: the first that holds counts; no limit is an infinity."""
        x = self.number(args[0])
        out = np.full(self.source.n_rows, np.nan)
        todo = ~np.isnan(x)
        for k in range(1, len(args) - 2, 3):
            low, high, new = (self.value(a) for a in args[k : k + 3])
            here = todo & (x >= low) & (x <= high)
            out[here] = x[here] if isinstance(new, str) else new
            todo &= ~here
        return out

    def _cut(self, args: Sequence[ast.expr], given: Mapping[str, ast.expr], by_rank: bool) -> Labels:
        x = self.number(args[0])
        second = given.get("breaks") or given.get("bins") or given.get("q") or args[1]
        edges = self.value(second)
        if isinstance(edges, list):
            limits = np.array([float(e) for e in edges])
            if by_rank:
                limits = np.nanquantile(x, limits)
        elif by_rank:
            limits = np.nanquantile(x, np.linspace(0, 1, int(edges) + 1))
        else:
            raise ValueError("equal widths depend on the program")
        limits = np.sort(limits)
        right = not ("right" in given and self.value(given["right"]) == 0)
        lowest = by_rank or any(
            k in given and self.value(given[k]) > 0 for k in ("include_lowest", "include__dot__lowest")
        )
        place = np.searchsorted(limits, x, side="left" if right else "right") - 1
        if lowest:
            place = np.where(x == (limits[0] if right else limits[-1]), 0 if right else len(limits) - 2, place)
        n = len(limits) - 1
        codes = np.where(np.isnan(x) | (place < 0) | (place >= n), -1, place).astype(np.int64)
        named = given.get("labels")
        if named is None and len(args) > 2 and isinstance(args[2], ast.List | ast.Call):
            named = args[2]
        if named is not None and isinstance(texts := self.value(named), list) and len(texts) == n:
            return Labels(codes, tuple(str(t) for t in texts))
        if named is not None and not isinstance(self.value(named), list) and self.value(named) == 0:
            first = 0 if "bins" in given or by_rank else 1
            return Labels(codes, tuple(str(k + first) for k in range(n)))
        return Labels(codes, intervals(limits, right, lowest, ", " if "bins" in given else ","))


def _of(node: ast.Call) -> ast.expr:
    """The column that a method is called on."""
    if not isinstance(node.func, ast.Attribute):
        raise ValueError("no method")
    return node.func.value


def _kleene(values: list[Any], joined: Callable[[Any, Any], Any], is_and: bool) -> Any:
    """And, or of columns that may be unknown: false and unknown is false, true or unknown is true."""
    out = values[0]
    decides = 0.0 if is_and else 1.0
    for value in values[1:]:
        both = joined(out, value)
        unknown = np.isnan(out) | np.isnan(value)
        out = np.where(unknown & (both != decides), np.nan, both)
    return out


def _summarised(name: str, x: Floats, rest: Sequence[ast.expr]) -> Any:
    if name == "round":
        digits = rest[0].value if rest and isinstance(rest[0], ast.Constant) else 0
        return np.round(x, int(digits)) if isinstance(digits, int) else x
    if name == "scale":
        return (x - np.nanmean(x)) / np.nanstd(x, ddof=1)
    return float(np.nanmean(x) if name == "mean" else np.nanstd(x, ddof=1))
