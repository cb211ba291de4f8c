"""Rows collapsed to distinct cells of covariates, with what a regression needs to know of each: weight and response.

A cell is one combination of codes of the variables that the predictor reads. Where there are few repeats, rows are
served as they are, in batches, so that nothing as long as the data is ever held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import lgamma
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from divulge.kernels.arrays import Codes, Floats, Integers, Mask
from divulge.kernels.layout import RawTerm, fill_places, lay_out

BATCH = 4096
"""Rows served at once: large enough to hide the call, small enough to stay in the processor's cache."""

PAYS = 0.6
"""Cells are used where there are at most this many for each row: with more, sorting costs what it saves."""


class Rows(NamedTuple):
    """Coded rows of a model, column by column, and what its response and weight are for each code.

    y: response by code of the variable `response` (for multinomial the class number, 0 the reference); NaN: the row
    takes no part. w: likewise the weight by code of the variable `weight`; both empty where all rows count alike.
    people: how many people each row stands for; empty: one.
    """

    columns: tuple[Codes, ...]
    n_codes: tuple[int, ...]
    n_rows: int
    response: int
    y: Floats
    weight: int = -1
    w: Floats = np.ones(1)
    people: Floats = np.zeros(0)


class _Batch(NamedTuple):
    """Cells (or rows) of a model: their codes, their weight, and the sum of weight × response, class by class."""

    codes: Codes  # (cells, variables)
    place: NDArray[np.uint16]  # (cells, groups): the indicator of each group of variables (see `layout.py`)
    weight: Floats  # (cells,)
    response: Floats  # (cells, classes); one class unless multinomial

    def first(self, size: int) -> _Batch:
        return _Batch(self.codes[:size], self.place[:size], self.weight[:size], self.response[:size])


class _Lookups(NamedTuple):
    """What a code says of a row: whether it can take part, its response and its weight."""

    known: Mask  # codes of all variables, one after the other
    first_code: Integers  # (variables,): where each variable's codes start there
    response: int  # the variable that `y` looks up
    y: Floats
    weight: int  # the variable that `w` looks up; −1: all rows count alike
    w: Floats


class _Keys(NamedTuple):
    """One number a row that stands for all its codes (mixed radix), the predictor's variables first."""

    key: NDArray[np.unsignedinteger]
    order: Integers  # variables
    radix: NDArray[np.unsignedinteger]  # their numbers of codes, in that order
    inner: Any  # how many keys share a combination of the predictor's codes, as a number like a key
    people: Floats  # how many people each row stands for; empty: one


class Summary(NamedTuple):
    """What of the response does not depend on the predictor, over the rows that take part."""

    n_rows: int
    weight: float
    response: Floats  # Σ weight × response, class by class
    spread: float  # Σ weight (y − mean)²
    within: float  # Σ weight (y − mean of its cell)²
    log_weight: float  # Σ log weight
    log_factorials: float  # Σ weight log y!
    entropy: float  # Σ weight (y log y − y)


# Places of the sums that become a `Summary`; the mean is only needed on the way.
_ROWS, _WEIGHT, _MEAN, _SPREAD, _WITHIN, _LOG_WEIGHT, _LOG_FACTORIALS, _ENTROPY, _N_SUMS = range(9)


@njit(cache=True, nogil=True, inline="always")
def _add(sums, y, w, each, rows):  # type: ignore[no-untyped-def]
    """Mean and spread by Welford 1962, and the sums that depend on the response alone."""
    sums[_ROWS] += rows
    sums[_WEIGHT] += w
    step = y - sums[_MEAN]
    sums[_MEAN] += step * w / sums[_WEIGHT]
    sums[_SPREAD] += w * step * (y - sums[_MEAN])
    sums[_LOG_WEIGHT] += rows * np.log(each)
    if y > 0.0:
        sums[_LOG_FACTORIALS] += w * lgamma(y + 1.0)
        sums[_ENTROPY] += w * (y * np.log(y) - y)


@njit(cache=True, nogil=True)
def _count_cells(key, inner):  # type: ignore[no-untyped-def]
    count = 1 if key.shape[0] else 0
    for i in range(1, key.shape[0]):
        if key[i] // inner != key[i - 1] // inner:
            count += 1
    return count


@njit(cache=True, nogil=True)
def _fill_cells(keys, lookups, batch, sums):  # type: ignore[no-untyped-def]
    """Write the cells of sorted keys; return how many hold a row that takes part."""
    order, radix, inner = keys.order, keys.radix, keys.inner
    codes, weight, response = batch.codes, batch.weight, batch.response
    n, n_classes = keys.key.shape[0], response.shape[1]
    row = np.zeros(codes.shape[1], dtype=codes.dtype)
    cell, i = 0, 0
    while i < n:
        outer = keys.key[i] // inner
        weight[cell] = 0.0
        for k in range(n_classes):
            response[cell, k] = 0.0
        mean, spread = 0.0, 0.0
        while i < n and keys.key[i] // inner == outer:
            key, start = keys.key[i], i
            while i < n and keys.key[i] == key:
                i += 1
            takes_part = True
            for v in range(order.shape[0] - 1, -1, -1):
                code = key % radix[v]
                key = key // radix[v]
                row[order[v]] = code
                takes_part &= lookups.known[lookups.first_code[order[v]] + np.int64(code)]
            if not takes_part:
                continue
            y = lookups.y[row[lookups.response]]
            each = lookups.w[row[lookups.weight]] if lookups.weight >= 0 else 1.0
            people = float(i - start)
            if keys.people.shape[0]:
                people = 0.0
                for j in range(start, i):
                    people += keys.people[j]
            w = each * people
            weight[cell] += w
            _add(sums, y, w, each, people)
            if n_classes > 1:
                if y > 0.0:
                    response[cell, int(y) - 1] += w
            else:
                response[cell, 0] += w * y
                step = y - mean
                mean += step * w / weight[cell]
                spread += w * step * (y - mean)
        if weight[cell] > 0.0:
            sums[_WITHIN] += spread
            for v in range(row.shape[0]):
                codes[cell, v] = row[v]
            cell += 1
    return cell


@njit(cache=True, nogil=True)
def _fill_rows(lookups, batch, people, sums):  # type: ignore[no-untyped-def]
    """The same for rows as they are: a row that takes no part has a weight of 0. people: of each row; empty: one."""
    codes, weight, response = batch.codes, batch.weight, batch.response
    n_classes = response.shape[1]
    for i in range(codes.shape[0]):
        takes_part = True
        for v in range(codes.shape[1]):
            takes_part &= lookups.known[lookups.first_code[v] + codes[i, v]]
        each, times, w = 0.0, 1.0, 0.0
        if takes_part:
            each = lookups.w[codes[i, lookups.weight]] if lookups.weight >= 0 else 1.0
            times = people[i] if people.shape[0] else 1.0
            w = each * times
        weight[i] = w
        for k in range(n_classes):
            response[i, k] = 0.0
        if not takes_part:
            continue
        y = lookups.y[codes[i, lookups.response]]
        if n_classes == 1:
            response[i, 0] = w * y
        elif y > 0.0:
            response[i, int(y) - 1] = w
        if sums.shape[0]:
            _add(sums, y, w, each, times)


_DIGIT = 11
"""Bits sorted at a time: 2,048 counters stay in the processor's first cache."""


@njit(cache=True, nogil=True)
def _sort_digit(keys, shift, out):  # type: ignore[no-untyped-def]
    """Sort by one digit, keeping the order of equal ones (a pass of radix sort)."""
    mask = (1 << _DIGIT) - 1
    count = np.zeros((1 << _DIGIT) + 1, dtype=np.int64)
    for i in range(keys.shape[0]):
        count[((np.int64(keys[i]) >> shift) & mask) + 1] += 1
    for d in range(1 << _DIGIT):
        count[d + 1] += count[d]
    for i in range(keys.shape[0]):
        digit = (np.int64(keys[i]) >> shift) & mask
        out[count[digit]] = keys[i]
        count[digit] += 1


def _sorted(keys: Codes, size: int) -> Codes:
    """Keys below `size` in order; destroys what it is given."""
    n_passes = -(-(size - 1).bit_length() // _DIGIT)
    if n_passes > 3:
        keys.sort()
        return keys
    room = np.empty_like(keys)
    for number in range(n_passes):
        _sort_digit(keys, number * _DIGIT, room)
        keys, room = room, keys
    return keys


def _in_order(keys: _Keys) -> _Keys:
    """The same sorted, with the people of each row where rows stand for several; destroys what it is given."""
    if len(keys.people):
        order = np.argsort(keys.key, kind="stable")
        return keys._replace(key=keys.key[order], people=keys.people[order])
    return keys._replace(key=_sorted(keys.key, int(np.prod(keys.radix, dtype=object))))


class Source:
    """Batches of a model's cells or rows, served again for every pass over them.

    n_classes: of a multinomial response beside the reference, else 1.
    """

    def __init__(self, terms: Sequence[RawTerm], n_columns: int, rows: Rows, n_classes: int = 1) -> None:
        self.terms = terms
        self.rows, self.n_columns, self.n_classes = rows, n_columns, n_classes
        self.layout, self.weights = lay_out(terms, rows.n_codes, n_columns, rows.n_rows)
        known, first_code = _known_codes(terms, rows)
        self.lookups = _Lookups(known, first_code, rows.response, rows.y, rows.weight, rows.w)
        self.cells: _Batch | None = None
        self._sums = np.zeros(_N_SUMS)
        keys = _keys(terms, rows)
        if keys is not None and _may_pay(keys.key, keys.inner):
            keys = _in_order(keys)
            count = int(_count_cells(keys.key, keys.inner))
            if count <= PAYS * max(rows.n_rows, 1):
                batch = self._empty(count)
                self.cells = batch.first(_fill_cells(keys, self.lookups, batch, self._sums))
                fill_places(self.layout, self.cells.codes, self.cells.place)

    def with_classes(self, has_rows: Mask) -> Source:
        """The same rows with only some of the classes beside the reference, numbered anew."""
        number = np.concatenate([[0.0], np.where(has_rows, np.cumsum(has_rows), np.nan)])
        y = np.where(np.isfinite(self.rows.y), number[np.nan_to_num(self.rows.y).astype(np.int64)], np.nan)
        return Source(self.terms, self.n_columns, self.rows._replace(y=y), int(has_rows.sum()))

    @cached_property
    def summary(self) -> Summary:
        response = np.zeros(self.n_classes)
        for batch in self if self.cells is not None else self._batches(self._sums):
            response += batch.response.sum(axis=0)
        sums = self._sums.tolist()
        return Summary(
            n_rows=round(sums[_ROWS]),
            weight=sums[_WEIGHT],
            response=response,
            spread=sums[_SPREAD],
            within=sums[_WITHIN],
            log_weight=sums[_LOG_WEIGHT],
            log_factorials=sums[_LOG_FACTORIALS],
            entropy=sums[_ENTROPY],
        )

    def _empty(self, size: int) -> _Batch:
        columns = self.rows.columns
        dtype = np.result_type(*(c.dtype for c in columns)) if columns else np.dtype(np.uint8)
        return _Batch(
            np.empty((size, len(columns)), dtype=dtype),
            np.empty((size, len(self.layout.offset)), dtype=np.uint16),
            np.empty(size),
            np.empty((size, self.n_classes)),
        )

    def _batches(self, sums: Floats) -> Iterator[_Batch]:
        n_rows = self.rows.n_rows
        room = self._empty(min(BATCH, n_rows))
        for start in range(0, n_rows, BATCH):
            size = min(BATCH, n_rows - start)
            batch = room.first(size)
            for v, column in enumerate(self.rows.columns):
                batch.codes[:, v] = column[start : start + size]
            _fill_rows(self.lookups, batch, self.rows.people[start : start + size], sums)
            fill_places(self.layout, batch.codes, batch.place)
            yield batch

    def __iter__(self) -> Iterator[_Batch]:
        if self.cells is not None:
            yield self.cells
        else:
            yield from self._batches(np.zeros(0))


def _may_pay(keys: Codes, inner: np.unsignedinteger) -> bool:
    """Whether a sample of the rows has repeats enough for sorting all of them to pay.

    Of 2,048 rows spread evenly over N cells 1,024 / N are repeats; 3 % means some 34,000 cells.
    """
    sample = keys[:: max(1, len(keys) // 2048)] // inner
    return len(keys) < 4096 or len(np.unique(sample)) <= 0.97 * len(sample)


def _keys(terms: Sequence[RawTerm], rows: Rows) -> _Keys | None:
    """The keys of all rows; None where no integer holds them."""
    first = list(dict.fromkeys(v for term in terms for v in term.variables))
    order = [*first, *(v for v in range(len(rows.columns)) if v not in first)]
    size, inner = 1, 1
    for place, v in enumerate(order):
        size *= rows.n_codes[v]
        inner *= rows.n_codes[v] if place >= len(first) else 1
    if size >= 2**63:
        return None
    keys: Any = np.zeros(rows.n_rows, dtype=np.uint32 if size < 2**32 else np.uint64)
    for v in order:
        keys *= keys.dtype.type(rows.n_codes[v])
        keys += rows.columns[v]
    radix = np.array([rows.n_codes[v] for v in order], dtype=keys.dtype)
    return _Keys(keys, np.array(order, dtype=np.int64), radix, keys.dtype.type(inner), rows.people)


def _known_codes(terms: Sequence[RawTerm], rows: Rows) -> tuple[Mask, Integers]:
    """For each code of each variable whether a row that has it can take part; where each variable's codes start."""
    first_code = np.concatenate([[0], np.cumsum(rows.n_codes)]).astype(np.int64)
    known = np.ones(first_code[-1], dtype=bool)

    def of(v: int) -> Mask:
        return known[first_code[v] : first_code[v + 1]]

    for term in terms:
        for v, cells in zip(term.variables, term.cells, strict=True):
            of(v)[:] &= cells >= 0
    of(rows.response)[:] &= np.isfinite(rows.y)
    if rows.weight >= 0:
        of(rows.weight)[:] &= np.isfinite(rows.w) & (np.nan_to_num(rows.w) > 0.0)
    return known, first_code[:-1]
