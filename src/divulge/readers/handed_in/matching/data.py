"""The data as matching asks for them: columns as numbers and levels, conditions as masks, new variables by expression.

Values of rows are compared with what was printed and go no further.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.errors import DivulgeError
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.table import Condition, Schema, Table, Variable

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]

MOST_LEVELS = 60
"""Values that a variable which makes groups has at most."""


class Data:
    """A table with what was computed of it so far."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.words = Vocabulary(table.schema)
        self._numbers: dict[str, Floats] = {}
        self._codes: dict[str, Ints] = {}
        self._masks: dict[str, Mask | None] = {}
        self._numeric: dict[str, bool] = {}

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.schema.names

    def numbers(self, name: str) -> Floats:
        """The values of a variable as numbers; NaN where missing or no number."""
        if name not in self._numbers:
            self._numbers[name] = self.table.schema[name].numbers[self.table[name]]
        return self._numbers[name]

    def codes(self, name: str) -> Ints:
        """The values of a variable as codes; −1 where missing."""
        if name not in self._codes:
            codes = self.table[name].astype(np.int64)
            self._codes[name] = np.where(codes >= self.table.schema[name].n_values, -1, codes)
        return self._codes[name]

    def n_levels(self, name: str) -> int:
        return self.table.schema[name].n_values

    def is_numeric(self, name: str) -> bool:
        if name not in self._numeric:
            numbers = self.table.schema[name].numbers[: self.n_levels(name)]
            self._numeric[name] = len(numbers) > 0 and bool(np.isfinite(numbers).all())
        return self._numeric[name]

    def has_missing(self, name: str) -> bool:
        return bool((self.codes(name) < 0).any())

    def mask(self, where: str | None) -> Mask | None:
        """The rows of a condition; None where it cannot be read."""
        if where is None:
            return np.ones(self.n_rows, dtype=bool)
        if where not in self._masks:
            try:
                self._masks[where] = Condition.parse(where, self.table.schema).selects(self.table)
            except DivulgeError:
                self._masks[where] = None
        return self._masks[where]

    def with_derived(self, derived: Mapping[str, str]) -> Data:
        """The data with variables that a session made; expressions that cannot be understood are left out."""
        columns: dict[str, Floats] = {}
        for name, expression in derived.items():
            if name in self.names:
                continue
            values = _computed(expression, self, columns)
            if values is not None:
                columns[name] = values
        if not columns:
            return self
        variables = list(self.table.schema.variables)
        codes = list(self.table.columns)
        for name, values in columns.items():
            known = np.isfinite(values)
            distinct, place = np.unique(values[known], return_inverse=True)
            if len(distinct) == 0:
                continue
            coded = np.full(len(values), len(distinct), dtype=np.int64)
            coded[known] = place
            whole = distinct.astype(np.int64) if (distinct == np.round(distinct)).all() else distinct
            variables.append(Variable(name, "numeric", whole, missing=() if known.all() else (None,)))
            codes.append(coded.astype(np.uint32))
        return Data(Table(Schema(tuple(variables)), tuple(codes)))


_FUNCTIONS: Mapping[str, Any] = {
    "log": np.log,
    "ln": np.log,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "log10": np.log10,
    "int": np.floor,
    "float": np.asarray,
}
_COMPARED: Mapping[type[ast.cmpop], Any] = {
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_JOINED: Mapping[type[ast.operator], Any] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.BitAnd: np.minimum,
    ast.BitOr: np.maximum,
}


def _computed(expression: str, data: Data, made: Mapping[str, Floats]) -> Floats | None:
    """An expression of variables, gone through node by node: nothing of it is ever executed."""
    try:
        tree = _parsed(expression.split(" if ")[0].strip())
        with np.errstate(all="ignore"):
            value = _value(tree.body, data, made)
    except (SyntaxError, ValueError, KeyError, RecursionError, TypeError):
        return None
    if not isinstance(value, np.ndarray) or value.shape != (data.n_rows,):
        return None
    return value.astype(float)


@lru_cache(maxsize=256)
def _parsed(expression: str) -> ast.Expression:
    return ast.parse(expression, mode="eval")


def _value(node: ast.expr, data: Data, made: Mapping[str, Floats]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        return node.value
    if isinstance(node, ast.Name):
        return made[node.id] if node.id in made else data.numbers(_known(node.id, data))
    if isinstance(node, ast.BinOp) and type(node.op) in _JOINED:
        return _JOINED[type(node.op)](_value(node.left, data, made), _value(node.right, data, made))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, data, made)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        return _compared(node, data, made)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _FUNCTIONS
        and len(node.args) == 1
    ):
        return _FUNCTIONS[node.func.id](_value(node.args[0], data, made))
    raise ValueError("not understood")


def _compared(node: ast.Compare, data: Data, made: Mapping[str, Floats]) -> Floats:
    right = node.comparators[0]
    left = node.left
    if isinstance(right, ast.Constant) and isinstance(right.value, str) and isinstance(left, ast.Name):
        name = _known(left.id, data)
        code = data.table.schema[name].code(right.value)
        codes = data.codes(name)
        found = np.where(codes < 0, np.nan, (codes == (-2 if code is None else code)).astype(float))
        return found if isinstance(node.ops[0], ast.Eq) else 1.0 - found
    a, b = _value(left, data, made), _value(right, data, made)
    out = _COMPARED[type(node.ops[0])](a, b).astype(float)
    missing = np.isnan(np.asarray(a, dtype=float)) | np.isnan(np.asarray(b, dtype=float))
    return np.where(missing, np.nan, out)


def _known(name: str, data: Data) -> str:
    if name not in data.names:
        raise KeyError(name)
    return name
