"""Checks of numeric variables: missing codes left as numbers, categories held as numbers, outliers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divulge.kernels.arrays import Integers
from divulge.table.lint.remark import Remark
from divulge.table.occurrences import Occurrences
from divulge.table.ranges import rounded_range

_NEGATIVE = {-n for n in [*range(1, 10), 66, 77, 88, 96, 97, 98, 99, 666, 777, 888, 996, 997, 998, 999, 7777, 8888]}
_NEGATIVE |= {-n for n in (9996, 9997, 9998, 9999, 99999, 999999, 9999999)}
_POSITIVE = {9, 77, 88, 96, 97, 98, 99, 777, 888, 996, 997, 998, 999, 7777, 8888, 9996, 9997, 9998, 9999, 99998, 99999}
_POSITIVE |= {999998, 999999, 9999999, 99999999}
"""Numbers that surveys use for "refused", "does not know", "does not apply"."""
_LEAST_SHARE = 0.0005
"""A missing code is used again and again: by one row in 2,000 at least, and never by one row alone."""
_FAR = 0.1  # a positive code is far from the rest: its distance to them is more than this share of their range
_STRETCH = 1.0  # an outlier stretches the range: without it the range would be at most half as long
_OUTLYING_ROWS = 3


def _occurring(seen: Occurrences) -> tuple[NDArray[Any], Integers]:
    used = seen.counts > 0
    return seen.variable.values[used], seen.counts[used]


def _suspected_codes(seen: Occurrences) -> list[int]:
    """Numbers that look like missing codes among the values of a numeric variable."""
    if seen.variable.kind != "numeric":
        return []
    values, counts = _occurring(seen)
    least = max(2, _LEAST_SHARE * seen.n_rows)
    return [*_negative_codes(values, counts, least), *_positive_codes(values, counts, least)]


def _negative_codes(values: NDArray[Any], counts: Integers, least: float) -> list[int]:
    """Negative codes where all the rest is not negative."""
    below = [int(v) for v in values[values < 0].tolist() if v in _NEGATIVE]
    rest = values[values >= 0]
    if not below or len(below) < (values < 0).sum() or len(rest) < 2:
        return []
    near = [v for v in (-1, -2) if v in below]
    if near and near[0] == -1 and rest[0] == 0 and len(rest) <= 3 + len(near):
        # −1, 0, 1 and −2 … 2 are scales of opinion.
        return []
    enough = dict(zip(values.tolist(), counts.tolist(), strict=True))
    return [v for v in below if enough[v] >= least]


def _positive_codes(values: NDArray[Any], counts: Integers, least: float) -> list[int]:
    """The largest values, where they are such codes and lie far above the rest."""
    codes: list[int] = []
    at = len(values) - 1
    while at > 1 and values[at] in _POSITIVE:
        codes.append(int(values[at]))
        at -= 1
    while codes:
        rest = values[values < min(codes)]
        rest = rest[rest >= 0] if (rest >= 0).sum() > 1 else rest
        distance = min(codes) - rest[-1]
        if distance > max(1, _FAR * (rest[-1] - rest[0])) and distance > 1:
            break
        # The least of them belongs to the rest (98 among hours of work), so perhaps the others do not.
        codes.remove(min(codes))
    usual = counts[values < min(codes)][-1] if codes else 0
    found = dict(zip(values.tolist(), counts.tolist(), strict=True))
    # The last of a thinning tail is rarer than the one before it; a code is not.
    return [v for v in sorted(codes) if found[v] >= least and found[v] > usual]


def _coded_missings(seen: Occurrences) -> Iterator[Remark]:
    codes = _suspected_codes(seen)
    if not codes:
        return
    values, counts = _occurring(seen)
    found = dict(zip(values.tolist(), counts.tolist(), strict=True))
    kept = ~np.isin(values, codes)
    low, high = rounded_range(values[kept], counts[kept])
    named = ", ".join(f"{c} ({found[c]:,} rows)" for c in codes)
    listed = ", ".join(f'"{c}"' for c in codes)
    sort = "missing" if max(codes) < 0 else "missing or top"
    one, many = f"looks like a {sort} code left as a number", f"look like {sort} codes left as numbers"
    yield Remark(
        "coded-missing",
        seen.variable.name,
        f"{named} {one if len(codes) == 1 else many}: the rest lies between {low:,} and {high:,}.",
        f"If that is missing, list {listed} in missingValues of the field in the schema (--save-schema writes one): "
        f'{{"fields": [{{"name": "{seen.variable.name}", "type": "{_type(seen)}", "missingValues": ["", {listed}]}}]}}',
    )


def _type(seen: Occurrences) -> str:
    return "integer" if seen.variable.values.dtype.kind == "i" else "number"


def _coded_categories(seen: Occurrences) -> Iterator[Remark]:
    n_codes = seen.n_distinct - len(_suspected_codes(seen))
    if seen.has_few_integers and n_codes > 1:
        yield Remark(
            "coded-category",
            seen.variable.name,
            f"{n_codes} whole numbers: perhaps the codes of categories, held as numbers.",
            "If they are codes, give the field `categories` (with labels) in the schema.",
        )


def _outliers(seen: Occurrences) -> Iterator[Remark]:
    """One to three rows far above or below all others."""
    codes = _suspected_codes(seen)
    values, counts = _occurring(seen)
    kept = ~np.isin(values, codes)
    values, counts = values[kept], counts[kept]
    if seen.variable.kind != "numeric" or len(values) < 10 or counts.sum() < 30:
        # With so few there is no telling a tail from an outlier.
        return
    for side, ends in (("largest", values[::-1]), ("smallest", values)):
        tail = counts[::-1] if side == "largest" else counts
        rows = 0
        for k in range(min(_OUTLYING_ROWS, len(ends) - 2)):
            rows += int(tail[k])
            if rows > _OUTLYING_ROWS:
                break
            inner = abs(float(ends[k + 1]) - float(ends[-1]))
            if inner > 0 and abs(float(ends[0]) - float(ends[k + 1])) > _STRETCH * inner:
                many = "1 row" if rows == 1 else f"{rows} rows"
                inside = slice(0, len(values) - k - 1) if side == "largest" else slice(k + 1, None)
                low, high = rounded_range(values[inside], counts[inside])
                yield Remark(
                    "outlier",
                    seen.variable.name,
                    f"the {side} values ({many}) more than double the range: without them it would be "
                    f"about {low:,} to {high:,}.",
                    "Check them; if they are right, top-code or round the variable, as they point at single people.",
                )
                break


NUMBER_CHECKS: tuple[Callable[[Occurrences], Iterator[Remark]], ...] = (_coded_missings, _outliers, _coded_categories)
"""In the order in which remarks are shown."""
