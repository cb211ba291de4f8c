"""A formula as columns: labels as statistical programs print them, and terms that look columns up from codes.

Every category has a column for each level of the schema but its reference; which levels are left out in interactions
follows from the terms before (so that the columns are not collinear by construction).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

import numpy as np

from divulge.errors import OutputError
from divulge.kernels.arrays import Floats, Integers, Integers32, Mask
from divulge.kernels.lowering import NOTHING
from divulge.outputs.lowering.lowered import Term
from divulge.outputs.models.expressions import Values, tabulate
from divulge.outputs.models.formula import Factor, Formula
from divulge.table import Schema, Table, Variable

INTERCEPT = "Intercept"
_INTERCEPT_NAMES = {"intercept", "(intercept)", "const", "constant", "_cons", "cons", "(constant)"}

LevelCounts = Callable[[str], Floats]
"""How often each code of a variable occurs, for functions that depend on it."""


MOST_LEVELS = 5_000
"""Levels of a category that is a term of a model. Their table has the square of them as entries, 200 MB; an identifier
as a term would take all the memory that there is."""


@dataclass(frozen=True, eq=False)
class _Columns:
    """The columns of one factor: the value of each for every code; `level` where a code has one column at most.

    level[code]: the column that is 1 for the code, −1: none (the reference); −2: missing.
    """

    labels: tuple[str, ...]
    meanings: tuple[str, ...]  # what each column says, however its category is coded: "SEX=2"
    levels: tuple[tuple[str, str] | None, ...]  # text and label of each column's category; None: not of a category
    values: Floats  # (codes, columns); NaN: missing
    level: Integers | None = None


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of a model. undefined: codes of variables for which some factor has no finite value (log 0)."""

    labels: tuple[str, ...]
    terms: tuple[Term, ...]
    intercept: int  # the column that is 1 in every row; −1: none
    spans_constant: bool  # such a column, or columns that add up to it
    undefined: Mapping[str, Mask]
    meanings: Mapping[tuple[str, ...], str]
    factors: tuple[tuple[Factor, _Columns], ...]

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """What a column says, by the ways in which it may be written. Only reading what was released asks for it."""
        found: dict[str, str] = {}
        for factor, columns in self.factors:
            for meaning, level in zip(columns.meanings, columns.levels, strict=True):
                written = (meaning,) if level is None else _level_aliases(factor, *level)
                found.update(dict.fromkeys(written, meaning))
        return found

    @property
    def n_columns(self) -> int:
        return len(self.labels)

    def find(self, text: str) -> str | None:
        """The label of a column however it is written: `const`, `AREAP_58`, `AREAP=Coventry`, `SEX[T.2]:AGE`."""
        if text in self.labels:
            return text
        whole = _folded(text)
        parts = [] if whole in _INTERCEPT_NAMES else [whole] if whole in self.aliases else _split(whole)
        return self.meanings.get(tuple(sorted(self.aliases.get(p, p) for p in parts)))

    def without_intercept(self) -> Design:
        """The same columns but the one that is 1 in every row, for models that have no intercept to estimate."""
        if self.intercept < 0:
            return self
        place = np.arange(self.n_columns)
        moved = np.where(place == self.intercept, -1, place - (place > self.intercept)).astype(np.int32)
        terms = [replace(t, index=np.where(t.index < 0, t.index, moved[t.index]).astype(np.int32)) for t in self.terms]
        labels = self.labels[: self.intercept] + self.labels[self.intercept + 1 :]
        meanings = {key: label for key, label in self.meanings.items() if key}
        kept = tuple(t for t in terms if t.variables)
        return replace(self, labels=labels, terms=kept, intercept=-1, spans_constant=False, meanings=meanings)


def design_of(formula: Formula, schema: Schema, counts: LevelCounts) -> Design:
    """The columns of a formula's right-hand side."""
    labels: list[str] = []
    terms: list[Term] = []
    meanings: dict[tuple[str, ...], str] = {}
    used: list[tuple[Factor, _Columns]] = []
    undefined: dict[str, Mask] = {}
    intercept, spans_constant = -1, False
    for factors, is_full in _codings(formula):
        parts = [_columns_of(f, schema[f.variable], counts, full) for f, full in zip(factors, is_full, strict=True)]
        spans_constant |= all(_spans_constant(f, full) for f, full in zip(factors, is_full, strict=True))
        if not factors:
            intercept = len(labels)
        for factor, part in zip(factors, parts, strict=True):
            wrong = ~np.isfinite(part.values).all(axis=1) & ~schema[factor.variable].is_missing
            undefined[factor.variable] = undefined.get(factor.variable, np.zeros(len(wrong), dtype=bool)) | wrong
            used.append((factor, part))
        terms += _terms([f.variable for f in factors], parts, len(labels))
        for choice in product(*(range(len(p.labels)) for p in reversed(parts))):
            chosen = list(zip(parts, reversed(choice), strict=True))
            label = ":".join(p.labels[c] for p, c in chosen) or INTERCEPT
            labels.append(label)
            meanings.setdefault(tuple(sorted(p.meanings[c] for p, c in chosen)), label)
    wrong_codes = {name: codes for name, codes in undefined.items() if codes.any()}
    return Design(tuple(labels), tuple(terms), intercept, spans_constant, wrong_codes, meanings, tuple(used))


def _spans_constant(factor: Factor, is_full: bool) -> bool:
    return is_full if factor.is_categorical else "include_intercept=True" in factor.text


def table_counts(table: Table) -> LevelCounts:
    """How often each code occurs in a table."""
    return lambda name: table.frequencies(name).astype(float)


def schema_counts(schema: Schema) -> LevelCounts:
    """How often each code occurs as far as the schema says; all values alike where it does not."""

    def counts(name: str) -> Floats:
        variable = schema[name]
        known = variable.frequencies
        if known is not None and known[: variable.n_values].sum() > 0:
            return known.astype(float)
        return np.where(variable.is_missing, 0.0, 1.0)

    return counts


def response_values(factor: Factor, variable: Variable, counts: Floats) -> Floats:
    """The response as a number for every code; NaN: missing or not defined."""
    values = tabulate(factor.node, _values(variable, counts))[:, 0] if factor.node is not None else variable.numbers
    return np.where(np.isfinite(values), values, np.nan)


def _values(variable: Variable, counts: Floats) -> Values:
    return Values(variable.numbers, tuple(variable.texts[: variable.n_values]), counts)


def _columns_of(factor: Factor, variable: Variable, counts: LevelCounts, is_full: bool) -> _Columns:
    """The columns of one factor; is_full: a category has a column for its reference too."""
    if factor.node is not None:
        values = tabulate(factor.node, _values(variable, counts(factor.variable)))
        # formulaic counts the columns of splines from 1, or from 0 where they hold an intercept.
        first = 0 if "include_intercept=True" in factor.text else 1
        n_columns = values.shape[1]
        names = [factor.text] if n_columns == 1 else [f"{factor.text}[{first + i}]" for i in range(n_columns)]
        folded = tuple(_folded(n) for n in names)
        return _Columns(tuple(names), folded, (None,) * n_columns, values)
    n_values, n_codes = variable.n_values, variable.n_codes
    if n_values > MOST_LEVELS:
        raise OutputError(
            f"{factor.variable!r} has {n_values:,} levels; a term of a model has at most {MOST_LEVELS:,}.",
            hint="If it names people, leave it out. Else put levels together (coarser), or use kind: fixed-effects.",
        )
    # With sum contrasts it is the last level that has no column of its own.
    left_out = -1 if is_full else n_values - 1 if factor.is_sum else factor.reference
    shown = [i for i in range(n_values) if i != left_out]
    prefix = "" if is_full else "S." if factor.is_sum else "T."
    level = np.full(n_codes, -2)
    level[:n_values] = -1
    level[shown] = np.arange(len(shown))
    values = np.full((n_codes, len(shown)), np.nan)
    values[:n_values] = level[:n_values, None] == np.arange(len(shown))
    if factor.is_sum and not is_full:
        values[left_out] = -1.0
    texts, display = variable.texts, variable.display
    labels = tuple(f"{factor.text}[{prefix}{texts[i]}]" for i in shown)
    meanings = tuple(f"{factor.variable}={texts[i]}" for i in shown)
    levels = tuple((texts[i], display[i]) for i in shown)
    return _Columns(labels, meanings, levels, values, None if factor.is_sum and not is_full else level)


def _level_aliases(factor: Factor, text: str, display: str) -> tuple[str, ...]:
    """The ways in which programs write one level of a category; labels of values stand for values."""
    name = factor.variable
    written = []
    # A column of whole numbers that some rows lack holds 2.0 in pandas, and its levels are called that.
    as_float = [f"{text}.0"] if text.isdigit() else []
    for level in dict.fromkeys([text, display, *as_float]):
        for stem in dict.fromkeys([name, factor.text, f"C({name})"]):
            written += [f"{stem}[T.{level}]", f"{stem}[S.{level}]", f"{stem}[{level}]"]
        written += [f"{name}_{level}", f"{name}={level}", f"{name}.{level}", f"{name} {level}", f"{name}{level}"]
        written += [f"{level}.{name}", f"i.{level}.{name}", f"factor({name}){level}", f"as.factor({name}){level}"]
    return tuple(dict.fromkeys(_folded(w) for w in written))


def _folded(text: str) -> str:
    return re.sub(r"[\s\"']", "", text).casefold()


def _split(text: str) -> list[str]:
    """The parts of an interaction, at `:`, `#`, `×` or `*` outside brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter in ":#×*" and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _codings(formula: Formula) -> Iterable[tuple[tuple[Factor, ...], tuple[bool, ...]]]:
    """Each term's factors with whether a category keeps all its levels, so that no column is a combination of others.

    A category with all levels spans the constant and itself without the reference. So a product of categories spans
    every sub-product without references; those that earlier terms (with the same numeric factors) span already are
    struck out, and the rest is put together again from the shortest on (the rule of S: Chambers & Hastie 1992, 2.3).
    """
    spanned: dict[frozenset[str], set[frozenset[str]]] = {}
    for term in formula.terms:
        seen = spanned.setdefault(frozenset(f.text for f in term if not f.is_categorical), set())
        names = [f.text for f in term if f.is_categorical]
        fresh = [frozenset(c) for n in range(len(names) + 1) for c in combinations(names, n)]
        # Each piece: the categories it has, and which of these keep all levels.
        pieces = [(piece, frozenset[str]()) for piece in fresh if piece not in seen]
        seen.update(fresh)
        while (joined := _joined(pieces)) is not None:
            pieces = joined
        for has, full in pieces:
            kept = tuple(f for f in term if not f.is_categorical or f.text in has)
            yield kept, tuple(f.text in full for f in kept)


_Piece = tuple[frozenset[str], frozenset[str]]


def _joined(pieces: list[_Piece]) -> list[_Piece] | None:
    """The pieces with one pair put together: a·b without references, and a so, are a without, b with its reference."""
    for i, (short, short_full) in enumerate(pieces):
        for j in range(i + 1, len(pieces)):
            long, long_full = pieces[j]
            rest = long - short
            if len(rest) == 1 and short < long and short_full == long_full and not rest & long_full:
                return [p for k, p in enumerate(pieces[:j]) if k != i] + [(long, long_full | rest)] + pieces[j + 1 :]
    return None


def _terms(names: list[str], parts: list[_Columns], offset: int) -> list[Term]:
    """The lookups of one product of factors; its columns start at `offset`, the first factor's running fastest."""
    sizes = [len(p.labels) for p in parts]
    steps = [int(np.prod(sizes[:i])) for i in range(len(sizes))]
    single = [i for i, p in enumerate(parts) if p.level is not None]
    several = [i for i, p in enumerate(parts) if p.level is None]
    n_levels = [sizes[i] + 1 for i in single]  # one more for the reference, which has no column
    grid = np.indices(n_levels).reshape(len(single), int(np.prod(n_levels)))
    base = np.full(grid.shape[1], offset)
    for i, places in zip(single, grid, strict=True):
        base = np.where((base < 0) | (places == sizes[i]), -1, base + places * steps[i])
    strides = [int(np.prod(n_levels[k + 1 :])) for k in range(len(n_levels))]
    terms = []
    for choice in product(*(range(sizes[i]) for i in several)):
        at = dict(zip(several, choice, strict=True))
        cells: list[Integers32] = []
        factors: list[Floats | None] = []
        for i, part in enumerate(parts):
            if part.level is not None:
                level = np.where(part.level == -1, sizes[i], part.level)
                cells.append(np.where(level < 0, NOTHING, level * strides[single.index(i)]).astype(np.int32))
                factors.append(None)
            else:
                values = part.values[:, at[i]]
                is_known = np.isfinite(part.values).all(axis=1)
                cells.append(np.where(is_known, 0, NOTHING).astype(np.int32))
                factors.append(np.where(is_known, values, 0.0))
        shift = sum(at[i] * steps[i] for i in several)
        index = np.where(base < 0, -1, base + shift).astype(np.int32)
        terms.append(Term(tuple(names), tuple(cells), tuple(factors), index, np.ones(len(index))))
    return terms
