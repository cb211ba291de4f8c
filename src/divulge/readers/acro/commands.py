"""The commands that a folder records, as text of Python: read with `ast`, never run.

Which call it was, of which variables, on which rows. A command may be a fragment of a line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 10_000
"""Characters of a command. Python's parser needs memory in proportion to the depth, which no command has."""

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "=",
    ast.NotEq: "!=",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a method: what it was given, by place and by name."""

    method: str
    places: tuple[ast.expr, ...]
    names: dict[str, ast.expr]

    def argument(self, place: int, name: str) -> ast.expr | None:
        """An argument that may be given either way."""
        return self.names.get(name, self.places[place] if place < len(self.places) else None)


@dataclass(frozen=True)
class Series:
    """Variables that an expression names, and the condition of the rows where it takes some; is_known: all was read."""

    names: tuple[str, ...]
    where: str | None = None
    is_known: bool = True


def parse_call(command: str, methods: frozenset[str]) -> Call | None:
    """The first call of one of the methods in a command; None where there is none to be read."""
    tree = _parse(command[:LONGEST])
    if tree is None:
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if name in methods:
            named = {k.arg: k.value for k in node.keywords if k.arg is not None}
            return Call(name, tuple(node.args), named)
    return None


def _parse(command: str) -> ast.AST | None:
    text = command.strip()
    # The beginning of a block (`try:`, `with …:`) whose end is on other lines; a call whose brackets close elsewhere.
    bare = re.sub(r"^(try|else|finally)\s*:\s*", "", text)
    for candidate in (text, bare, f"{bare} pass", _closed(bare)):
        try:
            return ast.parse(candidate)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _closed(text: str) -> str:
    """The text with the brackets that it leaves open closed."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    open_brackets: list[str] = []
    quote = ""
    for letter in text:
        if quote or letter in "'\"":
            quote = letter if not quote else "" if letter == quote else quote
        elif letter in pairs:
            open_brackets.append(pairs[letter])
        elif open_brackets and letter == open_brackets[-1]:
            open_brackets.pop()
    return text + "".join(reversed(open_brackets))


def series_of(node: ast.expr | None) -> Series:
    """The variables of `df.x`, `df["x"]`, `[df.x, df.y]`, `df[["x", "y"]]`, `"x"`, `df[df.z > 1].x`."""
    if node is None:
        return Series(())
    parts = [_one(part) for part in _flat(node)]
    conditions = list(dict.fromkeys(p.where for p in parts if p.where is not None))
    is_known = all(p.is_known for p in parts) and len(conditions) < 2
    names = tuple(name for p in parts for name in p.names)
    return Series(names, conditions[0] if conditions else None, is_known)


def _flat(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.List | ast.Tuple):
        for part in node.elts:
            yield from _flat(part)
    else:
        yield node


def _one(node: ast.expr) -> Series:
    unknown = Series((), None, False)
    if isinstance(node, ast.Constant):
        return Series((node.value,)) if isinstance(node.value, str) else unknown
    if isinstance(node, ast.Name):
        return Series((node.id,))
    if isinstance(node, ast.Attribute):
        where, is_known = rows_of(node.value)
        return Series((node.attr,), where, is_known)
    if isinstance(node, ast.Subscript):
        inside, frame = node.slice, node.value
        condition: str | None = None
        is_known = True
        if isinstance(frame, ast.Attribute) and frame.attr == "loc" and isinstance(inside, ast.Tuple):
            condition = _condition_of(inside.elts[0])
            is_known = condition is not None
            inside, frame = inside.elts[-1], frame.value
        names = [p.value for p in _flat(inside) if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        if not names:
            return unknown
        where, frame_known = rows_of(frame)
        both = [w for w in (where, condition) if w is not None]
        return Series(tuple(names), " and ".join(f"({w})" for w in both) or None, is_known and frame_known)
    return unknown


def rows_of(node: ast.expr | None) -> tuple[str | None, bool]:
    """The condition by which an expression takes rows of a data frame, and whether it could be read."""
    if node is None or isinstance(node, ast.Name | ast.Attribute):
        return None, True
    if isinstance(node, ast.Subscript):
        where, is_known = rows_of(node.value)
        if any(isinstance(p, ast.Constant) for p in _flat(node.slice)):
            return where, is_known  # columns, not rows
        condition = _condition_of(node.slice)
        if condition is None:
            return None, False
        return (condition if where is None else f"({where}) and ({condition})"), is_known
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = [a for a in node.args if isinstance(a, ast.Constant)]
        if node.func.attr == "query" and given and isinstance(given[0].value, str):
            try:
                condition = _condition_of(ast.parse(given[0].value, mode="eval").body)
            except (SyntaxError, ValueError, RecursionError):
                condition = None
            return condition, condition is not None
        if node.func.attr in ("copy", "dropna", "reset_index"):
            return rows_of(node.func.value)
    return None, False


def _condition_of(node: ast.expr) -> str | None:
    """A condition on rows in the words of a spec: comparisons of one variable with a constant, and, or, not, isin."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        return _joined([node.left, node.right], "and" if isinstance(node.op, ast.BitAnd) else "or")
    if isinstance(node, ast.BoolOp):
        return _joined(node.values, "and" if isinstance(node.op, ast.And) else "or")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not):
        inner = _condition_of(node.operand)
        return None if inner is None else f"not ({inner})"
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        left, right, operator = node.left, node.comparators[0], _OPERATORS[type(node.ops[0])]
        if isinstance(left, ast.Constant):
            left, right, operator = right, left, _TURNED.get(operator, operator)
        name, value = _variable(left), _constant(right)
        return None if name is None or value is None else f"`{name}` {operator} {value}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "isin" and node.args:
        name = _variable(node.func.value)
        values = [_constant(part) for part in _flat(node.args[0])]
        if name is None or not values or None in values:
            return None
        return f"`{name}` in {{{', '.join(str(v) for v in values)}}}"
    return None


def _joined(parts: list[ast.expr], word: str) -> str | None:
    found = [_condition_of(part) for part in parts]
    return None if None in found else f" {word} ".join(f"({f})" for f in found)


def _variable(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute | ast.Subscript | ast.Name):
        found = _one(node)
        if found.is_known and found.where is None and len(found.names) == 1 and "`" not in found.names[0]:
            return found.names[0]
    return None


def _constant(node: ast.expr) -> str | None:
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if isinstance(node, ast.UnaryOp) and negative else node
    if not isinstance(inner, ast.Constant) or isinstance(inner.value, bool):
        return None
    if isinstance(inner.value, int | float):
        return f"{'-' if negative else ''}{inner.value!r}"
    if isinstance(inner.value, str) and not negative and '"' not in inner.value:
        return f'"{inner.value}"'
    return None


def constant(node: ast.expr | None) -> object:
    """The value of an argument that is written as a literal; None where it is not there or is none."""
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
