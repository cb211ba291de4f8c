"""What a file of results is the output of: coefficients of a model, or counts of a crosstab, long or wide.

Guesses from names and values alone, to be read by whoever wrote the file. Nothing is read from the data but the schema.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import product
from pathlib import Path
from typing import Any

from divulge.errors import SpecError
from divulge.outputs.released.precision import MOST_DECIMALS
from divulge.outputs.released.reading import SE_COLUMNS
from divulge.table import Schema
from divulge.table.files.readable import check_readable

TERMS = ("term", "parameter", "variable", "name", "")
COEFFICIENTS = ("coef", "coefficient", "estimate", "beta", "b", "value")
COUNTS = ("count", "n", "freq", "frequency", "counts", "rows", "size")
"""How programs head their columns."""

_DERIVED: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "t": (("t", ("t", "z", "statistic", "t value", "z value", "tvalue", "t-value", "z-value", "tvalues")),),
    "p": (
        ("p", ("p", "p.value", "p-value", "p value", "pvalue", "pvalues", "pr(>|t|)", "pr(>|z|)", "p>|t|", "p>|z|")),
    ),
    "interval": (
        ("2.5 %", ("conf.low", "[0.025", "0.025", "2.5 %", "2.5%", "ci_low", "ci low", "lower", "lower 95%")),
        ("97.5 %", ("conf.high", "0.975]", "0.975", "97.5 %", "97.5%", "ci_high", "ci high", "upper", "upper 95%")),
    ),
}
"""How programs head what follows from a coefficient and its standard error, in the order of the figures."""

_TEXTS = (".csv", ".tsv", ".txt", ".tab", ".dat")
_MARGINS = {"all", "total", "sum", ""}

_LEVEL = re.compile(r"^(?P<factor>.*?)(?:\[(?:T\.)?(?P<level>[^\]]*)\])?$")
_CONSTANTS = {"intercept", "const", "constant", "_cons", "(intercept)"}


@dataclass(frozen=True)
class _File:
    """A file of results. response: what a model explains, where somebody said so. notes: what was left out."""

    path: Path
    header: list[str]
    lowered: list[str]
    body: list[list[str]]
    response: str | None
    notes: list[str]


def guess_output(
    path: Path, schema: Schema, response: str | None = None, notes: list[str] | None = None
) -> dict[str, Any]:
    """The output of a file of results, as the spec has it. response: of a model, where the file does not say.

    notes: where what was left out of the file, or added to it, is put in a sentence.
    """
    rows = _rows(path)
    said = [] if notes is None else notes
    if len(rows) < 2:
        raise SpecError("a header and at least one line of results are needed.", where=str(path))
    header, body = [cell.strip() for cell in rows[0]], rows[1:]
    if any(len(row) != len(header) for row in body):
        raise SpecError("not every line has as many cells as the header.", where=str(path))
    file = _File(path, header, [h.casefold() for h in header], body, response, said)
    for guess in (_long_table, _model, _wide_table):
        found = guess(file, schema)
        if found is not None:
            return found
    raise SpecError(
        "what these results are cannot be told.",
        where=str(path),
        hint="Columns term and coef are a model; columns of variables and count are a crosstab; or give --model or "
        "--crosstab.",
    )


def _rows(path: Path) -> list[list[str]]:
    """The lines of a delimited file that are not empty."""
    check_readable(path)
    if path.suffix.lower() == ".json":
        raise SpecError(
            "a results.json is read by another command.", where=str(path), hint="Use divulge acro FOLDER --data FILE."
        )
    if path.suffix.lower() not in _TEXTS:
        raise SpecError(
            f"results are read from CSV here, not from {path.suffix or 'a file without an ending'}.",
            where=str(path),
            hint="divulge read FOLDER --data FILE reads workbooks, documents and logs; of a picture, give the numbers.",
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError("the file is not in UTF-8.", where=str(path), hint="Save it as UTF-8.") from None
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    lines = csv.reader(text.splitlines(), delimiter=delimiter)
    return [row for row in lines if any(cell.strip() for cell in row)]


def _long_table(file: _File, schema: Schema) -> dict[str, Any] | None:
    """Columns of variables, and one of counts."""
    names = [h for h in file.header if h in schema]
    counts = [i for i, h in enumerate(file.lowered) if h in COUNTS and file.header[i] not in schema]
    if not names or len(counts) != 1 or len(names) + 1 != len(file.header):
        return None
    released: dict[str, Any] = {}
    for row in file.body:
        cells = dict(zip(file.header, row, strict=True))
        label = " & ".join(f"{name}={_text(name, cells[name], schema, file.path)}" for name in names)
        released[label] = _number(row[counts[0]])
    return {"kind": "crosstab", "variables": names, "released": released}


def _wide_table(file: _File, schema: Schema) -> dict[str, Any] | None:
    """The values of variables down, headed by their names or by nothing, and those of another across.

    This is what pd.crosstab(…).to_csv() writes, margins included.
    """
    down = [
        h for i, h in enumerate(file.header) if h in schema and all(name in schema for name in file.header[: i + 1])
    ]
    n_down = max(len(down), 1)
    columns = [i for i in range(n_down, len(file.header)) if file.lowered[i] not in _MARGINS]
    lines = [row for row in file.body if row[0].strip().casefold() not in _MARGINS]
    if not down:
        whose = _whose([row[0].strip() for row in lines], schema)
        down = [] if whose is None else [whose]
    across = _whose([file.header[i] for i in columns], schema, but=down)
    if not down or across is None:
        return None
    names = [*down, across]
    found: dict[tuple[str, ...], Any] = {}
    for row in lines:
        heads = [_text(name, row[k], schema, file.path) for k, name in enumerate(down)]
        found |= {(*heads, _text(across, file.header[i], schema, file.path)): _number(row[i]) for i in columns}
    n_margins = len(file.header) - n_down - len(columns) + len(file.body) - len(lines)
    if n_margins:
        file.notes.append(
            f"{file.path.name}: {n_margins} rows or columns of totals are left out; they are sums of the cells."
        )
    every = list(product(*(schema[name].texts[: schema[name].n_values] for name in names)))
    absent = [key for key in every if key not in found]
    if absent:
        file.notes.append(
            f"{file.path.name}: {len(absent)} cells that are not in the file are taken as 0, as pandas leaves them out."
        )
    released = {
        " & ".join(f"{n}={v}" for n, v in zip(names, key, strict=True)): found.get(key, 0) for key in [*every, *found]
    }
    return {"kind": "crosstab", "variables": names, "released": released}


def _model(file: _File, schema: Schema) -> dict[str, Any] | None:
    """Columns of terms and coefficients; the file itself is what the spec names."""
    term = next((i for i, h in enumerate(file.lowered) if h in TERMS), None)
    coefficient = next((i for i, h in enumerate(file.lowered) if h in COEFFICIENTS and i != term), None)
    if term is None or coefficient is None:
        return None
    terms = [row[term].strip() for row in file.body]
    right = _formula_of([t for t in terms if t.casefold() not in _CONSTANTS], schema, file.path)
    has_constant = len([t for t in terms if t.casefold() not in _CONSTANTS]) < len(terms)
    if file.response is None:
        raise SpecError(
            "which variable the model explains is not in the file.",
            where=str(file.path),
            hint="Say so: --response CARS.",
        )
    if file.response not in schema:
        raise SpecError(f"there is no variable {file.response!r} in the data.", where="--response")
    kind = "logistic" if schema[file.response].n_values == 2 else "linear"
    if kind == "linear" and schema[file.response].kind == "categorical":
        kind = "multinomial"
    found: dict[str, Any] = {"kind": kind, "formula": f"{file.response} ~ {right if has_constant else f'0 + {right}'}"}
    error = next((i for i, h in enumerate(file.lowered) if h in SE_COLUMNS), None)
    given = {t: _coefficient(row, coefficient, error) for t, row in zip(terms, file.body, strict=True)}
    plain = error is not None and {file.lowered[term], file.lowered[coefficient]} <= {"term", "coef"}
    decimals = max(len(row[coefficient].strip().partition(".")[2]) for row in file.body)
    found["decimals"] = decimals
    if error is not None:
        found |= {
            "statistics": ["se"],
            "se_decimals": max(len(row[error].strip().partition(".")[2]) for row in file.body),
        }
    beside = _beside(file.lowered, terms, file.body)
    if beside.released:
        found["statistics"] = [*found.get("statistics", ()), *beside.statistics]
        found["decimals"] = [decimals] * len(terms) + beside.decimals
        given, plain = given | beside.released, False
    used = {term, coefficient, error, *beside.columns}
    unused = [file.header[i] for i in range(len(file.header)) if i not in used and file.header[i]]
    if unused:
        file.notes.append(
            f"{file.path.name}: the columns {', '.join(unused)} are left out and not compared with the data."
        )
    return {**found, "released": file.path.name if plain else given}


@dataclass
class _Beside:
    """What follows from coefficients: figures by label, with their decimals, and the columns that hold them."""

    statistics: list[str] = field(default_factory=list)
    released: dict[str, Any] = field(default_factory=dict)
    decimals: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)


def _beside(lowered: list[str], terms: list[str], body: list[list[str]]) -> _Beside:
    """Tests, p values and intervals of a table of coefficients; a column with empty cells is none."""
    found = _Beside()
    for statistic, heads in _DERIVED.items():
        places = [next((i for i, h in enumerate(lowered) if h in names), None) for _, names in heads]
        held = [i for i in places if i is not None and all(row[i].strip() for row in body)]
        if len(held) < len(heads):
            continue
        found.statistics.append(statistic)
        found.columns += held
        for (head, _), i in zip(heads, held, strict=True):
            found.released |= {f"{t} ({head})": _number(row[i]) for t, row in zip(terms, body, strict=True)}
            found.decimals += [_decimals(row[i]) for row in body]
    return found


def _decimals(text: str) -> int:
    """How many decimals a number is printed with, also as 1.2e-05 or <0.001."""
    try:
        shown = -int(Decimal(text.strip().lstrip("<").strip()).as_tuple().exponent)
    except (InvalidOperation, TypeError, ValueError):
        return 0
    return min(max(shown, 0), MOST_DECIMALS)


def _coefficient(row: list[str], coefficient: int, error: int | None) -> Any:
    value = _number(row[coefficient])
    return value if error is None or not row[error].strip() else {"coef": value, "se": _number(row[error])}


def _formula_of(terms: Sequence[str], schema: Schema, path: Path) -> str:
    """The right side of a formula whose coefficients have these names: `AGE + C(SEX) + C(SEX):AGE`."""
    factors: dict[str, None] = {}
    for term in terms:
        parts = []
        for part in term.split(":"):
            match = _LEVEL.match(part.strip())
            factor = match["factor"] if match is not None else part.strip()
            name = None if factor in schema else _variable_of(factor, schema)
            if name is not None:
                factor = f"C({name})"
            elif factor not in schema and "(" not in factor:
                raise SpecError(
                    f"the term {term!r} names no variable of the data.",
                    where=str(path),
                    hint="Give the formula: --model 'CARS ~ AGE + C(SEX)'.",
                )
            parts.append(factor)
        factors[":".join(parts)] = None
    return " + ".join(factors) or "1"


def _variable_of(dummy: str, schema: Schema) -> str | None:
    """The variable of a dummy that is named by it and its value: SEX_2, and as R writes it SEX2 or factor(SEX)2."""
    plain = re.sub(r"^(?:as\.)?factor\((.+?)\)", r"\1", dummy)
    for end in range(len(plain) - 1, 0, -1):
        name, level = plain[:end], plain[end:]
        values = [schema[name].code(text) for text in (level, level.removeprefix("_"))] if name in schema else []
        if any(value is not None for value in values):
            return name
    return None


def _whose(texts: Sequence[str], schema: Schema, but: Sequence[str] = ()) -> str | None:
    """The one variable whose values these are: all of them, else some; None where there is none, or more than one."""
    codes = {v.name: {v.code(t) for t in texts} for v in schema if v.name not in but and texts}
    for whole in (True, False):
        found = [
            name
            for name, held in codes.items()
            if (held == set(range(schema[name].n_values)) if whole else None not in held)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            return None
    return None


def _text(name: str, text: str, schema: Schema, path: Path) -> str:
    variable = schema[name]
    code = variable.code(text.strip())
    if code is None:
        raise SpecError(f"{name!r} has no value {text.strip()!r}.", where=str(path))
    return variable.texts[code]


def _number(text: str) -> float | int | str:
    """A number as it was printed; anything else (`<5`, `*`) stays a text, which the spec understands."""
    plain = text.strip().replace(",", "") if re.fullmatch(r"\s*-?\d{1,3}(,\d{3})+\s*", text) else text.strip()
    try:
        return int(plain)
    except ValueError:
        try:
            return float(plain)
        except ValueError:
            return plain
