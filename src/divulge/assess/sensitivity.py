"""How near a verdict is to another one: at which δ it would change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor

import numpy as np

from divulge.assess.passes import PassResult
from divulge.policy import Decision, Evidence, Policy, Verdict

_STEPS = 100
"""δ is told in hundredths: more would be a figure about one person."""


@dataclass(frozen=True)
class Turn:
    """Where the verdict turns. delta: at this δ it would be `verdict`."""

    delta: float
    verdict: Verdict

    @property
    def sentence(self) -> str:
        return f"The verdict would change at δ = {self.delta:.2f} (delta in the policy), to {self.verdict}."


def turning(policy: Policy, evidence: Evidence, decision: Decision, result: PassResult) -> Turn | None:
    """The δ at which the verdict would be another one; None where no δ changes it, or where it is not known.

    Refused for people who are exposed: the δ above which none of them is. Released, and everything is counted: the
    largest δ at which somebody would be exposed. Where exposures are known from splits alone, nobody knows those of the
    others so precisely.
    """
    if decision.verdict is Verdict.REFUSE and evidence.n_exposed and not evidence.n_certain:
        most = max(float(s.exposures[s.exposed].max(initial=0.0)) for s in result.scenarios)
        delta = ceil(most * _STEPS) / _STEPS
        if not policy.delta < delta < 1:
            return None
        verdict = replace(policy, delta=delta).decide(replace(evidence, n_exposed=0)).verdict
        return Turn(delta, verdict) if verdict is not Verdict.REFUSE else None
    if decision.verdict is Verdict.RELEASE and result.scenarios and all(s.is_exact for s in result.scenarios):
        most = max(float(np.max(s.exposures, initial=0.0)) for s in result.scenarios)
        delta = floor(most * _STEPS) / _STEPS
        return Turn(delta, Verdict.REFUSE) if delta > 0 else None
    return None
