"""Every rule of a profile asked about every output, and about all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from divulge.checking.profile import Profile
from divulge.contributions import Case
from divulge.outputs import Output, Released
from divulge.rules import Finding, Rule, Severity
from divulge.table import Table


@dataclass(frozen=True, eq=False)
class Checked:
    """What rules found. asked: how many rules had something to say about the outputs' kinds."""

    profile: Profile
    findings: tuple[Finding, ...]
    asked: tuple[str, ...]

    @property
    def worst(self) -> Severity | None:
        """The most restrictive thing that any breach does; None where no rule is broken."""
        return max((f.severity for f in self.findings), key=lambda s: s.rank, default=None)

    def against(self, n_new: int) -> Checked:
        """The same without findings that are only about earlier releases. The first n outputs are new."""
        return replace(self, findings=tuple(f for f in self.findings if min(f.outputs, default=0) < n_new))

    def of(self, output: int) -> tuple[Finding, ...]:
        """The findings on one output."""
        return tuple(f for f in self.findings if output in f.outputs)


def make_cases(
    outputs: Sequence[Output],
    released: Sequence[Released | None],
    table: Table,
    entity: str | None = None,
    holding: str | None = None,
    waiver: str | None = None,
) -> list[Case]:
    """The outputs as rules look at them: with what was released, or what would be."""
    cases = []
    for i, (output, given) in enumerate(zip(outputs, released, strict=True)):
        shown = given if given is not None else output.publish(output.evaluate(table), table.schema)
        cases.append(Case(i, output, shown, table, entity, holding, waiver))
    return cases


def check_outputs(cases: Sequence[Case], profile: Profile) -> Checked:
    """Ask every rule; the most restrictive findings first, and of these in the order of the rules."""
    found: list[Finding] = []
    asked: list[str] = []
    for rule in profile.rules:
        concerned = [case for case in cases if _concerns(rule, case)]
        if not concerned:
            continue
        asked.append(rule.name)
        mine = [f for case in concerned for f in rule.find(case)] + rule.find_between(concerned)
        breach = profile.breach[rule.name]
        times = concerned[0].table.people
        mine = mine if times is None else [replace(f, times=times) for f in mine]
        found += [f if f.severity.rank < rule.severity.rank else replace(f, severity=breach) for f in mine]
    found.sort(key=lambda f: -f.severity.rank)
    return Checked(profile, tuple(found), tuple(asked))


def _concerns(rule: Rule, case: Case) -> bool:
    return not rule.statbarns or case.output.statbarn in rule.statbarns
