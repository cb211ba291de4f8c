"""Conditions on rows (`AGE >= 18 and SEX = Female`) and edit rules (`AGE < 16 -> MSTATUS = Single`).

A comparison speaks of one variable and a constant, so it is a lookup table over that variable's codes. Missing values
make a comparison unknown (Kleene's three-valued logic): a condition selects the rows where it is true, and a rule is
broken only where it is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from divulge.errors import RuleError, suggest, unknown_variable
from divulge.kernels.arrays import Codes, Floats, Mask
from divulge.table.dates import as_date

if TYPE_CHECKING:
    from divulge.table.schema import Schema
    from divulge.table.table import Table
    from divulge.table.variable import Value, Variable

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<arrow>->|→|=>)
    | (?P<op><=|>=|==|!=|<>|≤|≥|≠|=|<|>)
    | (?P<punct>[(){},])
    | "(?P<double>[^"]*)" | '(?P<single>[^']*)' | `(?P<back>[^`]*)`
    | (?P<word>[^\s(){},<>=!≤≥≠→"'`]+)
    )""",
    re.VERBOSE,
)
_SAME = {"==": "=", "<>": "!=", "≤": "<=", "≥": ">=", "≠": "!="}
_DEEPEST = 100  # brackets and `not` inside each other: more than anybody can read, less than the interpreter takes
_LONGEST_QUOTED = 200  # characters of a condition that an error repeats
_KEYWORDS = {"and", "or", "not", "in", "is", "missing"}

_COMPARE: dict[str, Any] = {
    "=": np.equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_PART_OF_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?: [0-9:.]+)?)?)?")

_Lookup = NDArray[np.int8]  # a truth value for every code of a variable: 1 true, 0 false, −1 unknown
_Truth = NDArray[np.int8]  # a truth value for every row: 1 true, 0 false, −1 unknown


def names_in(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The names of variables that a condition or a rule may speak of, before anything is known of their values."""
    said = {part for token in _TOKEN.finditer(text) for part in token.groupdict().values() if part is not None}
    return tuple(name for name in known if name in said)


@dataclass(frozen=True, eq=False)
class Atom:
    """One variable compared with a constant, as a lookup table over its codes."""

    variable: str
    lookup: _Lookup


@dataclass(frozen=True, eq=False)
class _Join:
    """`and`, `or` and `not` over conditions."""

    word: Literal["and", "or", "not"]
    parts: tuple[Node, ...]


Node = Atom | _Join


def _truth(node: Node, codes: Callable[[str], Codes]) -> _Truth:
    if isinstance(node, Atom):
        return node.lookup[codes(node.variable)]
    parts = [_truth(p, codes) for p in node.parts]
    if node.word == "not":
        return np.where(parts[0] < 0, np.int8(-1), 1 - parts[0]).astype(np.int8)
    # On the scale false 0 < unknown 1 < true 2, Kleene's "and" is the least and "or" the greatest.
    ranked = [np.where(p < 0, np.int8(1), 2 * p).astype(np.int8) for p in parts]
    joined = np.minimum.reduce(ranked) if node.word == "and" else np.maximum.reduce(ranked)
    return np.where(joined == 1, np.int8(-1), joined // 2).astype(np.int8)


def _atoms(node: Node) -> list[Atom]:
    if isinstance(node, Atom):
        return [node]
    return [atom for part in node.parts for atom in _atoms(part)]


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition on a row, read against a schema."""

    text: str
    node: Node

    @classmethod
    def parse(cls, text: str, schema: Schema) -> Condition:
        """Read a condition; RuleError says where it cannot be understood."""
        parser = _Parser(text, schema)
        node = parser.disjunction()
        parser.finish()
        return cls(text, node)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of, each once, in the order of their first mention."""
        return tuple(dict.fromkeys(atom.variable for atom in _atoms(self.node)))

    def atoms(self) -> tuple[Atom, ...]:
        """The comparisons that it is made of."""
        return tuple(_atoms(self.node))

    def truth(self, codes: Callable[[str], Codes]) -> _Truth:
        """1, 0 or −1 for every row, given how to get the codes of a variable."""
        return _truth(self.node, codes)

    def selects(self, table: Table) -> Mask:
        """The rows for which it is true."""
        return self.truth(table.__getitem__) == 1


class EditRule(Condition):
    """A condition that must hold in every row; `condition -> consequence` holds where the condition does not.

    It is broken where it is false; a missing value leaves it open.
    """

    @classmethod
    def parse(cls, text: str, schema: Schema) -> EditRule:
        """Read a rule; RuleError says where it cannot be understood."""
        parser = _Parser(text, schema)
        node = parser.disjunction()
        if parser.accept("arrow"):
            node = _Join("or", (_Join("not", (node,)), parser.disjunction()))
        parser.finish()
        return cls(text, node)

    def broken(self, table: Table) -> Mask:
        """The rows that break it."""
        return self.truth(table.__getitem__) == 0


class _Parser:
    """Recursive descent: disjunction > conjunction > negation > comparison."""

    def __init__(self, text: str, schema: Schema) -> None:
        self.text = text
        self.schema = schema
        self.tokens: list[tuple[str, str, int]] = []
        self.at = self.depth = 0
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                self._fail_at(place, "this cannot be read")
            kind, value = match.lastgroup, match[match.lastgroup]
            if kind in ("double", "single"):
                kind = "quoted"
            elif kind == "back":
                kind = "name"
            elif kind == "word" and value.casefold() in _KEYWORDS:
                kind, value = "keyword", value.casefold()
            self.tokens.append((kind, _SAME.get(value, value) if kind == "op" else value, match.start(match.lastgroup)))
            place = match.end()

    def _fail_at(self, place: int, what: str) -> NoReturn:
        raise RuleError(
            f"cannot read the condition {self._quoted!r}: {what} at character {place + 1}.",
            hint="Write for example: AGE >= 18 and SEX = Female, or AGE < 16 -> MSTATUS = Single.",
        )

    @property
    def _quoted(self) -> str:
        cut = len(self.text) > _LONGEST_QUOTED
        return f"{self.text[:_LONGEST_QUOTED]}…" if cut else self.text

    def _fail(self, what: str) -> NoReturn:
        self._fail_at(self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text), what)

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at][:2] if self.at < len(self.tokens) else ("end", "")

    def accept(self, kind: str, value: str | None = None) -> str | None:
        found, text = self.peek()
        if found == kind and (value is None or text == value):
            self.at += 1
            return text
        return None

    def finish(self) -> None:
        if self.at < len(self.tokens):
            self._fail("something more than a condition")

    def disjunction(self) -> Node:
        parts = [self.conjunction()]
        while self.accept("keyword", "or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else _Join("or", tuple(parts))

    def conjunction(self) -> Node:
        parts = [self.negation()]
        while self.accept("keyword", "and"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else _Join("and", tuple(parts))

    def negation(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            self._fail(f"it is nested more than {_DEEPEST} times")
        if self.accept("keyword", "not"):
            node: Node = _Join("not", (self.negation(),))
        elif self.accept("punct", "("):
            node = self.disjunction()
            if not self.accept("punct", ")"):
                self._fail("a closing bracket is missing")
        else:
            node = self.comparison()
        self.depth -= 1
        return node

    def comparison(self) -> Node:
        kind, name = self.peek()
        if kind not in ("word", "name"):
            self._fail("a variable name is needed")
        self.at += 1
        if name not in self.schema:
            raise unknown_variable(name, self.schema.names, where=f"condition {self._quoted!r}")
        variable = self.schema[name]
        if self.accept("keyword", "is"):
            negated = self.accept("keyword", "not") is not None
            if not self.accept("keyword", "missing"):
                self._fail("`is missing` or `is not missing` is needed")
            lookup = variable.is_missing.astype(np.int8)
            return Atom(name, 1 - lookup if negated else lookup)
        negated = self.accept("keyword", "not") is not None
        if self.accept("keyword", "in"):
            return Atom(name, self._among(variable, self._constants(), negated))
        if negated:
            self._fail("`not in` is needed")
        operator = self.accept("op")
        if operator is None:
            self._fail("a comparison (=, !=, <, <=, >, >=, in, is missing) is needed")
        constant = self._constant()
        if operator in ("=", "!="):
            return Atom(name, self._among(variable, [constant], operator == "!="))
        return Atom(name, self._ordered(variable, operator, constant))

    def _constant(self) -> str:
        kind, text = self.peek()
        if kind not in ("word", "quoted", "name"):
            self._fail("a value is needed")
        self.at += 1
        words = [text]
        # Labels of several words need no quotes: ETHGROUP = Black Caribbean.
        while kind == "word" and self.peek()[0] == "word":
            words.append(self.peek()[1])
            self.at += 1
        return " ".join(words)

    def _constants(self) -> list[str]:
        closing = "}" if self.accept("punct", "{") else ")" if self.accept("punct", "(") else None
        if closing is None:
            self._fail("a list such as (1, 2, 3) is needed")
        constants = [self._constant()]
        while self.accept("punct", ","):
            constants.append(self._constant())
        if not self.accept("punct", closing):
            self._fail("a closing bracket is missing")
        return constants

    def _among(self, variable: Variable, constants: list[str], negated: bool) -> _Lookup:
        lookup = np.full(variable.n_codes, negated, dtype=np.int8)
        lookup[variable.is_missing] = -1
        for constant in constants:
            if variable.holds == "date" and variable.code(constant) is None:
                lookup[: variable.n_values][self._compared_dates(variable, "=", constant)] = not negated
                continue
            code = variable.code(_as_value(variable, constant))
            if code is not None:
                lookup[code] = not negated
                if code >= variable.n_values:
                    # A missing code named outright is meant as itself: every other code is then known not to be it.
                    lookup[variable.is_missing & (np.arange(variable.n_codes) != code) & (lookup < 0)] = negated
            elif variable.kind == "categorical" and not variable.is_open:
                raise RuleError(
                    f"variable {variable.name!r} has no value {constant!r}.",
                    where=f"condition {self._quoted!r}",
                    hint=suggest(constant, variable.tellable),
                )
        return lookup

    def _ordered(self, variable: Variable, operator: str, constant: str) -> _Lookup:
        position: Floats
        if variable.holds == "date":
            lookup = np.full(variable.n_codes, -1, dtype=np.int8)
            lookup[: variable.n_values] = self._compared_dates(variable, operator, constant)
            return lookup
        if variable.kind == "categorical" and variable.is_ordered:
            code = variable.code(constant)
            if code is None or code >= variable.n_values:
                raise RuleError(
                    f"variable {variable.name!r} has no value {constant!r}.", where=f"condition {self._quoted!r}"
                )
            position, bound = np.arange(variable.n_codes, dtype=float), float(code)
        else:
            position = variable.numbers
            try:
                bound = float(constant)
            except ValueError:
                bound = np.nan
            if np.isnan(bound) or np.isnan(position[: variable.n_values]).any():
                raise RuleError(
                    f"{operator} compares numbers, but {variable.name!r} or {constant!r} is not one.",
                    where=f"condition {self._quoted!r}",
                    hint="Use = or in, or mark the variable as ordered in the schema.",
                )
        lookup = _COMPARE[operator](position, bound).astype(np.int8)
        lookup[variable.is_missing] = -1
        return lookup

    def _compared_dates(self, variable: Variable, operator: str, constant: str) -> Mask:
        """Dates compared with a day, a month or a year, as far as the constant goes: 2011-03 is all of March."""
        plain = as_date(constant, variable.date_format or "") or constant
        if not _PART_OF_DATE.fullmatch(plain):
            raise RuleError(
                f"{variable.name!r} holds dates, and {constant!r} is none.",
                where=f"condition {self._quoted!r}",
                hint="Write 2011-03-27, a month as 2011-03, a year as 2011, or a date as the file writes it.",
            )
        starts = np.array([str(v)[: len(plain)] for v in variable.values.tolist()], dtype=object)
        return np.array(_COMPARE[operator](starts, plain), dtype=bool)


def _as_value(variable: Variable, constant: str) -> Value:
    """The constant as the variable writes it: `18.0` is 18 where values are numbers."""
    if variable.values.dtype.kind in "if":
        try:
            return float(constant) if not constant.lstrip("-").isdigit() else int(constant)
        except ValueError:
            return constant
    return constant
