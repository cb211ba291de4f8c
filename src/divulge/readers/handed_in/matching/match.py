"""A candidate and the data: every reading that may be meant is computed, and the one that agrees best is taken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate
from divulge.readers.handed_in.candidates.expressions import as_expression
from divulge.readers.handed_in.candidates.session import conditions
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.corrections import NO_OUTPUT
from divulge.readers.handed_in.matching import descriptions
from divulge.readers.handed_in.matching.bases import with_base_first
from divulge.readers.handed_in.matching.conditions import known, relabelled, simplified
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.hypotheses import hypotheses
from divulge.readers.handed_in.matching.limited import is_unlikely, table_reading, under_conditions
from divulge.readers.handed_in.matching.models import match_model
from divulge.readers.handed_in.matching.reading import Checked, Reading
from divulge.readers.handed_in.matching.survival import match_survival
from divulge.readers.handed_in.matching.tests import match_correlation, match_test

_TRIED = 250
"""Readings of a table that are computed before the best one is taken."""

_FIRST = 8
"""Readings of a table that are computed whatever they are; others only where few figures speak against."""

_LOOKED_AT = 400
"""Readings of a table that are looked at."""

_ANY = 0.15
"""Of four figures or more, the share that must agree before a reading is worth naming."""


class Matcher:
    """Matches candidates to one table; what was derived once is kept."""

    def __init__(self, data: Data | None) -> None:
        self.data = data
        self._with_blanks: Matcher | None = None
        self._derived: dict[tuple[tuple[str, str], ...], Data] = {}

    def match(self, candidate: Candidate) -> Reading:
        """The best reading of a candidate, under each of the conditions that may have been in force."""
        best = self._match(candidate)
        for where, weights in candidate.states:
            if best.confirmed:
                break
            tried = self._match(replace(candidate, where=conditions((candidate.where, where)), weights=weights))
            best = tried if tried.confirmed or tried.score > best.score else best
        if not best.confirmed and candidate.where is not None:
            # The data may be the rows of the condition alone, or the condition cannot be read.
            whole = self._match(replace(candidate, where=None))
            best = whole if whole.confirmed else best
        is_sum = candidate.kind == "crosstab" and best.kind == "totals"  # of weights: people counted with them
        if (not best.confirmed or is_sum) and candidate.weights is None and candidate.shape == "cells":
            for name in best.variables[:1] if is_sum else self._weights(candidate):
                weighted = self._match(replace(candidate, weights=name))
                best = weighted if weighted.confirmed else best
        if not best.confirmed:
            best = next((r for c in self._cut(candidate) if (r := self._match(c)).confirmed), best)
        return best if best.confirmed else self._match_blanks(candidate) or best

    def _cut(self, candidate: Candidate) -> Iterator[Candidate]:
        """A model of yes or no whose response is no variable: whether one that is called alike is above 0."""
        said = candidate.response
        if self.data is None or said is None or candidate.kind not in ("logistic", "probit") or said in self.data.names:
            return
        for name in self.data.words.variables_like(said):
            if said.isidentifier() and self.data.is_numeric(name) and self.data.n_levels(name) > 2:
                yield replace(candidate, derived={**candidate.derived, said: f"{name} > 0"})

    def _weights(self, candidate: Candidate) -> list[str]:
        """The variables that may be weights which a table does not name: their sum is a total that it shows."""
        shown = [f.printed for f in candidate.figures if f.what in ("count", "n") and f.printed.value is not None]
        if self.data is None or not any((p.value or 0) > self.data.n_rows or p.decimals for p in shown):
            return []
        sums = {n: float(np.nansum(self.data.numbers(n))) for n in self.data.names if self.data.is_numeric(n)}
        return [n for n, total in sums.items() if any(p.agrees(total) for p in shown)]

    def _match_blanks(self, candidate: Candidate) -> Reading | None:
        """A reading in which people without a text are a group of their own, where the data confirm it."""
        blanks = None if self.data is None or candidate.shape == "other" else self.data.with_blanks
        if blanks is None:
            return None
        if self._with_blanks is None:
            self._with_blanks = Matcher(blanks)
        found = self._with_blanks.match(candidate)
        # No output of a spec counts them so.
        return replace(found, outputs=(), facts={**found.facts, "blanks": "a value"}) if found.confirmed else None

    def _match(self, candidate: Candidate) -> Reading:
        if NO_OUTPUT in candidate.facts:
            return not_compared(candidate, "whoever handed it in says that it is no output")
        if self.data is None:
            return not_compared(candidate, "there are no data to compare it with")
        data = self._with(candidate)
        words = data.words.with_words(candidate.labels, candidate.titles)
        aliases = {
            k.removeprefix("alias "): v
            for k, v in candidate.facts.items()
            if k.startswith("alias ") and v in data.names
        }
        if candidate.weights in aliases:
            candidate = replace(candidate, weights=aliases[candidate.weights])
        where = simplified(relabelled(candidate.where, candidate.labels, data), data)
        if data.mask(where) is None:
            return not_compared(candidate, f"its condition {where!r} cannot be read")
        if candidate.weights is not None and candidate.weights not in data.names:
            return not_compared(candidate, f"its weights {candidate.weights!r} are not in the data")
        try:
            found = _SHAPES[candidate.shape](candidate, words, data, where, aliases)
            return found if found.confirmed else self._rebased(candidate, words, data, where, aliases) or found
        except (ValueError, TypeError, KeyError, IndexError, ArithmeticError, AssertionError) as error:
            # One output that cannot be computed keeps no other from being compared.
            return not_compared(candidate, f"it could not be compared with the data ({type(error).__name__})")

    def _rebased(
        self, candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
    ) -> Reading | None:
        """A multinomial model that is compared with another class than the first, where the data confirm it."""
        if candidate.kind != "multinomial" or candidate.shape != "model":
            return None
        other = with_base_first(candidate, words, data, aliases)
        if other is None:
            return None
        found = match_model(candidate, words, other, where, aliases)
        # No output of a spec has another class first.
        return replace(found, outputs=(), facts={**found.facts, "base": "another class"}) if found.confirmed else None

    def match_again(self, reading: Reading, where: str | None, weights: str | None) -> Reading:
        """A reading under the condition and with the weights that another output of the same file was confirmed by."""
        tried = self.match(replace(reading.candidate, where=where, weights=weights))
        return tried if tried.confirmed else reading

    def samples_of(self, reading: Reading, others: Sequence[Reading]) -> list[tuple[str, str | None]]:
        """The rows of larger models beside a model that says it is of as many: those with every variable known."""
        size = _size(reading.candidate)
        found: dict[tuple[str, str | None], None] = {}
        for other in others if self.data is not None and size is not None else ():
            if other.confirmed and other.formula is not None and _size(other.candidate) == size:
                used = [n for n in self._names_in(other.formula) if self.data is not None and self.data.has_missing(n)]
                if used:
                    found[conditions((other.where, known(used))) or "", other.weights] = None
        return list(found)

    def _names_in(self, formula: str) -> list[str]:
        words = {a or b for a, b in re.findall(r"`([^`]+)`|([A-Za-z_][\w.]*)", formula)}
        return [n for n in self.data.names if n in words] if self.data is not None else []

    def _with(self, candidate: Candidate) -> Data:
        assert self.data is not None, "asked where there are data"
        derived = {**candidate.derived, **_inline(candidate)}
        key = tuple(sorted(derived.items()))
        if key not in self._derived:
            self._derived[key] = self.data.with_derived(derived)
        return self._derived[key]


def _size(candidate: Candidate) -> float | None:
    """How many rows a model says that it is of."""
    return next((f.printed.value for f in candidate.figures if f.what == "n" and f.of is None), None)


_COMPARED = re.compile(r"[<>]|[!=]=|%in%")


def _inline(candidate: Candidate) -> dict[str, str]:
    """Variables that a model makes inside its formula, by their expression: `I(score > 10)`, `smoker == "yes"`."""
    response = candidate.response or (candidate.formula or "").partition("~")[0].strip()
    found = {response} | {m[1] for t in candidate.terms if (m := re.match(r"^(.+)(?:TRUE|\[T\.True\])$", t.text))}
    return {text: as_expression(text) for text in found if _COMPARED.search(text) and not text.startswith("Surv(")}


def not_compared(candidate: Candidate, note: str) -> Reading:
    """A candidate as its file words it. note: why it was not compared."""
    return Reading(
        candidate,
        candidate.kind,
        tuple(Checked(f) for f in candidate.figures),
        candidate.variables,
        candidate.by,
        descriptions.written_formula(candidate),
        candidate.where,
        candidate.weights,
        note,
    )


def _cells(candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]) -> Reading:
    best, others = _best(candidate, words, data, where, aliases)
    if (best is None or not best.confirmed) and candidate.kind in ("crosstab", "frequencies"):
        other = _as_means(candidate, words, data, where, aliases)
        if other is not None:
            return other
    if (best is None or not best.confirmed) and all(f.of is None and f.at for f in candidate.figures):
        turned = _of_rows(candidate, ()) if candidate.kind in _OF_NUMBERS else None
        tried, more = _best(turned, words, data, where, aliases) if turned is not None else (None, [])
        best, others = (tried, more) if tried is not None and tried.confirmed else (best, others)
    if (best is None or not best.confirmed) and all(f.of is not None and not f.at for f in candidate.figures):
        turned = _of_groups(candidate) if candidate.kind in _OF_NUMBERS else None
        tried, more = _best(turned, words, data, where, aliases) if turned is not None else (None, [])
        best, others = (tried, more) if tried is not None and tried.confirmed else (best, others)
    if best is None or not best.confirmed:
        unsaid = where is None and candidate.where is None
        found = under_conditions(candidate, words, data, aliases, best) if unsaid else None
        if found is not None:
            best, others = found
    if best is None or (best.compared >= 4 and best.score[0] < _ANY):
        named = tuple(words.variable(v) or v for v in candidate.variables)
        groups = tuple(aliases.get(b) or words.variable(b) or b for b in candidate.by)
        if best is not None and best.facts.get("labels") == "known":
            groups = best.by
        return replace(
            not_compared(candidate, "its labels were not found in the data"), variables=named, by=groups, where=where
        )
    return replace(best, others=tuple(others))


def _as_means(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> Reading | None:
    """A table of one statistic by groups that names neither the statistic nor, perhaps, its variable: a pivot."""
    counts = [f for f in candidate.figures if f.what == "count" and f.printed.value is not None]
    columns = {t: _variable(t, words) for f in counts for a, t in f.at if a.startswith("column")}
    named = bool(columns) and None not in columns.values() and len(set(columns.values())) == len(columns)
    is_fine = any(f.printed.decimals for f in counts) or (named and all(words.variable(t) for t in columns))
    if len(counts) < 2 or not is_fine or len(counts) != len(candidate.figures):
        return None
    for what, kind in (("mean", "means"), ("median", "position"), ("sd", "means"), ("sum", "totals")):
        figures = tuple(
            replace(
                f,
                what=what,
                of=next((columns[t] for a, t in f.at if a.startswith("column")), None) if named else None,
                at=tuple((a, t) for a, t in f.at if not (named and a.startswith("column"))),
            )
            for f in counts
        )
        by = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
        shown = tuple(n for n in columns.values() if named and n is not None)
        tried = replace(candidate, kind=kind, figures=figures, variables=shown, by=by)
        best, others = _best(tried, words, data, where, aliases)
        if best is not None and best.confirmed:
            return replace(best, others=tuple(others))
        if not named and (turned := _of_rows(tried, candidate.by)) is not None:
            best, others = _best(turned, words, data, where, aliases)
            if best is not None and best.confirmed:
                return replace(best, others=tuple(others))
    return None


def _of_groups(candidate: Candidate) -> Candidate:
    """Statistics whose rows look like variables, as groups of one variable that the table does not name."""
    figures = tuple(replace(f, of=None, at=(("row0", f.of or ""),)) for f in candidate.figures)
    return replace(candidate, figures=figures, variables=(), by=("row0",))


_OF_NUMBERS = frozenset({"means", "position", "extremes", "shape"})


def _of_rows(candidate: Candidate, columns: Sequence[str]) -> Candidate | None:
    """A table of a statistic by groups whose rows are variables."""
    rows = {a for f in candidate.figures for a, _ in f.at if a not in columns and not a.startswith("column")}
    if len(rows) != 1:
        return None
    row = rows.pop()
    figures = tuple(
        replace(f, of=dict(f.at).get(row), at=tuple((a, t) for a, t in f.at if a != row)) for f in candidate.figures
    )
    by = tuple(dict.fromkeys(a for f in figures for a, _ in f.at))
    shown = tuple(dict.fromkeys(f.of for f in figures if f.of))
    return replace(candidate, figures=figures, variables=shown, by=by)


def _variable(text: str, words: Vocabulary) -> str | None:
    """The variable that a heading names, also among other words."""
    like = list(words.variables_like(text))
    return words.variable(text) or (like[0] if len(like) == 1 else None)


def _best(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> tuple[Reading | None, list[str]]:
    best: Reading | None = None
    others: list[str] = []
    weights = candidate.weights
    tried = 0
    for hypothesis in islice(hypotheses(candidate, words, data, where, weights, aliases), _LOOKED_AT):
        if tried >= _FIRST and (tried >= _TRIED or is_unlikely(candidate, hypothesis, data, words)):
            continue
        tried += 1
        reading = table_reading(candidate, hypothesis, data, words)
        if best is not None and reading.confirmed and best.confirmed:
            others.append(descriptions.described(reading))
        elif best is None or reading.score > best.score:
            best = reading
        if len(others) > 3:
            break
    told = descriptions.described(best) if best is not None else ""
    return best, [o for o in dict.fromkeys(others) if o != told]


def _other(candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]) -> Reading:
    """Analyses of variance, predictions and tests without a kind: read, named, not recomputed."""
    plain = match_model(replace(candidate, kind="other"), words, data, where, aliases) if candidate.terms else None
    formula = descriptions.written_formula(candidate)
    note = "recognised; Divulge has no kind for it"
    base = not_compared(candidate, note)
    return replace(base, formula=formula or (plain.formula if plain is not None else None), where=where)


_SHAPES: dict[str, Callable[[Candidate, Vocabulary, Data, str | None, dict[str, str]], Reading]] = {
    "cells": _cells,
    "model": match_model,
    "test": match_test,
    "correlation": match_correlation,
    "survival": match_survival,
    "other": _other,
}
