"""Formulas as people write them (`TENURE ~ AGE + C(AREAP, Treatment(57)) + SEX:LTILL + log(INCOME)`), read against a
schema: which factors each term multiplies, and of which variable each factor is a function.

formulaic knows the grammar; nothing of a formula is ever executed. `design.py` turns what is read here into columns.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, NoReturn

from divulge.errors import OutputError, suggest, unknown_variable
from divulge.outputs.models.expressions import FUNCTIONS, function_name, names_in, parse_expression
from divulge.table import Schema, Variable

_QUOTED = "quoted_by_backticks"
"""Stands for a variable whose name is no word while its expression is read."""


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of a term: a variable, or a function of one, as it is written.

    node: the expression of a numeric factor; None for a category.
    reference: the level that a category is compared with, as a level number.
    is_sum: each level is compared with the mean of all instead (sum contrasts).
    """

    text: str
    variable: str
    node: ast.expr | None = None
    reference: int = 0
    is_sum: bool = False

    @property
    def is_categorical(self) -> bool:
        return self.node is None


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula read against a schema: its response, and its terms in order (the intercept has no factors)."""

    text: str
    response: Factor
    terms: tuple[tuple[Factor, ...], ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable it speaks of, the response first."""
        names = [self.response.variable, *(f.variable for term in self.terms for f in term)]
        return tuple(dict.fromkeys(names))


def parse_formula(text: str, schema: Schema) -> Formula:
    """Read a formula; OutputError says where it cannot be understood, UnknownVariableError names the nearest one."""
    left, right = _structure(text)
    response = _factor(left[0], text, schema)
    if response.is_categorical:  # C(y) ~ x is y ~ x: a response has no levels of its own
        response = _factor(f"`{response.variable}`", text, schema)
    terms = tuple(tuple(_factor(f, text, schema) for f in term) for term in right)
    return Formula(text, response, terms)


def formula_variables(text: str) -> tuple[str, ...]:
    """The variables that a formula speaks of, without a schema."""
    left, right = _structure(text)
    expressions = [left[0], *(f for term in right for f in term)]
    found = [n for e in expressions for n in ([e[1:-1]] if _is_quoted(e) else _names(e, text))]
    return tuple(dict.fromkeys(found))


def _is_quoted(expression: str) -> bool:
    return expression.startswith("`")


_WORD = r"[A-Za-z_]\w*"
_TERM = rf"(?:{_WORD}|C\({_WORD}\))(?:\s*:\s*(?:{_WORD}|C\({_WORD}\)))*"
_PLAIN = re.compile(rf"\s*({_WORD})\s*~\s*({_TERM}(?:\s*\+\s*{_TERM})*)\s*")
"""A sum of variables, categories and their interactions: what most formulas are."""


def _plain_structure(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    """The structure of a plain sum; None where the grammar is needed. Importing formulaic, and pandas with it, takes
    longer than a whole search."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    terms = [
        tuple(f if "(" in f else f"`{f}`" for f in re.split(r"\s*:\s*", t)) for t in re.split(r"\s*\+\s*", match[2])
    ]
    if any(len(set(t)) < len(t) for t in terms) or len(set(map(frozenset, terms))) < len(terms):
        return None
    return (f"`{match[1]}`",), ((), *sorted(terms, key=len))


_IMPORTING = Lock()


@lru_cache(maxsize=256)  # the same formula is read for every table of a search
def _structure(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The factors of the response and of each term as texts; names in backticks keep them."""
    plain = _plain_structure(text)
    return plain if plain is not None else _read_structure(text)


def _read_structure(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The same by the whole grammar, for whatever formula."""
    # Its modules import each other in a circle: of two threads that import it first, one would find half of it.
    with _IMPORTING:
        from formulaic.errors import FormulaParsingError
        from formulaic.parser import DefaultFormulaParser  # importing formulaic takes longer than most commands

    if "~" not in text:
        _fail(text, len(text), "a response and `~` are needed")
    masked, quoted = _masked(text)
    try:
        parsed: Any = DefaultFormulaParser().get_terms(masked)
    except FormulaParsingError as error:
        said = _unmasked(re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip(), quoted)
        sentence, _, marked = said.partition("\n")
        place = marked.strip("\n").find("⧛") if "⧛" in marked else text.find(".")
        _fail(text, max(place, 0), sentence.split(". ")[0].rstrip(".").replace("`", "'"))
    except (SyntaxError, ValueError, RecursionError) as error:
        _fail(text, _first_unbalanced(text), f"this cannot be read ({type(error).__name__})")
    left, right = getattr(parsed, "lhs", None), getattr(parsed, "rhs", None)
    if left is None or right is None or len(list(left)) != 1 or len(next(iter(left)).factors) != 1:
        _fail(text, 0, "one variable is needed before `~`")
    if isinstance(right, tuple) or isinstance(left, tuple):
        _fail(text, text.find("|"), "one model at a time is needed, without `|`")
    terms = []
    for term in right:
        factors = [_unmasked(_as_text(f), quoted) for f in term.factors]
        numbers = [f for f in factors if re.fullmatch(r"[\d.]+", f)]
        if numbers not in ([], ["1"]):
            _fail(text, max(text.find(numbers[0]), 0), f"the number {numbers[0]} scales a term, which is not supported")
        terms.append(tuple(f for f in factors if f != "1"))
    terms.sort(key=len)  # main effects before interactions, as every program prints them
    return (_unmasked(_as_text(next(iter(left)).factors[0]), quoted),), tuple(terms)


def _masked(text: str) -> tuple[str, dict[str, str]]:
    """The formula with words for whatever is quoted, and what each stands for: the grammar takes a bracket in a value,
    or a name that is a word of Python, for its own."""
    quoted: dict[str, str] = {}

    def word(match: re.Match[str]) -> str:
        found = match[0]
        mark, name = found[0], f"quoted_{len(quoted)}_".ljust(len(found) - 2, "_")
        quoted[f"`{name}`" if mark == "`" else repr(name)] = found if mark == "`" else repr(ast.literal_eval(found))
        return f"{mark}{name}{mark}"

    try:
        return re.sub(r"`[^`]*`|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", word, text), quoted
    except (SyntaxError, ValueError):  # no quotation after all: the grammar says where it goes wrong
        return text, {}


def _unmasked(text: str, quoted: dict[str, str]) -> str:
    for word, found in quoted.items():
        text = text.replace(word, found)
    return text


def _as_text(factor: Any) -> str:
    return f"`{factor.expr}`" if factor.eval_method.value == "lookup" else str(factor.expr)


def _first_unbalanced(text: str) -> int:
    """Where a formula that even its brackets do not explain goes wrong: the first thing that no formula holds."""
    match = re.search(r"__|[;@\\]|\.\w+\(.*\)\.", text)
    return match.start() if match else text.find("~") + 1


def _fail(text: str, place: int, what: str) -> NoReturn:
    raise OutputError(
        f"cannot read the formula {text!r}: {what[:1].lower()}{what[1:]}, at character {place + 1}.",
        where="formula",
        hint="Write for example: TENURE ~ AGE + C(AREA) + SEX:ILL + log(INCOME).",
    ) from None


def _names(expression: str, text: str) -> list[str]:
    node, quoted = _expression(expression, text)
    return names_in(node) if quoted is None else [quoted if n == _QUOTED else n for n in names_in(node)]


def _expression(expression: str, text: str) -> tuple[ast.expr, str | None]:
    """The expression and, where its variable is quoted by backticks, that name."""
    quoted = re.findall(r"`([^`]*)`", expression)
    plain = re.sub(r"`[^`]*`", _QUOTED, expression)
    try:
        node = parse_expression(plain)
    except SyntaxError:
        _fail(text, max(text.find(expression[:12]), 0), f"{expression!r} is not an expression")
    if len(set(quoted)) > 1:
        _refuse_several(expression)
    return node, quoted[0] if quoted else None


def _refuse_several(expression: str) -> NoReturn:
    raise OutputError(
        f"`{expression}` speaks of more than one variable.",
        where="formula",
        hint="A factor is a function of one variable; write a product of two as an interaction, a:b.",
    )


def _factor(expression: str, text: str, schema: Schema) -> Factor:
    if _is_quoted(expression):
        name = expression[1:-1]
        variable = _variable(name, schema)
        if variable.kind == "categorical":
            return Factor(name, name)
        return Factor(name, name, ast.Name(id=name))
    try:
        node, quoted = _expression(expression, text)
        names = names_in(node)
        if isinstance(node, ast.Call) and function_name(node) == "C":
            return _category(node, expression, quoted, schema)
        if not names:
            raise OutputError(f"`{expression}` speaks of no variable.", hint="Take it out.")
        if len(names) > 1:
            _refuse_several(expression)
        name = quoted if quoted is not None else names[0]
        _variable(name, schema)
        _check_calls(node)
    except OutputError as error:
        error.where = "formula"
        raise
    return Factor(expression, name, node)


def _check_calls(node: ast.expr) -> None:
    for part in ast.walk(node):
        if (isinstance(part, ast.Call) and function_name(part) not in FUNCTIONS) or (
            isinstance(part, ast.Call) and function_name(part) == "C"
        ):
            raise OutputError(f"`{ast.unparse(part)}` cannot stand inside another function.")
        if isinstance(part, ast.Lambda | ast.Subscript | ast.NamedExpr | ast.JoinedStr | ast.Await | ast.Starred):
            raise OutputError(f"`{ast.unparse(part)}` cannot be used in a formula.")


def _variable(name: str, schema: Schema) -> Variable:
    if name not in schema:
        raise unknown_variable(name, schema.names, where="formula")
    return schema[name]


def _category(node: ast.Call, expression: str, quoted: str | None, schema: Schema) -> Factor:
    """C(x), C(x, Treatment(57)), C(x, contr.treatment("b")), C(x, Sum)."""
    arguments = [*node.args, *(k.value for k in node.keywords if k.arg == "contrasts")]
    if any(k.arg != "contrasts" for k in node.keywords) or not 1 <= len(arguments) <= 2:
        raise OutputError(f"`{expression}` is not known.", hint="Write C(x), C(x, Treatment(57)) or C(x, Sum).")
    inside = arguments[0]
    names = names_in(inside)
    is_name = isinstance(inside, ast.Name) or (isinstance(inside, ast.Call) and function_name(inside) == "Q")
    if len(names) != 1 or not is_name:
        raise OutputError(f"`{expression}` needs one variable.", hint="Write C(x) or C(x, Treatment(57)).")
    name = quoted if quoted is not None else names[0]
    variable = _variable(name, schema)
    if len(arguments) == 1:
        return Factor(expression, name)
    kind, constants = _contrast(arguments[1], expression)
    if kind == "sum":
        return Factor(expression, name, is_sum=True)
    if not constants:
        return Factor(expression, name)
    code = variable.code(constants[0])
    if code is None or code >= variable.n_values:
        known = variable.tellable[: variable.n_values]
        shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
        raise OutputError(
            f"`{expression}`: {name!r} has no value {constants[0]!r} to be the reference.",
            hint=suggest(str(constants[0]), known) or (f"Its values are {shown}." if known else None),
        )
    return Factor(expression, name, reference=code)


def _contrast(node: ast.expr, expression: str) -> tuple[str, list[Any]]:
    """treatment or sum, and the constants that it is given."""
    called = node
    constants: list[Any] = []
    if isinstance(node, ast.Call):
        called = node.func
        given = [*node.args, *(k.value for k in node.keywords)]
        try:
            constants = [ast.literal_eval(a) for a in given]
        except ValueError:
            raise OutputError(f"`{expression}` needs a value as its reference.") from None
    name = ast.unparse(called)
    kind = {"Treatment": "treatment", "contr.treatment": "treatment", "Sum": "sum", "contr.sum": "sum"}.get(name)
    if kind is None or len(constants) > 1 or (constants and not isinstance(constants[0], str | int | float)):
        raise OutputError(
            f"the contrast `{ast.unparse(node)}` is not known.", hint="Write Treatment(57), Treatment or Sum."
        )
    return kind, constants
