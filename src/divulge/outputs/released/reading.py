"""Released numbers as people write them: {label: value}, a list in the order of the labels, or a CSV file.

Nothing here looks at data. Labels may use values or what these stand for (`SEX=1` and `SEX=Male` are the same), and
their parts may come in any order.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np

from divulge.errors import DivulgeError, FileMissingError, OutputError, UndecodableError, suggest
from divulge.kernels.arrays import Floats, Mask
from divulge.outputs.output import Output
from divulge.outputs.released.labels import key_of, named_by, tellable
from divulge.outputs.released.precision import MOST_DECIMALS, Precision, Released, printed
from divulge.table import Schema
from divulge.table.files.readable import check_readable

LABEL_COLUMNS = ("term", "label", "name")
VALUE_COLUMNS = ("value", "coef", "count", "estimate", "figure")
SE_COLUMNS = ("se", "std_err", "stderr", "standard error", "std.error", "std. error", "std err", "std. err.", "bse")
SUPPRESSED = ("", "suppressed", "*", "c", "x", "..")
"""What stands in a cell that is withheld, whatever the case of the letters. `<5` says in addition: below 5."""

N_SHOWN = 5
"""How many labels a message lists before it says how many more there are."""


@dataclass(frozen=True)
class _Entry:
    """One released figure as it was written: a number or None where withheld, and what it is said to be below."""

    value: Decimal | None
    below: Decimal | None = None
    se: Decimal | None = None
    is_left_out: bool = False
    """Whether a program left it out itself, so that nothing is said of it."""


def read_released(
    output: Output,
    schema: Schema,
    folder: Path | None = None,
    n_rows: int | None = None,
    *,
    together: bool = True,
) -> Released | None:
    """The released figures of an output in the order of its labels; None where it has none.

    folder: where relative names of CSV files start. n_rows: how many rows the output was computed on, where known.
    together: whether figures that contradict each other are an error. With data at hand it is more to the point to say
        which of them do not agree with these.
    """
    if output.released is None:
        return None
    labels = output.labels(schema)

    def number_of(label: str, text: str) -> float | None:
        return output.read_value(label, text, schema)

    entries = _matched(_entries(output.released, schema, folder, labels, number_of), schema, labels, output)
    hidden = _hidden(output, schema, labels, entries)
    values = np.array([float(e.value) if e.value is not None else np.nan for e in entries])
    _check_digits(output, labels, entries)
    precision = _precision(output, entries)
    se_precision = output.se_precision(precision)
    if precision.base is not None:
        _check_multiples(labels, values, precision.base)
    least, most = output.possible_where(hidden, schema, n_rows)
    threshold = np.array(
        [float(e.below) if e.below is not None else output.threshold or np.inf for e in entries], dtype=float
    )
    if not output.has_threshold:
        # Less than 5 is at most 4 for a count; a number may be as near to it as it likes.
        threshold = threshold + 2 * precision.half_units(values)
    se = None
    if any(e.se is not None for e in entries):
        se = np.array([float(e.se) if e.se is not None else np.nan for e in entries])
    released = printed(
        labels,
        precision.rounded(values),
        precision,
        suppressed=hidden,
        threshold=threshold[hidden],
        possible=(least, most),
        se=None if se is None else se_precision.rounded(se),
        se_precision=se_precision,
    )
    released = output.as_known(released, schema, n_rows)
    _check_range(released, entries, least, most)
    contradiction = output.check_released(schema, released, n_rows) if together else None
    if contradiction is not None:
        raise OutputError(contradiction, where="released")
    return released


def _hidden(output: Output, schema: Schema, labels: Sequence[str], entries: Sequence[_Entry]) -> Mask:
    """Which figures are withheld: those without a value, and those that `suppressed` names."""
    hidden = np.array([e.value is None for e in entries], dtype=bool)
    hidden |= named_by(output.suppressed, labels, schema)
    # `<0.001` is a figure like others: it says where the number lies.
    absent = hidden & np.array([e.below is None and not e.is_left_out for e in entries], dtype=bool)
    if absent.any() and not output.can_suppress:
        missing = _listed(tellable([label for label, h in zip(labels, absent, strict=True) if h], schema))
        raise OutputError(
            f"kind {output.kind!r} has no suppressed cells, but no value is given for {missing}.",
            where="released",
            hint="Give every figure.",
        )
    return hidden


def _check_range(released: Released, entries: Sequence[_Entry], least: Floats, most: Floats) -> None:
    """Raise where a figure lies where no figure can."""
    wrong = np.flatnonzero(released.low > released.high * (1 + np.sign(released.high) * 1e-9))  # rounding of the bounds
    if len(wrong):
        i = int(wrong[0])
        raise OutputError(
            f"{released.labels[i]!r} is given as {entries[i].value}, which cannot be: "
            f"it lies between {least[i]:g} and {most[i]:g}.",
            where="released",
        )


def _precision(output: Output, entries: Sequence[_Entry]) -> Precision:
    """As the spec says; else the most decimals that any figure is written with."""
    if (output.decimals, output.significant, output.base) != (None, None, None):
        return Precision(output.decimals, output.significant, output.base)
    numbers = [n for e in entries for n in (e.value, e.se) if n is not None and n.is_finite()]
    shown = [-int(n.as_tuple().exponent) for n in numbers]
    return Precision(decimals=min(max([0, *shown]), MOST_DECIMALS) if shown else output.usual_decimals())


def _check_digits(output: Output, labels: Sequence[str], entries: Sequence[_Entry]) -> None:
    """Raise where a figure has more digits than `decimals` says: to round it silently would be to judge another one."""
    se_decimals = vars(output).get("se_decimals", output.decimals)
    for what, decimals, field in (("value", output.decimals, "decimals"), ("se", se_decimals, "se_decimals")):
        if not isinstance(decimals, int):
            continue
        for label, entry in zip(labels, entries, strict=True):
            number = getattr(entry, what)
            shown = (
                0
                if number is None or not number or not number.is_finite()
                else -int(number.normalize().as_tuple().exponent)
            )
            if shown > decimals:
                name = repr(label) if what == "value" else f"the standard error of {label!r}"
                raise OutputError(
                    f"{name} is given as {number}, with {shown} decimals, but {field} says {decimals}.",
                    where="released",
                    hint=f"Write {field}: {shown}, or leave {field} out; or give the figure as it was printed.",
                )


def _check_multiples(labels: Sequence[str], values: Any, base: float) -> None:
    with np.errstate(invalid="ignore"):
        # Quotients of decimals such as 0.3 / 0.1 are off by a rounding error.
        off = np.abs(values / base - np.round(values / base)) > 1e-6
    if off.any():
        i = int(np.flatnonzero(off)[0])
        raise OutputError(f"{labels[i]!r} is given as {values[i]:g}, no multiple of {base:g}.", where="released")


NumberOf = Callable[[str, str], float | None]
"""The number behind a text that is none, for a label."""


def _entries(
    released: Any, schema: Schema, folder: Path | None, labels: Sequence[str], number_of: NumberOf
) -> dict[str, _Entry] | list[_Entry]:
    if isinstance(released, str):
        return _read_csv(Path(released) if folder is None else folder / released, schema, number_of)
    if isinstance(released, Mapping):
        return {str(label): _entry(value, str(label), number_of) for label, value in released.items()}
    if len(released) != len(labels):
        missing = (
            f" Missing are the last ones: {_listed(labels[len(released) :])}." if len(released) < len(labels) else ""
        )
        raise OutputError(
            f"{_count(len(labels), 'figure')} needed, {_count(len(released), 'value')} given.{missing}",
            where="released",
            hint=f"The figures are, in order: {_listed(labels)}.",
        )
    return [_entry(value, label, number_of) for value, label in zip(released, labels, strict=True)]


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun} is" if n == 1 else f"{n:,} {noun}s are"


def _entry(value: Any, label: str, number_of: NumberOf) -> _Entry:
    if isinstance(value, Mapping):
        known = {"value", "coef", "se"}
        if not value or set(value) - known:
            raise OutputError(f"{label!r} needs a value and perhaps an se.", where="released")
        number = _entry(value.get("value", value.get("coef")), label, number_of)
        return replace(number, se=_entry(value.get("se"), label, number_of).value)
    if value is None:
        return _Entry(None)
    if isinstance(value, bool):
        raise OutputError(
            f"{label!r} is given as {str(value).lower()}, a number is needed.",
            where="released",
            hint="YAML reads yes, no, on and off as true and false.",
        )
    text = str(value).strip()
    named = number_of(label, text)
    if named is not None:
        return _Entry(None, is_left_out=True) if np.isnan(named) else _Entry(Decimal(repr(named)).normalize())
    if text.casefold() in SUPPRESSED:
        return _Entry(None)
    below = re.fullmatch(r"<\s*(\S+)", text)
    try:
        number_read = Decimal(below[1] if below else text)
    except InvalidOperation:
        number_read = Decimal("NaN")
    if not number_read.is_finite():
        raise OutputError(
            f"{label!r} is given as {text!r}, a number is needed.",
            where="released",
            hint="Write 1234.5, without separators or %; null or 'suppressed' where it is withheld; '<5' below 5.",
        )
    return _Entry(None, number_read) if below else _Entry(number_read)


def _read_csv(path: Path, schema: Schema, number_of: NumberOf) -> dict[str, _Entry]:
    """Columns term (or label) and coef (or value), perhaps se; or one column for each variable of a crosstab."""
    try:
        check_readable(path)
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except UnicodeDecodeError:
        raise UndecodableError("the file is not in UTF-8.", where="released", hint="Save it as UTF-8.") from None
    except DivulgeError as error:
        raise FileMissingError(f"{str(path)!r}: {error.message}", where="released", hint=error.hint) from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    folded = [name.casefold() for name in header]
    value_at = next((folded.index(n) for n in VALUE_COLUMNS if n in folded), None)
    se_at = next((folded.index(n) for n in SE_COLUMNS if n in folded), None)
    label_at = next(
        (folded.index(n) for n in LABEL_COLUMNS if n in folded and header[folded.index(n)] not in schema), None
    )
    spanned = [i for i, name in enumerate(header) if name in schema and i not in (value_at, se_at)]
    if value_at is None or (label_at is None and not spanned):
        raise OutputError(
            f"{path.name!r} needs a column {' or '.join(LABEL_COLUMNS[:2])} (or one for each variable) and a column "
            f"{' or '.join(VALUE_COLUMNS)}; it has {', '.join(header) or 'none'}.",
            where="released",
        )
    entries: dict[str, _Entry] = {}
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise OutputError(
                f"line {number} of {path.name!r} has {len(row)} cells, {len(header)} are needed.", where="released"
            )
        label = row[label_at].strip() if label_at is not None else " & ".join(f"{header[i]}={row[i]}" for i in spanned)
        if label in entries:
            raise OutputError(f"{path.name!r} names {label!r} twice.", where="released")
        entry = _entry(row[value_at], label, number_of)
        se = _entry(row[se_at], label, number_of).value if se_at is not None else None
        entries[label] = replace(entry, se=se)
    return entries


def _matched(
    entries: dict[str, _Entry] | list[_Entry], schema: Schema, labels: Sequence[str], output: Output
) -> list[_Entry]:
    """Entries in the order of the labels; an error where some are missing, unknown or there twice."""
    if isinstance(entries, list):
        return entries
    places = {key_of(label, schema): i for i, label in enumerate(labels)}
    found: dict[int, _Entry] = {}
    for text, entry in entries.items():
        place = places.get(key_of(text, schema))
        if place is None and (other := output.find_label(text, schema)) is not None:
            place = places.get(key_of(other, schema))
        if place is None:
            raise OutputError(
                f"there is no figure {text!r}.",
                where="released",
                hint=suggest(text, [_in_words(label, schema) for label in tellable(labels, schema)])
                or suggest(text, tellable(labels, schema))
                or f"The figures are: {_listed(tellable(labels, schema))}.",
            )
        if place in found:
            raise OutputError(f"{labels[place]!r} is given twice.", where="released")
        found[place] = entry
    missing = [label for i, label in enumerate(labels) if i not in found]
    if missing:
        raise OutputError(
            f"{_count(len(labels), 'figure')} needed, {_count(len(found), 'value')} given. "
            f"Missing: {_listed(tellable(missing, schema))}.",
            where="released",
        )
    return [found[i] for i in range(len(labels))]


def _in_words(label: str, schema: Schema) -> str:
    """A label with what its values stand for: `SEX=Male`."""
    found = label
    for part in re.split(r"\s+[|&]\s+", label):
        name, equals, value = part.partition("=")
        if equals and name in schema:
            code = schema[name].code(value)
            found = found.replace(part, f"{name}={schema[name].display[code]}") if code is not None else found
    return found


def _listed(labels: Iterable[str]) -> str:
    every = list(labels)
    more = f" and {len(every) - N_SHOWN:,} more" if len(every) > N_SHOWN else ""
    return ", ".join(repr(label) for label in every[:N_SHOWN]) + more
