"""What was released before about the same data: what of it is embedded with the new outputs, and what these add.

Earlier outputs are recomputed on every split, like the new ones, so that the contrast sees what all give away together.
(Taken as public, and computed on all rows, they add nothing to it: that is `knows: earlier outputs`, in `earlier.py`.)
The same splits of the earlier outputs alone then say what was given away before; the difference is what is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from divulge.assess.attacks import Attack, attacks_of, default_attacks
from divulge.assess.passes import AttackRisk, PassResult
from divulge.assess.statistics.exposure import difference_error
from divulge.errors import DivulgeError
from divulge.measures.counting.coding import ROOM
from divulge.outputs import Output, Released, read_released
from divulge.policy import Evidence, Policy
from divulge.spec import Assessment, Inputs, ScenarioSettings, format_output, parse_output
from divulge.table import Schema, Table


@dataclass(frozen=True)
class Candidate:
    """An output that was released before. release: how the record names it. document: as in a spec, figures inline."""

    release: str
    document: Mapping[str, Any]


@dataclass(frozen=True)
class LeftOut:
    """An earlier output that is not embedded, and why."""

    release: str
    why: str


@dataclass(frozen=True, eq=False)
class Earlier:
    """Earlier outputs that are embedded together with the new ones, and those that are not."""

    releases: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()
    released: tuple[Released | None, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def is_known(self) -> bool:
        """Whether anything was released before, embedded or not."""
        return bool(self.outputs or self.left_out)


NOTHING = Earlier()
"""That nothing was released before."""


def choose_earlier(
    candidates: Iterable[Candidate], outputs: Sequence[Output], scenarios: Sequence[ScenarioSettings], table: Table
) -> Earlier:
    """Those of the candidates that share a variable with the outputs or the scenarios, and can be recomputed."""
    schema = table.schema
    spoken_of = {n for o in outputs for n in o.uses(schema)}
    for scenario in scenarios:
        spoken_of |= {*(scenario.keys or ()), *([scenario.target] if scenario.target is not None else [])}
    same = {_identity(o) for o in outputs}
    kept: list[tuple[str, Output, Released | None]] = []
    left_out: list[LeftOut] = []
    for candidate in candidates:
        try:
            output = parse_output(candidate.document)
            output.check(schema)
            uses = output.uses(schema)
            if not spoken_of & set(uses):
                left_out.append(LeftOut(candidate.release, f"It shares no variable: it is about {', '.join(uses)}."))
                continue
            if not output.can_lower:
                left_out.append(LeftOut(candidate.release, f"It cannot be searched for: {output.why_not}"))
                continue
            released = read_released(output, schema, None, table.n_rows, together=False)
            wrong = 0 if released is None else int((~released.agrees(output.evaluate(table).values)).sum())
        except DivulgeError as error:
            left_out.append(LeftOut(candidate.release, f"It cannot be computed from these data: {error.message}"))
            continue
        if wrong:
            what = f"{wrong:,} of its figures are not what these data give; it was computed on other data."
            left_out.append(LeftOut(candidate.release, what))
        elif _identity(output) in same:
            left_out.append(LeftOut(candidate.release, "The same output is embedded already."))
        else:
            same.add(_identity(output))
            kept.append((candidate.release, output, released))
    return Earlier(tuple(k[0] for k in kept), tuple(k[1] for k in kept), tuple(k[2] for k in kept), tuple(left_out))


def with_named(earlier: Earlier, assessment: Assessment, inputs: Inputs) -> Earlier:
    """Those that the spec itself names, before what a ledger holds. One that is there twice counts once."""
    same = {_identity(o) for o in assessment.outputs}
    kept: list[tuple[str, Output, Released | None]] = []
    left_out = list(earlier.left_out)
    names = [o.name or f"earlier[{i}]" for i, o in enumerate(assessment.earlier)]
    every = [*zip(names, assessment.earlier, inputs.earlier, strict=True)]
    every += zip(earlier.releases, earlier.outputs, earlier.released, strict=True)
    for name, output, released in every:
        if _identity(output) in same:
            left_out.append(LeftOut(name, "The same output is embedded already."))
            continue
        same.add(_identity(output))
        kept.append((name, output, released))
    return Earlier(tuple(k[0] for k in kept), tuple(k[1] for k in kept), tuple(k[2] for k in kept), tuple(left_out))


def joint_attacks(
    scenarios: Sequence[ScenarioSettings], outputs: Sequence[Output], earlier: Earlier, schema: Schema
) -> tuple[Attack, ...]:
    """The scenarios, on new and earlier outputs together.

    Where the spec names none: all variables of the new and of the earlier outputs, or, where these are too many to be
    told apart, the new ones' with those of each earlier output in turn.
    """
    everything = [*outputs, *earlier.outputs]
    if scenarios:
        return attacks_of(scenarios, everything, schema)
    names = dict.fromkeys(n for o in everything for n in o.uses(schema))
    if _can_tell_apart([schema[n].n_codes for n in names]):
        return default_attacks(everything, schema)
    found = [default_attacks([*outputs, output], schema) for output in earlier.outputs]
    return tuple(dict.fromkeys(attack for attacks in found for attack in attacks))


def judged(evidence: Evidence, together: PassResult, before: PassResult, policy: Policy) -> Evidence:
    """What can still be prevented: people who are exposed by all outputs but were not by the earlier ones alone.

    The marginal risk is that of everything released, since it is everything that an intruder has; only where the
    earlier outputs alone are past refusing it is what the new ones add.
    """
    risks = []
    for entry, now, then in zip(evidence.risks, *_with_risk(together, before), strict=True):
        assert then.marginal_risk is not None, "kept only where there is one"
        if then.marginal_risk.low > policy.refuse_risk:
            added, low, high = _added(now, then)
            risks.append((f"{entry[0]}, beyond what was released before", added, low, high))
        else:
            risks.append(entry)
    return replace(evidence, n_exposed=int((together.exposed & ~before.at_risk).sum()), risks=tuple(risks))


def cumulative_section(earlier: Earlier, together: PassResult, before: PassResult | None) -> dict[str, Any]:
    """What the record says of earlier releases: which, the risk of everything, and what the new outputs add."""
    section: dict[str, Any] = {
        "releases": list(dict.fromkeys(earlier.releases)),
        "outputs": len(earlier),
        "left_out": [{"release": out.release, "why": out.why} for out in earlier.left_out],
        "marginal_risk": None,
        "exposed": int(together.at_risk.sum()),
        "earlier": None,
        "adds": None,
        "scenarios": [],
    }
    pairs = list(zip(*_with_risk(together, before or together), strict=True))
    section["marginal_risk"] = max((a.marginal_risk.value for a, _ in pairs if a.marginal_risk), default=None)
    if before is None:
        return section
    for now, then in pairs:
        assert now.marginal_risk is not None
        assert then.marginal_risk is not None
        added, low, high = _added(now, then)
        section["scenarios"].append(
            {
                "scenario": now.attack.describe(),
                "marginal_risk": now.marginal_risk.value,
                "earlier": then.marginal_risk.value,
                "adds": added,
                "interval": [low, high],
                "exposed": int((now.exposed & ~then.exposed).sum()),
            }
        )
    section["earlier"] = {
        "marginal_risk": max((s["earlier"] for s in section["scenarios"]), default=None),
        "exposed": int(before.at_risk.sum()),
    }
    section["adds"] = {
        "marginal_risk": max((s["adds"] for s in section["scenarios"]), default=None),
        "exposed": int((together.at_risk & ~before.at_risk).sum()),
    }
    return section


def reasons(section: Mapping[str, Any]) -> list[str]:
    """What the verdict says of it, in words."""
    if not section["outputs"]:
        return []
    count = "1 output that was" if section["outputs"] == 1 else f"{section['outputs']:,} outputs that were"
    said = [f"Assessed together with {count} released before about the same data."]
    if section["adds"] and section["adds"]["exposed"]:
        new, old = section["adds"]["exposed"], section["earlier"]["exposed"]
        said.append(f"What was released before exposes {old:,}; with this release {new:,} more are exposed.")
    return said


def _added(now: AttackRisk, then: AttackRisk) -> tuple[float, float, float]:
    """Risk together less risk before, with its 95 % interval."""
    assert now.marginal_risk is not None
    assert then.marginal_risk is not None
    added = now.marginal_risk.value - then.marginal_risk.value
    below, above = difference_error(now.marginal_risk, now.contrasts, then.marginal_risk, then.contrasts)
    return added, added - below, added + above


def _with_risk(together: PassResult, before: PassResult) -> tuple[list[AttackRisk], list[AttackRisk]]:
    pairs = [
        (now, then)
        for now, then in zip(together.attacks, before.attacks, strict=True)
        if now.marginal_risk is not None and then.marginal_risk is not None
    ]
    return [now for now, _ in pairs], [then for _, then in pairs]


def _identity(output: Output) -> str:
    """What an output is, whatever its figures are called and however they were given."""
    plain = format_output(replace(output, released=None, compute=False, name=None, weight=1.0))
    return repr(sorted(plain.items(), key=lambda item: item[0]))


def _can_tell_apart(sizes: Sequence[int]) -> bool:
    return prod(sizes) < ROOM
