"""What rules and arithmetic say of an assessment's outputs, before anything is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from divulge.assess.plan import Plan
from divulge.assess.statistics.suspects import behind_figures
from divulge.attacks import ATTACKS, Submitted
from divulge.audit.marginals import beside_marginals
from divulge.audit.report import Audited, Proved, Status
from divulge.audit.run import AuditSettings, Submission, audit
from divulge.checking import Checked, Profile, check_outputs, make_cases
from divulge.contributions.blame import listed
from divulge.kernels.arrays import Mask
from divulge.policy import Breach, Policy
from divulge.rules import Finding, HeldByFew, Rule, Severity
from divulge.scenario import granted_by

SECONDS = 3.0
"""How long each audit of an assessment may take; what it has not reached is said. Most take a few hundredths."""

N_NAMED = 3
"""How many figures of a finding a reason names; the record has them all."""

_SETTLE = "Withhold more, round, or leave one of the figures out that the proof in the section on arithmetic names."


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """What the rules of the profile and the audit found. names: what each output is called, new ones first.

    attacked: what attacks beside the look-up got out of the outputs.
    audited: all new outputs with what was released before; alone: each new one by itself, where there are several.
    """

    names: tuple[str, ...]
    n_new: int
    checked: Checked
    audited: Audited
    alone: tuple[Audited, ...]
    attacked: tuple[Finding, ...]

    def findings(self, outputs: Sequence[int]) -> tuple[Finding, ...]:
        """What rules have against these outputs; what they have against earlier ones is no reason against new ones."""
        is_new = min(outputs) < self.n_new
        found = [f for f in (*self.attacked, *self.checked.findings) if set(f.outputs) <= set(outputs)]
        return tuple(f for f in found if not is_new or min(f.outputs) < self.n_new)

    def proved(self, outputs: Sequence[int]) -> tuple[Proved, ...]:
        """What follows from the figures of these outputs; only new ones are asked about."""
        if min(outputs) >= self.n_new:
            return ()
        if len(outputs) == 1 and self.alone:
            return self.alone[outputs[0]].findings
        return self.audited.findings

    def named(self, outputs: Sequence[int], ready: Plan) -> tuple[Mask, ...]:
        """The people whom each of these findings is about, as a mask; remarks name nobody."""
        people = [f.people for f in self.findings(outputs) if f.severity is not Severity.NOTE]
        proved = [f for f in self.proved(outputs) if f.outputs and f.severity is not Severity.NOTE]
        people += [behind_figures(ready.outputs[f.outputs[0]], f.figures, ready.table) for f in proved]
        return tuple(people)

    def breaches(self, outputs: Sequence[int]) -> tuple[Breach, ...]:
        """The same as reasons for a verdict."""
        remedies = {rule.name: rule.remedy for rule in self.checked.profile.rules}
        remedies |= {attack.name: attack.remedy for attack in ATTACKS}
        found = [
            Breach(self._reason(f, outputs), f.severity.value, f.n_people, remedies[f.rule])
            for f in self.findings(outputs)
        ]
        proved = [Breach(self._reason(f, outputs), f.severity.value, None, _SETTLE) for f in self.proved(outputs)]
        return (*proved, *found)

    def _reason(self, finding: Finding | Proved, outputs: Sequence[int]) -> str:
        """A finding in a sentence that says which rule it is, of which output, and which figures."""
        named = ", ".join(finding.figures[:N_NAMED])
        more = len(finding.figures) - N_NAMED
        which = f" ({named}" + (f" and {more:,} more)." if more > 0 else ").") if named else "."
        where = ""
        if len(outputs) > 1 and finding.outputs:
            where = listed([self.names[i] for i in finding.outputs[:3]], ", ") + ": "
        return f"{where}{finding.sentence.removesuffix('.')}{which}"

    def rules_section(self) -> dict[str, Any]:
        """What the record says of rules."""
        profile = self.checked.profile
        found = self.findings(range(len(self.names)))
        return {
            "profile": {"name": profile.name, "title": profile.title, "source": profile.source},
            "asked": list(self.checked.asked),
            "broken": [
                {"rule": rule.name, "asks": rule.asks, "source": rule.source, "settings": rule.settings()}
                for rule in profile.rules
                if any(f.rule == rule.name for f in found)
            ],
            "findings": [f.as_json() for f in found],
        }

    def audit_section(self) -> dict[str, Any]:
        """What the record says of arithmetic. Cells that are protected are counted, not listed."""
        told = [c for c in self.audited.cells if c.status is not Status.PROTECTED]
        protected = len(self.audited.cells) - len(told)
        return {**replace(self.audited, cells=tuple(told)).as_json(), "protected": protected}


def ask_rules(ready: Plan) -> Checked:
    """Ask every rule of the profile."""
    given = ready.assessment
    cases = make_cases(ready.outputs, ready.printed, ready.table, given.entity, given.holding, given.waiver)
    return check_outputs(cases, _with_own_threshold(ready.profile, ready.policy))


def work_out(ready: Plan) -> Arithmetic:
    """Ask every rule of the profile, and audit the new outputs together with those released before."""
    n, given = ready.n_new, ready.assessment
    checked = ask_rules(ready)
    settings = AuditSettings(seconds=SECONDS)
    audited = audit(_submission(ready, range(n), range(n, len(ready.outputs))), settings)
    if ready.earlier and audited.findings:
        audited = _named(audited, audit(_submission(ready, range(n)), settings), _before(ready, settings), ready)
    # Fewer figures prove no more: where all together prove nothing, none alone does.
    alone: tuple[Audited, ...] = ()
    if len(ready.outputs) > 1:
        alone = (replace(audited, cells=(), findings=()),) * n
        if audited.findings:
            each = replace(settings, seconds=SECONDS / n)
            alone = tuple(audit(_submission(ready, [i]), each) for i in range(n))
    if granted_by(given.scenarios) != "nothing":
        audited = beside_marginals(audited, _submission(ready, range(n), range(n, len(ready.outputs))), settings)
    names = [o.name or f"Output {i + 1}" for i, o in enumerate(ready.outputs[:n])]
    names += [one.release for one in ready.earlier.kept]
    return Arithmetic(tuple(names), n, checked, audited, alone, _attacked(ready))


def _attacked(ready: Plan) -> tuple[Finding, ...]:
    """What every attack gets out of the outputs, each in turn."""
    submitted = Submitted(ready.outputs, ready.printed, ready.table, ready.assessment.scenarios, ready.policy.delta)
    return tuple(finding for attack in ATTACKS for finding in attack().find(submitted))


def _before(ready: Plan, settings: AuditSettings) -> Audited:
    """What follows from the earlier outputs alone: nobody can prevent it any more."""
    return audit(_submission(ready, range(ready.n_new, len(ready.outputs))), settings)


def _named(audited: Audited, new: Audited, before: Audited, ready: Plan) -> Audited:
    """The same, where each finding that needs earlier outputs names their releases.

    new: what follows from the new outputs alone; before: from the earlier ones, which is no reason against new ones.
    """
    gone = {
        (f.rule, label) for f in before.findings if not f.outputs or f.rule == "contradiction" for label in f.figures
    }
    own = {(f.rule, f.outputs, label) for f in new.findings for label in f.figures}
    releases = list(dict.fromkeys(one.release for one in ready.earlier.kept))
    found = []
    for finding in audited.findings:
        labels = tuple(label for label in finding.figures if (finding.rule, label) not in gone)
        if not labels and finding.figures:
            continue
        if all((finding.rule, finding.outputs, label) in own for label in labels):
            found.append(finding)
            continue
        chains = [c.chain for c in audited.cells if c.label in labels]
        needed = [r for r in releases if any(f"{r}: " in chain for chain in chains)] or releases
        sentence = f"{finding.sentence.removesuffix('.')}, together with what was released before: {', '.join(needed)}."
        found.append(replace(finding, figures=labels, sentence=sentence))
    return replace(audited, findings=tuple(found))


def _submission(ready: Plan, new: Sequence[int], earlier: Sequence[int] = ()) -> Submission:
    return Submission(
        ready.table.schema,
        tuple(ready.outputs[i] for i in new),
        tuple(ready.printed[i] for i in new),
        ready.table.n_people,
        ready.table,
        tuple((ready.earlier.kept[i - ready.n_new].release, ready.outputs[i], ready.printed[i]) for i in earlier),
        ready.assessment.entity,
    )


def _with_own_threshold(profile: Profile, policy: Policy) -> Profile:
    """The policy's own threshold for extremes counts where it is not the usual one."""
    if policy.fewest_at_extreme == Policy().fewest_at_extreme:
        return profile

    def own(rule: Rule) -> Rule:
        return HeldByFew(fewest=policy.fewest_at_extreme) if rule.name == HeldByFew.name else rule

    return replace(profile, rules=tuple(map(own, profile.rules)))
