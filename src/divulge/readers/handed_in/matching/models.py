"""Regressions: terms become columns, the model is fitted by our own kinds, and every figure is compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from divulge.readers.handed_in.candidates.candidate import Candidate, Term
from divulge.readers.handed_in.candidates.r_tests import surv_formula
from divulge.readers.handed_in.candidates.statistic_names import RATIO
from divulge.readers.handed_in.candidates.tables import quoted
from divulge.readers.handed_in.candidates.vocabulary import Vocabulary
from divulge.readers.handed_in.matching.conditions import fitting_conditions
from divulge.readers.handed_in.matching.data import Data
from divulge.readers.handed_in.matching.descriptions import special_in, written_formula
from divulge.readers.handed_in.matching.figures import Way, compared, with_other_errors
from divulge.readers.handed_in.matching.fits import fits_of, kind_named
from divulge.readers.handed_in.matching.reading import Checked, Reading
from divulge.readers.handed_in.matching.screening import is_ruled_out
from divulge.readers.handed_in.matching.terms import Column, Factor, columns_of, formula_of, is_beside

_FITS = 120  # models that are tried for one candidate

_LEVELS = {"logistic": (2, 2), "probit": (2, 2), "marginal-effects": (2, 2), "multinomial": (3, 20), "ordered": (3, 20)}
"""Fewest and most values of a response that the file does not name."""

_SMALL = 6  # levels up to which a factor without known labels is looked for


def _key_of(term: Term) -> str:
    """By which figures name a term."""
    return f"{term.group}: {term.text}" if term.group else term.text


def match_model(
    candidate: Candidate, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> Reading:
    """The best reading of a model."""
    terms = [t for t in candidate.terms if not t.is_reference and not is_beside(t, candidate.kind)]
    if candidate.kind == "multinomial":
        terms = list({t.text: Term(t.text) for t in terms}.values())
    plain = _plain_reading(candidate, terms, words, data, where, aliases)
    kinds = [candidate.kind]
    if candidate.facts.get("kind") == "open":
        kinds = [candidate.kind, *(k for k in ("linear", "logistic", "poisson") if k != candidate.kind)]
    best: Reading | None = None
    note = None
    special = special_in(candidate.formula)
    if candidate.kind == "two-stage" and "instruments" not in candidate.facts:
        special = special or "two-stage"
    grouped = None if special else _by_groups(candidate, terms, words, data, where, aliases)
    if grouped is not None:
        return grouped
    if candidate.fixed_effects or special or candidate.kind in ("mixed", "other") or kind_named(candidate.kind) is None:
        what = "absorbed effects" if candidate.fixed_effects else special or f"{candidate.kind} models"
        if re.match("strata|offset|frailty", special) is None and special:
            plain = replace(plain, formula=written_formula(candidate))
        plain = _limited(plain, candidate, terms, words, data, aliases)
        return _noted(plain, f"recognised; Divulge has no kind for {what} yet")
    for kind in kinds:
        for way in islice(_ways(candidate, terms, words, data, where, aliases, kind), _FITS):
            more = _ordered(candidate) if kind == "ordered" else {}
            if kind == "two-stage":
                more = {"instruments": _exogenous(candidate.facts["instruments"], words)}
            if kind == "marginal-effects":
                more = {"model": candidate.facts["model"]}
            if best is not None and is_ruled_out(candidate, kind, way, words, data, more):
                continue
            fits = fits_of(kind, data.table, way.formula(words), way.where, candidate.weights, more)
            if isinstance(fits, str):
                note = fits
                continue
            for fit in fits:
                reading = compared(candidate, kind, way, fit, words, data)
                if not reading.confirmed or candidate.errors is not None:
                    reading = with_other_errors(reading, candidate, kind, way, fit, words, data)
                if best is None or reading.score > best.score:
                    best = reading
                if reading.confirmed:
                    return reading
    if best is None:
        return _noted(plain, note or "its terms were not found in the data")
    if not best.confirmed:
        best = _exponentiated(best, words, data, where, aliases)
    return best if best.confirmed else _otherwise_bracketed(best, words, data, where, aliases)


_NEARLY = 0.75
"""The share of figures that must agree before a model with effects of groups is named with those that do not."""


def _by_groups(
    candidate: Candidate,
    terms: Sequence[Term],
    words: Vocabulary,
    data: Data,
    where: str | None,
    aliases: dict[str, str],
) -> Reading | None:
    """A model with an effect of each group, absorbed or random, where it is the one that the data give."""
    kind, ways_given, rest = _group_fields(candidate, words, data)
    best: Reading | None = None
    for way in islice(_ways(candidate, terms, words, data, where, aliases, "linear"), 3) if kind else ():
        formula = " + ".join([way.formula(words), *(f"C({quoted(r)})" for r in rest)])
        for more in ways_given:
            fits = fits_of(kind, data.table, formula, way.where, candidate.weights, more)
            for fit in fits if not isinstance(fits, str) else []:
                reading = compared(candidate, candidate.kind, way, fit, words, data)
                if not reading.confirmed:
                    reading = with_other_errors(reading, candidate, candidate.kind, way, fit, words, data)
                if best is None or reading.score > best.score:
                    best = reading
    if best is None or not (best.confirmed or best.score[0] >= _NEARLY):
        return None
    random = candidate.facts.get("random")
    return best if random is None else replace(best, formula=f"{best.formula} + {random}")


def _group_fields(
    candidate: Candidate, words: Vocabulary, data: Data
) -> tuple[str, list[dict[str, object]], list[str]]:
    """The kind of such a model, its further fields, and effects that go into the formula; no kind where it is none."""
    absorbed = [n for t in candidate.fixed_effects if (n := words.variable(t)) is not None]
    if candidate.kind == "linear" and absorbed and len(absorbed) == len(candidate.fixed_effects):
        return "fixed-effects", [{"absorb": absorbed[0]}], absorbed[1:]
    if candidate.kind == "linear" and candidate.fixed_effects and not absorbed:
        # Entities that the file only counts: the variables that have as many values.
        counted = [f.printed.value for f in candidate.figures if f.what == "groups" and f.of is None]
        alike = [n for n in data.names if data.n_levels(n) in counted]
        return "fixed-effects", [{"absorb": n} for n in alike[:3]], []
    random = re.fullmatch(r"\(\s*1\s*\|\s*([\w.]+)\s*\)", candidate.facts.get("random", ""))
    group = words.variable(random[1]) if random is not None else None
    if candidate.kind == "mixed" and group is not None:
        return "random-intercept", [{"group": group, "likelihood": how} for how in ("reml", "ml")], []
    return "", [], []


def _exponentiated(best: Reading, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]) -> Reading:
    """A reading whose coefficients are ratios that the file calls estimates, as broom's tidy() does."""
    candidate = best.candidate
    main = [c for c in best.figures if c.figure.what == "coefficient"]
    beside = [c for c in best.figures if c.figure.what in ("standard error", "z", "t", "p-value")]
    ratio = RATIO.get(best.kind)
    wrong = sum(c.agrees is False for c in main)
    known = {f.what for f in candidate.figures} & set(RATIO.values())
    if (
        ratio is None
        or known
        or wrong < 2
        or 2 * wrong < len(main)
        or 2 * sum(c.agrees is True for c in beside) < len(beside)
    ):
        return best
    if not all(c.figure.printed.value is not None and c.figure.printed.value > 0 for c in main):
        return best
    called = {"coefficient": ratio, "lower 95%": "exp lower 95%", "upper 95%": "exp upper 95%"}
    figures = tuple(
        replace(f, what=called[f.what], label=f.label.replace(f.what, called[f.what])) if f.what in called else f
        for f in candidate.figures
    )
    facts = {k: v for k, v in candidate.facts.items() if k != "kind"}
    tried = match_model(replace(candidate, figures=figures, kind=best.kind, facts=facts), words, data, where, aliases)
    return max(best, tried, key=lambda r: r.score)


def _otherwise_bracketed(
    best: Reading, words: Vocabulary, data: Data, where: str | None, aliases: dict[str, str]
) -> Reading:
    """A reading with t or p in its brackets, where none of them is the standard error of its coefficient."""
    candidate = best.candidate
    errors = [c for c in best.figures if c.figure.what == "standard error" and c.figure.of is not None]
    main = [c for c in best.figures if c.figure.what == "coefficient"]
    beside = {f.what for f in candidate.figures} & {"t", "z", "p-value"}
    if not errors or beside or any(c.agrees for c in errors) or not all(c.agrees for c in main):
        return best
    for what in ("t", "p-value"):
        figures = tuple(
            replace(f, what=what, label=f.label.replace("standard error", what)) if f.what == "standard error" else f
            for f in candidate.figures
        )
        tried = match_model(replace(candidate, figures=figures), words, data, where, aliases)
        if tried.confirmed:
            return tried
    return best


def _exogenous(said: str, words: Vocabulary) -> str:
    """The instruments in the names of the data."""
    return " + ".join(quoted(words.variable(w.strip()) or w.strip()) for w in said.split(" + "))


def _limited(
    plain: Reading, candidate: Candidate, terms: Sequence[Term], words: Vocabulary, data: Data, aliases: dict[str, str]
) -> Reading:
    """A model that cannot be fitted with the one condition that leaves as many rows as it says, where there is one."""
    if plain.where is not None or plain.formula is None:
        return plain
    columns = {_key_of(t): c[0] for t in terms if (c := columns_of(t, words, data, aliases))}
    found = fitting_conditions(candidate, _names_of(columns, plain.formula.partition("~")[0], data), data)
    return replace(plain, where=found[0]) if len(found) == 1 else plain


def _ordered(candidate: Candidate) -> dict[str, object]:
    """The order of the response as thresholds tell it: `low|middle`, `middle|high`."""
    cuts = [t.text.split("|") for t in candidate.terms if "|" in t.text]
    if not cuts or any(len(c) != 2 for c in cuts):
        return {}
    return {"order": (cuts[0][0], *(c[1] for c in cuts))}


def _noted(reading: Reading, note: str) -> Reading:
    return replace(reading, note=note, others=(), outputs=())


def _plain_reading(
    candidate: Candidate,
    terms: Sequence[Term],
    words: Vocabulary,
    data: Data,
    where: str | None,
    aliases: dict[str, str],
) -> Reading:
    """What the file says, in the names of the data as far as they are known, without recomputing anything."""
    columns = [c[0] for t in terms if (c := columns_of(t, words, data, aliases))]
    response = _named_response(candidate, words, aliases) or candidate.response
    formula = formula_of(response or "?", columns, words) if columns else candidate.formula
    if not columns and candidate.formula is None and terms:
        formula = f"{response or '?'} ~ {' + '.join(_as_written(terms))}"
    beside = re.findall(r"\b(?:strata|offset)\((?:[^()]|\([^()]*\))*\)", candidate.formula or "")
    if formula is not None and beside and columns:
        formula = f"{formula} + {' + '.join(beside)}"
    if formula is not None and "random" in candidate.facts:
        formula = f"{formula} + {candidate.facts['random']}"
    return Reading(
        candidate,
        candidate.kind,
        tuple(Checked(f) for f in candidate.figures),
        formula=formula,
        where=where,
        weights=candidate.weights,
    )


def _as_written(terms: Sequence[Term]) -> list[str]:
    """Terms where there are no data to look them up in: a heading with its levels is a factor."""
    out = [
        f"C({quoted(t.group)})" if t.group else quoted(t.text)
        for t in terms
        if not re.match(r"^\(?(?:_cons|intercept|const)", t.text, re.I)
    ]
    return list(dict.fromkeys(out)) or ["1"]


def _named_response(candidate: Candidate, words: Vocabulary, aliases: dict[str, str]) -> str | None:
    if candidate.kind == "cox" or (candidate.formula or "").startswith("Surv("):
        return _survival_response(candidate, words)
    said = candidate.response
    if said is None and candidate.formula is not None:
        said = candidate.formula.partition("~")[0].strip()
    if said is None:
        return None
    function = re.match(r"^(?:np\.)?(log|ln|sqrt|exp|I)\((.+)\)$", said)
    if function is not None and (name := aliases.get(function[2]) or words.variable(function[2])) is not None:
        return f"{'log' if function[1] == 'ln' else function[1]}({quoted(name)})"
    name = aliases.get(said) or words.variable(re.sub(r"^(?:as\.)?(?:factor|ordered)\((.+)\)$", r"\1", said))
    return None if name is None else quoted(name)


def _survival_response(candidate: Candidate, words: Vocabulary) -> str | None:
    duration, event = candidate.facts.get("duration"), candidate.facts.get("event")
    if candidate.formula is not None:
        found = surv_formula(candidate.formula)
        duration, event = found[0] or duration, found[1] or event
    names = [words.variable(n) for n in (duration, event) if n]
    return None if len(names) < 2 or None in names else ", ".join(str(n) for n in names)


def _responses(
    candidate: Candidate, words: Vocabulary, data: Data, aliases: dict[str, str], kind: str, used: set[str]
) -> list[str]:
    named = _named_response(candidate, words, aliases)
    if named is not None:
        return [named]
    if "(" in (candidate.response or "") or "(" in (candidate.formula or "").partition("~")[0]:
        return []  # a function that is not understood: no other variable is meant
    said = [
        n
        for t in (*([candidate.response] if candidate.response else []), *candidate.said)
        for n in words.variables_like(t)
    ]
    if kind == "cox":
        return _durations(said, data, used)
    fewest, most = _LEVELS.get(kind, (3, data.n_rows))
    if kind == "multinomial":
        # A table has an equation for every class but one; a condition may leave a class without people.
        equations = len({f.of.partition(": ")[0] for f in candidate.figures if f.of and ": " in f.of})
        fewest, most = max(fewest, equations + 1), min(most, equations + 2)
    rest = [n for n in data.names if data.is_numeric(n) or kind in _LEVELS]
    names = [n for n in dict.fromkeys([*said, *rest]) if n not in used and fewest <= data.n_levels(n) <= most]
    positive = [n for n in names if data.is_numeric(n) and np.nanmin(data.numbers(n)) > 0] if kind == "linear" else []
    return [*map(quoted, names), *(f"log({quoted(n)})" for n in positive)]


def _durations(said: Sequence[str], data: Data, used: set[str]) -> list[str]:
    """Durations with events that a file may mean and does not name as such: what its texts speak of first."""
    free = [n for n in dict.fromkeys([*said, *data.names]) if n not in used]
    times = [n for n in free if data.is_numeric(n) and data.n_levels(n) > _SMALL and np.nanmin(data.numbers(n)) >= 0]
    events = [n for n in free if data.n_levels(n) == 2 and data.is_numeric(n)]
    pairs = [(t, e) for t in times for e in events]
    told = [p for p in pairs if set(p) <= set(said)]
    half = [p for p in pairs if p not in told and set(p) & set(said)]
    return [f"{t}, {e}" for t, e in dict.fromkeys([*told, *half, *pairs])][:_FITS]


def _ways(
    candidate: Candidate,
    terms: Sequence[Term],
    words: Vocabulary,
    data: Data,
    where: str | None,
    aliases: dict[str, str],
    kind: str,
) -> Iterator[Way]:
    grouped = bool(candidate.fixed_effects or candidate.errors or "random" in candidate.facts)
    for columns in _assignments(terms, words, data, aliases):
        used = {f.name for c in columns.values() for f in c}
        for response in _responses(candidate, words, data, aliases, kind, used):
            conditions = (
                [where]
                if where is not None
                else [None, *fitting_conditions(candidate, _names_of(columns, response, data), data)]
            )
            for condition in conditions:
                if grouped or data.tells_blanks(used, f"{response} {condition}"):
                    yield Way(columns, response, condition)


def _assignments(
    terms: Sequence[Term], words: Vocabulary, data: Data, aliases: dict[str, str]
) -> Iterator[dict[str, Column]]:
    """Columns for all terms; terms that no name explains are tried with every variable that may be meant."""
    found = {_key_of(t): columns_of(t, words, data, aliases) for t in terms}
    groups: dict[str, list[str]] = {}
    for term in terms:
        if not found[_key_of(term)] and term.group:
            groups.setdefault(term.group, []).append(_key_of(term))
    known = [k for k, c in found.items() if c]
    lone = [k for k, c in found.items() if not c and not any(k in g for g in groups.values())]
    if len(lone) > 2 or len(groups) > 2:
        return
    taken = {f.name for k in known for f in found[k][0]}
    factors = [_unlabelled(keys, data, words, taken) for keys in groups.values()]
    singles = [n for n in data.names if n not in taken]
    numbers = [(Factor(n),) for n in singles if data.is_numeric(n)]
    texts = [
        (Factor(n, t),) for n in singles if not data.is_numeric(n) and len(words.texts(n)) == 2 for t in words.texts(n)
    ]
    free = [numbers + texts if len(lone) == 1 else numbers for _ in lone]
    for chosen in islice(product(*(found[k][:3] for k in known)), 12):
        base = dict(zip(known, chosen, strict=True))
        if len(set(base.values())) != len(base):
            continue
        for levels in product(*factors):
            for single in product(*free):
                columns = dict(base)
                for assigned in levels:
                    columns |= assigned
                columns |= dict(zip(lone, single, strict=True))
                yield {_key_of(t): columns[_key_of(t)] for t in terms if _key_of(t) in columns}


def _unlabelled(keys: list[str], data: Data, words: Vocabulary, taken: set[str]) -> list[dict[str, Column]]:
    """Levels under a heading that the data do not know: codes in their order, the reference first or last."""
    out: list[dict[str, Column]] = []
    for name in data.names:
        texts = words.texts(name)
        if name in taken or len(texts) != len(keys) + 1 or len(texts) > _SMALL:
            continue
        for reference in (0, len(texts) - 1):
            rest = [t for i, t in enumerate(texts) if i != reference]
            out.append({k: (Factor(name, t),) for k, t in zip(keys, rest, strict=True)})
    return out


def _names_of(columns: dict[str, Column], response: str, data: Data) -> set[str]:
    """The variables of a model."""
    said = {w for w in re.findall(r"[A-Za-z_][\w.]*", response) if w in data.names}
    return {f.name for c in columns.values() for f in c} | said
