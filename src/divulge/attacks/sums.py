"""Sums taken together: what means, totals, shares and regressions state of one variable, solved for a few people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from divulge.attacks.attack import Attack, Submitted
from divulge.contributions.blame import listed
from divulge.contributions.twins import Line, line_between, sums_of
from divulge.kernels.arrays import Floats, Integers, Mask
from divulge.outputs.lowering.rows import row_weights
from divulge.outputs.lowering.sizes import least_step
from divulge.outputs.stated import Stated, about_number, spread_of, stated_by_groups
from divulge.rules import Finding, Severity
from divulge.table import Table

_Sums = dict[tuple[str, str], list[tuple[int, Stated]]]
"""Sums by what they are about, each with the number of its output."""

_BLOCK = 8_192
"""Rows whose weights are held at once."""

_MOST_WORK, _MOST_COUNTING = 4e9, 1e8
"""Rows × sums² up to which sums are solved, a second or two; of counts alone, which the audit takes apart as well, some
hundredths."""

_MOST_COMPARED = 2e8
"""Up to so many pairs of variables × rows we look whether one variable is another in other units."""

_MOST_PEOPLE = 3
"""A sum of the values of so many people tells each of them the others', as for a mean."""

_SHARE, _PER_CENT = 0.05, 0.10
"""A value is given away within this share of the spread, or this share of itself, as for differences of means."""

_NEARLY = 0.22
"""Where so much of the spread of a person's value is left, it is nearly told."""

_LEAST = 1 / _MOST_PEOPLE - _SHARE
"""The leverage that each of so many people has where their sum follows, and what two of them have in common."""

_NOTHING = 1e-9
"""Directions this much smaller than the largest are rounding errors."""


class _Stack(NamedTuple):
    """All sums about one variable. outputs: the number of the output of each sum. times: people of each row of all.

    step: the least distance of two of its values: whoever is nearer than half of it knows which one it is.
    n_rows: of the table. Where sums are of two or three variables, the rows of each follow those of the one before.
    """

    stated: tuple[Stated, ...]
    outputs: Integers
    error: Floats
    rows: Integers
    times: Floats
    step: float
    n_rows: int

    def n_people(self, rows: Integers) -> float:
        """How many people have these rows."""
        return float(self.times[np.unique(rows % self.n_rows)].sum())

    def blocks(self) -> list[Integers]:
        return [self.rows[at : at + _BLOCK] for at in range(0, len(self.rows), _BLOCK)]

    def columns(self, rows: Integers) -> Floats:
        return np.hstack([s.columns(rows) for s in self.stated])

    def of(self, output: int) -> _Stack:
        """The sums of one output alone."""
        sizes = np.cumsum([0, *(len(s.error) for s in self.stated)])[:-1]
        kept = tuple(s for s, at in zip(self.stated, sizes, strict=True) if self.outputs[at] == output)
        mine = self.outputs == output
        return _Stack(kept, self.outputs[mine], self.error[mine], self.rows, self.times, self.step, self.n_rows)


class _Solved(NamedTuple):
    """A few people alike whose values add up to what sums give.

    rest: what is left of the spread by what others have; error: by rounding, as a share of the spread.
    is_sure: whether rounding cannot hide them even at worst.
    """

    people: Integers
    outputs: tuple[int, ...]
    rest: float
    error: float
    is_sure: bool


@dataclass(frozen=True, kw_only=True)
class SumsTogether(Attack):
    """Whether the values of a few people are a combination of sums that are printed.

    Every mean, total, share and regression states sums A y of a variable y, with A known: 1 for those in a group, the
    predictors for the normal equations of a model (Ritchie 2006). With values of the same spread and nothing else
    known, what is left of a person's variance is 1 − h, with h their leverage in the rows of A (Hoaglin & Welsch 1978):
    0 where their value follows. Differences between two outputs are one case of it, a weight that outweighs all others
    is another. Of two or three people a sum or a difference tells each of them the others'.
    """

    name: ClassVar[str] = "sums taken together"
    does: ClassVar[str] = "Solves what means, totals, shares and regressions state of a variable for a few people."
    source: ClassVar[str] = "Ritchie 2006, differencing; Hoaglin & Welsch 1978; Dinur & Nissim 2003"
    remedy: ClassVar[str] = "Release one of these outputs, compute them on the same people, or print fewer digits."

    def find(self, submitted: Submitted) -> Sequence[Finding]:
        found: list[Finding] = []
        sums = _stated_by(submitted)
        for about, stack in _stacks(sums, submitted.table).items():
            solved = _solve(stack)
            if solved:
                alone = [_solve(stack.of(i)) for i in set(stack.outputs.tolist()) if _is_looked_at(stack.of(i))]
                known = {p for one in alone for s in one for p in s.people.tolist()}
                solved = [s for s in solved if not known.issuperset(s.people.tolist())]
            if solved:
                finding = self._finding(about[0], stack, solved, submitted)
                # Every value of a variable is a sum of its own; what two of them say of the same people is said once.
                if not any(_says_the_same(finding, other) for other in found):
                    found.append(finding)
        for parts, stack in _joint(sums, submitted.table):
            solved = _solve(stack)
            known = {p for part in parts for s in _solve(part) for p in s.people.tolist()} if solved else set()
            solved = [s._replace(people=np.unique(s.people % stack.n_rows)) for s in solved]
            solved = [s for s in solved if not known.issuperset(s.people.tolist())]
            if solved:
                found.append(self._finding(stack.stated[0].about[0], stack, solved, submitted))
        return found

    def _finding(self, name: str, stack: _Stack, solved: list[_Solved], submitted: Submitted) -> Finding:
        people = np.zeros(submitted.table.n_rows, dtype=bool)
        people[np.concatenate([s.people for s in solved])] = True
        outputs = tuple(sorted({i for s in solved for i in s.outputs}))
        links = {s.link for i in outputs for s in stack.of(i).stated}
        is_granted = links <= {"sum", "linear"} or (submitted.grants("predictors") and "other" not in links)
        is_granted &= any(s.rest <= _SHARE and s.is_sure for s in solved)
        n = submitted.table.count(people)
        whose = "the value of 1 person" if n == 1 else f"values of {n:,} people"
        closest = 100 * min(s.rest + s.error for s in solved)
        how = "" if "other" in links else f", to within {max(closest, 0.1):.1f} % of the spread"
        alike = dict.fromkeys(s.about[0] for s in stack.stated)
        name = listed([name, *(n for n in alike if n != name)], ", ")
        made = "One of these variables is made of the others. " if len(stack.times) > stack.n_rows else ""
        sentence = f"{made}The sums of {name} that the figures state leave {whose}{how}."
        severity = Severity.REFUSE if is_granted else Severity.REVIEW
        return Finding(self.name, severity, outputs, (), sentence, people, submitted.table.people)


def _says_the_same(one: Finding, other: Finding) -> bool:
    is_alike = (one.sentence, one.outputs) == (other.sentence, other.outputs)
    return is_alike and np.array_equal(one.people, other.people)


def _stated_by(submitted: Submitted) -> _Sums:
    """The sums that are stated of each variable."""
    found: _Sums = {}
    table = submitted.table
    for i, (output, printed) in enumerate(zip(submitted.outputs, submitted.printed, strict=True)):
        weights = row_weights(output, table)
        for one in (
            *output.stated(table, printed),
            *stated_by_groups(output.behind(table), weights, table, printed),
        ):
            if len(one.error) and one.inside.any():
                found.setdefault(one.about, []).append((i, one))
    return _with_twins(found, table)


def _stacks(sums: _Sums, table: Table) -> dict[tuple[str, str], _Stack]:
    """The sums of each variable, where there is something to solve."""
    stacks = {}
    for about, pairs in sums.items():
        own, inside = pairs[0][1].own, pairs[0][1].inside
        stack = _stack(pairs, table.times, least_step(table, about[0], own, inside), table.n_rows)
        if not _is_looked_at(stack) and _is_little_work(stack):
            stacks[about] = stack
    return stacks


def _stack(pairs: Sequence[tuple[int, Stated]], times: Floats, step: float, n_rows: int) -> _Stack:
    stated = tuple(s for _, s in pairs)
    rows = np.flatnonzero(np.any([s.inside for s in stated], axis=0))
    outputs = np.repeat([i for i, _ in pairs], [len(s.error) for s in stated])
    return _Stack(stated, outputs, np.concatenate([s.error for s in stated]), rows, times, step, n_rows)


def _is_little_work(stack: _Stack) -> bool:
    most = _MOST_WORK if stack.error.any() or any(s.link != "sum" for s in stack.stated) else _MOST_COUNTING
    return len(stack.rows) * len(stack.outputs) ** 2 <= most


def _joint(sums: _Sums, table: Table) -> Iterator[tuple[list[_Stack], _Stack]]:
    """Sums of variables one of which is made of the others: of each alone, and of all of them.

    Where c = a + b, Σ w c = Σ w a + Σ w b. What is solved for are the values of a and b. Whoever has another value of c
    than the sum, such as 0 or nothing, adds nothing.
    """
    names = {name for name in table.names if table.schema[name].kind == "numeric"}
    abouts = [about for about in sums if about[0] in names and about == about_number(table, about[0])]
    if len(abouts) * table.n_rows > _MOST_COMPARED:
        return
    owns = [sums[about][0][1].own for about in abouts]
    inside: list[Mask] = [np.logical_or.reduce([s.inside for _, s in sums[about]]) for about in abouts]
    for ways, apart in sums_of(owns, inside, table.times, _MOST_PEOPLE):
        pairs = {k: sums[abouts[k]] for k in ways}
        one_output = len({i for some in pairs.values() for i, _ in some}) == 1
        if one_output and not apart.any() and all(np.array_equal(inside[k], inside[min(ways)]) for k in ways):
            continue
        steps = {k: least_step(table, abouts[k][0], owns[k], inside[k]) for k in ways}
        parts = [_stack(some, table.times, steps[k], table.n_rows) for k, some in pairs.items()]
        made = max(ways, key=lambda k: spread_of(owns[k][inside[k]], table.times[inside[k]]))
        of = [k for k in ways if k != made]
        own = np.concatenate([owns[k] for k in of])
        stacked: list[tuple[int, Stated]] = []
        for k, some in pairs.items():
            factors = np.array([-ways[j] / ways[made] if k == made else float(j == k) for j in of])
            away = apart if k == made else np.zeros_like(apart)
            stacked += [(i, _in_parts(s, own, factors, away)) for i, s in some]
        whole = _stack(stacked, np.tile(table.times, len(of)), min(steps.values()), table.n_rows)
        if _is_little_work(whole):
            yield parts, whole


def _in_parts(stated: Stated, own: Floats, factors: Floats, apart: Mask) -> Stated:
    """Sums of a variable as sums of those that it is made of, times so much each."""
    n = len(apart)

    def columns(rows: Integers) -> Floats:
        row = rows % n
        return stated.columns(row) * np.where(apart[row], 0.0, factors[rows // n])[:, None]

    inside = np.concatenate([stated.inside & (factor != 0) for factor in factors])
    return replace(stated, own=own, inside=inside, columns=columns, is_weighted=True)


def _with_twins(found: _Sums, table: Table) -> _Sums:
    """The same, with sums of a variable that is another one but for a few people taken as sums of that other one.

    Σ w y = a Σ w + b Σ w x over all who lie on the line y = a + b x. What the few have instead, such as a top code, 0
    or nothing, is no secret.
    """
    merged: _Sums = {}
    n_pairs = len(found) * (len(found) - 1) // 2
    for about, pairs in found.items():
        home, line = about, None
        if n_pairs * table.n_rows <= _MOST_COMPARED:
            inside = np.any([s.inside for _, s in pairs], axis=0)
            for other, those in merged.items():
                if other[0] == about[0]:
                    continue
                known = inside & np.any([s.inside for _, s in those], axis=0)
                line = line_between(those[0][1].own, pairs[0][1].own, known, table.times, _MOST_PEOPLE)
                if line is not None:
                    home = other
                    break
        if line is not None:
            own = merged[home][0][1].own
            pairs = [(i, _on_line(s, own, line)) for i, s in pairs]
        merged.setdefault(home, []).extend(pairs)
    return merged


def _on_line(stated: Stated, own: Floats, line: Line) -> Stated:
    """Sums of the second variable of a line as sums of the first, which the people apart add nothing to."""

    def columns(rows: Integers) -> Floats:
        return stated.columns(rows) * np.where(line.apart[rows], 0.0, line.slope)[:, None]

    return replace(stated, own=own, columns=columns, is_weighted=True)


def _is_looked_at(stack: _Stack) -> bool:
    """Whether other rules and attacks look at it: one output that is not weighted, or whose predictions are tried."""
    if len(set(stack.outputs.tolist())) > 1:
        return False
    tried = ("linear", "canonical") if all(s.about[1].startswith("= ") for s in stack.stated) else ("linear",)
    is_tried = all(s.link in tried for s in stack.stated if s.link != "sum")
    return is_tried and not any(s.is_weighted and s.link == "sum" for s in stack.stated)


def _solve(stack: _Stack) -> list[_Solved]:
    """Few people alike whose sum follows, as precisely as it is printed."""
    if _shared_by_least(stack) > _MOST_PEOPLE:
        return []
    scale = np.sqrt(sum(stack.times[rows] @ stack.columns(rows) ** 2 for rows in stack.blocks()))
    scale[scale == 0] = 1.0
    triangle = np.zeros((0, len(scale)))
    for rows in stack.blocks():
        weighted = stack.columns(rows) / scale * np.sqrt(stack.times[rows])[:, None]
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, weighted]), mode="r"))
    _, size, turned = np.linalg.svd(triangle, full_matrices=False)
    kept = size > _NOTHING * size.max(initial=0.0)
    ways = turned[kept].T / size[kept]
    leverage = np.concatenate([((stack.columns(rows) / scale @ ways) ** 2).sum(axis=1) for rows in stack.blocks()])
    times = stack.times[stack.rows]
    likely = np.flatnonzero((leverage > _LEAST) & (times <= _MOST_PEOPLE))
    if not len(likely):
        return []
    weights = stack.columns(stack.rows[likely]) / scale
    each = np.sqrt(times[likely])
    hat = (weights @ ways) * each[:, None]
    hat = hat @ hat.T
    inside = stack.rows[stack.stated[0].inside[stack.rows]]
    spread = spread_of(stack.stated[0].own[inside], stack.times[inside])
    found = []
    for members in _together(hat):
        # The combination of their values that sums tell best: of people alike their sum, of others a difference.
        told, directions = np.linalg.eigh(hat[np.ix_(members, members)])
        rest = float(np.sqrt(max(1 - told[-1], 0.0)))
        if stack.n_people(stack.rows[likely[members]]) > _MOST_PEOPLE or rest > _NEARLY:
            continue
        share = directions[:, -1] / each[members]
        weight = (times[likely[members]] * share / np.abs(share).max()) @ weights[members]
        solved = _as_printed(stack, stack.rows[likely[members]], weight, (triangle, scale), spread)
        if solved is not None:
            found.append(solved._replace(rest=rest))
    return found


def _shared_by_least(stack: _Stack) -> float:
    """By how many people the weights are shared that fewest have. Of so many people none has more leverage than 1/n."""
    # Weights are told apart by one number each, a sum in which no two whole weights make up for one another.
    mix = np.sin(np.arange(1, len(stack.error) + 1) ** 2)
    mixed = np.concatenate([(stack.columns(rows) * mix).sum(axis=1) for rows in stack.blocks()])
    _, number = np.unique(mixed, return_inverse=True)
    return float(np.bincount(number.ravel(), stack.times[stack.rows]).min())


def _together(hat: Floats) -> list[Integers]:
    """People whose values are told together: those whom the hat matrix joins."""
    n, number = connected_components(sparse.csr_array(np.abs(hat) > _LEAST), directed=False)
    return [np.flatnonzero(number == k).astype(np.int64) for k in range(n)]


def _as_printed(
    stack: _Stack, people: Integers, weight: Floats, solver: tuple[Floats, Floats], spread: float
) -> _Solved | None:
    """Which outputs give this combination of their values, and how precisely; None where too few digits are printed.

    weight: what the combination weighs in each sum.
    """
    triangle, scale = solver
    error = stack.error / scale
    error = np.maximum(error, 1e-6 * error.max()) if error.any() else np.ones(len(scale))
    # Of all combinations that give the sum, the one least disturbed by rounding.
    target = np.linalg.lstsq(triangle.T, weight, rcond=_NOTHING)[0]
    combined = np.linalg.lstsq(triangle / error, target, rcond=_NOTHING)[0] / error
    used = np.abs(combined) > 1e-6 * np.abs(combined).max()
    errors = np.abs(combined) * (stack.error / scale)
    # At worst, and as a rule (two standard deviations): roundings are uniform, and hardly ever all the same way.
    off, usual = float(errors.sum()), float(np.sqrt((errors**2).sum() / 3))
    first = stack.stated[0]
    own = np.abs(first.own[people]) * stack.times[people]
    allowed = max(_PER_CENT * float(own.sum()), _SHARE * spread, stack.step / 2)
    if 2 * usual > allowed:
        return None
    outputs = tuple(sorted(set(stack.outputs[used].tolist())))
    is_sure = off <= allowed
    return _Solved(people, outputs, 0.0, (off if is_sure else usual) / spread if spread > 0 else 0.0, is_sure)
