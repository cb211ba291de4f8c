"""Responses from coefficients: whoever knows everybody's predictors works the responses out, digit by digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from divulge.attacks.attack import Attack, Submitted
from divulge.lattice.released import Released
from divulge.lattice.responses import Recovery, recover
from divulge.lattice.turning import Turning, turning_digits
from divulge.outputs.few_people import FewPeople
from divulge.rules import Finding, Severity

MOST_PEOPLE = 60
"""People up to which the attack ends in seconds; with more, coefficients hold too few bits to determine anybody."""

SECONDS = 2.0
"""For the attack on one regression, and again for the number of digits at which it fails."""

MOST_DIGITS = 8
"""Significant digits up to which it is asked how many may be printed: more are hardly ever printed."""


@dataclass(frozen=True, kw_only=True)
class Responses(Attack):
    """Lattice reduction on the estimating equations, with a proof for everybody who is called determined."""

    name: ClassVar[str] = "responses from coefficients"
    does: ClassVar[str] = "Works out responses from coefficients, for an intruder who knows everybody's predictors."
    source: ClassVar[str] = "Lenstra, Lenstra & Lovász 1982; Babai 1986; Dinur & Nissim 2003"
    remedy: ClassVar[str] = "Print fewer digits, or fit the model to more people."

    seconds: float = SECONDS

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        found = []
        for i, (output, printed) in enumerate(zip(submitted.outputs, submitted.printed, strict=True)):
            few = output.few_people(submitted.table, printed, MOST_PEOPLE)
            if few is None:
                continue
            recovery = self._recover(few)
            if not recovery.determined.any():
                continue
            people = np.zeros(submitted.table.n_rows, dtype=bool)
            people[few.says.rows[recovery.determined]] = True
            granted = few.is_category and submitted.grants_predictors
            severity = Severity.REFUSE if granted else Severity.REVIEW
            found.append(Finding(self.name, severity, (i,), (), self._sentence(few, recovery), people))
        return found

    def _recover(self, few: FewPeople) -> Recovery:
        n = len(few.says.rows)
        return recover([_among(few.says)], few.values, n, seconds=self.seconds)

    def _sentence(self, few: FewPeople, recovery: Recovery) -> str:
        """Whose responses follow, for whom, and how many digits may be printed."""
        n, proved = len(recovery.determined), int(recovery.determined.sum())
        turning: Turning = turning_digits([_among(few.says)], MOST_DIGITS, few.values, n, seconds=self.seconds)
        return (
            f"Whoever knows the predictors of all {n:,} people works out {few.response} of {proved:,} of them from the "
            f"coefficients, without doubt. {turning.sentence()}"
        )


def _among(says: Released) -> Released:
    """The same with its people numbered 0, 1, …: the others of the table are nobody here."""
    return replace(says, rows=np.arange(len(says.rows)))
