"""Responses from coefficients: whoever knows everybody's predictors works the responses out, digit by digit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from divulge.attacks.attack import Attack, Submitted, print_less
from divulge.kernels.arrays import Integers, Mask
from divulge.kernels.compiling import working_time
from divulge.lattice.bits import Bits, response_bits
from divulge.lattice.released import Released
from divulge.lattice.responses import Recovery, recover
from divulge.lattice.turning import MOST_PEOPLE, turning_digits
from divulge.outputs.few_people import FewPeople
from divulge.rules import Finding, Severity

SECONDS = 2.0
"""For the attack on one question, and again for the number of digits at which it fails."""

_TOGETHER = 12
"""Questions that are asked, at most: every output by itself first, then those on the same people together."""

_MOST_NAMED = 5
"""Variables up to which a sentence names them."""

MOST_DIGITS = 8
"""Significant digits up to which it is asked how many may be printed: more are hardly ever printed."""


@dataclass(frozen=True, eq=False)
class Question:
    """Figures of one response of few people, of one output or several. numbers: of the outputs."""

    numbers: tuple[int, ...]
    few: tuple[FewPeople, ...]

    @property
    def rows(self) -> Integers:
        """Whom they are about."""
        return np.unique(np.concatenate([one.rows for one in self.few]))

    @property
    def says(self) -> list[Released]:
        """What each says, with people numbered 0, 1, …: the others of the table are nobody here."""
        return [replace(one.says, rows=np.searchsorted(self.rows, one.rows)) for one in self.few]

    def wider(self, less: int) -> Question:
        """The same printed with so many digits less."""
        return replace(self, few=tuple(replace(one, says=one.says.wider(10.0**less)) for one in self.few))

    def bits(self) -> Bits:
        """What the figures hold against what the responses have: no more than the predictors do, however printed."""
        values, n, step = self.few[0].values, len(self.rows), self.few[0].even_step
        shifts, predictors = [], []
        for says in self.says:
            own = np.zeros((2, n, says.design.shape[1]))
            own[:, says.rows] = says.says(values[0], step)[0], says.design
            shifts.append(own[0])
            predictors.append(own[1])
        spans = np.full(n, round((values[-1] - values[0]) / step))
        return response_bits(np.nan_to_num(np.hstack(shifts)), spans, np.hstack(predictors))


@dataclass(frozen=True, kw_only=True)
class Responses(Attack):
    """Lattice reduction on the estimating equations, with a proof for everybody who is called determined."""

    name: ClassVar[str] = "responses from coefficients"
    does: ClassVar[str] = "Works out responses from coefficients, for an intruder who knows everybody's predictors."
    source: ClassVar[str] = "Lenstra, Lenstra & Lovász 1982; Babai 1986; Dinur & Nissim 2003"
    remedy: ClassVar[str] = "Print fewer digits, or fit the model to more people."

    seconds: float = SECONDS

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        if submitted.table.people is None:
            return self._find(submitted)
        if all(output.growth == "extensive" for output in submitted.outputs):
            return []  # how many people there are says nothing of a response
        table, row = submitted.table.opened(MOST_PEOPLE + 1)
        times, n_rows = submitted.table.people, submitted.table.n_rows
        found = self._find(replace(submitted, table=table))
        return [replace(f, people=np.bincount(row[f.people], minlength=n_rows) > 0, times=times) for f in found]

    def _find(self, submitted: Submitted) -> list[Finding]:
        every = _every(submitted)
        known = _alike(every, submitted.table.n_rows)
        found = []
        for question in _questions(every):
            n, few = len(question.rows), question.few[0]
            recovery = recover(question.says, few.values, n, seconds=self.seconds, step=few.step)
            people = _spread(recovery.determined, question.rows, submitted.table.n_rows)
            if (people & ~known).any():
                severity = self._severity(question, recovery, submitted)
                sentence = self._sentence(question, recovery, _known(question, submitted))
                found.append(Finding(self.name, severity, question.numbers, (), sentence, people))
                known |= people
            elif not recovery.is_complete and not recovery.determined.any():
                found.append(self._untold(question, recovery, submitted.table.n_rows))
        return found

    def _untold(self, question: Question, recovery: Recovery, n_rows: int) -> Finding:
        """Time was too short. A note if the figures leave much open, a review if they hold as many bits as people."""
        sentence, people = _not_found(question, recovery), np.zeros(n_rows, dtype=bool)
        if not question.bits().is_determined:
            return Finding(self.name, Severity.NOTE, question.numbers, (), sentence, people)
        people[question.rows] = True
        sentence += f" {print_less(lambda less: question.wider(less).bits())}"
        return Finding(self.name, Severity.REVIEW, question.numbers, (), sentence, people)

    def _severity(self, question: Question, recovery: Recovery, submitted: Submitted) -> Severity:
        """A refusal where an intruder whom some scenario grants works out somebody's class."""
        if not all(one.is_category for one in question.few):
            return Severity.REVIEW
        is_part = len(question.rows) < submitted.table.n_rows
        if submitted.grants("predictors") or (is_part and submitted.grants("predictors of a group")):
            return Severity.REFUSE
        if submitted.grants("predictors of all but one") and self._without_one(question, recovery).any():
            return Severity.REFUSE
        return Severity.REVIEW

    def _without_one(self, question: Question, recovery: Recovery) -> Mask:
        """Who is determined even where the predictors of one other person are not known, whoever that is.

        Everything that this person may have is tried; somebody is determined where no trial gives them another value.
        """
        nobody = np.zeros(len(question.rows), dtype=bool)
        few = question.few[0]
        if len(question.few) > 1 or few.possible is None:
            return nobody
        began, says = working_time(), question.says[0]
        for one in range(len(nobody)):
            still = recovery.determined.copy()
            still[one] = False
            for row in few.possible:
                left = self.seconds - (working_time() - began)
                if left <= 0:
                    return nobody
                design = says.design.copy()
                design[one] = row
                other = recover([replace(says, design=design)], few.values, len(nobody), seconds=left, step=few.step)
                if not other.is_complete:
                    still[:] = False
                elif other.n_solutions:
                    still &= other.determined & (other.values == recovery.values)
                if not still.any():
                    break
            if still.any():
                return still
        return nobody

    def _sentence(self, question: Question, recovery: Recovery, known: str) -> str:
        """Whose responses follow, for whom, what the figures hold, and how many digits may be printed."""
        n, proved = len(recovery.determined), int(recovery.determined.sum())
        few, bits = question.few[0], question.bits()
        turning = turning_digits(question.says, MOST_DIGITS, few.values, n, seconds=self.seconds, step=few.step)
        figures = "these figures together" if len(question.few) > 1 else "the coefficients"
        whose = f"{'' if recovery.is_complete else 'at least '}{proved:,}"
        return (
            f"Whoever knows {known} of all {n:,} people works out {few.response} of {whose} of them from {figures}, "
            "without doubt; of people who are not in the data the same figures prove nothing. The figures hold about "
            f"{bits.printed:.0f} bits, the responses {bits.secret:.0f} (a bit is one answer of yes or no). "
            f"{turning.sentence()}"
        )


def questions_of(submitted: Submitted) -> Sequence[Question]:
    """What is asked of these outputs."""
    return _questions(_every(submitted))


def _every(submitted: Submitted) -> list[tuple[int, FewPeople]]:
    """All figures of few people, with the numbers of their outputs."""
    pairs = enumerate(zip(submitted.outputs, submitted.printed, strict=True))
    table = submitted.table
    return [(i, one.among(table)) for i, (o, p) in pairs for one in o.few_people(table, p, MOST_PEOPLE)]


def _alike(every: Sequence[tuple[int, FewPeople]], n_rows: int) -> Mask:
    """People of groups whose mean leaves one value to all: a rule on class disclosure tells of them."""
    known = np.zeros(n_rows, dtype=bool)
    for _, one in every:
        values, n = one.values, len(one.rows)
        if _has_slopes(one) or len(values) < 2:
            continue
        least, most = (one.step, one.step) if one.step is not None else (values[1] - values[0], values[-1] - values[-2])
        low, high = float(one.says.low[0]), float(one.says.high[0])
        is_most = n * (values[-1] - low) < most
        is_least = n * (high - values[0]) < least
        is_one = n == 1 and int(((values >= low) & (values <= high)).sum()) == 1
        known[one.rows] |= is_most or is_least or is_one
    return known


def _questions(every: Sequence[tuple[int, FewPeople]]) -> Sequence[Question]:
    """Every regression by itself, then figures that share people and a response, as long as they are few.

    In a group of which nothing but a mean and a standard deviation is known all people are interchangeable: these say
    nothing of anybody but beside other figures.
    """
    found = [Question((i,), (one,)) for i, one in every if _has_slopes(one)]
    alike: list[list[tuple[int, FewPeople]]] = []
    for i, one in every:
        own = next((known for known in alike if known[0][1].is_alike(one)), None)
        if own is None:
            alike.append([(i, one)])
        else:
            own.append((i, one))
    for told in alike:
        found += (q for q in _sharing_people(told) if len(q.rows) <= MOST_PEOPLE and _is_telling(q))
    return found[:_TOGETHER]


def _sharing_people(told: Sequence[tuple[int, FewPeople]]) -> Iterator[Question]:
    """Figures of one response by who is behind them: those that have people in common, directly or through others."""
    sizes = [len(one.rows) for _, one in told]
    people = np.concatenate([one.rows for _, one in told])
    links = sparse.csr_array((np.ones(len(people)), (np.repeat(np.arange(len(told)), sizes), people)))
    _, group = connected_components(links @ links.T, directed=False)
    for g in range(int(group.max()) + 1):
        own = [told[k] for k in np.flatnonzero(group == g).tolist()]
        yield Question(tuple(sorted({i for i, _ in own})), tuple(one for _, one in own))


def _is_telling(question: Question) -> bool:
    """Whether several figures tell people apart: by predictors, or because they are about different people."""
    if len(question.few) < 2:
        return False
    different = {one.rows.tobytes() for one in question.few}
    return len(different) > 1 or any(map(_has_slopes, question.few))


def _known(question: Question, submitted: Submitted) -> str:
    """What an intruder has to know of everybody: variables by name where these are few."""
    names = [n for i in question.numbers for n in submitted.outputs[i].uses(submitted.table.schema)]
    names = [n for n in dict.fromkeys(names) if n != question.few[0].response]
    if not 0 < len(names) <= _MOST_NAMED:
        return "the predictors" if any(map(_has_slopes, question.few)) else "the groups"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _not_found(question: Question, recovery: Recovery) -> str:
    """An honest word where time was too short: that nothing was found is no proof of safety."""
    bits = question.bits()
    return (
        f"Nobody's {question.few[0].response} was found to follow from the figures within {recovery.seconds:.0f} s, "
        f"which is no proof of safety: they hold about {bits.printed:.0f} bits, the responses {bits.secret:.0f}."
    )


def _has_slopes(few: FewPeople) -> bool:
    """Whether it is a regression rather than a mean."""
    return few.says.design.shape[1] > 1


def _spread(determined: Mask, rows: Integers, n_rows: int) -> Mask:
    people = np.zeros(n_rows, dtype=bool)
    people[rows[determined]] = True
    return people
