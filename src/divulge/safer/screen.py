"""Screening: rules and the audit on safer outputs, as the verdict takes them. What fails here is not assessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from divulge.assess import Plan
from divulge.assess.arithmetic import ask_rules, work_out
from divulge.audit.report import Proved
from divulge.outputs import Output, Released
from divulge.rules import Finding, Severity


@dataclass(frozen=True, eq=False)
class _Screened:
    """sentences: findings that stand in the way of a release. figures: those that they name, by output and label.
    together: outputs that a finding names beside others: a change of any of them may do."""

    sentences: tuple[str, ...]
    figures: frozenset[tuple[int, str]]
    together: frozenset[int]


def screen_outputs(ready: Plan, outputs: Sequence[Output], printed: Sequence[Released]) -> _Screened:
    """What rules and the audit have against outputs in the place of the new ones, as they would be released."""
    n, changed = ready.n_new, _with(ready, outputs, printed)
    found = work_out(changed)
    every: list[Finding | Proved] = [*found.findings(range(len(changed.outputs))), *found.proved(range(n))]
    serious = [f for f in every if f.severity is not Severity.NOTE]
    named = frozenset((f.outputs[0], label) for f in serious if f.outputs for label in f.figures)
    together = frozenset(i for f in serious if len(f.outputs) > 1 for i in f.outputs if i < n)
    return _Screened(tuple(f.sentence for f in serious), named, together)


def is_passed(ready: Plan, outputs: Sequence[Output], printed: Sequence[Released]) -> bool:
    """Whether they have nothing against them. Rules are asked first: the audit may take seconds."""
    asked = ask_rules(_with(ready, outputs, printed)).findings
    if any(f.severity is not Severity.NOTE and min(f.outputs, default=0) < ready.n_new for f in asked):
        return False
    return not screen_outputs(ready, outputs, printed).sentences


def _with(ready: Plan, outputs: Sequence[Output], printed: Sequence[Released]) -> Plan:
    n = ready.n_new
    return replace(ready, outputs=(*outputs, *ready.outputs[n:]), printed=(*printed, *ready.printed[n:]))


def rule_setting(ready: Plan, rule: str, setting: str) -> Any:
    """A setting of a rule of the profile that asks for more than a note; None where there is no such rule."""
    found = [r for r in ready.profile.rules if r.name == rule and ready.profile.breach[rule] is not Severity.NOTE]
    return found[0].settings().get(setting) if found else None
