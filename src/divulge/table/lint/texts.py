"""Checks of text variables: numbers among texts, decimal commas, texts that mean missing, stray blanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from divulge.table.infer import parse_number
from divulge.table.lint.remark import Remark
from divulge.table.occurrences import Occurrences

_DECIMAL_COMMA = re.compile(r"-?[0-9]+(,[0-9]+)?")
_MEANS_MISSING = {"NA", "N/A", "n/a", "na", "N.A.", "NaN", "nan", "null", "NULL", ".", "?", "-", "--", ""}
"""Not "None", which is an answer to many questions."""
_SEVERAL_NUMBERS = 4  # fewer numbers than this beside texts are levels such as 1, 2, 3, more


def _mixed_types(seen: Occurrences) -> Iterator[Remark]:
    if not seen.is_text or all(t.strip().isdigit() for t in seen.texts):
        return
    numbers = [parse_number(t.strip()) is not None for t in seen.texts]
    n_numbers = sum(numbers)
    occurring = seen.counts[seen.counts > 0]
    rows = int(sum(n for n, is_number in zip(occurring.tolist(), numbers, strict=True) if is_number))
    if n_numbers < _SEVERAL_NUMBERS or n_numbers == len(numbers) or 2 * rows < seen.n_valid:
        return
    others = len(numbers) - n_numbers
    yield Remark(
        "mixed-types",
        seen.variable.name,
        f"numbers and texts in one column: {n_numbers:,} numbers, and {others:,} other "
        f"{'text' if others == 1 else 'texts'} in {seen.n_valid - rows:,} rows; so all of it is read as text.",
        "If it is a number, mend the texts or list those that mean missing in missingValues, with type number.",
    )


def _decimal_commas(seen: Occurrences) -> Iterator[Remark]:
    if seen.is_text and seen.texts and all(_DECIMAL_COMMA.fullmatch(t) for t in seen.texts):
        n_commas = sum("," in t for t in seen.texts)
        if n_commas:
            yield Remark(
                "decimal-comma",
                seen.variable.name,
                f"numbers with commas ({n_commas:,} distinct values), read as text.",
                "Export the file with decimal points, and without commas between thousands.",
            )


def _na_levels(seen: Occurrences) -> Iterator[Remark]:
    if not seen.is_text:
        return
    rows = dict(zip(seen.variable.values.tolist(), seen.counts.tolist(), strict=True))
    for text in sorted(t for t in seen.texts if t.strip() in _MEANS_MISSING):
        shown = repr(text) if text else "the empty text"
        yield Remark(
            "missing-text",
            seen.variable.name,
            f"{shown} ({rows[text]:,} rows) is a level like any other here, but looks like a missing value.",
            f'If it means missing, list "{text}" in missingValues of this field in the schema.',
        )


def _padded(seen: Occurrences) -> Iterator[Remark]:
    if seen.is_text:
        n_padded = sum(t != t.strip() for t in seen.texts)
        if n_padded:
            yield Remark(
                "stray-blanks",
                seen.variable.name,
                f"{n_padded:,} of {seen.n_distinct:,} levels begin or end with a blank.",
                "Strip the blanks, or equal levels will count as different ones.",
            )


TEXT_CHECKS: tuple[Callable[[Occurrences], Iterator[Remark]], ...] = (
    _decimal_commas,
    _mixed_types,
    _na_levels,
    _padded,
)
"""In the order in which remarks are shown."""
