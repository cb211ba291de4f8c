"""What whoever handed a file in corrects in its reading: names, condition, weights, kind. Never a figure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from divulge.errors import SpecError
from divulge.readers.handed_in.candidates.candidate import Candidate

NO_OUTPUT = "no output"
"""The fact of a candidate that its author says it is none. It stays in the list, for a checker to look at."""

MODELS = ("linear", "logistic", "probit", "poisson", "negative-binomial", "cox", "ordered", "multinomial")
"""What the kind of a model can be corrected to."""

_MOST_NAMES = 60  # names of one table: more are no table that a person corrects
_LONGEST = 2000  # characters of a condition


@dataclass(frozen=True)
class Correction:
    """What is corrected of the output that was read from these lines of a file; None leaves a part as it was read.

    names: what the file calls something, and the variable that it is.
    """

    file: str
    lines: tuple[int, int]
    kind: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    where: str | None = None
    weights: str | None = None
    is_output: bool = True


def names_in(candidate: Candidate) -> tuple[str, ...]:
    """Everything in a candidate that may be a variable, in the words of the file."""
    terms = [term.group or _bare(term.text) for term in candidate.terms]
    axes = [axis for figure in candidate.figures for axis, _ in figure.at if axis != "level"]
    said = [candidate.response, *candidate.variables, *candidate.by, *terms, *axes]
    found = [name for name in dict.fromkeys(said) if name and not _is_constant(name)]
    return tuple(found[:_MOST_NAMES])


def corrected(candidate: Candidate, file: str, corrections: Sequence[Correction]) -> Candidate:
    """A candidate as its author says that it is to be read, with what was changed in words."""
    found = [c for c in corrections if c.file == file and _overlap(c.lines, candidate.lines) > 0]
    if not found:
        return candidate
    one = max(found, key=lambda c: _overlap(c.lines, candidate.lines))
    known = set(names_in(candidate))
    facts, said = dict(candidate.facts), []
    for name, variable in one.names.items():
        if name in known:
            facts[f"alias {name}"] = variable
            said.append(f"{name!r} is the variable {variable!r}")
    if not one.is_output:
        facts[NO_OUTPUT] = "yes"
        said.append("it is no output")
    changed = replace(candidate, facts=facts)
    if one.kind is not None and candidate.shape == "model" and one.kind != candidate.kind:
        changed = replace(changed, kind=one.kind)
        said.append(f"its kind is {one.kind}, not {candidate.kind}")
    if one.where is not None and one.where != (candidate.where or ""):
        changed = replace(changed, where=one.where or None, states=())
        said.append(f"its rows are {one.where or 'all'}, not {candidate.where or 'all'}")
    if one.weights is not None and one.weights != (candidate.weights or ""):
        changed = replace(changed, weights=one.weights or None, states=())
        said.append(f"its weights are {one.weights or 'none'}, not {candidate.weights or 'none'}")
    return replace(changed, corrected=tuple(said))


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> int:
    """How many lines two stretches share: what a reader takes for a table may be a line longer beside the data."""
    return min(a[1], b[1]) - max(a[0], b[0]) + 1


def _bare(text: str) -> str:
    """A term without the level and the function around its variable."""
    call = re.match(r"^(?:C|factor|as\.factor|ordered|[bico]\d*\.)?\(?`?([A-Za-z_][\w.]*)`?", text.strip())
    return call[1] if call is not None else text


def _is_constant(name: str) -> bool:
    return re.match(r"^\(?(?:_cons|intercept|const(?:ant)?)\)?$", name, re.IGNORECASE) is not None


def corrections_text(corrections: Sequence[Correction]) -> str:
    return json.dumps([asdict(c) for c in corrections], ensure_ascii=False, indent=1)


def read_corrections(text: str) -> tuple[Correction, ...]:
    """Corrections as they were written; SpecError where they are none."""
    try:
        return tuple(_read(one) for one in json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise SpecError("the corrections cannot be read.", where="corrections") from None


def _read(one: Mapping[str, object]) -> Correction:
    lines, names = one["lines"], one.get("names") or {}
    if not isinstance(lines, list) or not isinstance(names, dict):
        raise TypeError
    texts = {part: one.get(part) for part in ("kind", "where", "weights")}
    if any(text is not None and not isinstance(text, str) for text in texts.values()):
        raise TypeError
    cut = {part: None if text is None else str(text)[:_LONGEST] for part, text in texts.items()}
    first, last = (int(n) for n in lines)
    plain = {str(k): str(v) for k, v in list(names.items())[:_MOST_NAMES]}
    return Correction(str(one["file"]), (first, last), names=plain, is_output=one.get("is_output") is not False, **cut)
