"""Rules and arithmetic for a page: each finding with its figures, their values, what the rule asks, and its proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge.ledger.model import SubmittedOutput

_MOST_FIGURES = 6  # of a finding that a page names; the report has them all
_MOST_PROOFS = 40
_WORST = ("note", "review", "refuse")  # the gravest last
_LOOKS = {"note": "noted", "review": "doubted", "refuse": "broken"}


@dataclass(frozen=True)
class _Proof:
    """What a figure or a group can be at least and at most, and the chain of figures that shows it."""

    label: str
    low: float | None
    high: float | None
    chain: str


@dataclass(frozen=True)
class Ruling:
    """One finding. figures: label and value as printed; more: how many others there are. people: behind them."""

    rule: str
    severity: str
    sentence: str
    outputs: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    more: int
    people: int | None
    asks: str
    source: str
    proofs: tuple[_Proof, ...]


@dataclass(frozen=True)
class Mark:
    """How a cell is drawn: its look, and in words what is the matter with it."""

    look: str
    words: str


def read_rulings(brief: Mapping[str, Any], outputs: Sequence[SubmittedOutput]) -> tuple[Ruling, ...]:
    """What rules and arithmetic found, the gravest first."""
    rules, audit = brief.get("rules") or {}, brief.get("audit") or {}
    asked = {one["rule"]: one for one in rules.get("broken") or ()}
    found = [_ruling(one, asked, audit, outputs) for one in _findings(brief)]
    return tuple(sorted(found, key=lambda r: -_WORST.index(r.severity)))


def marks_of(brief: Mapping[str, Any], number: int) -> dict[str, Mark]:
    """By label, what is the matter with the figures of an output."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in _findings(brief):
        if number - 1 in one["outputs"]:
            for label in one["figures"]:
                found.setdefault(label, []).append(one)
    marks = {}
    for label, every in found.items():
        gravest = max((_severity(one) for one in every), key=_WORST.index)
        named = dict.fromkeys(one["rule"] for one in every)
        marks[label] = Mark(_LOOKS[gravest], f"{gravest}: {', '.join(named)}")
    return marks


def is_clean(brief: Mapping[str, Any]) -> bool:
    """Whether the verdict is release, and no rule is broken by more than a note."""
    return brief.get("verdict") == "release" and all(_severity(one) == "note" for one in _findings(brief))


def _findings(brief: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    audit, rules = brief.get("audit") or {}, brief.get("rules") or {}
    return [*(audit.get("findings") or ()), *(rules.get("findings") or ())]


def _severity(one: Mapping[str, Any]) -> str:
    said = one.get("severity")
    return said if said in _WORST else "refuse"


def _ruling(
    one: Mapping[str, Any],
    asked: Mapping[str, Mapping[str, Any]],
    audit: Mapping[str, Any],
    outputs: Sequence[SubmittedOutput],
) -> Ruling:
    about = [o for o in outputs if o.number - 1 in one["outputs"]]
    values = {f["label"]: f["value"] for o in about for f in o.figures or ()}
    named = one["figures"][:_MOST_FIGURES]
    labels = set(one["figures"])
    cells = [c for c in audit.get("cells") or () if c["label"] in labels and c["status"] != "protected"]
    rule = asked.get(one["rule"], {})
    return Ruling(
        rule=one["rule"],
        severity=_severity(one),
        sentence=one["sentence"],
        outputs=tuple(f"{o.number}. {o.name or o.kind}" for o in about),
        figures=tuple((label, _value(values, label)) for label in named),
        more=len(one["figures"]) - len(named),
        people=one.get("people"),
        asks=rule.get("asks", ""),
        source=rule.get("source", ""),
        proofs=tuple(_Proof(c["label"], c["low"], c["high"], c["chain"] or "") for c in cells[:_MOST_PROOFS]),
    )


def _value(values: Mapping[str, Any], label: str) -> str:
    if label not in values:
        return ""
    return "withheld" if values[label] is None else str(values[label])
