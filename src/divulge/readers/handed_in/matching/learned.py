"""What the texts of a file stand for, learned from the outputs that the data confirm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from divulge.readers.handed_in.matching.match import Matcher
from divulge.readers.handed_in.matching.reading import Reading

_ROUNDS = 3
"""How often what was confirmed is asked for more: an output may be confirmed by another that was so itself."""


def _meanings(readings: Sequence[Reading]) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The variable of each text, and the value of each label, where all confirmed outputs say the same."""
    names: dict[str, set[str]] = {}
    values: dict[str, dict[str, set[str]]] = {}
    for reading in readings:
        if not reading.confirmed:
            continue
        for key, meant in reading.meanings.items():
            text, _, label = key.partition("\0")
            if label:
                values.setdefault(text, {}).setdefault(label, set()).add(meant)
            else:
                names.setdefault(text, set()).add(meant)
    labels: dict[str, dict[str, str]] = {}
    for name, found in values.items():
        sure = {next(iter(v)): label for label, v in found.items() if len(v) == 1}
        labels[name] = sure
    return {t: next(iter(n)) for t, n in names.items() if len(n) == 1}, labels


def with_learned(readings: Sequence[Reading], matcher: Matcher) -> tuple[Reading, ...]:
    """Outputs that are not confirmed, tried once more with what the confirmed ones of the file say."""
    found = tuple(readings)
    for _ in range(_ROUNDS):
        names, labels = _meanings(found)
        if not names and not labels:
            break
        better = tuple(r if r.confirmed else _again(r, names, labels, matcher) for r in found)
        if all(a.confirmed == b.confirmed for a, b in zip(found, better, strict=True)):
            return better
        found = better
    return found


def _again(
    reading: Reading, names: Mapping[str, str], labels: Mapping[str, Mapping[str, str]], matcher: Matcher
) -> Reading:
    candidate = reading.candidate
    used = set(_texts(reading))
    told = {f"alias {t}": n for t, n in names.items() if t in used}
    shown = {n: ls for n, ls in labels.items() if used & set(ls.values())}
    if not told and not shown:
        return reading
    both = {**labels, **{n: {**labels.get(n, {}), **ls} for n, ls in candidate.labels.items()}}
    tried = matcher.match(replace(candidate, facts={**told, **candidate.facts}, labels=both))
    return tried if tried.confirmed or tried.score > reading.score else reading


def _texts(reading: Reading) -> Iterator[str]:
    candidate = reading.candidate
    yield from (*candidate.variables, *candidate.by)
    yield from (t for t in (candidate.response,) if t)
    for term in candidate.terms:
        yield from (term.text, *([term.group] if term.group else []))
    for figure in candidate.figures:
        yield from ([figure.of] if figure.of else [])
        for key, label in figure.at:
            yield from (key, label)
